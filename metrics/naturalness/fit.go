package naturalness

import (
	"math"
	"math/rand/v2"
	"slices"
)

// How the logistic regression is fitted.
const (
	epochs    = 4
	rate      = 0.1 // of Adagrad
	decay     = 1e-5
	ownWeight = 3 // sentences a word or pair must be in for a weight beyond that of its frequency class
)

// trainer fits the classifier. How often a word or pair was seen elsewhere decides most: a damaged
// sentence is betrayed by pairs nobody wrote. So a feature's weight is that of its frequency class
// (the number of other sentences it is in: 0, 1, 2-3, 4-7, ...) plus, if it is frequent enough, one
// of its own. "Other" matters: the sentence trained on is left out of the count for itself and for
// its corrupted copy, else every human pair would be known and every test sentence look damaged.
// Likewise a word put in does not count the sentence it was drawn from, else no damaged sentence
// would ever hold an unknown word and unknown words would look human.
type trainer struct {
	rng       *rand.Rand
	corrupter *corrupter
	numbered
	inWord []int32        // sentences each word is in
	inPair map[pair]int32 // sentences each pair is in

	intercept weight
	classes   [2][32]weight // [word or pair][frequency class]
	wordOwn   []weight
	pairOwn   map[pair]*weight
}

// weight is a parameter with its sum of squared gradients.
type weight struct{ value, squares float64 }

// newTrainer counts the words and pairs of the sentences.
func newTrainer(sentences [][]string, rng *rand.Rand) *trainer {
	t := &trainer{rng: rng, numbered: number(sentences), inPair: map[pair]int32{}, pairOwn: map[pair]*weight{}}
	t.corrupter = newCorrupter(t.numbered, rng)
	t.inWord = make([]int32, len(t.words))
	for _, ids := range t.sentences {
		words, pairs := features(ids)
		for _, w := range words {
			t.inWord[w]++
		}
		for _, p := range pairs {
			t.inPair[p]++
		}
	}
	t.wordOwn = make([]weight, len(t.words))
	for p, n := range t.inPair {
		if n >= ownWeight {
			t.pairOwn[p] = &weight{}
		}
	}
	return t
}

// features returns the distinct words and pairs of a sentence, sorted.
func features(ids []int32) ([]int32, []pair) {
	words := slices.Clone(ids)
	slices.Sort(words)
	pairs := make([]pair, 0, len(ids)+1)
	left := sentenceEdge
	for _, id := range ids {
		pairs = append(pairs, pair{left, id})
		left = id
	}
	pairs = append(pairs, pair{left, sentenceEdge})
	slices.SortFunc(pairs, func(a, b pair) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(words), slices.Compact(pairs)
}

// frequencyClass is 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7 and so on.
func frequencyClass(n int32) int {
	class := 0
	for ; n > 0; n >>= 1 {
		class++
	}
	return class
}

// fit runs stochastic gradient steps over the sentences, each time with a new corrupted copy.
func (t *trainer) fit() {
	for range epochs {
		for _, i := range t.rng.Perm(len(t.sentences)) {
			human := t.sentences[i]
			bad := t.corrupter.corrupt(human)
			if bad == nil {
				continue
			}
			words, pairs := features(human)
			t.step(words, pairs, pairs, 1)
			badWords, badPairs := features(bad)
			t.step(badWords, badPairs, pairs, 0)
		}
	}
}

// step does one gradient step on a sentence, given as its features, with the pairs of the human
// sentence it comes from.
func (t *trainer) step(words []int32, pairs []pair, humanPairs []pair, label float64) {
	active := []*weight{&t.intercept}
	for _, w := range words {
		n := t.inWord[w] - 1 // other than the human sentence, or than the one a replacement was drawn from
		active = append(active, &t.classes[0][frequencyClass(n)])
		if n >= ownWeight {
			active = append(active, &t.wordOwn[w])
		}
	}
	for _, p := range pairs {
		n := t.inPair[p]
		if _, from := slices.BinarySearchFunc(humanPairs, p, func(a, b pair) int {
			return slices.Compare(a[:], b[:])
		}); from {
			n--
		}
		active = append(active, &t.classes[1][frequencyClass(n)])
		if n >= ownWeight {
			active = append(active, t.pairOwn[p])
		}
	}
	z := 0.0
	for _, w := range active {
		z += w.value
	}
	err := sigmoid(z) - label
	for _, w := range active {
		g := err + decay*w.value
		w.squares += g * g
		w.value -= rate * g / math.Sqrt(w.squares+1e-8)
	}
}

// model folds the class weights into the single ones.
func (t *trainer) model() *weightsFile {
	f := &weightsFile{linear: linear{
		intercept: t.intercept.value, unknownWord: t.classes[0][0].value, unknownPair: t.classes[1][0].value,
		ids: t.ids, words: t.words, weights: make([]float64, len(t.words)), pairs: make(map[pair]float64,
			len(t.inPair)),
	}}
	for i, n := range t.inWord {
		f.weights[i] = t.classes[0][frequencyClass(n)].value + t.wordOwn[i].value
	}
	for p, n := range t.inPair {
		w := t.classes[1][frequencyClass(n)].value
		if own := t.pairOwn[p]; own != nil {
			w += own.value
		}
		f.pairs[p] = w
	}
	return f
}
