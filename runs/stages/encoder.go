package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Encoder is the stage that copies the folder of a pretrained encoder.
const Encoder stage.Name = "encoder"

var encoderStage = stage.Definition{
	Name: Encoder, Version: 1,
	Settings: func(p stage.Point) any {
		e := p.Study.Encoder(p.Path)
		return encoderSettings{Digest: e.Digest, Bytes: e.Bytes(), Vocab: e.Config.Vocab, SMLMShape: e.Config.SMLMShape}
	},
	Sources: func(p stage.Point) map[string]string {
		return map[string]string{"dir": p.Study.Experiment.Absolute(p.Path)}
	},
	Files: "config, weights and tokenizer, copied from the folder of the pretrained encoder",
	Run:   of(copyEncoder),
}

// encoderSettings has the digest, the size and the shape of the encoder. The path of its folder is
// Job.Sources["dir"].
type encoderSettings struct {
	Digest string `json:"digest"` // result of the method folder.Folder.Digest
	Bytes  int64  `json:"bytes"`
	Vocab  int    `json:"vocab"` // number of word pieces
	recipe.SMLMShape
}

// copyEncoder copies the folder and checks that it has not changed since the plan was made.
func copyEncoder(_ context.Context, job *stage.Job, s encoderSettings) error {
	from, err := folder.Open(job.Sources["dir"])
	if err != nil {
		return err
	}
	for _, name := range from.Files() {
		if err := copyFile(filepath.Join(job.Dir, name), filepath.Join(from.Dir, name)); err != nil {
			return err
		}
	}
	kept, err := folder.Open(job.Dir)
	if err != nil {
		return err
	}
	digest, err := kept.Digest()
	if err == nil && digest != s.Digest {
		err = userr.New(userr.BadInput, "the pretrained encoder %q has changed since the experiment was planned: run it again",
			from.Dir)
	}
	return err
}
