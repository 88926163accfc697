package stages

import (
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// UnseenCNN is the stage that trains a word CNN only on the unseen text (see Unseen). This CNN
// measures TST% unseen and does nothing else.
const UnseenCNN stage.Name = "unseen-cnn"

var unseenCNNStage = stage.Definition{
	Name: UnseenCNN, Version: 1, Trains: true, Inputs: "`unseen` (`inputs` calls it `prepare`), vocab",
	Settings: func(p stage.Point) any {
		return cnnSettings{p.FirstSeed(), p.Settings.CNN.Training, p.Settings.CNN.CNNShape}
	},
	Reads: func(p stage.Point) stage.Inputs {
		return stage.Inputs{"prepare": at(Unseen, p), "vocab": at(Vocab, p)}
	},
	Files: "a model",
	Run:   onTorch(of(trainCNN)),
}
