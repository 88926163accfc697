package naturalness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Limits of Train.
const (
	maxTrainSentences   = 100_000 // maximum number of sentences to train on
	maxHeldOutSentences = 2_000   // a tenth of all sentences is held out, but at most this number
	minTrainSentences   = 100     // minimum number of distinct sentences
)

// Training describes how Train trained a judge.
type Training struct {
	Sentences int // human sentences trained on, each with a corrupted copy
	HeldOut   int // human sentences held out, each with a corrupted copy
	// Accuracy, 0-1, is measured on the held-out sentences and their corrupted copies at the
	// threshold 0.5, and kept to 4 decimals.
	Accuracy float64
	Seed     uint64
}

const (
	trainingHead   = "own:human-vs-corrupted|features:words+pairs|tok:whitespace|case:lower|sentences:%d|heldout:%d|"
	trainingFormat = trainingHead + "heldout-accuracy:%.4f|seed:%d"
)

// About describes in one line how the judge was trained. The judge's signature contains this line.
func (t Training) About() string {
	return fmt.Sprintf(trainingFormat, t.Sentences, t.HeldOut, t.Accuracy, t.Seed)
}

func parseTraining(description string) (Training, error) {
	var t Training
	_, err := fmt.Sscanf(description, trainingHead+"heldout-accuracy:%f|seed:%d",
		&t.Sentences, &t.HeldOut, &t.Accuracy, &t.Seed)
	if err == nil && t.About() != description {
		err = fmt.Errorf("%q is not in the form written", description)
	}
	return t, err
}

// Train trains a classifier of human against corrupted sentences. Every sentence is paired with a
// corrupted copy of itself (see corrupter). From the distinct lower-cased sentences, Train draws at
// most 2,000 to measure accuracy and at most 100,000 to train on. The same sentences and seed give
// the same classifier. On Yelp, training took 4 s and reached an accuracy of .81. With all 240,000
// sentences it would take 10 s and reach .84.
func Train(sentences [][]string, seed uint64) (*Judge, error) {
	if err := Trainable(sentences); err != nil {
		return nil, err
	}
	distinct := distinctSentences(sentences, len(sentences))
	// The second number separates this random stream from others with the same seed.
	rng := rand.New(rand.NewPCG(seed, 0x6e617475726c))
	rng.Shuffle(len(distinct), func(i, j int) { distinct[i], distinct[j] = distinct[j], distinct[i] })
	held := min(len(distinct)/10, maxHeldOutSentences)
	train := distinct[held:min(len(distinct), held+maxTrainSentences)]

	t := newTrainer(train, rng)
	t.fit()
	file := t.model()
	info := Training{Sentences: len(train), HeldOut: held, Seed: seed}
	info.Accuracy = heldOutAccuracy(file, distinct[:held], rng)
	file.description = info.About()
	return ownJudge(file, file.contentHash()) // parses the description, so Accuracy is rounded too
}

// Trainable returns an error if there are too few distinct sentences for Train.
func Trainable(sentences [][]string) error {
	if n := len(distinctSentences(sentences, minTrainSentences)); n < minTrainSentences {
		found := strconv.Itoa(n)
		if n < len(sentences) {
			found += fmt.Sprintf(" among %d", len(sentences))
		}
		return userr.New(userr.BadInput, "the classifier that measures naturalness needs %d different "+
			"training sentences, but there are %s: give more, or a file of weights with the data set's key "+
			"naturalness", minTrainSentences, found)
	}
	return nil
}

// distinctSentences returns at most limit distinct sentences, lower-cased, in order of first
// occurrence. It skips sentences that are empty or have a word that a weights file cannot hold.
func distinctSentences(sentences [][]string, limit int) [][]string {
	seen := make(map[string]bool, limit)
	var distinct [][]string
	for _, s := range sentences {
		if len(distinct) == limit {
			break
		}
		ok := len(s) > 0
		for _, w := range s {
			ok = ok && storable(w) && storable(strings.ToLower(w))
		}
		key := strings.ToLower(strings.Join(s, "\n"))
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		distinct = append(distinct, strings.Split(key, "\n"))
	}
	return distinct
}

// heldOutAccuracy returns the accuracy on the sentences and on one corrupted copy of each. The
// words for the corruption are drawn from all the sentences.
func heldOutAccuracy(file *weightsFile, sentences [][]string, rng *rand.Rand) float64 {
	text := number(sentences)
	corrupter := newCorrupter(text, rng)
	right, total := 0, 0
	var damaged []string
	for i, ids := range text.sentences {
		corrupted := corrupter.corrupt(ids)
		if corrupted == nil {
			continue
		}
		damaged = damaged[:0]
		for _, id := range corrupted {
			damaged = append(damaged, text.words[id])
		}
		total += 2
		if file.score(sentences[i]) > 0.5 {
			right++
		}
		if file.score(damaged) <= 0.5 {
			right++
		}
	}
	return float64(right) / float64(max(total, 1))
}

// Hyperparameters of the logistic regression.
const (
	epochs    = 4
	rate      = 0.1 // learning rate of Adagrad
	decay     = 1e-5
	ownWeight = 3 // a word or pair in at least this many other sentences gets a weight of its own
)

// trainer fits the classifier. A corrupted sentence often has a pair of words that nobody wrote, so
// the most useful feature of a word or pair is the number of other sentences that contain it. Each
// word or pair gets the weight of its frequency class (0, 1, 2-3, 4-7, ... other sentences) and, if
// it is frequent enough, also a weight of its own.
//
// Counts for a training sentence and its corrupted copy leave out that sentence. Otherwise every
// human pair would be known, and every test sentence would look corrupted. The count for an
// inserted word leaves out the sentence that it was drawn from. Otherwise no inserted word would be
// unknown, and unknown words would look human.
type trainer struct {
	rng       *rand.Rand
	corrupter *corrupter
	numbered
	inWord []int32        // number of sentences with each word
	inPair map[pair]int32 // number of sentences with each pair

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
	previous := sentenceEdge
	for _, id := range ids {
		pairs = append(pairs, pair{previous, id})
		previous = id
	}
	pairs = append(pairs, pair{previous, sentenceEdge})
	slices.SortFunc(pairs, func(a, b pair) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(words), slices.Compact(pairs)
}

// frequencyClass returns the class of a count n: 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7 and so on.
func frequencyClass(n int32) int {
	class := 0
	for ; n > 0; n >>= 1 {
		class++
	}
	return class
}

// fit runs stochastic gradient descent. Each sentence gets a new corrupted copy in every epoch.
func (t *trainer) fit() {
	for range epochs {
		for _, i := range t.rng.Perm(len(t.sentences)) {
			human := t.sentences[i]
			corrupted := t.corrupter.corrupt(human)
			if corrupted == nil {
				continue
			}
			words, pairs := features(human)
			t.step(words, pairs, pairs, 1)
			badWords, badPairs := features(corrupted)
			t.step(badWords, badPairs, pairs, 0)
		}
	}
}

// step does one gradient step on the words and pairs of a sentence. label is 1 for a human sentence
// and 0 for a corrupted copy. For a human sentence, humanPairs are its own pairs. For a corrupted
// copy, they are the pairs of the original.
func (t *trainer) step(words []int32, pairs []pair, humanPairs []pair, label float64) {
	active := []*weight{&t.intercept}
	for _, w := range words {
		n := t.inWord[w] - 1 // the sentence that the word is from does not count
		active = append(active, &t.classes[0][frequencyClass(n)])
		if n >= ownWeight {
			active = append(active, &t.wordOwn[w])
		}
	}
	for _, p := range pairs {
		n := t.inPair[p]
		if _, isHuman := slices.BinarySearchFunc(humanPairs, p, func(a, b pair) int {
			return slices.Compare(a[:], b[:])
		}); isHuman {
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

// model returns the trained weights. The weight of a word or pair is the weight of its frequency
// class, plus its own weight if it has one.
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

// pair holds two neighbouring words, as word numbers of a linear model. sentenceEdge stands before
// the first and after the last word.
type pair [2]int32

// sentenceEdge stands for the edge of a sentence, and unknownID for a word without a weight.
const (
	sentenceEdge int32 = -1
	unknownID    int32 = -2
)

// linear is a logistic regression over the distinct tokens of a sentence and, if pairs is not nil,
// its distinct pairs of neighbours: score = sigmoid(intercept + sum of weights).
type linear struct {
	intercept   float64
	unknownWord float64          // weight of each distinct unknown token
	unknownPair float64          // weight of each distinct unknown pair
	ids         map[string]int32 // token -> index in words and weights
	words       []string         // tokens in file order
	weights     []float64        // weights[i] is the weight of words[i]
	pairs       map[pair]float64 // weights of pairs; nil if the model uses tokens only
}

// score returns the probability of human text. It adds up weights in token order, so that equal
// sentences get exactly equal scores.
func (m *linear) score(tokens []string) float64 {
	z := m.intercept
	ids := make([]int32, len(tokens))
	for i, t := range tokens {
		id, known := m.ids[t]
		if !known {
			id = unknownID
		}
		ids[i] = id
		switch {
		case known && !slices.Contains(ids[:i], id):
			z += m.weights[id]
		case !known && !slices.Contains(tokens[:i], t):
			z += m.unknownWord
		}
	}
	if m.pairs != nil {
		z += m.pairSum(tokens, ids)
	}
	return sigmoid(z)
}

// pairSum returns the sum of the weights of a sentence's distinct pairs.
func (m *linear) pairSum(tokens []string, ids []int32) float64 {
	sum := 0.0
	type spelled struct { // includes spellings, because all unknown words have the same number
		ids  pair
		text [2]string
	}
	seen := make(map[spelled]bool, len(tokens)+1)
	for i := 0; i <= len(tokens); i++ {
		p, text := pair{sentenceEdge, sentenceEdge}, [2]string{}
		if i > 0 {
			p[0], text[0] = ids[i-1], tokens[i-1]
		}
		if i < len(tokens) {
			p[1], text[1] = ids[i], tokens[i]
		}
		if seen[spelled{p, text}] {
			continue
		}
		seen[spelled{p, text}] = true
		if w, known := m.pairs[p]; known {
			sum += w
		} else {
			sum += m.unknownPair
		}
	}
	return sum
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
