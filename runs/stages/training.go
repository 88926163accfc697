package stages

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TrainResult is the content of result.json of every trained model.
type TrainResult struct {
	Parameters  int     `json:"parameters"`
	Epochs      int     `json:"epochs"` // number of epochs run
	BestEpoch   int     `json:"best_epoch"`
	Steps       int     `json:"steps"`
	TrainTokens int     `json:"train_tokens"`
	Seconds     float64 `json:"seconds"`
	DevLoss     float64 `json:"dev_loss"`
	DevAccuracy float64 `json:"dev_accuracy,omitempty"` // percent; for classifiers
	Conicity    float64 `json:"conicity,omitempty"`     // mean over the dev set; for a Diversity-LSTM

	Attention *AttentionHealth `json:"attention,omitempty"` // for a Diversity-LSTM
}

// Trained lists the stages that train in epochs, in the order of the study.
func Trained() []stage.Name {
	var names []stage.Name
	for _, d := range all {
		if d.Trains {
			names = append(names, d.Name)
		}
	}
	return names
}

// History has the part of history.json that tables and figures read.
type History struct {
	Epochs []Epoch `json:"epochs"`
	Best   int     `json:"best"` // index of the epoch whose weights were kept
}

// Epoch is an epoch in a History or, while the model is still training, in the file epochs.json. A
// field is nil if its value is not known.
type Epoch struct {
	Epoch     int      `json:"epoch"` // from 1
	Steps     int      `json:"steps"`
	TrainLoss *float64 `json:"train_loss"`
	Dev       struct {
		Loss     *float64 `json:"loss"`
		Accuracy *float64 `json:"accuracy"`
		Conicity *float64 `json:"conicity"`
	} `json:"dev"`
	Seconds float64 `json:"seconds"`
}

// training returns the recipe of a stage's training, and seeds torch.
func training(job *stage.Job, t recipe.Training, seed uint64) nn.Recipe {
	return trainingIn(job, job.Scratch, t, seed)
}

// trainingIn is like the function training, but keeps checkpoints in the folder scratch.
func trainingIn(job *stage.Job, scratch string, t recipe.Training, seed uint64) nn.Recipe {
	settle(job, scratch, &t)
	torch.Seed(seed)
	r := nn.Recipe{Training: t, Seed: seed, Scratch: scratch, Every: job.Every, Progress: job.Progress}
	if job.Scratch != "" {
		r.Ended = func(epochs []nn.Epoch) { // only for monitoring; the training does not depend on it
			_ = writeJSON(job.Scratch, stage.EpochsFile, epochs)
		}
	}
	return r
}

// keep saves a trained model whose weights are tensors.
func keep(job *stage.Job, p *nn.Params, config any, h *nn.History, r TrainResult) error {
	r.Parameters = p.Count()
	return keepModel(job, p.Save, config, h, r)
}

// keepModel saves a trained model: weights, shape, history and result.json.
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

// loadModel creates a model with the shape that a stage saved, and loads its weights. The folder
// may come from someone else, so loadModel checks it. An unknown field in the shape is an error,
// because the weights might belong to a different model. If the file has fewer weights than the
// shape needs, loadModel returns an error before it allocates memory. Weights that are not numbers
// are also an error.
func loadModel[C modelShape, M any](dir string, make func(C) M, params func(M) *nn.Params) (M, error) {
	var c C
	var none M
	path := filepath.Join(dir, "model.json")
	shape, err := files.Read(path)
	if err != nil {
		return none, fmt.Errorf("reading %q: %w", path, err)
	}
	if err := files.DecodeJSON(shape, &c); err != nil {
		return none, fmt.Errorf("reading %q: %w", path, err)
	}
	if err := c.Check(); err != nil {
		return none, fmt.Errorf("reading %q: %w", path, err)
	}
	weights := filepath.Join(dir, "model.safetensors")
	switch info, err := os.Stat(weights); {
	case err != nil:
		return none, err
	case 4*c.Numbers() > float64(info.Size()):
		return none, userr.New(userr.BadInput, "reading %q: a model of this shape has %.0f weights, but %q "+
			"has room for %d", path,
			c.Numbers(), weights, info.Size()/4)
	}
	m := make(c)
	err = params(m).Load(weights)
	if err == nil {
		if bad := params(m).FirstBad(); bad != "" {
			err = userr.New(userr.BadInput, "reading %q: the weights %q contain values that are not numbers", weights, bad)
		}
	}
	if err != nil {
		params(m).Free()
		return none, err
	}
	return m, nil
}

// modelShape is the shape of a model. It is stored with the weights.
type modelShape interface {
	Check() error     // returns an error for a shape that no model can have
	Numbers() float64 // number of weights
}

// settle replaces the precision "auto" and records the chosen precision in the job. If the folder
// scratch has a checkpoint, settle chooses the precision of the checkpoint, so that training
// continues as it began. Otherwise it chooses the precision of an earlier training run in the same
// job or, if there was none, the precision that is faster on the device.
func settle(job *stage.Job, scratch string, t *recipe.Training) {
	defer func() { job.Used.Precision = string(t.Precision) }()
	if t.Precision != recipe.Auto {
		return
	}
	// If bfloat16 is unavailable, loading the checkpoint fails with a clear error.
	begun := nn.BegunIn(scratch)
	switch {
	case begun == recipe.FP32 || begun == recipe.BF16 && torch.WhyNoBF16() == "":
		t.Precision = begun
	case job.Used.Precision != "":
		t.Precision = recipe.Precision(job.Used.Precision)
	case torch.FasterInBF16():
		t.Precision = recipe.BF16
	default:
		t.Precision = recipe.FP32
	}
}

// inBF16 reports whether a model computes its outputs in bfloat16. It does so if it was trained in
// bfloat16 and bfloat16 is faster on this device.
func inBF16(trained string) bool { return trained == string(recipe.BF16) && torch.FasterInBF16() }
