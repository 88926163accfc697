package results

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// joinHalf is a measure of naturalness that gives every sentence 0.5.
type joinHalf struct{}

func (joinHalf) Score([]string) float64 { return 0.5 }
func (joinHalf) Signature() string      { return "half" }

// joinOverlap scores an output by the share of the source's words that the output has at the
// same position.
type joinOverlap struct{}

func (joinOverlap) Sentences(outputs, sources [][]string) []float64 {
	shares := make([]float64, len(outputs))
	for i, output := range outputs {
		for j := range min(len(output), len(sources[i])) {
			if output[j] == sources[i][j] {
				shares[i] += 1 / float64(len(sources[i]))
			}
		}
	}
	return shares
}

func (joinOverlap) Signature() string { return "overlap" }

// joinSimilarities returns three different similarities.
type joinSimilarities struct{}

func (joinSimilarities) Similarities(outputs, sources [][]string) (average, extrema, greedy []float64) {
	average = joinOverlap{}.Sentences(outputs, sources)
	for _, v := range average {
		extrema, greedy = append(extrema, v*v), append(greedy, math.Sqrt(v))
	}
	return average, extrema, greedy
}

func (joinSimilarities) Signature(metric string) string { return metric }

// outputsOf returns eight outputs per direction, with different values of METEOR and the embedding
// metrics.
func outputsOf(system string) []metrics.Input {
	dirs := make([]metrics.Input, 2)
	for k := range dirs {
		dirs[k] = metrics.Input{From: fmt.Sprint(k), To: fmt.Sprint(1 - k), Target: 1 - k}
		for i := range 8 {
			source := fmt.Sprintf("the garden number %d of %d was a joy", i, k)
			dirs[k].Source = append(dirs[k].Source, strings.Fields(source))
			output := strings.Fields(source)[:3+(i*len(system)+k)%5]
			dirs[k].Output = append(dirs[k].Output, append(output, system))
			dirs[k].Predicted = append(dirs[k].Predicted, (i+len(system))%2)
		}
	}
	return dirs
}

// TestBesideIsTogether checks that some metrics may be computed separately and joined to the other
// scores. Values, signatures, intervals and comparisons are the same, to the last bit, as if all
// metrics had been computed at once.
func TestBesideIsTogether(t *testing.T) {
	measure := func(f func([]metrics.Input, metrics.Instruments) (*metrics.Scores, error), system string,
		with metrics.Instruments,
	) *metrics.Scores {
		t.Helper()
		s, err := f(outputsOf(system), with)
		if err != nil {
			t.Fatal(err)
		}
		s.Intervals = metrics.Intervals(s.Sentences, 200)
		return s
	}
	var together, joined [][][]metrics.Sentence
	for _, system := range []string{"x", "yes"} {
		nat := joinHalf{}
		whole := measure(metrics.Score, system, metrics.Instruments{
			Naturalness: nat, METEOR: joinOverlap{}, Embedding: joinSimilarities{},
		})
		score := measure(metrics.Score, system, metrics.Instruments{Naturalness: nat})
		bySynonyms := measure(metrics.ScoreContent, system, metrics.Instruments{METEOR: joinOverlap{}})
		byVectors := measure(metrics.ScoreContent, system, metrics.Instruments{Embedding: joinSimilarities{}})
		if got := slices.Sorted(maps.Keys(bySynonyms.Metrics)); !slices.Equal(got, []string{"meteor"}) {
			t.Errorf("METEOR apart has %v", got)
		}
		if got := slices.Sorted(maps.Keys(byVectors.Signatures)); !slices.Equal(got, []string{
			"embedding_average", "greedy_matching", "vector_extrema",
		}) {
			t.Errorf("the embedding metrics apart have the signatures %v", got)
		}
		before := fmt.Sprint(score.Metrics, score.Directions, score.Intervals)
		all := joinScores(score, bySynonyms, byVectors)
		if d := cmp.Diff(whole.Metrics, all.Metrics); d != "" {
			t.Errorf("figures (-together +beside):\n%s", d)
		}
		for _, d := range []string{
			cmp.Diff(whole.Directions, all.Directions), cmp.Diff(whole.Signatures, all.Signatures),
			cmp.Diff(whole.Intervals, all.Intervals),
		} {
			if d != "" {
				t.Errorf("(-together +beside):\n%s", d)
			}
		}
		if fmt.Sprint(score.Metrics, score.Directions, score.Intervals) != before {
			t.Error("the score itself is another one")
		}
		joinSentences(score.Sentences, bySynonyms.Sentences)
		joinSentences(score.Sentences, byVectors.Sentences)
		together, joined = append(together, whole.Sentences), append(joined, score.Sentences)
	}
	compare := func(records [][][]metrics.Sentence) []metrics.Comparison {
		c, err := metrics.Compare(records[:1], records[1:], 200)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	want := compare(together)
	if d := cmp.Diff(want, compare(joined)); d != "" {
		t.Errorf("comparisons (-together +beside):\n%s", d)
	}
	if !slices.ContainsFunc(want, func(c metrics.Comparison) bool {
		return c.Metric == "meteor" && c.Difference != 0
	}) {
		t.Errorf("METEOR is not compared: %+v", want)
	}
}
