package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// UnseenCNN is the stage that trains a word CNN only on the unseen text (see Unseen). This CNN
// measures TST% unseen and does nothing else.
const UnseenCNN stage.Name = "unseen-cnn"

var unseenCNNStage = stage.Definition{
	Name: UnseenCNN, Version: 1, Trains: true, Inputs: "`unseen` (`inputs` calls it `prepare`), vocab",
	Settings: func(p stage.Point) any {
		return unseenCNNSettings{Seed: p.FirstSeed(), CNNSettings: p.Settings.CNN}
	},
	Reads: func(p stage.Point) stage.Inputs {
		return stage.Inputs{"prepare": at(Unseen, p), "vocab": at(Vocab, p)}
	},
	Files: "a model",
	Run:   onTorch(of(trainUnseenCNN)),
}

// unseenCNNSettings holds the seed and the fixed settings of the CNN.
type unseenCNNSettings struct {
	Seed uint64 `json:"seed"`
	experiment.CNNSettings
}

func trainUnseenCNN(ctx context.Context, job *stage.Job, s unseenCNNSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	how := cnnSettings{s.Seed, s.Training, s.CNNShape}
	return trainCNN(ctx, job, how, t, t.encoded(corpus.Train), t.encoded(corpus.Dev))
}
