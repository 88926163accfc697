// Package policy turns the scores of a sentence's words into a mask. It also names the scoring
// methods, and reads and writes mask files. It is separate from masking so that code for experiment
// files and reports can use it without depending on models.
package policy

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Policy decides which words of a sentence to mask, given their scores, which sum to 1. Fields that
// its Name does not use are ignored.
type Policy struct {
	// Name is how scores become masks. In a sentence of n words, "surplus" masks words with a score
	// of (1 + lambda_eps) / n or more; "top_share" masks those with the highest scores.
	Name Name `json:"policy" default:"surplus"`
	// LambdaEps sets the threshold of "surplus": the higher, the fewer words are masked. The paper
	// has 0.5 for SNLI. "auto": how many words are masked is chosen on dev sentences (guided.md).
	LambdaEps recipe.OrAuto `json:"lambda_eps,omitempty" default:"0.15" must:"from 0 to 1000"`
	// TopShare is the share of words that "top_share" masks in each sentence, rounded up.
	TopShare float64 `json:"top_share,omitempty" default:"0.15" must:"above 0 and at most 1"`
}

// String describes the policy: "lambda_eps 0.5".
func (p Policy) String() string {
	switch p.Name {
	case Surplus:
		return "lambda_eps " + p.LambdaEps.String()
	case TopShare:
		return fmt.Sprintf("top_share %g", p.TopShare)
	}
	return string(p.Name)
}

// Needed returns a copy of the policy with only the fields that its Name uses. All other fields are
// 0.
func (p Policy) Needed() Policy {
	n := Policy{Name: p.Name}
	switch p.Name {
	case Surplus:
		n.LambdaEps = p.LambdaEps
	case TopShare:
		n.TopShare = p.TopShare
	}
	return n
}

// tolerance allows for rounding errors in scores that should be exactly 1/n, and in TopShare times
// the number of words.
const tolerance = 1e-6

// tieTolerance is the relative difference up to which scores count as equal. The last digits of
// scores depend on the other sentences in the batch, but masks must not.
const tieTolerance = 1e-5

// Never is the score of a word that no policy masks.
const Never = -1

// Mask returns which words of a sentence to mask. Among words with equal scores, earlier words are
// masked first. A word with score Never is not masked, even if this leaves fewer masked words than
// the policy demands. Mask panics on an unknown Name.
func (p Policy) Mask(scores []float32) []bool {
	switch p.Name {
	case Surplus:
		return p.surplus(scores)
	case TopShare:
		return top(scores, int(math.Ceil(p.TopShare*float64(len(scores))-tolerance)))
	case None:
		return make([]bool, len(scores))
	default:
		panic(fmt.Sprintf("policy: unknown policy %q", p.Name))
	}
}

// Threshold returns A^baseline for a sentence of n words. This is the minimum score of a masked
// word (the paper, eq. 1):
//
//	A^baseline = (1 + lambda_eps) A^mean, A^mean = 1/n, Mask[A_i >= A^baseline] = 1
func (p Policy) Threshold(n int) float64 { return (1 + float64(p.LambdaEps)) / float64(n) }

// Rule says which words of a sentence of n words are masked: "from 0.287 on" or "top_share 0.2".
func (p Policy) Rule(n int) string {
	if p.Name == Surplus {
		return fmt.Sprintf("from %.3f on", p.Threshold(n))
	}
	return p.String()
}

// Slack is the factor by which Policy.surplus lowers the threshold, to allow for rounding. With
// Slack, all words are masked if LambdaEps is 0 and all scores are equal, as the paper says.
const Slack = 1 - tolerance

// surplus returns a mask of the words whose scores reach the threshold (the paper, eq. 2).
func (p Policy) surplus(scores []float32) []bool {
	mask := make([]bool, len(scores))
	threshold := p.Threshold(len(scores)) * Slack
	for i, a := range scores {
		mask[i] = float64(a) >= threshold
	}
	return mask
}

// top returns a mask of the k words with the highest scores (the paper's "top 15%", section "The
// Style-Masking module").
func top(scores []float32, k int) []bool {
	mask := make([]bool, len(scores))
	for range min(k, len(scores)) {
		next := -1
		for i, a := range scores {
			if !mask[i] && a >= 0 && (next < 0 || a > scores[next]*(1+tieTolerance)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		mask[next] = true
	}
	return mask
}

// Shuffled returns a mask with as many masked words as the given mask, at random places drawn from
// rng. Words with score Never are never masked. The shuffled mask is a baseline with the same share
// of masked words.
func Shuffled(mask []bool, scores []float32, rng *rand.Rand) []bool {
	var places []int
	for i, a := range scores {
		if a >= 0 {
			places = append(places, i)
		}
	}
	out := make([]bool, len(mask))
	copy(out, mask)
	rng.Shuffle(len(places), func(i, j int) {
		i, j = places[i], places[j]
		out[i], out[j] = out[j], out[i]
	})
	return out
}

// Name is how a policy turns scores into a mask.
type Name string

// The policies.
const (
	Surplus  Name = "surplus"   // attribution surplus (the paper, eq. 1)
	TopShare Name = "top_share" // masks the same share of words in every sentence
	None     Name = "none"      // masks no words; a baseline
)

// Choices returns the values that an experiment file may contain. The policy None is not among
// them, because an experiment file uses the method NoMasking instead.
func (Name) Choices() []string { return recipe.Choices(Surplus, TopShare) }
