package results

import (
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// The method joined adds to a score the metrics of the stages that standBeside finds. It returns
// the result and these stages.
func (c *collector) joined(s *plan.Stage) (*metrics.Scores, []*plan.Stage) {
	scores, stages := c.metrics(s), c.standBeside(s)
	if len(stages) == 0 {
		return scores, nil
	}
	others := make([]*metrics.Scores, len(stages))
	for i, other := range stages {
		others[i] = c.metrics(other)
	}
	return joinScores(scores, others...), stages
}

// standBeside finds the finished stages that add metrics to a score, at most one of each name.
func (c *collector) standBeside(score *plan.Stage) (found []*plan.Stage) {
	for _, s := range score.Content() {
		isThere := func(other *plan.Stage) bool { return other.Name == s.Name }
		if c.done(s) && !slices.ContainsFunc(found, isThere) {
			found = append(found, s)
		}
	}
	return found
}

// joinScores returns a copy of s with more metrics: it adds those metrics in the parameter "others"
// that s lacks. It changes neither parameter.
func joinScores(s *metrics.Scores, others ...*metrics.Scores) *metrics.Scores {
	out := *s
	out.Metrics, out.Signatures = add(nil, s.Metrics), add(nil, s.Signatures)
	if s.Intervals != nil {
		out.Intervals = add(nil, s.Intervals)
	}
	out.Directions = slices.Clone(s.Directions)
	for k := range out.Directions {
		out.Directions[k].Metrics = add(nil, s.Directions[k].Metrics)
	}
	for _, other := range others {
		add(out.Metrics, other.Metrics)
		add(out.Signatures, other.Signatures)
		if out.Intervals != nil {
			add(out.Intervals, other.Intervals)
		}
		for k := range min(len(out.Directions), len(other.Directions)) {
			add(out.Directions[k].Metrics, other.Directions[k].Metrics)
		}
	}
	return &out
}

// joinSentences copies numbers from other into the records of the same outputs. It does not
// overwrite numbers.
func joinSentences(records, other [][]metrics.Sentence) {
	for d := range records {
		for i := range records[d] {
			add(records[d][i].Numbers, other[d][i].Numbers)
		}
	}
}

// add copies the entries of the second map into the first map and returns the first map. It does
// not overwrite existing entries. If the first map is nil, it returns a copy of the second map.
func add[M ~map[string]V, V any](to, from M) M {
	if to == nil {
		to = maps.Clone(from)
		if to == nil {
			to = M{}
		}
		return to
	}
	for key, v := range from {
		if _, has := to[key]; !has {
			to[key] = v
		}
	}
	return to
}
