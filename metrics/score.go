package metrics

import (
	"fmt"

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
}

// Score computes the report of both directions. nat may be nil: no naturalness. TST% and naturalness over both directions are taken over all
// outputs together, the BLEUs, ROUGE-L and CIDEr are means of the two directions; a metric that one direction lacks is absent overall. Errors
// are userr.BadInput and name the direction and the two counts that differ.
func Score(dirs [2]Input, nat Naturalness) (*Report, error) {
	for i := range dirs {
		if err := dirs[i].check(); err != nil {
			return nil, err
		}
	}
	a, b := &dirs[0], &dirs[1]
	if a.Predicted != nil && b.Predicted != nil && a.Target == b.Target {
		return nil, userr.New(userr.BadInput, "the directions %s and %s have the same target style %d; give each direction once", a.name(), b.name(), a.Target)
	}
	r := &Report{Signatures: signatures(dirs, nat)}
	r.Directions = [2]Direction{a.score(nat), b.score(nat)}
	da, db := r.Directions[0], r.Directions[1]
	weighted := func(x, y *float64) *float64 {
		return both(x, y, float64(da.N)/float64(da.N+db.N))
	}
	r.Metrics = Metrics{
		TST:         weighted(da.TST, db.TST),
		SBLEU:       both(da.SBLEU, db.SBLEU, 0.5),
		RBLEU:       both(da.RBLEU, db.RBLEU, 0.5),
		RougeL:      both(da.RougeL, db.RougeL, 0.5),
		CIDEr:       both(da.CIDEr, db.CIDEr, 0.5),
		Naturalness: weighted(da.Naturalness, db.Naturalness),
	}
	r.Metrics.setMean()
	return r, nil
}

// both returns share*x + (1-share)*y, or nil where one is absent.
func both(x, y *float64, share float64) *float64 {
	if x == nil || y == nil {
		return nil
	}
	v := share**x + (1-share)**y
	return &v
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
	return nil
}

// score computes one direction, checked before.
func (in *Input) score(nat Naturalness) Direction {
	d := Direction{From: in.From, To: in.To, N: len(in.Output), Collapse: CollapseOf(in.Source, in.Output)}
	set := func(v float64) *float64 { return &v }
	d.SBLEU = set(BLEU4(in.Output, in.Source))
	d.RougeL, d.CIDEr = set(RougeL(in.Output, in.Source)), set(CIDEr(in.Output, in.Source))
	if len(in.References) > 0 {
		d.RBLEU = set(BLEU4(in.Output, in.References...))
	}
	if in.Predicted != nil {
		right := 0
		for _, style := range in.Predicted {
			if style == in.Target {
				right++
			}
		}
		d.TST = set(100 * float64(right) / float64(d.N))
	}
	if nat != nil {
		sum := 0.0
		for _, words := range in.Output {
			sum += nat.Score(words)
		}
		d.Naturalness = set(sum / float64(d.N))
	}
	d.setMean()
	return d
}
