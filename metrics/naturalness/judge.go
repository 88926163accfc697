// Package naturalness judges how much a sentence looks as if a human wrote it (Mir et al. 2019).
// The judge is a logistic regression over the sentence's words. Its weights are read from the file
// of a published unigram classifier or trained on human sentences against corrupted copies.
package naturalness

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// Judge is a classifier of human sentences. A published classifier computes
//
//	score = sigmoid(intercept + sum of the weights of the sentence's distinct known tokens)
//
// from the lower-cased sentence. A judge from Train uses the distinct words and pairs of
// neighbouring words instead. Scores of different judges must not be compared. Judges that Train
// trained on different sentences are different judges.
type Judge struct {
	Training // how Train trained the judge; the zero value if it is a published classifier
	file     *weightsFile
	tok      tokenisation
	base     string // file name of a published classifier
	hash     string
}

// Load reads a weights file, which is either a published unigram classifier or was written by Save.
// A published classifier gives the scores that were published with it. The file is UTF-8 text: a
// line "__intercept__ TAB NUMBER", then one "TOKEN TAB WEIGHT" per line. Errors are userr.BadInput
// and name the file and the line.
func Load(path string) (*Judge, error) {
	file, hash, err := readWeights(path)
	if err != nil {
		return nil, err
	}
	if file.description == "" {
		return &Judge{file: file, tok: regexTokens, base: filepath.Base(path), hash: hash}, nil
	}
	return ownJudge(file, hash)
}

// ownJudge returns the judge for a weights file that Train made.
func ownJudge(file *weightsFile, hash string) (*Judge, error) {
	training, err := parseTraining(file.description)
	return &Judge{Training: training, file: file, tok: whiteSpaceTokens, hash: hash}, err
}

// Score returns the probability, 0-1, that a human wrote the sentence, given as
// whitespace-separated words. It is safe for concurrent use.
func (j *Judge) Score(words []string) float64 { return j.file.score(j.tok.tokens(words)) }

// Signature identifies the judge in one line. It contains the file name (or, for a judge from
// Train, how it was trained) and the first 12 digits of the SHA-256 of the weights.
func (j *Judge) Signature() string {
	if j.file.description != "" {
		return fmt.Sprintf("naturalness|%s|sha256:%s|agg:mean-of-outputs|version:1", j.About(), j.hash)
	}
	return fmt.Sprintf("naturalness|unigram:%s|sha256:%s|tok:%s|case:lower|agg:mean-of-outputs|version:1",
		j.base, j.hash, j.tok)
}

// Save writes the weights. Load then returns a judge with the same scores and signature.
func (j *Judge) Save(path string) error {
	return files.Write(path, func(w io.Writer) error { return j.file.write(w) })
}
