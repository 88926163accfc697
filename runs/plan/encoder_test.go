package plan

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestEncoderRefused checks that planning fails if an encoder's folder cannot be read, or if it has
// fewer layers than the file asks for. The message names the place of the key.
func TestEncoderRefused(t *testing.T) {
	for set, want := range map[string]string{
		"smlm.pretrained=nowhere": "smlm.pretrained: the pretrained encoder ",
		"smlm.pretrained=" + smallEncoder + " smlm.pretrained_layers=3": "has 2 layers, fewer than the 3 asked for: take at most 2",
	} {
		_, err := New(load(t, testkit.SmallStudy, strings.Fields(set)...))
		if err == nil || userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "--set smlm.pretrained=") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one sentence with %q", set, err, want)
		}
	}
}
