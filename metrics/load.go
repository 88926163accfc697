package metrics

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// UnigramNaturalness is a published unigram classifier read from a weights file:
//
//	score = sigmoid(intercept + sum of the weights of the distinct known tokens of the lower-cased sentence)
type UnigramNaturalness struct {
	model linear
	tok   Tokenisation
	base  string // base name of the file
	hash  string
}

// Score implements Naturalness.
func (u *UnigramNaturalness) Score(words []string) float64 { return u.model.score(u.tok.Tokens(words)) }

// Signature implements Naturalness; it names the file and the first 12 digits of its sha256.
func (u *UnigramNaturalness) Signature() string {
	return fmt.Sprintf("naturalness|unigram:%s|sha256:%s|tok:%s|case:lower|agg:mean-of-outputs|version:1", u.base, u.hash, u.tok)
}

// Name implements Naturalness.
func (u *UnigramNaturalness) Name() string {
	return strings.TrimPrefix(strings.TrimSuffix(u.base, filepath.Ext(u.base)), "unigram_")
}

// LoadNaturalness reads a weights file: a published unigram classifier, with RegexTokens, which reproduces its published scores, or a file written by
// OwnNaturalness.Save. A weights file is UTF-8 text: a line "__intercept__ TAB NUMBER", then one "TOKEN TAB WEIGHT" a line. Errors are userr.BadInput and name file and line.
func LoadNaturalness(path string) (Naturalness, error) {
	file, hash, err := readWeights(path)
	if err != nil {
		return nil, err
	}
	if file.about != "" {
		training, err := parseTraining(file.about)
		return &OwnNaturalness{file: file, Training: training, hash: hash}, err
	}
	return &UnigramNaturalness{model: file.linear, tok: RegexTokens, base: filepath.Base(path), hash: hash}, nil
}

// LoadUnigramNaturalness reads a published unigram classifier and looks its tokens up with the tokenisation given. With
// WhiteSpaceTokens the scores differ slightly from the published ones, as the signature then says.
func LoadUnigramNaturalness(path string, tok Tokenisation) (*UnigramNaturalness, error) {
	file, hash, err := readWeights(path)
	if err != nil {
		return nil, err
	}
	if file.about != "" {
		return nil, userr.New(userr.BadInput, "the naturalness weights %q are a classifier trained by this program, which has its own tokenisation; do not ask for another", path)
	}
	return &UnigramNaturalness{model: file.linear, tok: tok, base: filepath.Base(path), hash: hash}, nil
}

func readWeights(path string) (*weightsFile, string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", userr.New(userr.BadInput, "the naturalness weights file %q does not exist; give the path of a file of TOKEN TAB WEIGHT lines", path)
	}
	if err != nil {
		return nil, "", userr.New(userr.BadInput, "the naturalness weights file %q cannot be read: %w", path, err)
	}
	file, err := parseWeights(path, data)
	return file, shortHash(data), err
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// contentHash is the hash that the file will have when written.
func (f *weightsFile) contentHash() string {
	var b bytes.Buffer
	_ = f.write(&b) // a bytes.Buffer takes everything
	return shortHash(b.Bytes())
}
