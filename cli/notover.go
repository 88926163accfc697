package cli

import (
	"os"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// notOver refuses to write to a file that the command reads, even under another name.
func notOver(flag, out string, read ...string) error {
	there, err := os.Stat(out)
	if err != nil {
		return nil // nothing to write over
	}
	for _, path := range read {
		if info, err := os.Stat(path); err == nil && os.SameFile(there, info) {
			return userr.New(userr.BadInput, "%s: %q is an input of this command: name another file", flag, out)
		}
	}
	return nil
}
