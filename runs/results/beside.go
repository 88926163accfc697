// Package beside puts figures of the same outputs together that were measured apart: a score, and
// METEOR or the embedding metrics, which need what a machine may lack.
package results

import (
	"maps"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// Scores returns s with the figures of others that s has not. Neither s nor they are changed.
func joinScores(s *metrics.Scores, others ...*metrics.Scores) *metrics.Scores {
	out := *s
	out.Metrics, out.Signatures = add(nil, s.Metrics), add(nil, s.Signatures)
	if s.Intervals != nil {
		out.Intervals = add(nil, s.Intervals)
	}
	for k := range out.Directions {
		out.Directions[k].Metrics = add(nil, s.Directions[k].Metrics)
	}
	for _, other := range others {
		add(out.Metrics, other.Metrics)
		add(out.Signatures, other.Signatures)
		if out.Intervals != nil {
			add(out.Intervals, other.Intervals)
		}
		for k := range out.Directions {
			add(out.Directions[k].Metrics, other.Directions[k].Metrics)
		}
	}
	return &out
}

// Sentences puts the numbers of others into records that have them not. An error is userr.BadInput:
// they are of other outputs.
func joinSentences(records [2][]metrics.Sentence, others ...[2][]metrics.Sentence) error {
	for _, other := range others {
		for d := range records {
			if len(records[d]) != len(other[d]) {
				return userr.New(userr.BadInput, "%d outputs in direction %d have figures, and %d have others: score "+
					"the outputs again", len(records[d]), d+1, len(other[d]))
			}
			for i := range records[d] {
				add(records[d][i].Numbers, other[d][i].Numbers)
			}
		}
	}
	return nil
}

// add puts what to has not into it, and makes it where it is nil.
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
