package main

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"sort"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// length is a function that draws the number of words of a sentence.
type length func(*rand.Rand) int

// The function fixed returns a length that gives every sentence n words.
func fixed(n int) length { return func(*rand.Rand) int { return n } }

// reviews draws lengths like those of Yelp's sentences: 1 to 15 words, 9 on average.
func reviews(rng *rand.Rand) int {
	for {
		if n := int(math.Round(9.1 + 3.6*rng.NormFloat64())); n >= 1 && n <= 15 {
			return n
		}
	}
}

// synthetic draws n sentences from a vocabulary of vocab ids, which include the special tokens.
// Words follow Zipf's law: the probability of the k-th most frequent word is proportional to 1/k. A
// fifth of the words are masked, and at least one per sentence. The two styles alternate, and the
// target of a sentence is the other style.
func synthetic(n int, of length, vocab int, seed uint64) corpus.Encoded {
	rng := rand.New(rand.NewPCG(seed, 14))
	cumulative, sum := make([]float64, vocab-corpus.NumSpecial), 0.0
	for k := range cumulative {
		sum += 1 / float64(k+1)
		cumulative[k] = sum
	}
	var e corpus.Encoded
	for i := range n {
		ids := make([]int64, of(rng))
		mask := make([]bool, len(ids))
		for k := range ids {
			ids[k] = corpus.NumSpecial + int64(sort.SearchFloat64s(cumulative, rng.Float64()*sum))
			mask[k] = rng.IntN(5) == 0
		}
		mask[rng.IntN(len(mask))] = true
		e.IDs, e.Masks = append(e.IDs, ids), append(e.Masks, mask)
		e.Styles, e.Targets = append(e.Styles, i%2), append(e.Targets, 1-i%2)
	}
	return e
}

// meanLength returns the mean length of sentences in words.
func meanLength(e corpus.Encoded) float64 {
	n := 0
	for _, ids := range e.IDs {
		n += len(ids)
	}
	return float64(n) / float64(len(e.IDs))
}

// write writes sentences to a file for the workers.
func write(path string, e corpus.Encoded) error {
	return files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(e) })
}

// read reads a file written by write.
func read(path string) (e corpus.Encoded, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(text, &e)
}
