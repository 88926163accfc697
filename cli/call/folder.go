package call

import (
	"os"

	"github.com/smlm-exp/smlm-exp/internal/plainfile"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// NotOver refuses to write to a file that the command reads, under whichever name.
func NotOver(flag, out string, read ...string) error {
	there, err := os.Stat(out)
	if err != nil {
		return nil // nothing to write over
	}
	for _, path := range read {
		if info, err := os.Stat(path); err == nil && os.SameFile(there, info) {
			return userr.New(userr.BadInput, "%s: %q is read by this command: name another file", flag, out)
		}
	}
	return nil
}

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
