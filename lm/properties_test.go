package lm

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// The shape tiny has known words with the ids 9 to 14. The ids 15 and above are unknown words.
var tiny = Config{
	First: 9, Known: 6, LMShape: recipe.LMShape{Embedding: 6, Hidden: 5}, Dropout: .5,
}

// fresh returns an untrained model whose weights are large enough to give different sentences
// clearly different scores.
func fresh(c Config) *Model {
	torch.Seed(7)
	m := New(c)
	for _, p := range m.Params.All() {
		p.Set(p.Detach().Scale(4))
	}
	return m
}

// logits maps states [N, H] to the logits of the classes [N, Classes]. Only tests use it, because
// it holds all logits in memory at once.
func (m *Model) logits(states *torch.Tensor) *torch.Tensor {
	return m.project.Forward(states).Linear(m.vocab(), m.bias)
}

// perplexity returns the perplexity of the whole text.
func (s Scores) perplexity() float64 { return math.Exp(s.Loss()) }

func score(t interface{ Error(...any) }, m *Model, ids [][]int64) Scores {
	s, err := m.Score(context.Background(), ids)
	if err != nil {
		t.Error(err)
	}
	return s
}

// TestScoreIsOfTheSentence checks that the score of a sentence does not depend on the other
// sentences, on the order of the sentences, or on how the text is split into blocks. The test also
// checks that dropout is off.
func TestScoreIsOfTheSentence(t *testing.T) {
	// Rounding errors come from seven time steps with sums over inputs and states, a softmax over
	// the classes, and a sum over seven words.
	off := testkit.RoundingBound(append(testkit.Chain(7, 40), 20, 7)...)
	near := func(a, b float64) bool { return math.Abs(a-b) <= off*max(1, math.Abs(a)) }
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SliceOfN(rapid.Int64Range(0, 20), 0, 6)
		ids := rapid.SliceOfN(sentence, 1, 14).Draw(t, "ids")
		order := rapid.Permutation(testkit.Indices(len(ids))).Draw(t, "order")
		atOnce := rapid.IntRange(1, 30).Draw(t, "at once")
		err := torch.Run(func() error {
			m := fresh(tiny)
			defer m.Params.Free()
			together := score(t, m, ids)
			var permuted [][]int64
			for _, i := range order {
				permuted = append(permuted, ids[i])
			}
			other := score(t, m, permuted)
			pieces, err := m.score(context.Background(), ids, atOnce)
			if err != nil {
				return err
			}
			for k, i := range order {
				alone := score(t, m, ids[i:i+1])
				want := together.LogProb[i]
				if !near(want, other.LogProb[k]) || !near(want, alone.LogProb[0]) || !near(want, pieces.LogProb[i]) {
					t.Errorf("sentence %v: %v, permuted %v, alone %v, %d at once %v",
						ids[i], want, other.LogProb[k], alone.LogProb[0], atOnce, pieces.LogProb[i])
				}
				if together.Tokens[i] != len(ids[i])+1 || other.Tokens[k] != len(ids[i])+1 ||
					other.Unknown[k] != together.Unknown[i] {
					t.Errorf("sentence %v: %+v, permuted %+v at %d", ids[i], together, other, k)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestSentencesSumToOne checks that the probabilities of all sentences of up to six words sum to 1.
// Each word is one of three known words or <unk>. The weights make longer sentences extremely
// unlikely. The sum shows that words, sentence ends and unknown words share one distribution, and
// that nothing is counted twice.
func TestSentencesSumToOne(t *testing.T) {
	c := tiny
	c.Known = 3
	parity.OnTorch(t, func() error {
		m := fresh(c)
		defer m.Params.Free()
		bias := make([]float32, c.Classes())
		bias[eosClass] = 5
		m.bias.Set(torch.FromFloats(bias, int64(len(bias))))
		total := 0.0
		for length, all := 0, [][]int64{{}}; length <= 6; length++ {
			s := score(t, m, all)
			sum := 0.0
			for _, l := range s.LogProb {
				sum += math.Exp(l)
			}
			if total += sum; length < 2 && !(sum > 1e-4) {
				t.Errorf("sentences of %d words have %v: the test is blind", length, sum)
			}
			var longer [][]int64
			for _, row := range all {
				for _, id := range []int64{9, 10, 11, 12} { // 12 represents all unknown words
					longer = append(longer, append(slices.Clone(row), id))
				}
			}
			all = longer
		}
		if math.Abs(total-1) > 1e-5 {
			t.Errorf("all sentences have probability %v", total)
		}
		return nil
	})
}

// TestNextWordsSumToOne checks that the probabilities of the classes sum to 1 after any beginning
// of a sentence.
func TestNextWordsSumToOne(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(tiny)
		defer m.Params.Free()
		in, _ := split(nn.Stack(m.rows([][]int64{{9, 15, 12}, {14, 14, 10}}), []int{0, 1}))
		logits := m.logits(m.states(in, false))
		if got, want := logits.Shape(), []int64{2 * 4, 2 + 6}; !slices.Equal(got, want) {
			t.Errorf("the logits are %v, want %v", got, want)
		}
		for i, sum := range logits.Softmax(1).SumDim(1, false).Floats() {
			if math.Abs(float64(sum)-1) > testkit.RoundingBound(2*tiny.Known) {
				t.Errorf("position %d: %v", i, sum)
			}
		}
		return nil
	})
}

// TestUnknownAndEmpty checks that every id that is not a known word is scored as <unk>, and that
// the score of an empty sentence is the score of its end token.
func TestUnknownAndEmpty(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(tiny)
		defer m.Params.Free()
		same := [][]int64{
			{
				9,
				corpus.UnkID,
				12,
			},
			{9, 15, 12},
			{9, 16, 12},
			{9, 1 << 40, 12},
			{9, -1, 12},
			{9, corpus.MaskID, 12},
			{9, corpus.EosID, 12},
			{9, corpus.BosID, 12},
		}
		s := score(t, m, append(same, []int64{}, []int64{15, 15}, []int64{14, 13}))
		for i := range same {
			if s.LogProb[i] != s.LogProb[0] || s.Unknown[i] != 1 || s.Tokens[i] != 4 {
				t.Errorf(
					"%v: %v of %d tokens, %d unknown; <unk> %v",
					same[i],
					s.LogProb[i],
					s.Tokens[i],
					s.Unknown[i],
					s.LogProb[0],
				)
			}
		}
		if want := []int{1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 0}; !slices.Equal(s.Unknown, want) {
			t.Errorf("unknown %v, want %v", s.Unknown, want)
		}
		in := torch.FromInts([]int64{int64(tiny.Classes())}, 1, 1)
		end := m.logits(m.states(in, false)).Softmax(1).Floats()[eosClass]
		if got := s.LogProb[len(same)]; math.Abs(got-math.Log(float64(end))) > 1e-5 || s.Tokens[len(same)] != 1 {
			t.Errorf("the empty sentence has %v, its end %v", got, end)
		}
		if none := score(t, m, nil); len(none.LogProb) != 0 || none.perplexity() != 1 || len(none.Unknown) != 0 {
			t.Errorf("no sentence: %+v", none)
		}
		return nil
	})
}
