package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// syntheticText are what both sides work on: word ids, which words are masked (at least one a
// sentence), and styles in turn.
type syntheticText struct{ corpus.Encoded }

// syntheticStyles is how many styles made-up text has. Each sentence is asked for in the next one.
const syntheticStyles = 2

func otherStyle(style int) int { return (style + 1) % syntheticStyles }

// add appends a sentence.
func (s *syntheticText) add(ids []int64, mask []bool, style int) {
	s.IDs, s.Masks = append(s.IDs, ids), append(s.Masks, mask)
	s.Styles, s.Asked = append(s.Styles, style), append(s.Asked, otherStyle(style))
}

// few returns two sentences, for a validation that costs nothing.
func (s syntheticText) few() corpus.Encoded { return s.Slice(0, min(2, len(s.IDs))) }

// Words counts all of them.
func (s syntheticText) Words() int {
	n := 0
	for _, ids := range s.IDs {
		n += len(ids)
	}
	return n
}

// Mean is that of the lengths.
func (s syntheticText) Mean() float64 { return float64(s.Words()) / float64(len(s.IDs)) }

// lengthRange draws the number of words of a sentence.
type lengthRange func(*rand.Rand) int

// fixed is every sentence of n words.
func fixed(n int) lengthRange { return func(*rand.Rand) int { return n } }

// reviews are lengths like those of Yelp's sentences: 1 to 15, 9 on average.
func reviews(rng *rand.Rand) int { return clipped(rng, 9.1, 3.6, 1, 15) }

// sentencePairs are lengths like those of SNLI's premise and hypothesis together: 8 to 60, 25 on
// average.
func sentencePairs(rng *rand.Rand) int { return clipped(rng, 25, 7, 8, 60) }

// clipped draws from a normal distribution until the draw, rounded, lies between the bounds.
func clipped(rng *rand.Rand, mean, deviation float64, least, most int) int {
	for {
		if n := int(math.Round(mean + deviation*rng.NormFloat64())); n >= least && n <= most {
			return n
		}
	}
}

// zipf is words from first on, the k-th with probability in proportion to 1/k.
type zipf struct {
	first      int
	cumulative []float64
}

func newZipf(first, end int) zipf {
	z, sum := zipf{first: first}, 0.0
	for k := range end - first {
		sum += 1 / float64(k+1)
		z.cumulative = append(z.cumulative, sum)
	}
	return z
}

func (z zipf) draw(rng *rand.Rand) int64 {
	n := len(z.cumulative)
	return int64(z.first + min(n-1, sort.SearchFloat64s(z.cumulative, rng.Float64()*z.cumulative[n-1])))
}

// synthetic draws n sentences, the same for the same seed: words by Zipf's law (the k-th most
// frequent with probability in proportion to 1/k) from a vocabulary of so many, special tokens
// included, and a fifth of the words masked.
func synthetic(n int, length lengthRange, vocab int, seed uint64) syntheticText {
	rng := rand.New(rand.NewPCG(seed, 14))
	words := newZipf(corpus.NumSpecial, vocab)
	var s syntheticText
	for i := range n {
		ids := make([]int64, length(rng))
		mask := make([]bool, len(ids))
		for k := range ids {
			ids[k] = words.draw(rng)
			mask[k] = rng.IntN(5) == 0
		}
		mask[rng.IntN(len(mask))] = true
		s.add(ids, mask, i%syntheticStyles)
	}
	return s
}

// Write puts the sentences in a file that both sides read: a line "style TAB id id* id", a star at
// a masked word.
func (s syntheticText) Write(path string) error {
	return files.Write(path, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for i, ids := range s.IDs {
			sep := "\t"
			fmt.Fprint(out, s.Styles[i])
			for k, id := range ids {
				star := ""
				if s.Masks[i][k] {
					star = "*"
				}
				fmt.Fprint(out, sep, id, star)
				sep = " "
			}
			fmt.Fprintln(out)
		}
		return out.Flush()
	})
}

// readSentences reads what write wrote.
func readSentences(path string) (syntheticText, error) {
	var s syntheticText
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(text)) {
		style, words, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			return s, fmt.Errorf("line %d of %q has no tab", len(s.IDs)+1, path)
		}
		var ids []int64
		var mask []bool
		for word := range strings.SplitSeq(words, " ") {
			digits, masked := strings.CutSuffix(word, "*")
			id, err := strconv.ParseInt(digits, 10, 64)
			if err != nil {
				return s, fmt.Errorf("line %d of %q: %w", len(s.IDs)+1, path, err)
			}
			ids, mask = append(ids, id), append(mask, masked)
		}
		of := 0
		if style == "1" {
			of = 1
		}
		s.add(ids, mask, of)
	}
	return s, nil
}

// How styled draws sentences: in guided refill of them as many words are masked, masked further and
// restored as of Yelp's (bench/README.md).
const (
	styledWords  = .11 // of the words tell a style
	missedMasks  = .02 // of these are not masked
	wrongMasks   = .03 // of the others are
	followsWords = .5  // of the words are one of those that often follow the word before
)

// styled draws n sentences that can be told by their style, the same for the same seed: a tenth of
// the vocabulary is words of either style, common ones first, of which every third is in a sentence
// of the other style now and then, and every third often.
func styled(n int, length lengthRange, vocab int, seed uint64) syntheticText {
	rng := rand.New(rand.NewPCG(seed, 15))
	of := (vocab - corpus.NumSpecial) / 10
	neutral := newZipf(corpus.NumSpecial+2*of, vocab)
	styles := [syntheticStyles]zipf{
		newZipf(corpus.NumSpecial, corpus.NumSpecial+of), newZipf(corpus.NumSpecial+of, corpus.NumSpecial+2*of),
	}
	strays := [3]float64{.02, .1, .3}
	var s syntheticText
	for i := range n {
		style := i % syntheticStyles
		ids, mask := make([]int64, length(rng)), make([]bool, 0, 16)
		certain := rng.IntN(len(ids)) // a word that tells the style
		for k := range ids {
			wrong := wrongMasks
			switch {
			case k == certain || rng.Float64() < styledWords:
				w := styles[style].draw(rng)
				if rng.Float64() < strays[w%3] {
					w = styles[otherStyle(style)].draw(rng)
				}
				ids[k], wrong = w, 1-missedMasks
			case k > 0 && rng.Float64() < followsWords:
				ids[k] = int64(neutral.first) + (ids[k-1]*31+int64(rng.IntN(3))*17)%int64(len(neutral.cumulative))
			default:
				ids[k] = neutral.draw(rng)
			}
			mask = append(mask, rng.Float64() < wrong)
		}
		s.add(ids, mask, style)
	}
	return s
}
