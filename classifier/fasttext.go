package classifier

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// FastTextConfig is the shape of a FastText, as it is stored beside the weights.
type FastTextConfig struct {
	Vocab int `json:"vocab"` // words and special tokens
	// FastTextShape.Buckets is how many vectors the runs of 2 and more words share; none are made
	// if Ngrams is 1.
	recipe.FastTextShape
}

// Check returns an error for the user where there can be no model of this shape.
func (c FastTextConfig) Check() error {
	switch {
	case c.Vocab <= corpus.NumSpecial:
		return userr.New(
			userr.BadInput,
			"the bag of n-grams has a vocabulary of %d: it must have words beside the %d special tokens", c.Vocab,
			corpus.NumSpecial,
		)
	case c.Dim < 1:
		return userr.New(userr.BadInput, "the bag of n-grams has vectors of %d numbers: set dim to 1 or more", c.Dim)
	case c.Ngrams < 1:
		return userr.New(
			userr.BadInput, "the bag of n-grams has ngrams %d: set 1 for words alone, 2 for pairs as well, and so on",
			c.Ngrams,
		)
	case c.Ngrams > 1 && c.Buckets < 1:
		return userr.New(userr.BadInput, "the bag of n-grams has %d buckets: set 1 or more", c.Buckets)
	case int64(c.Vocab)+int64(c.Buckets) > math.MaxInt32:
		return userr.New(userr.BadInput, "the bag of n-grams has %d buckets: lower buckets", c.Buckets)
	}
	return nil
}

// rows is how many vectors there are: one a word, then the buckets.
func (c FastTextConfig) rows() int {
	if c.Ngrams == 1 {
		return c.Vocab
	}
	return c.Vocab + c.Buckets
}

// FastText is the linear classifier of Joulin et al. 2017, "Bag of Tricks for Efficient Text
// Classification": the mean of the vectors of a sentence's words and of its n-grams, which share
// hashed buckets, times a matrix, gives the logits of the styles. There is no bias, so that a
// sentence with nothing known has the logits 0 and 0 and counts as style 0.
//
// Two things differ from fastText's program. It ends every sentence with a token, here there is
// none. It hashes unknown words into n-grams; here, where all unknown words are one, an n-gram with
// an unknown word in it is left out as the word itself is. Special tokens, <mask> among them, count
// as unknown: no training text has them.
type FastText struct {
	Config  FastTextConfig
	vectors []float32 // [rows, Dim]
	output  []float32 // [2, Dim]
	hashes  []uint32  // of the words
}

// NewFastText returns a model with fresh weights: vectors uniform in +-1/Dim drawn by seed, and
// logits of 0, as fastText starts. It panics if c.Check() fails.
func NewFastText(c FastTextConfig, seed uint64) *FastText {
	m := makeFastText(c)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range m.vectors {
		m.vectors[i] = (2*rng.Float32() - 1) / float32(c.Dim)
	}
	return m
}

// makeFastText returns a model with all weights 0.
func makeFastText(c FastTextConfig) *FastText {
	if err := c.Check(); err != nil {
		panic(err)
	}
	m := &FastText{Config: c, vectors: make([]float32, c.rows()*c.Dim), output: make([]float32, 2*c.Dim)}
	m.hashes = make([]uint32, c.Vocab)
	for id := range m.hashes {
		m.hashes[id] = mix(uint32(id))
	}
	return m
}

// mix is the finalizer of MurmurHash3: it spreads ids over 32 bits. Without it neighbouring ids
// would give n-grams in neighbouring buckets; fastText hashes the letters of the words instead.
func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}

// Parameters is the number of weights.
func (m *FastText) Parameters() int { return len(m.vectors) + len(m.output) }

// features appends the numbers of the vectors of a sentence: of its words, then of its n-grams by
// their hashes. As in fastText the hash of words a, b, c is (a*K + b)*K + c for a fixed K.
func (m *FastText) features(to []int32, ids []int64) []int32 {
	for _, id := range ids {
		if id < 0 || id >= int64(m.Config.Vocab) {
			panic(fmt.Sprintf("classifier: word id %d in a vocabulary of %d", id, m.Config.Vocab))
		}
		if known(id) {
			to = append(to, int32(id))
		}
	}
	for i, id := range ids {
		if !known(id) {
			continue
		}
		h := uint64(m.hashes[id])
		for _, next := range ids[i+1 : min(i+m.Config.Ngrams, len(ids))] {
			if !known(next) {
				break
			}
			h = h*116049371 + uint64(m.hashes[next])
			to = append(to, int32(uint64(m.Config.Vocab)+h%uint64(m.Config.Buckets)))
		}
	}
	return to
}

func known(id int64) bool { return id >= corpus.NumSpecial }
