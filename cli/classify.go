package cli

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// request names a network in the stage folder given with a flag and its vocabulary: the folder
// given, or the one that the stage's record names in the same workspace. The flag's name is the
// kind of the stage.
func (o *options) request(dir, flag string) (stages.JudgeRequest, error) {
	var none stages.JudgeRequest
	r, err := stageRecord(dir, stage.Kind(flag), "--"+flag)
	if err != nil {
		return none, err
	}
	vocab := o.vocab
	if vocab == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return none, err
		}
		vocab = filepath.Join(filepath.Dir(filepath.Dir(abs)), string(stages.Vocab), r.Inputs["vocab"])
	}
	v, err := stageRecord(vocab, stages.Vocab, "--vocab")
	if err != nil {
		return none, err
	}
	if v.ID != r.Inputs["vocab"] {
		return none, userr.New(userr.BadInput, "the model %q was trained with vocabulary %s, not with %q: "+
			"leave --vocab out or give the right one", dir, r.Inputs["vocab"], vocab)
	}
	return stages.JudgeRequest{ID: r.ID, Dir: dir, VocabDir: vocab, Devices: o.devices}, nil
}

// stageRecord reads stage.json of a stage folder that the user named, and checks that it is of the
// kind wanted.
func stageRecord(dir string, kind stage.Kind, flag string) (*stage.Record, error) {
	path := filepath.Join(dir, "stage.json")
	r, err := stage.ReadRecord(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "%s: %q is not the folder of a finished stage (there is no %q): "+
			"give a folder WORKSPACE/stages/%s/ID", flag, dir, path, kind)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "%s: %w", flag, err)
	}
	if r.Kind != kind {
		return nil, userr.New(userr.BadInput, "%s: %q is a stage of kind %s: give a folder WORKSPACE/stages/%s/ID",
			flag, dir, r.Kind, kind)
	}
	if err := workspace.WholeFolder(dir, r); err != nil {
		return nil, userr.New(userr.BadInput, "%s: %w", flag, err)
	}
	return r, nil
}
