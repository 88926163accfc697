package guided

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
)

// Feature is one of the numbers of an output that a ranker looks at.
type Feature int

// The features. Evidence of a word is by how much the guide's log p(own) - log p(asked) of a
// sentence falls where the word is hidden. Near are the new words of an output and the words beside
// them, or beside a deleted one; of each log q is SMLM's where it alone is masked.
const (
	Odds     Feature = iota // the guide's log p(asked) - log p(own) of the output
	Left                    // the largest evidence of a word of the output
	Contrast                // mean log q(w | asked) - log q(w | own) of new words
	Places                  // words of the source that do not stand in their places
	Plain                   // those of them whose evidence in the source is below .5
	Share                   // Places over the words of the source
	Near                    // mean log q(w | asked) of the words near a change
	Beside                  // the least log q(w | asked), above log q(w | own) in the source, of those that stay
	Alike                   // mean cosine of the vectors of a new word and of the one in whose place it stands
	LeastFit                // the least, of near words, of log p of the n-grams that have it above log p of it alone
	NGrams                  // log p by the n-grams of the output, a word, above that of the source
	numFeatures
)

// FeatureNames are those of the features, as files of readings have them.
var FeatureNames = [numFeatures]string{
	"odds", "left", "contrast", "places", "plain", "share", "near", "beside", "alike", "fit", "ngrams",
}

// Features are those of an output.
type Features [numFeatures]float64

// Ranker says how good readers would find an output. It was fitted on readings of dev outputs:
// three logistic regressions say how likely a reader is to give style, content and fluency the best
// score.
type Ranker struct {
	Mean Features `json:"mean"` // of the readings that it was fitted on
	SD   Features `json:"sd"`
	// Of are the regressions of style, content and fluency, on features of mean 0 and variance 1.
	Of [3]Regression `json:"of"`
	// Uneven ranks the outputs in which a word of the source has become none or several, whose
	// features mean other things; nil: they are ranked like others.
	Uneven *Ranker `json:"uneven,omitempty"`
}

// For returns the ranker of outputs that are uneven, or of those that are not.
func (r *Ranker) For(uneven bool) *Ranker {
	if uneven && r.Uneven != nil {
		return r.Uneven
	}
	return r
}

// Regression is a logistic regression.
type Regression struct {
	Bias    float64  `json:"bias"`
	Weights Features `json:"weights"`
}

// farthest bounds a feature, in standard deviations from the mean of the readings: on other data a
// number may be one that no reader has seen, and must not decide alone.
const farthest = 4

// Score returns the log of the product of the three probabilities: so no score is bought with
// another.
func (r *Ranker) Score(f Features) (sum float64) {
	z := r.standard(f)
	for _, of := range r.Of {
		sum -= math.Log1p(math.Exp(-of.logit(z)))
	}
	return sum
}

// Sound tells whether a ranker can be used: no number is infinite or absurd, and no SD is 0.
func (r *Ranker) Sound() bool {
	numbers := slices.Concat(r.Mean[:], r.SD[:])
	for _, of := range r.Of {
		numbers = append(append(numbers, of.Bias), of.Weights[:]...)
	}
	if r.Uneven != nil && (r.Uneven.Uneven != nil || !r.Uneven.Sound()) {
		return false
	}
	return slices.Min(r.SD[:]) > 0 && !slices.ContainsFunc(numbers, func(x float64) bool {
		return math.IsNaN(x) || math.Abs(x) > 1e6
	})
}

// standard returns features of mean 0 and variance 1, bounded.
func (r *Ranker) standard(f Features) (z Features) {
	for i := range f {
		z[i] = max(-farthest, min(farthest, (f[i]-r.Mean[i])/r.SD[i]))
	}
	return z
}

func (r *Regression) logit(z Features) float64 {
	sum := r.Bias
	for i, w := range r.Weights {
		sum += w * z[i]
	}
	return sum
}

//go:embed ranker.json
var shipped []byte

// rankers are the shipped ones: of SMLMs that began anew, of those that began from a pretrained
// encoder, whose log q tells more, and of uneven outputs of both.
type rankers struct {
	New        Ranker `json:"new"`
	Pretrained Ranker `json:"pretrained"`
	Uneven     Ranker `json:"uneven"`
}

// ShippedRanker returns the ranker for an SMLM that began anew or from a pretrained encoder.
func ShippedRanker(pretrained bool) *Ranker {
	var r rankers
	if err := json.Unmarshal(shipped, &r); err != nil {
		panic("a bug in smlm-exp: ranker.json: " + err.Error())
	}
	of := &r.New
	if pretrained {
		of = &r.Pretrained
	}
	of.Uneven = &r.Uneven
	return of
}
