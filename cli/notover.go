package cli

import (
	"os"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// notOver keeps a command from overwriting its input. It returns an error if the file of --output
// is one of the files that the command reads, even under another name.
func notOver(out string, read ...string) error {
	there, err := os.Stat(out)
	if err != nil {
		return nil // there is no file to overwrite
	}
	for _, path := range read {
		if info, err := os.Stat(path); err == nil && os.SameFile(there, info) {
			return userr.New(userr.BadInput, "--output: %q is an input of this command: name another file", out)
		}
	}
	return nil
}
