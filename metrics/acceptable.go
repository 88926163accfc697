package metrics

import "fmt"

// Acceptable is how sure a classifier of acceptability is of each output of a direction.
type Acceptable struct {
	Probabilities []float64
	Signature     string
}

// acceptability is the mean probability, 0-1, that an output is acceptable: English as somebody
// would write it, whatever it says.
var acceptability = &Metric{
	Key: "acceptability", Head: "acceptable", Decimals: 2, Group: GroupFluency, pooled: true,
	apart: true, tested: true,
	Note: "acceptable: mean probability that an output is acceptable in the language, by a pretrained classifier.",
	signature: whereAny((*measured).accepted, func(dirs []*measured) string {
		return joinNames(dirs, func(m *measured) string {
			if m.Acceptable == nil {
				return ""
			}
			return m.Acceptable.Signature
		})
	}),
	records: []record{{"acceptability", numberType, func(m *measured) [][]float64 {
		if m.Acceptable == nil {
			return nil
		}
		return single(m.Acceptable.Probabilities)
	}}},
	needs: []string{"acceptability"},
	total: meanOf("acceptability"),
	wrong: func(s *Sentence) string {
		if p := s.Numbers["acceptability"]; p != nil && !(p[0] >= 0 && p[0] <= 1) {
			return "acceptability is a probability, from 0 to 1"
		}
		return ""
	},
}

// Similarity is how close each output is to its source.
type Similarity struct {
	Cosines []float64
	Encoder string // which said so, for the signature
}

// joint is the joint score J of the detoxification tasks (Krishna et al. 2020; Logacheva et al.
// 2022), 0-1: the mean over all outputs of style x similarity x fluency. The style is 1 where the
// evaluation classifier finds the style wanted, else 0; the similarity is the cosine of the
// sentence embeddings of output and source, 0 where it is below; the fluency is 1 where the output
// is more likely acceptable than not, else 0.
var joint = &Metric{
	Key: "joint", Head: "J", Decimals: 2, Better: Higher, Group: GroupFluency, pooled: true, apart: true, tested: true,
	Note: "J: mean over the outputs of style x s-cosine x fluency. Style is 1 where TST% counts the output, fluency is 1 " +
		"where the output is more likely acceptable than not; else they are 0.",
	signature: whereAny((*measured).joins, func(dirs []*measured) string {
		return fmt.Sprintf("joint|mean(style*cosine*fluency)|level:micro|style:%s|encoder:%s|fluency:%s|version:1",
			joinNames(dirs, func(m *measured) string { return m.Classifier }),
			joinNames(dirs, func(m *measured) string {
				if s := m.similarity(); s != nil {
					return s.Encoder
				}
				return ""
			}),
			acceptability.signature(dirs))
	}),
	records: []record{{"joint", numberType, func(m *measured) [][]float64 {
		if !m.joins() {
			return nil
		}
		values, right := make([]float64, len(m.Output)), m.right(m.Predicted)
		cosines := m.similarity().Cosines
		for i := range values {
			if m.Acceptable.Probabilities[i] > .5 {
				values[i] = right[i][0] * max(0, cosines[i])
			}
		}
		return single(values)
	}}},
	needs: []string{"joint"},
	total: meanOf("joint"),
	wrong: func(s *Sentence) string {
		if j := s.Numbers["joint"]; j != nil && !(j[0] >= 0 && j[0] <= 1) {
			return "joint is from 0 to 1"
		}
		return ""
	},
}

// check refuses what does not belong to the outputs, or is no number.
func (a *Acceptable) check(in *Input) error {
	if n := len(a.Probabilities); n != len(in.Source) {
		return in.differ(n, "output", " that the classifier of acceptability read")
	}
	for i, p := range a.Probabilities {
		if !finite(p) {
			return in.noNumber("classifier of acceptability", i)
		}
	}
	return nil
}

func (m *measured) accepted() bool { return m.Acceptable != nil }

// joins says whether all three parts of J are known.
func (m *measured) joins() bool {
	return m.Predicted != nil && m.similarity() != nil && m.Acceptable != nil
}

func (m *measured) similarity() *Similarity {
	if m.Similarity == nil && m.Encoded != nil {
		return &Similarity{m.Encoded.Source.Cosines, m.Encoded.Encoder}
	}
	return m.Similarity
}
