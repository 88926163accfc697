package plan

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// outside is a file outside the workspace as the plan found it.
type outside struct {
	hash string
	by   func(path string) (string, error)
}

// hash hashes a file outside the workspace, and keeps what Unchanged asks for.
func (d *Data) hash(path string, by func(string) (string, error)) (string, error) {
	sum, err := by(path)
	d.outside[path] = outside{sum, by}
	return sum, err
}

// Unchanged returns an error where a file outside the workspace that a stage reads is no longer
// what the plan, and with it the stage's identity, was made of: there may be days between.
func (p *Plan) Unchanged(s *Stage) error {
	for _, source := range slices.Sorted(maps.Values(s.Sources)) {
		for _, d := range p.Data {
			for path, then := range d.outside {
				if path != source && filepath.Dir(path) != source {
					continue
				}
				switch now, err := then.by(path); {
				case err != nil:
					return userr.New(
						userr.BadInput, "%q cannot be read again (%w): put it back and run again", path, files.Cause(err),
					)
				case now != then.hash:
					return userr.New(
						userr.BadInput, "%q is no longer what it was when the run began: run again, which makes anew what reads it",
						path,
					)
				}
			}
		}
	}
	return nil
}
