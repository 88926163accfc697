package plan

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestEncoderRefused checks that planning fails if an encoder's folder cannot be read. The message
// names the place of the key.
func TestEncoderRefused(t *testing.T) {
	_, err := New(load(t, testkit.SmallStudy, "smlm.pretrained=nowhere"))
	if err == nil || userr.CodeOf(err) != userr.BadInput ||
		!strings.HasPrefix(err.Error(), "--set smlm.pretrained=nowhere: smlm.pretrained: the pretrained encoder ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one sentence with the place of the key", err)
	}
}
