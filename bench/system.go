package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// publishedSystem is the outputs of a made-up transfer system, both directions one after the other,
// and what they were made of.
type publishedSystem struct {
	Sources [][]string `json:"sources"`
	Outputs [][]string `json:"outputs"`
	Words   []string   `json:"words"` // of both, which a language model knows
}

// madeUp replaces a quarter of the words of n sentences by others, as a transfer system does.
func madeUp(n int, seed uint64) publishedSystem {
	const vocab = 10_000
	s := synthetic(n, reviews, vocab, seed)
	words := synthetic(n, reviews, vocab, seed+1)
	rng := rand.New(rand.NewPCG(seed, 15))
	var out publishedSystem
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
func (s publishedSystem) spelled(words []string) (publishedSystem, error) {
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
	out := publishedSystem{Sources: with(s.Sources), Outputs: with(s.Outputs)}
	out.Words = out.words()
	return out, nil
}

// words returns those of the vocabulary in its order, in which equally frequent ones stand by their
// spelling.
func (s publishedSystem) words() (words []string) {
	known := s.Vocab()
	for id := int64(corpus.NumSpecial); id < int64(known.Len()); id++ {
		words = append(words, known.Word(id))
	}
	return words
}

// Vocab returns that of the words of both.
func (s publishedSystem) Vocab() *corpus.Vocab {
	return corpus.BuildVocab([][]corpus.Sentence{s.Sources, s.Outputs}, 0)
}

func (s publishedSystem) Write(path string) error {
	return files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// readSystem reads what a file has of a system to score.
func readSystem(path string) (s publishedSystem, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}
