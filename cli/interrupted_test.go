package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestInterrupted checks that a command says what happened to its work when Ctrl-C ends it.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"a.txt": "cold soup .\n", "b.txt": "warm soup .\n",
		"m.toml": "name = \"m\"\nlicence = \"none\"\n[[file]]\npath = \"a\"\nurl = \"http://127.0.0.1:9/a\"\nsha256 = \"" +
			strings.Repeat("0", 64) + "\"\n",
	} {
		testkit.WriteFile(t, in(name), text)
	}
	for want, args := range map[string][]string{
		"nothing was written, and the same command starts over": {
			"data", "import", in("new"), "a=" + in("a.txt"), "b=" + in("b.txt"),
		},
		"the same command starts over": {
			"score", "--source", in("a.txt"), "--source", in("b.txt"), "--output", in("a.txt"), "--output", in("b.txt"),
			"--wordnet", "none",
		},
		"finished stages are kept, and the same command continues from there": {"data", "fetch", in("m.toml"), in("fetched")},
	} {
		var out, errs bytes.Buffer
		status := Main(ctx, append([]string{"smlm-exp"}, args...), nil, strings.NewReader(""), &out, &errs)
		if got, want := errs.String(), "smlm-exp: interrupted: "+want+"\n"; status != 130 || got != want {
			t.Errorf("%v: status %d, %q, want %q", args[:2], status, got, want)
		}
	}
	if _, err := os.Stat(in("new")); err == nil {
		t.Error("an import that was ended left a folder")
	}
}
