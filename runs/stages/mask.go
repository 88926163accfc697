package stages

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Mask is the stage that turns the scores of words into masks (the paper, eq. 1 and 2).
const Mask stage.Name = "mask"

var maskStage = stage.Definition{
	Name: Mask, Version: 2, Scope: stage.OfMethod | stage.OfSplit, Inputs: "attribution, [tune]",
	Settings: func(p stage.Point) any { return maskSettings(p) },
	Reads: func(p stage.Point) stage.Inputs {
		scored := p
		scored.Method = p.Method.Scored() // the methods "random" and "none" use the scores of another method
		in := stage.Inputs{"attribution": at(Attribution, scored)}
		if masksAreChosen(p) {
			in = in.And(tuned(p))
		}
		return in
	},
	Files: "`{train,dev,test}.{0,1}.mask` of the scored splits: a line per sentence, a digit per word, 1 = masked; " +
		"`counts.json`: per file (`train.0`) `sentences`, `words`, `masked` words, sentences masked completely " +
		"(`all`) or not at all (`none`)",
	Run: of(mask),
}

// MaskSettings has the policy that chooses the words to mask. If Random is true, each sentence has
// as many masked words as the policy would mask, but at random places drawn with Seed.
type MaskSettings struct {
	policy.Policy
	Random bool   `json:"random,omitempty"`
	Seed   uint64 `json:"seed,omitempty"` // 0 unless Random is true
}

func maskSettings(p stage.Point) MaskSettings {
	if p.Method == policy.NoMasking {
		return MaskSettings{Policy: policy.Policy{Name: policy.None}}
	}
	masking := p.Settings.Masking
	if p.Method.ByGradients() && !masksAreChosen(p) {
		masking.Policy.LambdaEps = recipe.OrAuto(masking.LambdaEpsGradients)
	}
	m := MaskSettings{Policy: masking.Policy.Needed()}
	if p.Method == policy.Random {
		m.Random, m.Seed = true, p.Seed
	}
	return m
}

// mask turns scores into masks. It needs no network and no text.
func mask(_ context.Context, job *stage.Job, s MaskSettings) error {
	s, err := chosenBy(job, s)
	if err != nil {
		return err
	}
	file, err := scoresOf(job.Inputs["attribution"])
	if err != nil {
		return err
	}
	counts := map[string]policy.Counts{}
	for _, split := range corpus.Splits {
		for style := range file.Styles() {
			rows := file.Rows(split.String(), style)
			if rows == nil {
				continue // this split was not scored
			}
			masks := newMasker(s, uint64(split)*uint64(file.Styles())+uint64(style)).masks(rows)
			if err := policy.WriteMasks(job.Dir, split, style, masks); err != nil {
				return err
			}
			counts[fmt.Sprintf("%s.%d", split, style)] = policy.Count(masks)
		}
	}
	return writeJSON(job.Dir, "counts.json", counts)
}

// lastScores caches scores. The stages of a sweep over lambda_eps run one after another and read
// the same scores.
var lastScores last[*masking.ScoreFile]

func scoresOf(dir string) (*masking.ScoreFile, error) {
	return lastScores.get(
		dir, func() (*masking.ScoreFile, error) { return masking.ReadScores(filepath.Join(dir, "scores.jsonl")) },
	)
}

// masker applies a mask stage's policy.
type masker struct {
	policy.Policy
	random *rand.Rand // draws the masked places; nil: the policy chooses them
}

// newMasker returns a masker for a part of a data set. Each part needs its own stream of random
// numbers.
func newMasker(s MaskSettings, stream uint64) *masker {
	m := &masker{Policy: s.Policy}
	if s.Random {
		m.random = rand.New(rand.NewPCG(s.Seed, stream))
	}
	return m
}

// masks returns the masks of sentences, given the scores of their words.
func (m *masker) masks(scores [][]float32) [][]bool {
	masks := make([][]bool, len(scores))
	for i, row := range scores {
		masks[i] = m.Mask(row)
		if m.random != nil {
			masks[i] = policy.Shuffled(masks[i], row, m.random)
		}
	}
	return masks
}
