package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"

	jsoncanonicalizer "github.com/gowebpki/jcs"
	"github.com/smlm-exp/smlm-exp/corpus"
)

// Versions holds the version of every kind. Raise one when what the kind computes or writes
// changes: all its stages, and all that build on them, then have new identities and run again.
var Versions = map[Kind]int{
	KindPrepare: 1, KindVocab: 1, KindNaturalness: 1, KindClassifier: 2, KindFastText: 1, KindDivLSTM: 2, KindAttribution: 2,
	KindMask: 2, KindMaskScore: 2, KindSMLM: 2, KindSMLMG: 2, KindSMLMFT: 2, KindTransfer: 2, KindVectors: 1, KindLM: 2,
	KindScore: 3, KindPublished: 3,
}

// Kinds lists the kinds in the order of the study.
var Kinds = []Kind{
	KindPrepare, KindVocab, KindNaturalness, KindClassifier, KindFastText, KindDivLSTM, KindAttribution, KindMask, KindMaskScore,
	KindSMLM, KindSMLMG, KindSMLMFT, KindTransfer, KindVectors, KindLM, KindScore, KindPublished,
}

// identity returns the sha256, in hex, of the canonical JSON (RFC 8785) of what determines a
// stage's result.
func identity(kind Kind, settings any, inputs map[string]*Stage) (string, error) {
	ids := map[string]string{}
	for name, in := range inputs {
		ids[name] = in.ID
	}
	text, err := Canonical(map[string]any{"kind": kind, "version": Versions[kind], "settings": settings, "inputs": ids})
	if err != nil {
		return "", fmt.Errorf("identifying a %s stage: %w", kind, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Canonical returns v as RFC 8785 JSON, so that the same identity can be computed in any language.
func Canonical(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsoncanonicalizer.Transform(text)
}

// hashFile returns the sha256 of a file's content in hex.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("hashing %q: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// wholeFile is the size up to which hashLarge reads all of a file.
const wholeFile = 64 << 20

// hashLarge is hashFile for files of gigabytes: of those only the size, the first and the last 4
// MiB are hashed, since a plan must take no minute to make.
func hashLarge(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	if info.Size() <= wholeFile {
		return hashFile(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	fmt.Fprintln(h, info.Size())
	const part = 4 << 20
	for _, at := range []int64{0, info.Size() - part} {
		if _, err := io.Copy(h, io.NewSectionReader(f, at, part)); err != nil {
			return "", fmt.Errorf("hashing %q: %w", path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashSentences returns the sha256 in hex of sentences written one a line.
func hashSentences(sentences []corpus.Sentence) string {
	h := sha256.New()
	for _, s := range sentences {
		for i, w := range s {
			if i > 0 {
				_, _ = io.WriteString(h, " ")
			}
			_, _ = io.WriteString(h, w)
		}
		_, _ = io.WriteString(h, "\n") // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}
