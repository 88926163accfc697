package metrics

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Naturalness is a judge of how much a sentence looks as if a human wrote it.
type Naturalness interface {
	// Score returns the probability, 0-1, that a human wrote the sentence, given as
	// whitespace-separated words. It is safe for concurrent use.
	Score(words []string) float64
	// Signature identifies the judge in one line.
	Signature() string
	// Name returns a short name for a column heading.
	Name() string
}

// naturalness is the mean of the scores, 0-1, that the first judge gives to the outputs.
var naturalness = &Metric{
	Key: "naturalness", Head: "Nat.", Decimals: 2, Better: Higher, Group: GroupResults, Place: 3,
	pooled: true, tested: true,
	Note: "Nat.: naturalness, the mean probability that a human wrote the output, by a trained judge.",
	signature: func(dirs []*measured) string {
		for _, judge := range dirs[0].instruments.Naturalness {
			return judge.Signature()
		}
		return ""
	},
	records: []record{{"naturalness", func(m *measured) [][]float64 {
		if len(m.instruments.Naturalness) == 0 {
			return nil
		}
		return single(m.natural(0))
	}}},
	needs: []string{"naturalness"},
	total: meanOf("naturalness"),
}

// If there are several naturalness judges, each has a metric of its own. The key of that metric is
// judgePrefix and the judge's name.
const judgePrefix = "naturalness_by."

// eachJudge returns one naturalness metric per judge name.
func eachJudge(names []string) []*Metric {
	all := make([]*Metric, len(names))
	for k, name := range names {
		key := judgePrefix + name
		all[k] = &Metric{
			Key: key, Head: "Nat.\n" + name, Decimals: 2, Group: GroupOther, Place: 1, pooled: true,
			signature: func(dirs []*measured) string {
				return dirs[0].instruments.Naturalness[dirs[0].instruments.judge(name)].Signature()
			},
			records: []record{{key, func(m *measured) [][]float64 {
				return single(m.natural(m.instruments.judge(name)))
			}}},
			needs: []string{key},
			total: meanOf(key),
		}
	}
	return all
}

// IsByJudge reports whether a key is that of the naturalness metric of one of several judges.
func IsByJudge(key string) bool { return strings.HasPrefix(key, judgePrefix) }

// judgesIn returns the sorted names of the judges whose metrics are among the keys.
func judgesIn[V any](keys map[string]V) []string {
	var names []string
	for key := range keys {
		if name, ok := strings.CutPrefix(key, judgePrefix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// judges returns the names of the naturalness judges, or nil if there are fewer than two.
func (instruments *Instruments) judges() []string {
	if len(instruments.Naturalness) < 2 {
		return nil
	}
	names := make([]string, len(instruments.Naturalness))
	for k, judge := range instruments.Naturalness {
		names[k] = judge.Name()
	}
	return names
}

// judge returns the index of the judge with the given name. It panics if there is no such judge.
func (instruments *Instruments) judge(name string) int {
	for k, judge := range instruments.Naturalness {
		if judge.Name() == name {
			return k
		}
	}
	panic("metrics: no judge is named " + name)
}

// natural returns a judge's scores of the outputs. It computes the scores only once.
func (m *measured) natural(judge int) []float64 {
	if m.naturals == nil {
		m.naturals = make([][]float64, len(m.instruments.Naturalness))
	}
	if m.naturals[judge] == nil {
		values := make([]float64, len(m.Output))
		for i, words := range m.Output {
			values[i] = m.instruments.Naturalness[judge].Score(words)
		}
		m.naturals[judge] = values
	}
	return m.naturals[judge]
}

// checkJudges rejects two judges with the same name.
func checkJudges(judges []Naturalness) error {
	seen := map[string]bool{}
	for _, judge := range judges {
		if seen[judge.Name()] {
			return userr.New(userr.BadInput, "two naturalness judges are named %q; give each weights file "+
				"once, and rename one of two files with the same name", judge.Name())
		}
		seen[judge.Name()] = true
	}
	return nil
}
