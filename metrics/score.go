package metrics

import (
	"fmt"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Input is one direction of style transfer: sentences of one style and what a system made of them. Sentences are white-space
// words; item i of every slice belongs to sentence i.
type Input struct {
	From, To   string       // names of the styles, for messages and the report
	Source     [][]string   // the sentences rewritten
	Output     [][]string   // what the system wrote
	References [][][]string // human rewrites, one entry a reference set, in raw case; nil: no r-BLEU
	Predicted  []int        // the evaluation classifier's style of each output; nil: no TST%
	Target     int          // the style wanted, as Predicted numbers them
	Classifier string       // what gave Predicted, for the signature; may be ""
	Fluency    *Fluency     // of the outputs; nil: no perplexity
	Masked     *float64     // share of the source's words that were masked, 0-1; nil: not known
}

// Score computes the report of both directions with the instruments given. TST%, naturalness and perplexity over both directions are taken
// over all outputs together, everything else is the mean of the two directions; a metric that one direction lacks is absent
// overall. Errors are userr.BadInput and name the direction and the two counts that differ.
func Score(dirs [2]Input, with Instruments) (*Report, error) {
	for i := range dirs {
		if err := dirs[i].check(); err != nil {
			return nil, err
		}
	}
	if err := checkJudges(with.Naturalness); err != nil {
		return nil, err
	}
	a, b := &dirs[0], &dirs[1]
	if a.Predicted != nil && b.Predicted != nil && a.Target == b.Target {
		return nil, userr.New(userr.BadInput, "the directions %s and %s have the same target style %d; give each direction once", a.name(), b.name(), a.Target)
	}
	texts := [2]*compared{a.compared(), b.compared()}
	r := &Report{Signatures: signatures(dirs, with), Sentences: [2][]Sentence{a.sentences(texts[0], with), b.sentences(texts[1], with)}}
	sums := ledgerOf(r.Sentences).totals()
	for k := range dirs {
		r.Directions[k] = dirs[k].score(texts[k], r.Sentences[k], &sums[k])
	}
	da, db := &r.Directions[0].Metrics, &r.Directions[1].Metrics
	r.Metrics = overall(sums)
	r.Metrics.NaturalnessBy = naturalnessBy(r.Sentences[0], r.Sentences[1])
	r.Metrics.SelfBLEU = middle(da.SelfBLEU, db.SelfBLEU)
	r.Metrics.Distinct1, r.Metrics.Distinct2 = middle(da.Distinct1, db.Distinct1), middle(da.Distinct2, db.Distinct2)
	r.Metrics.MaskedShare = middle(da.MaskedShare, db.MaskedShare)
	return r, nil
}

// score computes one direction of its sentences, and of their sums.
func (in *Input) score(c *compared, sentences []Sentence, sums *totals) Direction {
	d := Direction{From: in.From, To: in.To, N: len(in.Output), Metrics: sums.metrics(), Collapse: CollapseOf(in.Source, in.Output)}
	d.NaturalnessBy = naturalnessBy(sentences)
	if len(in.Output) > 1 {
		v := 100 * mean(c.selfBLEU(c.output))
		d.SelfBLEU = &v
	}
	one, two := c.distinct(c.output, 1), c.distinct(c.output, 2)
	d.Distinct1, d.Distinct2, d.MaskedShare = &one, &two, in.Masked
	return d
}

// naturalnessBy returns the mean over all sentences by every judge, nil where there are not several.
func naturalnessBy(directions ...[]Sentence) map[string]float64 {
	means, n := map[string]float64{}, 0
	for _, sentences := range directions {
		n += len(sentences)
		for _, s := range sentences {
			for name, v := range s.NaturalnessBy {
				means[name] += v
			}
		}
	}
	if len(means) == 0 {
		return nil
	}
	for name := range means {
		means[name] /= float64(n)
	}
	return means
}

// leastLogProb is the least log-probability a token, on average over an output, of which a perplexity is made: exp(600) still leaves room to sum
// and to subtract perplexities, and no language model that has learnt anything comes near. Below -709 the perplexity would be no number.
const leastLogProb = -600

// probable says whether a perplexity can be made of a log-probability over so many tokens.
func probable(logProb float64, tokens int) bool {
	return !math.IsNaN(logProb) && !math.IsInf(logProb, 0) && logProb >= leastLogProb*float64(tokens)
}

func (in *Input) name() string { return fmt.Sprintf("%s to %s", in.From, in.To) }

// check refuses what cannot be scored.
func (in *Input) check() error {
	n := len(in.Source)
	if n == 0 || len(in.Output) == 0 {
		return userr.New(userr.BadInput, "nothing to score from %s: %d source sentences and %d outputs; give files with at least one line", in.name(), n, len(in.Output))
	}
	differ := func(have int, what string) error {
		return userr.New(userr.BadInput, "from %s there are %d %s but %d source sentences; line i of one must belong to line i of the other", in.name(), have, what, n)
	}
	if len(in.Output) != n {
		return differ(len(in.Output), "outputs")
	}
	for k, set := range in.References {
		if len(set) != n {
			return differ(len(set), fmt.Sprintf("references (set %d)", k+1))
		}
	}
	if in.Predicted != nil && len(in.Predicted) != n {
		return differ(len(in.Predicted), "predicted styles")
	}
	if f := in.Fluency; f != nil {
		if f.Unknown != nil && len(f.Unknown) != n {
			return differ(len(f.Unknown), "numbers of words that the language model does not know")
		}
		if len(f.LogProb) != n || len(f.Tokens) != n {
			return differ(min(len(f.LogProb), len(f.Tokens)), "outputs that the language model read")
		}
		for i, p := range f.LogProb {
			if f.Tokens[i] < 1 || !probable(p, f.Tokens[i]) {
				return userr.New(userr.BadInput, "the language model gives output %d from %s the log-probability %v over %d tokens; train it again, no perplexity can be made of that",
					i+1, in.name(), p, f.Tokens[i])
			}
		}
	}
	return nil
}
