package stages

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/masking/scorefile"
	"github.com/smlm-exp/smlm-exp/runs"
)

// mask turns scores into masks by a policy: no network and no text is needed.
func mask(_ context.Context, job *runs.Job) error {
	s, err := settings[runs.MaskStage](job)
	if err != nil {
		return err
	}
	file, err := scoresOf(job.Inputs["attribution"])
	if err != nil {
		return err
	}
	counts := map[string]masking.Counts{}
	for _, split := range corpus.Splits {
		for style := range 2 {
			rows := file.Rows(split.String(), style)
			if rows == nil {
				continue // a split that was not scored
			}
			masks := masksOf(s, rows, uint64(split)*2+uint64(style))
			if err := writeMasks(job.Dir, split, style, masks); err != nil {
				return err
			}
			counts[fmt.Sprintf("%s.%d", split, style)] = masking.Count(masks)
		}
	}
	return writeJSON(job.Dir, "counts.json", counts)
}

// lastScores: the stages of a sweep over lambda_eps come one after another.
var lastScores last[*scorefile.File]

func scoresOf(dir string) (*scorefile.File, error) {
	return lastScores.get(dir, func() (*scorefile.File, error) { return scorefile.Read(filepath.Join(dir, "scores.parquet")) })
}

// masksOf applies a mask stage's policy; stream tells the parts of a data set apart in the random one.
func masksOf(s runs.MaskStage, scores [][]float32, stream uint64) [][]bool {
	policy := masking.Policy{Name: s.Policy, LambdaEps: s.LambdaEps, Strict: s.Strict, K: s.K, Share: s.Share, Extra: s.Extra}
	rng := rand.New(rand.NewPCG(s.Seed, stream))
	masks := make([][]bool, len(scores))
	for i, row := range scores {
		masks[i] = policy.Mask(row)
		if s.Random {
			masks[i] = masking.Shuffled(masks[i], rng)
		}
	}
	return masks
}
