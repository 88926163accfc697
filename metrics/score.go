package metrics

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Input is one direction of style transfer: source sentences of one style and a system's outputs.
// Sentences are whitespace-separated words. Item i of every slice belongs to sentence i.
type Input struct {
	From, To   string       // style names, for messages and the scores
	Source     [][]string   // source sentences
	Output     [][]string   // the system's outputs
	References [][][]string // human reference sets, in raw case; without them there is no r-BLEU
	// AllReferences are several sets of human references for "r-BLEU all", tokenised and cased like
	// the sources. It is nil if there are none.
	AllReferences [][][]string
	Predicted     []int             // style of each output by the evaluation classifier; if nil, there is no TST%
	Target        int               // target style, numbered as in Predicted
	Classifier    string            // name of the evaluation classifier, for the signature; may be ""
	Judges        map[string]Judged // predictions of the other classifiers, "fasttext" and "unseen"
	Fluency       *Fluency          // language model scores; without them there is no perplexity
	Encoded       *Encoded          // pretrained encoder scores, for BERTScore and cosines; may be nil
}

// Instruments are the judges that some metrics need. With the zero value, only the metrics that
// need no judge are computed: BLEU, ROUGE-L, CIDEr, diversity, collapse, the share of unchanged
// outputs, and lengths.
type Instruments struct {
	Naturalness Naturalness    // for naturalness and the Mean; may be nil
	METEOR      SentenceJudge  // for METEOR; may be nil
	Embedding   EmbeddingJudge // for the embedding metrics; may be nil
}

// The type measured holds a direction, the counts of its words and n-grams, which all metrics
// share, and cached results of the instruments.
type measured struct {
	*Input
	instruments *Instruments
	ngramCounter
	source, output            []ngramSentence
	references, allReferences [][]ngramSentence
	similar                   [3][]float64 // [embedding metric][output]
}

func (in *Input) measured(instruments *Instruments) *measured {
	m := &measured{Input: in, instruments: instruments}
	m.source = m.All(in.Source) // counted before the outputs: CIDEr's sums follow the numbers of n-grams
	m.output, m.references, m.allReferences = m.All(in.Output), m.Known(in.References), m.Known(in.AllReferences)
	return m
}

// Score computes all metrics of at least one direction. No direction may occur twice. The overall
// value of a metric is its mean over the directions, or is computed over all outputs together
// (Metric.pooled). If one direction lacks a metric, the metric's overall value is absent. Errors
// are userr.BadInput; an error about different numbers of sentences names the direction and both
// numbers.
func Score(dirs []Input, instruments Instruments) (*Scores, error) {
	s, err := scoreIn(allMetrics(), dirs, instruments)
	if err != nil {
		return nil, err
	}
	for _, m := range s.Flaws() {
		s.FlawKeys = append(s.FlawKeys, m.Key)
	}
	return s, nil
}

// ScoreContent computes only METEOR, the embedding metrics and the metrics of a pretrained encoder.
// It leaves out a metric if the instrument or the input that the metric needs is missing. The
// caller merges the result with other metrics of the same outputs.
func ScoreContent(dirs []Input, instruments Instruments) (*Scores, error) {
	all := slices.Concat([]*Metric{meteor}, embeddingMetrics, encodedMetrics)
	s, err := scoreIn(all, dirs, instruments)
	if err != nil {
		return nil, err
	}
	delete(s.Signatures, "collapse")
	for k := range s.Directions {
		s.Directions[k].Collapse = Collapse{}
	}
	return s, nil
}

// scoreIn does the same as Score, but only for the given metrics.
func scoreIn(all []*Metric, dirs []Input, instruments Instruments) (*Scores, error) {
	if len(dirs) == 0 {
		return nil, userr.New(userr.BadInput, "there is nothing to score: no direction is given")
	}
	for i := range dirs {
		if err := dirs[i].check(); err != nil {
			return nil, err
		}
	}
	if err := checkTargets(dirs); err != nil {
		return nil, err
	}
	counted := make([]*measured, len(dirs))
	for k := range dirs {
		counted[k] = dirs[k].measured(&instruments)
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
			Collapse: CollapseOf(m.Source, m.Output),
		})
	}
	for _, m := range all {
		if m.fromOutputs != nil {
			s.measure(m, counted)
		}
	}
	return s, nil
}

// checkTargets returns an error if a direction is given twice, or if two target styles have the
// same class number.
func checkTargets(dirs []Input) error {
	for k := range dirs {
		for earlier := range dirs[:k] {
			a, b := &dirs[earlier], &dirs[k]
			toThird := a.From != b.From && a.To == b.To // different source styles, same target style
			if a.Predicted != nil && b.Predicted != nil && a.Target == b.Target && !toThird {
				return userr.New(userr.BadInput, "the directions %s and %s have the same target style %d; give each "+
					"direction once",
					a.name(), b.name(), a.Target)
			}
		}
	}
	return nil
}

// sentences returns the per-sentence numbers of each output.
func (m *measured) sentences(all []*Metric) []Sentence {
	records := make([]Sentence, len(m.Output))
	for i := range records {
		records[i] = Sentence{From: m.From, To: m.To, Line: i + 1, Numbers: map[string][]float64{}}
	}
	for _, metric := range all {
		for _, r := range metric.records {
			for i, numbers := range r.numbers(m) {
				records[i].Numbers[r.key] = numbers
			}
		}
	}
	return records
}

// measure adds a metric that is computed on all outputs of a direction at once.
func (s *Scores) measure(m *Metric, dirs []*measured) {
	sum, known := 0.0, true
	for k := range dirs {
		v, ok := m.fromOutputs(dirs[k])
		if ok {
			s.Directions[k].Metrics[m.Key] = v
		}
		sum, known = sum+v, known && ok
	}
	if known && m.pooled {
		sum, _ = m.fromOutputs(dirs...)
		s.Metrics[m.Key] = sum
	} else if known {
		s.Metrics[m.Key] = sum / float64(len(dirs))
	}
}

func (in *Input) name() string { return fmt.Sprintf("%s to %s", in.From, in.To) }

// check rejects inputs that cannot be scored.
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

// differ returns the error for a direction whose number of items, such as references, differs from
// its number of source sentences. In the message, detail follows the number of items.
func (in *Input) differ(have int, item, detail string) error {
	return userr.New(userr.BadInput, "the direction from %s has %s%s but %s: both need one line per sentence, in the same order",
		in.name(), wording.Count(have, item), detail, wording.Count(len(in.Source), "source sentence"))
}
