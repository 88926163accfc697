package metrics

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Input is one direction of style transfer: sentences of one style and what a system made of them.
// Sentences are white-space words; item i of every slice belongs to sentence i.
type Input struct {
	From, To   string       // names of the styles, for messages and the scores
	Source     [][]string   // the sentences rewritten
	Output     [][]string   // what the system wrote
	References [][][]string // human rewrites, one entry a reference set, in raw case; nil: no r-BLEU
	// AllReferences are several human rewrites in the writing of the sources, for "r-BLEU all";
	// nil: none
	AllReferences [][][]string
	Predicted     []int             // the evaluation classifier's style of each output; nil: no TST%
	Target        int               // the style wanted, as Predicted numbers them
	Ordered       bool              // the styles are in an order, as stars: see tstWithinOne
	Classifier    string            // what gave Predicted, for the signature; may be ""
	Judges        map[string]Judged // further classifiers: "fasttext", "unseen"
	StyleWords    map[string]bool   // strong words of the style From; nil: not known
	Fluency       *Fluency          // of the outputs; nil: no perplexity
	Encoded       *Encoded          // by a pretrained encoder; nil: no BERTScore and no cosines
	Masked        *float64          // share of the source's words that were masked, 0-1; nil: not known
}

// Instruments are what outputs are measured with, beside counting. The zero value gives all that
// needs nothing: BLEU, ROUGE-L, CIDEr, diversity, collapse, unchanged outputs and lengths.
type Instruments struct {
	Naturalness []Naturalness  // the first is that of "naturalness" and of "mean"
	METEOR      SentenceJudge  // nil: no METEOR
	Embedding   EmbeddingJudge // nil: no embedding metrics
}

// measured is a direction with its text counted once for all that is made of counts, and what the
// instruments said of it.
type measured struct {
	*Input
	with *Instruments
	ngramCounter
	output                  []ngramSentence
	source, references, all [][]ngramSentence
	naturals                [][]float64  // by judge
	similar                 [3][]float64 // by embedding metric
}

func (in *Input) measured(with *Instruments) *measured {
	m := &measured{Input: in, with: with}
	m.source = m.Sets([][][]string{in.Source}) // first, as eachCIDEr
	m.output, m.references, m.all = m.All(in.Output), m.Known(in.References), m.Known(in.AllReferences)
	return m
}

// Score measures some directions, at least one and each once, with the instruments given. Metrics
// of all directions are the mean over them, or taken over all outputs together, as each says; one
// that a direction lacks is absent overall. Errors are userr.BadInput and name the direction and
// the two counts that differ.
func Score(dirs []Input, with Instruments) (*Scores, error) {
	s, err := scoreIn(allMetrics(with.judges()...), dirs, with)
	if err != nil {
		return nil, err
	}
	for _, m := range s.Flaws() {
		s.FlawKeys = append(s.FlawKeys, m.Key)
	}
	return s, nil
}

// ScoreContent is Score of METEOR, the embedding metrics and what a pretrained encoder finds alone,
// by the instruments and in the inputs given. Who calls it puts what it finds beside other values
// of the same outputs.
func ScoreContent(dirs []Input, with Instruments) (*Scores, error) {
	all := slices.Concat([]*Metric{meteor}, embeddingMetrics, encodedMetrics)
	s, err := scoreIn(all, dirs, with)
	if err != nil {
		return nil, err
	}
	delete(s.Signatures, "collapse")
	for k := range s.Directions {
		s.Directions[k].Collapse = Collapse{}
	}
	return s, nil
}

// scoreIn is Score in some metrics.
func scoreIn(all []*Metric, dirs []Input, with Instruments) (*Scores, error) {
	if len(dirs) == 0 {
		return nil, userr.New(userr.BadInput, "there is nothing to score: no direction is given")
	}
	for i := range dirs {
		if err := dirs[i].check(); err != nil {
			return nil, err
		}
	}
	if err := checkJudges(with.Naturalness); err != nil {
		return nil, err
	}
	if err := checkTargets(dirs); err != nil {
		return nil, err
	}
	counted := make([]*measured, len(dirs))
	for k := range dirs {
		counted[k] = dirs[k].measured(&with)
	}
	s := &Scores{Signatures: signatures(all, counted)}
	for _, m := range counted {
		s.Sentences = append(s.Sentences, m.sentences(all))
	}
	sums := contributionsOf(s.Sentences)[0].totals()
	s.Metrics = overall(all, sums)
	for k, m := range counted {
		s.Directions = append(s.Directions, Direction{
			From: m.From, To: m.To, N: len(m.Output), Metrics: sums[k].values(all),
			Collapse: collapseOf(m.Source, m.Output),
		})
	}
	for _, m := range all {
		if m.whole != nil {
			s.measure(m, counted)
		}
	}
	return s, nil
}

// checkTargets refuses a direction that was given twice, and two styles that are one to the
// classifier.
func checkTargets(dirs []Input) error {
	for k := range dirs {
		for earlier := range dirs[:k] {
			a, b := &dirs[earlier], &dirs[k]
			toThird := a.From != b.From && a.To == b.To // from two styles to a third
			if a.Predicted != nil && b.Predicted != nil && a.Target == b.Target && !toThird {
				return userr.New(userr.BadInput, "the directions %s and %s have the same target style %d; give each "+
					"direction once",
					a.name(), b.name(), a.Target)
			}
		}
	}
	return nil
}

// sentences returns what each output contributes.
func (m *measured) sentences(all []*Metric) []Sentence {
	records := make([]Sentence, len(m.Output))
	for i := range records {
		records[i] = Sentence{From: m.From, To: m.To, Line: i + 1, Numbers: map[string][]float64{}}
	}
	for _, metric := range all {
		for _, r := range metric.records {
			for i, numbers := range r.of(m) {
				records[i].Numbers[r.key] = numbers
			}
		}
	}
	return records
}

// measure adds a metric that is made of outputs as a whole.
func (s *Scores) measure(m *Metric, dirs []*measured) {
	sum, known := 0.0, true
	for k := range dirs {
		v, has := m.whole(dirs[k])
		if has {
			s.Directions[k].Metrics[m.Key] = v
		}
		sum, known = sum+v, known && has
	}
	if known && m.pooled {
		sum, _ = m.whole(dirs...)
		s.Metrics[m.Key] = sum
	} else if known {
		s.Metrics[m.Key] = sum / float64(len(dirs))
	}
}

func (in *Input) name() string { return fmt.Sprintf("%s to %s", in.From, in.To) }

// check refuses what cannot be scored.
func (in *Input) check() error {
	n := len(in.Source)
	if n == 0 || len(in.Output) == 0 {
		return userr.New(userr.BadInput, "there is nothing to score from %s, with %s and "+
			"%s: give files with at least one line", in.name(), wording.Count(n, "source sentence"),
			wording.Count(len(in.Output), "output"))
	}
	if len(in.Output) != n {
		return in.differ(len(in.Output), "output", "")
	}
	for k, set := range slices.Concat(in.References, in.AllReferences) {
		if len(set) != n {
			return in.differ(len(set), "reference", fmt.Sprintf(" (set %d)", k+1))
		}
	}
	if in.Predicted != nil && len(in.Predicted) != n {
		return in.differ(len(in.Predicted), "predicted style", "")
	}
	for name, judge := range in.Judges {
		if len(judge.Styles) != n {
			return in.differ(len(judge.Styles), "style", " by "+name)
		}
	}
	if in.Encoded != nil {
		if err := in.Encoded.check(in); err != nil {
			return err
		}
	}
	if in.Fluency != nil {
		return in.Fluency.check(in)
	}
	return nil
}

// differ says that there are not as many of something as source sentences.
func (in *Input) differ(have int, what, which string) error {
	return userr.New(userr.BadInput, "the direction from %s has %s%s but %s: line i of one must belong to line i of the other",
		in.name(), wording.Count(have, what), which, wording.Count(len(in.Source), "source sentence"))
}
