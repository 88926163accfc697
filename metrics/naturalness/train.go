package naturalness

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Limits of Train.
const (
	maxTrainSentences   = 100_000 // distinct sentences trained on at most
	maxHeldOutSentences = 2_000   // kept apart for the accuracy: a tenth, at most this many
	minTrainSentences   = 100     // distinct sentences needed
)

// Training says how a judge of our own was trained.
type Training struct {
	Sentences int // human sentences trained on, each beside a corrupted copy of itself
	HeldOut   int // human sentences kept apart, likewise each beside a corrupted copy
	// share, 0-1, of the held-out sentences, human and corrupted, that are told apart at 0.5; kept
	// to 4 decimals
	Accuracy float64
	Seed     uint64
}

const (
	trainingHead   = "own:human-vs-corrupted|features:words+pairs|tok:whitespace|case:lower|sentences:%d|heldout:%d|"
	trainingFormat = trainingHead + "heldout-accuracy:%.4f|seed:%d"
)

// About returns the training in one line, the middle of the signature.
func (t Training) About() string {
	return fmt.Sprintf(trainingFormat, t.Sentences, t.HeldOut, t.Accuracy, t.Seed)
}

func parseTraining(about string) (Training, error) {
	var t Training
	_, err := fmt.Sscanf(about, trainingHead+"heldout-accuracy:%f|seed:%d",
		&t.Sentences, &t.HeldOut, &t.Accuracy, &t.Seed)
	if err == nil && t.About() != about {
		err = fmt.Errorf("%q is not in the form written", about)
	}
	return t, err
}

// Train trains a classifier of human against corrupted sentences, the same for the same sentences
// and seed. Of the distinct sentences, lower-cased, it draws at most 2,000 to measure accuracy on
// and at most 100,000 to train on (on Yelp that took 4 s for an accuracy of .81; all 240,000 would
// take 10 s for .84). Every sentence stands beside a corrupted copy of itself (see corrupter).
func Train(sentences [][]string, seed uint64) (*Judge, error) {
	if err := Trainable(sentences); err != nil {
		return nil, err
	}
	distinct := distinctSentences(sentences, len(sentences))
	// the second number only keeps this stream apart from others of the seed
	rng := rand.New(rand.NewPCG(seed, 0x6e617475726c))
	rng.Shuffle(len(distinct), func(i, j int) { distinct[i], distinct[j] = distinct[j], distinct[i] })
	held := min(len(distinct)/10, maxHeldOutSentences)
	train := distinct[held:min(len(distinct), held+maxTrainSentences)]

	t := newTrainer(train, rng)
	t.fit()
	file := t.model()
	info := Training{Sentences: len(train), HeldOut: held, Seed: seed}
	info.Accuracy = heldOutAccuracy(file, distinct[:held], rng)
	file.about = info.About()
	return ownJudge(file, file.contentHash()) // its accuracy is to the decimals kept
}

// Trainable says what is wrong with sentences that are too few for Train.
func Trainable(sentences [][]string) error {
	if n := len(distinctSentences(sentences, minTrainSentences)); n < minTrainSentences {
		here := strconv.Itoa(n)
		if n < len(sentences) {
			here += fmt.Sprintf(" among %d", len(sentences))
		}
		return userr.New(userr.BadInput, "the classifier that measures naturalness needs %d different training sentences, "+
			"and here are %s: give more, or a file of weights with the data set's key naturalness", minTrainSentences, here)
	}
	return nil
}

// distinctSentences returns each different sentence once, at most so many, lower-cased, in order of
// first occurrence. Sentences with words that no weights file can hold are left out.
func distinctSentences(sentences [][]string, most int) [][]string {
	seen := make(map[string]bool, most)
	var distinct [][]string
	for _, s := range sentences {
		if len(distinct) == most {
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

// heldOutAccuracy corrupts each sentence once, with words of these sentences, and returns the share
// of correct decisions on both.
func heldOutAccuracy(file *weightsFile, sentences [][]string, rng *rand.Rand) float64 {
	text := number(sentences)
	corrupter := newCorrupter(text, rng)
	right, total := 0, 0
	var damaged []string
	for i, ids := range text.sentences {
		bad := corrupter.corrupt(ids)
		if bad == nil {
			continue
		}
		damaged = damaged[:0]
		for _, id := range bad {
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
