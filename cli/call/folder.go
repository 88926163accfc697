package call

import (
	"os"

	"github.com/smlm-exp/smlm-exp/internal/plainfile"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// EmptyFolder refuses a folder that holds something: what a command writes there would lie among
// other things.
func EmptyFolder(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return userr.New(userr.BadInput, "the folder %q is not empty: name another one", dir)
	}
	return nil
}

// MakeFolder makes a folder and those above it.
func MakeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return userr.New(userr.BadInput, "making the folder %q: %w", dir, plainfile.Cause(err))
	}
	return nil
}
