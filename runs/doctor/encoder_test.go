package doctor

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestEncoder: of a folder it is said how large it is and what a training from it takes; one that
// cannot be read is refused before anything is measured.
func TestEncoder(t *testing.T) {
	if testing.Short() {
		t.Skip("all of doctor takes seconds")
	}
	var out bytes.Buffer
	if err := Examine(context.Background(), &out, "../../pretrained/testdata/bert"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"of bert, 2 layers of width 32: 0.0 million weights without words, 127 kB as files", "a training step on 1284 words takes ",
		"so a million words take ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
	out.Reset()
	err := Examine(context.Background(), &out, "nowhere")
	if userr.CodeOf(err) != userr.BadInput || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}
