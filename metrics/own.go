package metrics

import (
	"fmt"
	"io"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
)

// OwnNaturalness is a classifier of human against corrupted sentences, trained by TrainNaturalness where no published
// weights are given: logistic regression over the distinct words and pairs of neighbours of the lower-cased sentence. Its scores
// must not be compared with those of published classifiers, nor with those of one trained on other sentences.
type OwnNaturalness struct {
	Training
	file *weightsFile
	hash string
}

// Training says how an OwnNaturalness was trained.
type Training struct {
	Sentences int     // human sentences trained on, each beside a corrupted copy of itself
	HeldOut   int     // human sentences kept apart, likewise each beside a corrupted copy
	Accuracy  float64 // share, 0-1, of the held-out sentences, human and corrupted, that are told apart at 0.5; kept to 4 decimals
	Seed      uint64
}

const trainingFormat = "own:human-vs-corrupted|features:words+pairs|tok:whitespace|case:lower|sentences:%d|heldout:%d|heldout-accuracy:%.4f|seed:%d"

// About returns the training in one line, the middle of the signature.
func (t Training) About() string {
	return fmt.Sprintf(trainingFormat, t.Sentences, t.HeldOut, t.Accuracy, t.Seed)
}

func parseTraining(about string) (Training, error) {
	var t Training
	_, err := fmt.Sscanf(about, "own:human-vs-corrupted|features:words+pairs|tok:whitespace|case:lower|sentences:%d|heldout:%d|heldout-accuracy:%f|seed:%d",
		&t.Sentences, &t.HeldOut, &t.Accuracy, &t.Seed)
	if err == nil && t.About() != about {
		err = fmt.Errorf("%q is not in the form written", about)
	}
	return t, err
}

// Score implements Naturalness.
func (o *OwnNaturalness) Score(words []string) float64 {
	return o.file.score(WhiteSpaceTokens.Tokens(words))
}

// Signature implements Naturalness; it says that the classifier is our own, how it was trained and, as a hash, which weights it has.
func (o *OwnNaturalness) Signature() string {
	return fmt.Sprintf("naturalness|%s|sha256:%s|agg:mean-of-outputs|version:1", o.About(), o.hash)
}

// Name implements Naturalness.
func (o *OwnNaturalness) Name() string { return "own" }

// Save writes the classifier as a weights file, whose second line says that it is our own. LoadNaturalness gets the
// same scores and the same signature back.
func (o *OwnNaturalness) Save(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error { return o.file.write(w) })
}
