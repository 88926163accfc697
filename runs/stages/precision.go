package stages

import (
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/precision"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// clock says which precision is the faster one.
var clock = precision.New()

// settle makes "auto" a precision, and records which and why: that of the checkpoint in scratch,
// which goes on as it began, or that of an earlier training of the same stage, or the one that is
// faster for a model of these parts. A training is not given up because it could not be measured.
func settle(job *stage.Job, scratch string, t *recipe.Training, parts []precision.Part) {
	defer func() { job.Used.Precision = string(t.Precision) }()
	if t.Precision != recipe.Auto {
		return
	}
	// one that cannot be made here is left to the refusal of the checkpoint
	if begun := nn.BegunIn(scratch); begun == recipe.FP32 || begun == recipe.BF16 && torch.WhyNoBF16() == "" {
		t.Precision = begun
		job.Used.Auto = recipe.Measured{Why: "its checkpoint began so"}
		return
	}
	if job.Used.Auto.Why != "" {
		t.Precision = recipe.Precision(job.Used.Precision)
		return
	}
	choice, err := clock.Choose(parts...)
	if err != nil {
		job.Log.Warn("float32 is taken for precision = \"auto\"", "why", err)
		choice.Precision, choice.Why = recipe.FP32, err.Error()
	}
	t.Precision, job.Used.Auto = choice.Precision, choice.Measured
}

// inBF16 tells whether a model that was trained in bfloat16 also writes in it: where that is the
// faster way here.
func inBF16(trained string, parts []precision.Part) bool {
	if trained != string(recipe.BF16) {
		return false
	}
	choice, err := clock.Choose(parts...)
	return err == nil && choice.Precision == recipe.BF16
}

// shape is what is measured of an SMLM or SMLM-G.
func shape(c smlm.Config, batchTokens int) precision.Transformer {
	return precision.Transformer{
		BatchTokens: batchTokens, Vocab: c.Vocab, DecoderLayers: c.DecoderLayers, SMLMShape: c.SMLMShape,
	}
}
