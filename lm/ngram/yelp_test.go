package ngram

import (
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// yelp returns the Yelp corpus, encoded with a vocabulary of its 10,000 most frequent words. It
// reads the corpus only once.
var yelp = sync.OnceValues(func() (text [3][][]int64, vocab int) {
	d, err := corpus.Load(yelpDir, "yelp", nil)
	if err != nil {
		panic(err)
	}
	v := corpus.BuildVocab(d.Text[corpus.Train], 10_000)
	for _, s := range corpus.Splits {
		text[s] = d.Encode(s, v).IDs
	}
	return text, v.Len()
})

var yelpDir string

func yelpText(t testing.TB) ([3][][]int64, int) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	yelpDir = testkit.Shared(t, "yelp")
	return yelp()
}

// yelpModel returns the trigram model of Yelp. It trains the model only once.
var yelpModel = sync.OnceValue(func() *Model {
	text, vocab := yelp()
	return Train(text[corpus.Train], 3, vocab)
})

// TestYelp checks that dev perplexity on real text falls from order 1 to 2 and from 2 to 3. A
// bigram model with a simpler smoothing (absoluteDiscount) must have a higher perplexity than the
// model of order 2. The test logs times, file sizes and the perplexity of order 4.
func TestYelp(t *testing.T) {
	text, vocab := yelpText(t)
	dev := text[corpus.Dev]
	var ppl [MaxOrder + 1]float64
	for order := 1; order <= 4; order++ {
		began := time.Now()
		m := Train(text[corpus.Train], order, vocab)
		took := time.Since(began)
		path := filepath.Join(t.TempDir(), "model.safetensors")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
		if _, err := Load(path); err != nil {
			t.Fatal(err)
		}
		loaded := time.Since(began)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ppl[order] = m.Perplexity(dev)
		t.Logf("order %d: dev perplexity %.2f, n-grams %v, trained in %v, loaded in %v, %.1f MB",
			order, ppl[order], m.NGrams(), took, loaded, float64(info.Size())/1e6)
	}
	plain := absoluteDiscount(text[corpus.Train], dev, vocab)
	t.Logf("bigrams with one discount and without continuation counts: dev perplexity %.2f", plain)
	if !(ppl[3] < ppl[2] && ppl[2] < plain && plain < ppl[1]) {
		t.Errorf("perplexities %.2f of orders 1 to 4, %.2f of the plain bigram", ppl[1:5], plain)
	}
}

// absoluteDiscount returns the perplexity of dev under a bigram model, interpolated with an add-one
// unigram model (Ney, Essen and Kneser 1994). There is a single discount, n1/(n1 + 2 n2).
func absoluteDiscount(train, dev [][]int64, vocab int) float64 {
	each := func(sentences [][]int64, visit func(before, word int64)) {
		for _, s := range sentences {
			before := int64(corpus.BosID)
			for _, w := range append(s[:len(s):len(s)], corpus.EosID) {
				visit(before, w)
				before = w
			}
		}
	}
	counts, single := map[[2]int64]float64{}, map[int64]float64{}
	// after[w] is the number of words that follow w, and kinds[w] is the number of distinct words
	// among them.
	after, kinds := map[int64]float64{}, map[int64]float64{}
	n := 0.0
	each(train, func(before, w int64) {
		if counts[[2]int64{before, w}]++; counts[[2]int64{before, w}] == 1 {
			kinds[before]++
		}
		after[before]++
		single[w]++
		n++
	})
	var of [3]float64
	for _, c := range counts {
		if c < 3 {
			of[int(c)]++
		}
	}
	d := of[1] / (of[1] + 2*of[2])
	sum, tokens := 0.0, 0.0
	each(dev, func(before, w int64) {
		p := (single[w] + 1) / (n + float64(vocab-corpus.NumSpecial+2))
		if after[before] > 0 {
			p = (max(0, counts[[2]int64{before, w}]-d) + d*kinds[before]*p) / after[before]
		}
		sum -= math.Log(p)
		tokens++
	})
	return math.Exp(sum / tokens)
}
