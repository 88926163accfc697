package guided

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// LogQ makes up how likely a word is among the others when a style is asked for.
func (m *made) LogQ(_ context.Context, d corpus.Encoded) ([][]float64, error) {
	out := make([][]float64, len(d.IDs))
	for i, ids := range d.IDs {
		for k, on := range d.Masks[i] {
			if on {
				seen := slices.Clone(ids)
				seen[k] = corpus.MaskID
				out[i] = append(out[i], 2*noise(seen, k, ids[k], d.Asked[i])-3)
			}
		}
	}
	return out, nil
}

func (m *made) Alike(a, b int64) float64 { return noise([]int64{a}, 0, b, 0) }

// Rate makes up what readers would give.
func (m *made) Rate(_ context.Context, of []Rewrite) ([]float64, error) {
	out := make([]float64, len(of))
	for i, r := range of {
		out[i] = 9 * (noise(r.Output, len(r.Source), r.Asked) - 1)
		for k, place := range r.Places {
			if r.Output[k] != r.Source[place] {
				out[i] -= noise([]int64{r.Source[place]}, k, r.Output[k])
			}
		}
	}
	return out, nil
}

// rankedRefiller is a refiller whose ranker weighs every feature.
func rankedRefiller(how recipe.Guided, slots int) *Refiller {
	how.Ranked = true
	r := withSlots(how, slots)
	r.Guide, r.Likelihood, r.Ranker = &made{}, &made{}, &Ranker{}
	for f := range numFeatures {
		r.Ranker.SD[f] = 1
		for i := range r.Ranker.Of {
			r.Ranker.Of[i].Weights[f] = noise("ranker", i, int(f))
		}
	}
	return r
}

// TestRanked: what is written is what one of the ways writes, that which the ranker, and the rater
// if there is one, score highest, of a source as it is and with phrases negated, or the latter; a
// sentence is left as it is where every way leaves it; and neighbours change nothing.
func TestRanked(t *testing.T) {
	chosen, negated := map[int]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		if rapid.Bool().Draw(t, "telling") { // so that the third way has other words
			how.Gamma, how.Price, how.Restore = 20, 9, .99
		}
		slots := drawnSlots(t, &how)
		r := rankedRefiller(how, slots)
		if r.How.Rated = rapid.Bool().Draw(t, "rated"); r.How.Rated {
			r.Rater = &made{}
		}
		if rapid.Bool().Draw(t, "negations") {
			for range 4 {
				r.Negations = append(r.Negations, drawnNegation(t))
			}
		}
		tried, ways := make([][]Output, len(d.IDs)), r.How.Ways()
		for _, way := range ways {
			one := rankedRefiller(way, slots)
			one.How.Ranked = false
			for i, o := range transfer(t, one, d) {
				tried[i] = append(tried[i], o)
			}
			for i := range d.IDs {
				s := negatedSource(r, d, i)
				if s == nil || way.Evidence == 0 {
					continue
				}
				if err := one.transfer(context.Background(), []*draft{s}); err != nil {
					t.Fatal(err)
				}
				tried[i] = append(tried[i], s.output())
			}
		}
		for i, o := range transfer(t, r, d) {
			alone := d.Slice(i, i+1)
			if again := transfer(t, r, alone)[0]; !slices.Equal(again.Words, o.Words) {
				t.Fatalf("sentence %d: %v among others and %v alone", i, o.IDs(), again.IDs())
			}
			if s := negatedSource(r, d, i); s != nil {
				tried[i] = append(tried[i], s.output())
				if slices.Equal(o.IDs(), s.output().IDs()) {
					negated++
				}
			}
			scores := map[int]float64{}
			way, best := -1, math.Inf(-1)
			for w, of := range tried[i] {
				ids := of.IDs()
				if slices.Equal(ids, o.IDs()) && way < 0 {
					way = w
				}
				earlier := slices.ContainsFunc(tried[i][:w], func(of Output) bool {
					return slices.Equal(of.IDs(), ids)
				})
				if earlier || slices.Equal(ids, d.IDs[i]) {
					continue // the same, or not rewritten
				}
				scores[w] = r.scoreOf(t, d, i, of)
				best = max(best, scores[w])
			}
			if way < 0 {
				t.Fatalf("sentence %d: no way writes %v", i, o.IDs())
			}
			if score, rewritten := scores[way]; rewritten != (len(scores) > 0) || rewritten && score < best-rounding {
				t.Fatalf("sentence %d: way %d is chosen of the scores %v", i, way, scores)
			}
			chosen[way]++
		}
	})
	if len(chosen) < 6 || negated == 0 {
		t.Errorf("ways were chosen so often: %v, and negated sources %d times", chosen, negated)
	}
}

// scoreOf returns the ranker's score of an output, by the features as they are defined.
func (r *Refiller) scoreOf(t interface{ Fatal(...any) }, d corpus.Encoded, i int, o Output) float64 {
	source, out := d.IDs[i], o.IDs()
	own, asked := d.Styles[i], d.Asked[i]
	odds := func(ids []int64) float64 {
		logs, _ := (&made{}).LogProbs(context.Background(), [][]int64{ids})
		return logs[0][asked] - logs[0][own]
	}
	hidden := func(ids []int64, k int) float64 { // the evidence of word k
		without := slices.Clone(ids)
		without[k] = corpus.UnkID
		return odds(without) - odds(ids)
	}
	logq := func(ids []int64, k, style int) float64 {
		var words []int64
		var masks []bool
		for j, id := range ids {
			words, masks = append(words, id), append(masks, j == k)
			for n := 1; j == k && n < r.Slots; n++ {
				words, masks = append(words, Empty), append(masks, true)
			}
		}
		logs, err := r.Likelihood.LogQ(context.Background(), corpus.Encoded{
			IDs: [][]int64{words}, Masks: [][]bool{masks}, Styles: []int{own}, Asked: []int{style},
		})
		if err != nil {
			t.Fatal(err)
		}
		return logs[0][0]
	}
	stays := make([]int, len(source)) // words that stand for one of the source; -1 if it is itself
	for _, w := range o.Standing() {
		stays[w.Place]++
	}
	standing := o.Standing()
	for j, w := range standing {
		if stays[w.Place] == 1 && out[j] == source[w.Place] {
			stays[w.Place] = -1
		}
	}
	var f Features
	f[Odds], f[Left] = odds(out), math.Inf(-1)
	for j := range out {
		f[Left] = max(f[Left], hidden(out, j))
	}
	near, isNew := map[int]bool{}, map[int]bool{}
	fit := func(j int) float64 { return r.Fluency.Window(out, j) - r.Fluency.Alone(out[j]) }
	touch := func(j int) {
		if j >= 0 && j < len(out) {
			near[j] = true
		}
	}
	for k := range source {
		if stays[k] == -1 {
			continue
		}
		f[Places]++
		if hidden(source, k) < noEvidence {
			f[Plain]++
		}
		first := slices.IndexFunc(standing, func(w Word) bool { return w.Place >= k })
		if first < 0 {
			first = len(standing)
		}
		touch(first - 1)
		for j := first; j < first+stays[k]; j++ {
			touch(j)
			isNew[j] = out[j] != source[k]
		}
		touch(first + stays[k])
	}
	f[Share] = f[Places] / float64(len(source))
	news := 0.0
	for j, w := range standing {
		if !near[j] {
			continue
		}
		f[Near] += logq(out, j, asked) / float64(len(near))
		f[LeastFit] = min(f[LeastFit], fit(j))
		if isNew[j] {
			f[Contrast] += logq(out, j, asked) - logq(out, j, own)
			f[Alike] += r.Likelihood.Alike(out[j], source[w.Place])
			news++
		} else {
			f[Beside] = min(f[Beside], logq(out, j, asked)-logq(source, w.Place, own))
		}
	}
	f[Contrast] /= max(news, 1)
	f[Alike] /= max(news, 1)
	f[NGrams] = r.Fluency.LogProb(out)/float64(len(out)+1) - r.Fluency.LogProb(source)/float64(len(source)+1)
	score := r.Ranker.Score(f)
	if r.How.Rated {
		rewrite := Rewrite{Source: source, Output: out, Asked: asked}
		for _, w := range standing {
			rewrite.Places = append(rewrite.Places, w.Place)
		}
		rated, err := r.Rater.Rate(context.Background(), []Rewrite{rewrite})
		if err != nil {
			t.Fatal(err)
		}
		score += rated[0]
	}
	return score
}
