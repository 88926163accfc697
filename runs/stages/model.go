package stages

import (
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/precision"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// training returns the recipe of a stage's training, whose seed it sets; parts are what the model
// is made of, by which "auto" becomes a precision.
func training(job *stage.Job, t recipe.Training, seed uint64, parts []precision.Part) nn.Recipe {
	return trainingIn(job, job.Scratch, t, seed, parts)
}

// trainingIn is training with a folder of its own for checkpoints.
func trainingIn(job *stage.Job, scratch string, t recipe.Training, seed uint64, parts []precision.Part) nn.Recipe {
	settle(job, scratch, &t, parts)
	torch.Seed(seed)
	r := nn.Recipe{Training: t, Seed: seed, Scratch: scratch, Every: job.Every, Progress: job.Progress}
	if job.Scratch != "" {
		r.Ended = func(epochs []nn.Epoch) { // for those who watch: without it the training is the same
			_ = writeJSON(job.Scratch, stage.EpochsFile, epochs)
		}
	}
	return r
}

// keep writes a trained model of tensors.
func keep(job *stage.Job, p *nn.Params, config any, h *nn.History, r TrainResult) error {
	r.Parameters = p.Count()
	return keepModel(job, p.Save, config, h, r)
}

// keepModel writes a trained model: weights, shape, history and what result.json sums up.
func keepModel(job *stage.Job, save func(path string) error, config any, h *nn.History, r TrainResult) error {
	kept := h.Kept()
	r.Epochs, r.BestEpoch, r.Steps, r.Seconds = len(h.Epochs), kept.Epoch, h.Steps, h.Seconds
	r.DevLoss, r.DevAccuracy, r.Conicity = kept.Dev.Loss, kept.Dev.Accuracy, kept.Dev.Conicity
	if err := save(filepath.Join(job.Dir, "model.safetensors")); err != nil {
		return err
	}
	if err := writeJSON(job.Dir, "model.json", config); err != nil {
		return err
	}
	if err := writeJSON(job.Dir, "history.json", h); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", r)
}

// loadModel makes a model of the shape a stage wrote and fills in its weights.
func loadModel[C, M any](dir string, make func(C) M, params func(M) *nn.Params) (M, error) {
	var c C
	var none M
	if err := readJSON(dir, "model.json", &c); err != nil {
		return none, err
	}
	m := make(c)
	if err := params(m).Load(filepath.Join(dir, "model.safetensors")); err != nil {
		params(m).Free()
		return none, err
	}
	return m, nil
}
