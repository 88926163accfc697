package workload

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
)

// System is the outputs of a made-up transfer system, both directions one after the other, and what
// they were made of.
type System struct {
	Sources [][]string `json:"sources"`
	Outputs [][]string `json:"outputs"`
}

// MadeUp replaces a quarter of the words of n sentences by others, as a transfer system does.
func MadeUp(n int, seed uint64) System {
	const vocab = 10_000
	s := Synthetic(n, Reviews, vocab, seed)
	words := Synthetic(n, Reviews, vocab, seed+1)
	rng := rand.New(rand.NewPCG(seed, 15))
	var out System
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

func (s System) Write(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// ReadSystem reads what a file has of a system to score.
func ReadSystem(path string) (s System, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}
