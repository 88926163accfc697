package ngram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"pgregory.net/rapid"
)

const a, b, c = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2

func near(t rapid.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 2e-6*max(1, math.Abs(want))) { // the model stores ln p in float32
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestByHand trains on the sentences "a b" and "a c". There are too few frequent n-grams to
// estimate the discounts, so the discounts are 0.5, 1 and 1.5. V is 5: <unk>, <eos>, "a", "b" and
// "c".
//
// Only <bos> precedes "a", only "a" precedes "b" and "c", and both "b" and "c" precede <eos>. So
// the counts of "a", "b", "c" and <eos> are 1, 1, 1 and 2. Their sum is 5, gamma is (3*0.5 + 1)/5 =
// 0.5, and
//
//	p(<unk>) = 0.5/5 = 0.1   p(a) = p(b) = p(c) = 0.5/5 + 0.1 = 0.2   p(<eos>) = (2-1)/5 + 0.1 = 0.3
//
// The bigram "<bos> a" occurs twice. The bigrams "a b", "a c", "b <eos>" and "c <eos>" have the
// count 1, because one word precedes each of them. In a model of order 2, their count is also 1,
// because each occurs once.
//
//	p(a | <bos>) = (2-1)/2 + 1/2 * 0.2 = 0.6
//	p(b | a) = 0.5/2 + (0.5+0.5)/2 * 0.2 = 0.35   p(<eos> | b) = 0.5/1 + 0.5 * 0.3 = 0.65
//
// The trigrams "<bos> a b", "<bos> a c", "a b <eos>" and "a c <eos>" each occur once:
//
//	p(b | <bos> a) = 0.5/2 + 0.5 * 0.35 = 0.425   p(<eos> | a b) = 0.5 + 0.5 * 0.65 = 0.825
func TestByHand(t *testing.T) {
	text := [][]int64{{a, b}, {a, c}}
	one := Train(text, 1, c+1) // counts: a 2, b 1, c 1, <eos> 2; gamma = (2*1 + 2*0.5)/6 = 0.5
	near(t, "order 1", one.LogProb([]int64{a, b}), math.Log((1./6+.1)*(.5/6+.1)*(1./6+.1)))
	near(t, "order 2", Train(text, 2, c+1).LogProb([]int64{a, b}), math.Log(.6*.35*.65))
	m := Train(text, 3, c+1)
	if got := m.NGrams(); !slices.Equal(got, []int{5, 5, 4}) {
		t.Errorf("%v n-grams", got)
	}
	for _, s := range []struct {
		name string
		ids  []int64
		p    float64
	}{
		{"seen", []int64{a, b}, .6 * .425 * .825},
		// gamma is 1/2 after <bos>, after "a" and after "b".
		{"the other way round", []int64{b, a}, .5 * .2 * .5 * .2 * .5 * .3},
		{"unknown word", []int64{a, corpus.UnkID}, .6 * (.5 * .5 * .1) * .3},
		{"an id that is none is <unk>", []int64{a, 1000}, .6 * (.5 * .5 * .1) * .3},
		{"so is a token that only models place", []int64{a, corpus.BosID}, .6 * (.5 * .5 * .1) * .3},
		{"nothing", nil, .5 * .3},
		{"after a mask no word is known", []int64{corpus.MaskID, b}, .2 * .65},
		{"a mask contributes nothing", []int64{a, corpus.MaskID}, .6 * .3},
	} {
		near(t, s.name, m.LogProb(s.ids), math.Log(s.p))
	}
	near(t, "perplexity", m.Perplexity(text), math.Pow(.6*.425*.825, -1./3))
	if got := m.Perplexity(nil); got != 1 {
		t.Errorf("perplexity %v of no text", got)
	}
	near(t, "no text", Train(nil, 3, c+1).LogProb([]int64{a}), 2*math.Log(1./5))
}

// small draws a small text, the order of a model and the size of its vocabulary.
func small(t *rapid.T) (text [][]int64, order, vocab int) {
	vocab = corpus.NumSpecial + rapid.IntRange(0, 5).Draw(t, "words")
	word := rapid.SampledFrom(append(known(vocab), corpus.UnkID))
	text = rapid.SliceOfN(rapid.SliceOfN(word, 0, 8), 0, 25).Draw(t, "text")
	return text, rapid.IntRange(1, MaxOrder).Draw(t, "order"), vocab
}

func known(vocab int) (ids []int64) {
	for id := corpus.NumSpecial; id < vocab; id++ {
		ids = append(ids, int64(id))
	}
	return ids
}

// TestSumsToOne checks that after any sequence of words, the probabilities of all possible next
// tokens sum to 1.
func TestSumsToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, order, vocab := small(t)
		m := Train(text, order, vocab)
		next := append(known(vocab), corpus.UnkID)
		before := rapid.SliceOfN(rapid.SampledFrom(append(next, corpus.MaskID)), 0, 6).Draw(t, "before")
		ctx := m.advance(context{}, corpus.BosID)
		for _, w := range before {
			ctx = m.advance(ctx, m.classOf(w))
		}
		sum := 0.0
		for _, w := range append(next, corpus.EosID) {
			_, logp := m.step(ctx, uint32(w))
			sum += math.Exp(logp)
		}
		near(t, "sum", sum, 1)
	})
}

// TestWindow checks that replacing a word changes Window and LogProb by the same amount. It also
// checks that Window is the sum of ln p of word k and of the order-1 words after word k.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, order, vocab := small(t)
		m := Train(text, order, vocab)
		word := rapid.SampledFrom(append(known(vocab), corpus.UnkID, corpus.MaskID))
		ids := rapid.SliceOfN(word, 1, 9).Draw(t, "sentence")
		k := rapid.IntRange(0, len(ids)-1).Draw(t, "place")
		other := slices.Clone(ids)
		other[k] = word.Draw(t, "other")
		near(t, "window", m.Window(ids, k)-m.Window(other, k), m.LogProb(ids)-m.LogProb(other))
		ctx, of := m.advance(context{}, corpus.BosID), make([]float64, len(ids)+1) // of[i] is ln p of word i
		for i, id := range append(ids, corpus.EosID) {
			ctx, of[i] = m.step(ctx, uint32(id))
		}
		for k := range of {
			want := 0.0
			for _, logp := range of[k:min(k+order, len(of))] {
				want += logp
			}
			near(t, "window", m.Window(ids, k), want)
		}
	})
}

// TestAgainstNaive compares the model with the type naive, which implements the formulas directly.
func TestAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, order, vocab := small(t)
		m, n := Train(text, order, vocab), newNaive(text, order, vocab)
		word := rapid.SampledFrom(append(known(vocab), corpus.UnkID))
		for _, ids := range append(text, rapid.SliceOfN(word, 0, 9).Draw(t, "sentence")) {
			near(t, "ln p", m.LogProb(ids), n.logProb(ids))
		}
	})
}

// TestAgainstNaiveOfMore compares the model with the type naive on a text that is large enough to
// estimate discounts for n-grams of every length. Most n-grams are rare, as in real text.
func TestAgainstNaiveOfMore(t *testing.T) {
	const vocab, order = corpus.NumSpecial + 60, 3
	rng := rand.New(rand.NewPCG(1, 2))
	sentence := func() []int64 {
		ids := make([]int64, 1+rng.IntN(7))
		for i := range ids {
			r := rng.Float64()
			ids[i] = corpus.NumSpecial + int64(r*r*r*r*60)
		}
		return ids
	}
	var text [][]int64
	for range 150 {
		text = append(text, sentence())
	}
	m, n := Train(text, order, vocab), newNaive(text, order, vocab)
	for k := range m.levels {
		if d := n.discounts(k + 1); d[1] == 0.5 {
			t.Errorf("the discounts of %d words are those of too small a text", k+1)
		}
	}
	for _, ids := range append(text[:10:10], sentence(), sentence(), sentence()) {
		near(t, "ln p", m.LogProb(ids), n.logProb(ids))
	}
}

// The type naive implements the formulas of the package comment directly. N-grams are strings with
// spaces between the words, and every count is computed on demand.
type naive struct {
	order, classes int
	times          map[string]int             // the number of occurrences of each n-gram in the text
	before         map[string]map[string]bool // the words that precede each n-gram in the text
	words          map[string]bool
	ofLength       map[int][]float64 // the discounts for each length of n-grams, computed on demand
}

func naiveWords(ids []int64) []string {
	out := []string{"<bos>"}
	for _, id := range ids {
		out = append(out, fmt.Sprint("w", id))
	}
	return append(out, "<eos>")
}

func newNaive(text [][]int64, order, vocab int) *naive {
	n := &naive{
		order: order, classes: vocab - corpus.NumSpecial + 2, times: map[string]int{},
		before: map[string]map[string]bool{}, words: map[string]bool{}, ofLength: map[int][]float64{},
	}
	for _, ids := range text {
		s := naiveWords(ids)
		for i := range s {
			n.words[s[i]] = true
			for k := i + 1; k <= len(s) && k-i <= order; k++ {
				gram := strings.Join(s[i:k], " ")
				n.times[gram]++
				if n.before[gram] == nil {
					n.before[gram] = map[string]bool{}
				}
				if i > 0 {
					n.before[gram][s[i-1]] = true
				}
			}
		}
	}
	return n
}

func (n *naive) a(gram string) int {
	words := strings.Fields(gram)
	if len(words) == n.order || words[0] == "<bos>" {
		return n.times[gram]
	}
	return len(n.before[gram])
}

func (n *naive) discount(words, count int) float64 {
	if n.ofLength[words] == nil {
		n.ofLength[words] = n.discounts(words)
	}
	return n.ofLength[words][min(count, 3)]
}

func (n *naive) discounts(words int) []float64 {
	var of [5]float64
	for gram := range n.times {
		k := n.a(gram)
		if len(strings.Fields(gram)) == words && gram != "<bos>" && k < 5 {
			of[k]++
		}
	}
	y := of[1] / (of[1] + 2*of[2])
	d := []float64{0, 1 - 2*y*of[2]/of[1], 2 - 3*y*of[3]/of[2], 3 - 4*y*of[4]/of[3]}
	for k := 1; k <= 3; k++ {
		if of[k] == 0 || of[k+1] == 0 || d[k] <= 0 || d[k] > float64(k) {
			return []float64{0, 0.5, 1, 1.5}
		}
	}
	return d
}

// p returns the probability of w after the words h.
func (n *naive) p(w string, h []string) float64 {
	shorter := 1 / float64(n.classes)
	if len(h) > 0 {
		shorter = n.p(w, h[1:])
	}
	gram := func(v string) string { return strings.Join(append(h[:len(h):len(h)], v), " ") }
	sum, kept := 0.0, 0.0
	for v := range n.words {
		if count := n.a(gram(v)); count > 0 && v != "<bos>" {
			sum += float64(count)
			kept += n.discount(len(h)+1, count)
		}
	}
	if sum == 0 {
		return shorter
	}
	p := kept / sum * shorter
	if count := n.a(gram(w)); count > 0 {
		p += (float64(count) - n.discount(len(h)+1, count)) / sum
	}
	return p
}

func (n *naive) logProb(ids []int64) float64 {
	s, sum := naiveWords(ids), 0.0
	for i := 1; i < len(s); i++ {
		sum += math.Log(n.p(s[i], s[max(0, i-n.order+1):i]))
	}
	return sum
}

// TestHas compares Has with a search in the text, for all n-grams of a few words and for the start
// and the end of sentences.
func TestHas(t *testing.T) {
	const a, b, c = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2
	text := [][]int64{{a, b, c, a, b}, {b, b, corpus.UnkID}, {c}}
	m := Train(text, 3, c+2)
	var marked [][]int64
	for _, s := range text {
		marked = append(marked, slices.Concat([]int64{corpus.BosID}, s, []int64{corpus.EosID}))
	}
	in := func(ngram []int64) bool {
		return slices.ContainsFunc(marked, func(s []int64) bool {
			for k := range len(s) - len(ngram) + 1 {
				if slices.Equal(s[k:k+len(ngram)], ngram) {
					return true
				}
			}
			return false
		})
	}
	words := []int64{corpus.BosID, corpus.EosID, corpus.UnkID, a, b, c, c + 1}
	for _, x := range words[2:] {
		if m.Has(x) != in([]int64{x}) {
			t.Errorf("Has(%d) is %t", x, m.Has(x))
		}
	}
	for _, x := range words {
		for _, y := range words {
			for _, z := range words {
				for _, ngram := range [][]int64{{x, y}, {x, y, z}} {
					if m.Has(ngram...) != in(ngram) {
						t.Errorf("Has(%d) is %t", ngram, m.Has(ngram...))
					}
				}
			}
		}
	}
}
