package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
)

// syntheticSystem is the outputs of a made-up transfer system, both directions one after the other,
// and what they were made of.
type syntheticSystem struct {
	Sources [][]string `json:"sources"`
	Outputs [][]string `json:"outputs"`
	Words   []string   `json:"words"` // of both, which a language model knows
}

// newSyntheticSystem replaces a quarter of the words of n sentences by others, as a transfer system
// does.
func newSyntheticSystem(n int, seed uint64) syntheticSystem {
	const vocab = 10_000
	s := synthetic(n, reviews, vocab, seed)
	words := synthetic(n, reviews, vocab, seed+1)
	rng := rand.New(rand.NewPCG(seed, 15))
	var out syntheticSystem
	for i, ids := range s.IDs {
		var source, output []string
		for _, id := range ids {
			source = append(source, spell(id))
			if rng.IntN(4) == 0 {
				other := words.IDs[i]
				id = other[rng.IntN(len(other))]
			}
			output = append(output, spell(id))
		}
		out.Sources, out.Outputs = append(out.Sources, source), append(out.Outputs, output)
	}
	out.Words = out.words()
	return out
}

// spell makes a word of a number, a syllable a digit of base 100: letters alone, as the scorers'
// tokenisers leave them.
func spell(id int64) string {
	const consonants, vowels = "bcdfghjklmnprstvwxyz", "aeiou"
	word := ""
	for {
		word += string(consonants[id%20]) + string(vowels[id/20%5])
		if id /= 100; id == 0 {
			return word
		}
	}
}

// spelled returns the system with its words spelled as these, one each.
func (s syntheticSystem) spelled(words []string) (syntheticSystem, error) {
	if len(words) < len(s.Words) {
		return s, fmt.Errorf("%d words for %d", len(words), len(s.Words))
	}
	as := map[string]string{}
	for i, w := range s.Words {
		as[w] = words[i]
	}
	with := func(sentences [][]string) [][]string {
		out := make([][]string, len(sentences))
		for i, sentence := range sentences {
			for _, w := range sentence {
				out[i] = append(out[i], as[w])
			}
		}
		return out
	}
	out := syntheticSystem{Sources: with(s.Sources), Outputs: with(s.Outputs)}
	out.Words = out.words()
	return out, nil
}

// words returns those of the vocabulary in its order, in which equally frequent ones stand by their
// spelling.
func (s syntheticSystem) words() (words []string) {
	known := s.Vocab()
	for id := int64(corpus.NumSpecial); id < int64(known.Len()); id++ {
		words = append(words, known.Word(id))
	}
	return words
}

// Vocab returns that of the words of both.
func (s syntheticSystem) Vocab() *corpus.Vocab {
	return corpus.BuildVocab([][]corpus.Sentence{s.Sources, s.Outputs}, 0)
}

func (s syntheticSystem) Write(path string) error {
	return files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// readSystem reads what a file has of a system to score.
func readSystem(path string) (s syntheticSystem, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// plainWord begins a line of WordNet's index of nouns: a word, its part of speech and how many
// senses it has.
var plainWord = regexp.MustCompile(`^([a-z]{3,}) n (\d+) `)

// InEnglish returns the system with its words spelled as English ones, and the folder of the
// WordNet that they are from; where there is none, the system as it is, and "".
func (s syntheticSystem) InEnglish() (spelled syntheticSystem, dir string, err error) {
	dir, ok := meteor.Find("")
	if info, err := os.Stat(dir); !ok || err != nil || !info.IsDir() { // a zip file is METEOR's alone
		return s, "", nil
	}
	words, err := nouns(dir, len(s.Words))
	if err == nil {
		s, err = s.spelled(words)
	}
	return s, dir, err
}

// nouns returns the n nouns with the most senses of the WordNet in a folder, most first: the more
// frequent a word, the more senses it has (Zipf 1945), and the more METEOR has to look through.
func nouns(dir string, n int) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "index.noun"))
	if err != nil {
		return nil, err
	}
	type noun struct {
		word   string
		senses int
	}
	var all []noun
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		if found := plainWord.FindStringSubmatch(lines.Text()); found != nil {
			one := noun{word: found[1]}
			if _, err := fmt.Sscan(found[2], &one.senses); err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b noun) int { return cmp.Compare(b.senses, a.senses) })
	var words []string
	for _, one := range all[:min(n, len(all))] {
		words = append(words, one.word)
	}
	return words, nil
}
