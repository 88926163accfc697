// Package naturalness judges how much a sentence looks like one that a human wrote (Mir et al.
// 2019): a logistic regression over its words, whose weights are a published unigram classifier's,
// read from a file, or are trained on human sentences against corrupted copies of them.
package naturalness

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// Judge is a classifier of human sentences: a published one,
//
//	score = sigmoid(intercept + sum of the weights of the distinct known tokens of the lower-cased sentence)
//
// or one of our own (see Train), over the distinct words and pairs of neighbours. Scores of
// different judges must not be compared, nor those of two that were trained on other sentences.
type Judge struct {
	Training // how our own was trained; zero: a published one
	file     *weightsFile
	tok      tokenisation
	base     string // base name of a published one's file
	hash     string
}

// Load reads a weights file: a published unigram classifier, whose published scores it reproduces,
// or what Save wrote. It is UTF-8 text: a line "__intercept__ TAB NUMBER", then one "TOKEN TAB
// WEIGHT" a line. Errors are userr.BadInput and name file and line.
func Load(path string) (*Judge, error) {
	file, hash, err := readWeights(path)
	if err != nil {
		return nil, err
	}
	if file.about == "" {
		return &Judge{file: file, tok: regexTokens, base: filepath.Base(path), hash: hash}, nil
	}
	return ownJudge(file, hash)
}

// ownJudge is the judge of a file that Train made.
func ownJudge(file *weightsFile, hash string) (*Judge, error) {
	training, err := parseTraining(file.about)
	return &Judge{Training: training, file: file, tok: whiteSpaceTokens, hash: hash}, err
}

// Score returns the probability, 0-1, that the sentence given as white-space words is human. It is
// safe for concurrent use.
func (j *Judge) Score(words []string) float64 { return j.file.score(j.tok.tokens(words)) }

// Signature says in one line which judge this is: the file or, of our own, how it was trained, and
// the first 12 digits of the sha256 of the weights.
func (j *Judge) Signature() string {
	if j.file.about != "" {
		return fmt.Sprintf("naturalness|%s|sha256:%s|agg:mean-of-outputs|version:1", j.About(), j.hash)
	}
	return fmt.Sprintf("naturalness|unigram:%s|sha256:%s|tok:%s|case:lower|agg:mean-of-outputs|version:1",
		j.base, j.hash, j.tok)
}

// Name is short, for a column: that of a published one's file without "unigram_" and extension, or
// "own".
func (j *Judge) Name() string {
	if j.file.about != "" {
		return "own"
	}
	return strings.TrimPrefix(strings.TrimSuffix(j.base, filepath.Ext(j.base)), "unigram_")
}

// Save writes the weights, so that Load gets the same scores and the same signature back.
func (j *Judge) Save(path string) error {
	return files.Write(path, func(w io.Writer) error { return j.file.write(w) })
}
