package smlm

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TestRaterParity compares a rater with the same model in PyTorch: logits, results of Rate,
// gradients and ten training steps (testdata/parity/rater.py).
func TestRaterParity(t *testing.T) {
	r := testkit.OpenRecorded(t, "rater")
	ints := func(name string) []int64 { return r.Rows("input." + name)[0] }
	best, asked, lengths := r.Rows("input.best"), ints("asked"), ints("lengths")
	sentences, totals := ints("sentences"), ints("totals")
	var all []RatedRewrite
	for i, ids := range r.Rows("input.ids") {
		n := int(lengths[i])
		rated := RatedRewrite{Rewrite: guided.Rewrite{
			Source: r.Rows("input.was")[i], Output: ids[:n], Places: places(n), Asked: int(asked[i]),
		}, Sentence: int(sentences[i]), Total: float64(totals[i]) / 2}
		for k := range rated.Best {
			rated.Best[k] = float64(best[i][k]) / 2
		}
		all = append(all, rated)
	}
	parity.OnTorch(t, func() error {
		m := NewRater(RaterConfig{small})
		defer m.Params.Free()
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		rates, err := m.Rate(t.Context(), rewrites(all))
		if err != nil {
			return err
		}
		r.Near("expect.rates", float32s(rates))
		of := rewrites(all)
		var logits []*torch.Tensor
		for i := range of {
			logits = append(logits, m.logits(raterBatchOf(of, raterRows(of), []int{i}), true))
		}
		together := torch.Cat(0, logits...)
		r.Near("expect.logits", together.Floats())
		loss := m.loss(together, all)
		r.Near("expect.loss", []float32{float32(loss.Item())})
		loss.Backward()
		parity.Grads(r, m.Params)
		h, err := m.Train(t.Context(), all, all, ten)
		if err != nil {
			return err
		}
		parity.Losses(r, "loss.total", h)
		parity.Weights(r, m.Params, unseenBias)
		return nil
	})
}

func float32s(values []float64) (out []float32) {
	for _, v := range values {
		out = append(out, float32(v))
	}
	return out
}

func places(n int) (out []int) {
	for k := range n {
		out = append(out, k)
	}
	return out
}

// rewritesBy draws rewrites of several lengths.
func rewritesBy(seed uint64, n int) (out []guided.Rewrite) {
	rng := rand.New(rand.NewPCG(seed, 0))
	word := func() int64 { return int64(tiny.firstWord()) + rng.Int64N(int64(tiny.Vocab)-tiny.firstWord()) }
	for range n {
		r := guided.Rewrite{Asked: rng.IntN(2)}
		for k := range 3 + rng.IntN(4) {
			r.Source = append(r.Source, word())
			for range 1 + max(0, rng.IntN(6)-4) { // sometimes a word is added
				id := r.Source[k]
				if rng.IntN(3) == 0 {
					id = word()
				}
				r.Output, r.Places = append(r.Output, id), append(r.Places, k)
			}
		}
		out = append(out, r)
	}
	return out
}

// TestRaterBatches checks that every output is in exactly one batch, together with the other
// outputs of its sentence. A batch may be too large only if it has a single sentence. The same
// epoch must give the same batches, and another epoch different ones.
func TestRaterBatches(t *testing.T) {
	const tokens = 60
	rng := rand.New(rand.NewPCG(7, 0))
	var all []RatedRewrite
	for _, r := range rewritesBy(3, 200) {
		all = append(all, RatedRewrite{Rewrite: r, Sentence: rng.IntN(40)})
	}
	all = append(all, all[0])
	all[0].Sentence, all[len(all)-1].Sentence = 40, 40
	batches := raterBatches(all, tokens, 1, 0)
	in, seen := map[int]int{}, 0
	for b, batch := range batches {
		size, sentences := 0, map[int]bool{}
		for _, i := range batch {
			seen++
			size += len(all[i].Output)
			s := all[i].Sentence
			sentences[s] = true
			if before, known := in[s]; known && before != b {
				t.Errorf("outputs of sentence %d are in batches %d and %d", s, before, b)
			}
			in[s] = b
		}
		if size > tokens && len(sentences) > 1 {
			t.Errorf("a batch of %d sentences has %d tokens", len(sentences), size)
		}
	}
	if seen != len(all) || len(in) != 41 || len(batches) > 38 {
		t.Errorf("%d outputs of %d sentences are in %d batches", seen, len(in), len(batches))
	}
	again, other := raterBatches(all, tokens, 1, 0), raterBatches(all, tokens, 1, 1)
	if !reflect.DeepEqual(batches, again) || reflect.DeepEqual(batches, other) {
		t.Error("the epoch does not say what the batches are")
	}
	if got := raterBatches(nil, tokens, 1, 0); len(got) > 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestRateIsOfTheOutput checks that the rating of an output does not depend on the other outputs,
// their order or the number of threads.
func TestRateIsOfTheOutput(t *testing.T) {
	of := rewritesBy(1, 40)
	parity.OnTorch(t, func() error {
		torch.Seed(3)
		m := NewRater(RaterConfig{tiny})
		defer m.Params.Free()
		widen(m.Params)
		all, err := m.Rate(t.Context(), of)
		if err != nil {
			return err
		}
		for i := range of {
			alone, err := m.Rate(t.Context(), of[i:i+1])
			if err != nil {
				return err
			}
			if math.Abs(alone[0]-all[i]) > 1e-4*math.Abs(all[i])+1e-5 {
				t.Errorf("output %d is given %g, and %g alone", i, all[i], alone[0])
			}
		}
		slices.Reverse(of)
		reversed, err := m.Rate(t.Context(), of)
		for i := range reversed {
			if math.Abs(reversed[i]-all[len(of)-1-i]) > 1e-4*math.Abs(reversed[i])+1e-5 {
				t.Errorf("in the opposite order output %d is given %g, not %g", i, reversed[i], all[len(of)-1-i])
			}
		}
		none, emptyErr := m.Rate(t.Context(), nil)
		if len(none) > 0 || emptyErr != nil {
			t.Errorf("of no outputs: %v, %v", none, emptyErr)
		}
		return err
	})
}

// TestRaterReadsSources checks that a source word changes the rating if a new word replaces it, but
// not if it was deleted. The target style must change the rating too.
func TestRaterReadsSources(t *testing.T) {
	parity.OnTorch(t, func() error {
		torch.Seed(3)
		m := NewRater(RaterConfig{tiny})
		defer m.Params.Free()
		widen(m.Params)
		rate := func(change func(r *guided.Rewrite)) float64 {
			r := guided.Rewrite{Source: []int64{10, 11, 12, 13}, Output: []int64{10, 20, 12}, Places: []int{0, 1, 2}}
			change(&r)
			out, err := m.Rate(t.Context(), []guided.Rewrite{r})
			if err != nil {
				t.Fatal(err)
			}
			return out[0]
		}
		as := rate(func(*guided.Rewrite) {})
		for name, differs := range map[string]bool{"old word": true, "style": true, "deleted word": false} {
			now := rate(func(r *guided.Rewrite) {
				switch name {
				case "old word":
					r.Source[1] = 15
				case "style":
					r.Asked = 1
				case "deleted word":
					r.Source[3] = 15
				}
			})
			if (now != as) != differs {
				t.Errorf("with another %s an output is given %g, before %g", name, now, as)
			}
		}
		return nil
	})
}

// TestRaterLearns checks that a rater learns which words readers prefer. This must also work if
// they prefer a word only as the replacement of one certain word. Training starts from the weights
// of the SMLM and does not change the word vectors.
func TestRaterLearns(t *testing.T) {
	const liked, loved = 20, 21
	rng := rand.New(rand.NewPCG(5, 0))
	var all []RatedRewrite
	for i, r := range rewritesBy(2, 400) {
		k := rng.IntN(len(r.Output))
		r.Source, r.Output, r.Places = slices.Clone(r.Output), slices.Clone(r.Output), places(len(r.Output))
		for n := range r.Output { // remove the words "liked" and "loved" where they occur by chance
			r.Output[n] = min(r.Output[n], liked-1)
			r.Source[n] = r.Output[n]
		}
		r.Source[k], r.Output[k] = int64(18+rng.IntN(2)), int64(liked+rng.IntN(2))
		rated := RatedRewrite{Rewrite: r, Sentence: i / 4}
		if r.Output[k] == liked || r.Output[k] == loved && r.Source[k] == 19 {
			rated.Best, rated.Total = [3]float64{1, 1, 1}, 6
		}
		all = append(all, rated)
	}
	parity.OnTorch(t, func() error {
		of := fresh()
		defer of.Params.Free()
		c := RaterConfig{tiny}
		c.Dropout = 0
		m := NewRater(c)
		defer m.Params.Free()
		if err := m.StartFrom(of); err != nil {
			return err
		}
		for i, name := range m.Params.Names() {
			at := slices.Index(of.Params.Names(), name)
			if at >= 0 && !slices.Equal(m.Params.All()[i].Floats(), of.Params.All()[at].Floats()) {
				t.Errorf("%s does not start as the SMLM has it", name)
			}
		}
		if !slices.Equal(m.enc.embed.W.Floats(), of.enc.embed.W.Floats()) {
			t.Error("the vectors of words do not start as the SMLM has them")
		}
		before, err := m.Evaluate(t.Context(), all[300:])
		if err != nil {
			return err
		}
		h, err := m.Train(context.Background(), all[:300], all[300:], nn.Recipe{Seed: 1, Training: recipe.Training{
			Epochs: 30, LR: .02, Beta1: .9, BatchTokens: 100,
		}})
		if err != nil {
			return err
		}
		if got := h.Epochs[len(h.Epochs)-1].Dev; got.Accuracy < 95 || got.Loss > before.Loss/3 || h.Best != 29 {
			t.Errorf("of dev outputs %.1f %% of the pairs are right at a loss of %.3f (%.3f before)", got.Accuracy, got.Loss,
				before.Loss)
		}
		if !slices.Equal(m.enc.embed.W.Floats(), of.enc.embed.W.Floats()) {
			t.Error("the vectors of words have changed")
		}
		return nil
	})
}

// TestRaterNumbers checks that Numbers is at most the number of weights and at least 60 % of it.
func TestRaterNumbers(t *testing.T) {
	parity.OnTorch(t, func() error {
		started := tiny
		started.Pretrained = &recipe.PretrainedShape{
			Embedding: tiny.Dim, Positions: 20, Activation: recipe.GELU, Eps: 1e-12,
		}
		for _, c := range []Config{tiny, started} {
			m := NewRater(RaterConfig{c})
			defer m.Params.Free()
			if n := (RaterConfig{c}).Numbers(); n > float64(m.Params.Count()) || n < .6*float64(m.Params.Count()) {
				t.Errorf("%+v has %d weights, and Numbers says %g", c, m.Params.Count(), n)
			}
		}
		return nil
	})
}
