package metrics

import (
	"fmt"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Encoded holds the similarities that a pretrained encoder gives the outputs of a direction.
type Encoded struct {
	Source     Closeness  // similarity to the sources
	References *Closeness // similarity to the references; nil if there are none
	Encoder    string     // the encoder's name, printed in signatures
	Matching   string     // how BERTScore was computed, printed in signatures
	Pooling    string     // how states become a sentence's vector, such as "mean", printed in signatures
}

// Closeness holds the similarity of each output to its source or its references.
type Closeness struct {
	BERTScores []float64 // F1
	Cosines    []float64 // cosines of the vectors of the sentences
	Sentences  string    // printed in signatures: "source" or the number of references
}

// encodedMetrics are BERTScore (Zhang et al. 2020) and the cosine of sentence embeddings. Both
// compare the outputs with the sources and with the references. Each metric is the mean over
// the outputs.
var encodedMetrics = slices.Concat(
	closenessMetrics("s", func(e *Encoded) *Closeness { return &e.Source }),
	closenessMetrics("r", func(e *Encoded) *Closeness { return e.References }),
)

// closenessMetrics returns the metrics against the sources ("s") or the references ("r").
func closenessMetrics(prefix string, selectPart func(*Encoded) *Closeness) []*Metric {
	against := map[string]string{"s": "the sources", "r": "the references, of several the closest"}[prefix]
	newMetric := func(
		part, head, note string, value func(c *Closeness, i int) float64, how func(*Encoded) string,
	) *Metric {
		key := prefix + "_" + part
		return &Metric{
			Key: key, Head: prefix + "-" + head, Decimals: 2, Most: 1, Better: Higher, Group: GroupContent, separate: true, tested: true,
			Note: prefix + "-" + head + ": " + note,
			records: []record{{key, func(m *measured) [][]float64 {
				c := m.closeness(selectPart)
				if c == nil {
					return nil
				}
				values := make([]float64, len(m.Output))
				for i := range values {
					values[i] = value(c, i)
				}
				return single(values)
			}}},
			needs: []string{key}, total: meanOf(key),
			signature: whereAny(func(m *measured) bool {
				return m.closeness(selectPart) != nil
			}, func(dirs []*measured) string {
				return joinNames(dirs, func(m *measured) string {
					c := m.closeness(selectPart)
					if c == nil {
						return ""
					}
					return fmt.Sprintf("%s|refs:%s|version:1", how(m.Encoded), c.Sentences)
				})
			}),
		}
	}
	return []*Metric{
		newMetric("bertscore", "BERTScore", "F1 of BERTScore against "+against+".",
			func(c *Closeness, i int) float64 { return c.BERTScores[i] },
			func(e *Encoded) string { return "bertscore|encoder:" + e.Encoder + "|" + e.Matching }),
		newMetric("cosine", "cosine", "cosine of sentence embeddings with "+against+".",
			func(c *Closeness, i int) float64 { return c.Cosines[i] },
			func(e *Encoded) string { return "cosine|of:" + e.Pooling + "-of-states|encoder:" + e.Encoder }),
	}
}

// closeness returns the part of m.Encoded that selectPart selects, or nil if no encoder was used.
func (m *measured) closeness(selectPart func(*Encoded) *Closeness) *Closeness {
	if m.Encoded == nil {
		return nil
	}
	return selectPart(m.Encoded)
}

// noNumber returns the error for an output whose score by a pretrained model is not finite.
func (in *Input) noNumber(model string, i int) error {
	return userr.New(userr.BadInput, "the pretrained %s gives no number for output %d from %s: its weights "+
		"are damaged, copy the folder again", model, i+1, in.name())
}

func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// check returns an error unless every output has a score and all scores are finite.
func (e *Encoded) check(in *Input) error {
	for _, c := range []*Closeness{&e.Source, e.References} {
		if c == nil {
			continue
		}
		for _, n := range []int{len(c.BERTScores), len(c.Cosines)} {
			if n != len(in.Source) {
				return in.differ(n, "output", " that the pretrained encoder read")
			}
		}
		for i, s := range c.BERTScores {
			if !finite(s, c.Cosines[i]) {
				return in.noNumber("encoder "+e.Encoder, i)
			}
		}
	}
	return nil
}
