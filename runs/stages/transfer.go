package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Transfer is the stage that rewrites the test sentences or, for the selection of settings, the dev
// sentences.
const Transfer stage.Name = "transfer"

var transferStage = stage.Definition{
	Name: Transfer, Version: 7, Scope: stage.OfMethod | stage.OfModel | stage.OfSplit,
	Settings: func(p stage.Point) any {
		t := TransferSettings{Decoding: p.Decoding, Dev: p.OfDev(), Directions: p.Data().Chosen()}
		if p.Decoding == recipe.GuidedDecoding {
			t.Guided = p.Settings.Guided.Guided
		}
		return t
	},
	Reads: transferReads,
	Inputs: "test and test-mask (for dev sentences, `prepare` and `mask` instead), vocab, model, [guide], " +
		"[fluency], [phrases], [tune]",
	Files: "`output.{0,1}.txt`, `masked.{0,1}.txt`: a line per sentence, possibly empty; for guided outputs " +
		"`origins.jsonl`: `guide` and `words`, as [`transfer --json`](transfer.md#output) has them",
	Run: onTorch(of(transfer)),
}

// TransferSettings says how a model writes outputs.
type TransferSettings struct {
	Decoding recipe.Decoding `json:"decoding"`
	Dev      bool            `json:"dev,omitempty"`   // whether to rewrite dev sentences, not test sentences
	Guided   recipe.Guided   `json:"guided,omitzero"` // for guided decoding
	// Directions are the directions in which the model rewrites. If there are none, it rewrites in
	// all directions.
	Directions []corpus.Direction `json:"directions,omitempty"`
}

func transferReads(p stage.Point) stage.Inputs {
	in := testText(p)
	if p.OfDev() {
		in = trainText(p)
		in["mask"] = at(Mask, p.With(""))
	} else {
		in["test-mask"] = at(Mask, p.With(corpus.Test.String()))
	}
	p.Split = ""
	in["model"] = at(stage.Name(p.Model), p)
	if p.Decoding != recipe.GuidedDecoding {
		return in
	}
	if p.Settings.Guided.HasAuto() {
		in = in.And(tuned(p))
	}
	return in.And(guiding(p))
}

// guiding names the inputs that guided decoding needs besides the model.
func guiding(p stage.Point) stage.Inputs {
	return stage.Inputs{"guide": at(Guide, p), "fluency": at(Fluency, p), "phrases": at(Phrases, p)}
}

// transfer rewrites the test sentences, or the dev sentences.
func transfer(ctx context.Context, job *stage.Job, s TransferSettings) error {
	s, err := chosenBy(job, s)
	if err != nil {
		return err
	}
	split := tested(s.Dev)
	t, err := loadText(job, split)
	if err != nil {
		return err
	}
	r, err := loadTransferModel(job.Inputs, t.vocab, s, false)
	if err != nil {
		return err
	}
	defer r.Free()
	directions := directionsOr(s.Directions, t.Labels)
	d, sources, err := t.asked(job, split, directions)
	if err != nil {
		return err
	}
	out, err := r.Words(ctx, t.vocab, d, sources, 1)
	if err != nil {
		return err
	}
	masked := masked(sources, d.Masks, corpus.MaskToken)
	outputs, withMasks := byDirection(t, split, directions, out.Words), byDirection(t, split, directions, masked)
	for k, d := range directions {
		for name, lines := range map[string][]corpus.Sentence{
			OutputName(t.Labels, d): outputs[k], MaskedName(t.Labels, d): withMasks[k],
		} {
			if err := corpus.WriteLines(filepath.Join(job.Dir, name), lines); err != nil {
				return err
			}
		}
	}
	if out.How == nil {
		return nil
	}
	origins := make([]*Origins, len(out.Words))
	for i := range origins {
		origins[i] = out.Origins(i)
	}
	return WriteOrigins(job.Dir, origins)
}
