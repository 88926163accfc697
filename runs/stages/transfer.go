package stages

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Transfer writes the test sentences in other styles, or the dev sentences for a selection.
const Transfer stage.Name = "transfer"

var transferStage = stage.Definition{
	Name: Transfer, Version: 3, Inputs: "test and test-mask (for dev sentences prepare and mask, which a price needs " +
		"too), vocab, model, [guide], [fluency], [rater]",
	Files: "`output.{0,1}.txt`, `masked.{0,1}.txt`: a line per sentence, possibly empty; for guided outputs " +
		"`origins.jsonl`: `guide` and `words`, as [`transfer --json`](transfer.md#output) has them",
	Run: onTorch(of(transfer)),
}

// TransferSettings is how a model writes.
type TransferSettings struct {
	Decoding  recipe.Decoding `json:"decoding"`
	Beam      int             `json:"beam,omitempty"`       // SMLM-G
	NoRepeats bool            `json:"no_repeats,omitempty"` // SMLM-G
	Dev       bool            `json:"dev,omitempty"`        // the dev sentences, not the test sentences
	Guided    recipe.Guided   `json:"guided,omitzero"`      // of decoding "guided"
	Seed      uint64          `json:"seed,omitempty"`       // of the candidates that are drawn
	Ranker    *guided.Ranker  `json:"ranker,omitempty"`     // where guided outputs are ranked
	// Rules is 3 of ranked outputs and 2 of others with mask_contrast (decision 039). Outputs by
	// earlier rules have another identity.
	Rules int `json:"rules,omitempty"`
	// Directions are those in which it writes, none for all.
	Directions []corpus.Direction `json:"directions,omitempty"`
	// Lengths are those of the directions that have another than Guided.Length.
	Lengths []LengthOf `json:"lengths,omitempty"`
	// Negations are those that Guided.Ranked reads.
	Negations []Negation `json:"negations,omitempty"`
}

// Negation is a phrase, and what stands in its place so that the sentence says the opposite.
type Negation struct {
	From []string `json:"from"`
	To   []string `json:"to"`
}

// String returns the entry of the experiment file.
func (n Negation) String() string {
	return strings.TrimSpace(strings.Join(n.From, " ") + " -> " + strings.Join(n.To, " "))
}

// LengthOf is the setting length of a direction.
type LengthOf struct {
	corpus.Direction
	Length float64 `json:"length"`
}

// NewTransfer returns how a model writes by a decoding, given the lengths of single directions.
func NewTransfer(
	s *experiment.Settings, lengths []LengthOf, model stage.Name, decoding recipe.Decoding, seed uint64,
) TransferSettings {
	t := TransferSettings{Decoding: decoding}
	if decoding == recipe.GuidedDecoding {
		t.Guided = s.Guided.Needed()
		if model == SMLMG {
			t.Guided = s.Searched()
		} else if t.Guided.Candidates > 1 {
			t.Seed = seed
		}
		if s.SMLM.Slots == 0 {
			t.Guided.Length, t.Guided.LengthGamma, t.Guided.LengthFit = 0, 0, 0
		} else if model != SMLMG {
			t.Lengths = lists.Where(lengths, func(l LengthOf) bool { return l.Length != t.Guided.Length })
		}
		if t.Guided.MaskContrast > 0 {
			t.Rules = 2
		}
		if t.Guided.Ranked {
			t.Rules = 3
			t.Ranker = guided.ShippedRanker(s.SMLM.Pretrained != "")
			for _, entry := range s.Guided.Negations {
				from, to, _ := experiment.CutNegation(entry) // Load refused what is none
				t.Negations = append(t.Negations, Negation{from, to})
			}
			if len(t.Negations) == 0 { // it was fitted to outputs with negated phrases
				t.Ranker.Uneven = nil
			}
		}
		return t
	}
	if model != SMLMG {
		return t
	}
	t.Beam, t.NoRepeats = s.Decoder.Beam, s.Decoder.NoRepeats
	return t
}

// transfer rewrites the test sentences, or the dev sentences.
func transfer(ctx context.Context, job *stage.Job, s TransferSettings) error {
	split := tested(s.Dev)
	t, err := loadText(job, split)
	if err != nil {
		return err
	}
	r, err := loadTransferModel(job.Inputs, s, false)
	if err != nil {
		return err
	}
	defer r.Free()
	for _, n := range r.Unusable {
		job.Log.Warn("the vocabulary lacks words of an entry of guided.negations, so it is not used", "entry", n.String())
	}
	directions := directionsOr(s.Directions, t.Labels)
	d, sources, err := t.asked(job, split, directions)
	if err != nil {
		return err
	}
	out, err := r.Words(ctx, t.vocab, d, sources)
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
