package rewrite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// usedFiles are those of a stage that models are made of; the others tell how it came about.
var usedFiles = []string{"stage.json", "model.json", "model.safetensors", "vocab.txt", stages.SharesFile}

// Temporary extracts the files that models are made of into a folder of its own, calls use with
// it, and removes them: what use has opened must be in memory by then.
func (p *Pack) Temporary(use func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "smlm-exp-model-")
	if err != nil {
		return userr.New(userr.BadInput, "%q cannot be unpacked for use in the folder %q (%w): set TMPDIR to a folder that "+
			"is there and has room", p.name, os.TempDir(), files.Cause(err))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := p.extract(dir, func(base string) bool { return slices.Contains(usedFiles, base) }); err != nil {
		return err
	}
	return use(dir)
}

// Into puts the stages among those of a workspace, which this process must have joined, and returns
// those that were not there yet.
func (p *Pack) Into(ws *workspace.Workspace) (added []Stage, err error) {
	dir, err := os.MkdirTemp(ws.Path("tmp"), "unpacked-")
	if err != nil {
		return nil, ws.Explain(err, "writing")
	}
	defer os.RemoveAll(dir)
	if err := p.Extract(dir); err != nil {
		return nil, err
	}
	for _, s := range p.Manifest.Stages {
		to := &plan.Stage{Kind: s.Kind, ID: s.ID}
		if ws.Whole(to) == nil {
			continue
		}
		if err := ws.Remove(ws.StageDir(to)); err != nil { // damaged
			return added, err
		}
		if err := os.MkdirAll(filepath.Dir(ws.StageDir(to)), 0o755); err != nil {
			return added, ws.Explain(err, "writing")
		}
		if err := os.Rename(filepath.Join(dir, filepath.FromSlash(s.dir())), ws.StageDir(to)); err != nil {
			return added, fmt.Errorf("unpacking the stage %s: %w", s.Kind, err)
		}
		added = append(added, s)
	}
	return added, nil
}
