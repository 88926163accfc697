package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// train adds the training of a transfer model.
func (b *builder) train(ps *PointStages, model string, m *MaskStages, u use) *Stage {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	in := ps.reading(inputs{"mask": m.Mask})
	switch model {
	case "smlm-g":
		return b.stage(stages.SMLMG, stages.NewSMLMG(s, seed), in, u)
	case "smlm-ft":
		in["smlm"] = b.stage(stages.SMLM, stages.NewSMLM(s, seed), maps.Clone(in), u)
		if s.Finetune.Judge == recipe.Guide {
			in["guide"] = b.guide(ps, u)
		}
		return b.stage(stages.SMLMFT, stages.NewSMLMFT(s, seed), in, u)
	}
	return b.stage(stages.SMLM, stages.NewSMLM(s, seed), in, u)
}

// model adds a trained model's outputs and their score.
func (b *builder) model(
	ps *PointStages, model string, train *Stage, m *MaskStages, decoding recipe.Decoding, u use,
) *ModelStages {
	s := &ps.Point.Settings
	out := &ModelStages{Model: model, Method: m.Method, Decoding: decoding, Train: train}
	u.model, u.decoding = model, string(decoding)
	in := inputs{"model": train}
	settings := stages.NewTransfer(s, train.Kind, decoding, ps.Point.Seed)
	if settings.Guided.AsksGuide() {
		in["guide"] = b.guide(ps, u)
	}
	if settings.Guided.Fluency > 0 {
		in["fluency"] = b.fluency(ps, u)
	}
	if !ps.Point.DevOnly {
		test := ps.testing(in)
		test["test-mask"] = m.TestMask
		if settings.Guided.Price > 0 { // which words of the training text are masked how often
			test["prepare"], test["mask"] = ps.Prepare, m.Mask
		}
		out.Transfer = b.stage(stages.Transfer, settings, test, u)
		out.Score = b.score(ps, out.Transfer, u)
	}
	if slices.Contains(b.plan.Experiment.Report.Tables, "selection") {
		settings.Dev, u.split = true, corpus.Dev.String()
		dev := ps.reading(in)
		dev["mask"] = m.Mask
		out.Dev = b.selection(ps, b.stage(stages.Transfer, settings, dev, u), u)
	}
	return out
}

// guide adds the word CNN of [guide].
func (b *builder) guide(ps *PointStages, u use) *Stage {
	settings := stages.GuideSettings{Seed: ps.Point.Seed, GuideSettings: ps.Point.Settings.Guide}
	return b.stage(stages.Guide, settings, ps.reading(nil), u)
}

// fluency adds the n-gram language model of [fluency].
func (b *builder) fluency(ps *PointStages, u use) *Stage {
	settings := stages.FluencySettings{FluencySettings: ps.Point.Settings.Fluency}
	return b.stage(stages.Fluency, settings, ps.reading(nil), u)
}

// selection adds the score of dev outputs: by the selector, a classifier of another kind than the
// evaluation classifier and the guide, and with the n-gram model in the place of the evaluating
// language model.
func (b *builder) selection(ps *PointStages, transfer *Stage, u use) *Stage {
	in := ps.reading(inputs{"transfer": transfer, "selector": b.fastText(ps), "fluency": b.fluency(ps, u)})
	for name, stage := range ps.Instruments() {
		if strings.HasPrefix(name, "naturalness") {
			in[name] = stage
		}
	}
	return b.stage(stages.Score, stages.ScoreSettings{Dev: true}, in, u)
}

// SystemNames are what tables call the transfer models.
var SystemNames = map[string]string{"smlm": "SMLM", "smlm-g": "SMLM-G", "smlm-ft": "SMLM-FT"}
