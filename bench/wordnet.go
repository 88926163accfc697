package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics/meteor"
)

// plainWord begins a line of WordNet's index of nouns: a word, its part of speech and how many
// senses it has.
var plainWord = regexp.MustCompile(`^([a-z]{3,}) n (\d+) `)

// InEnglish returns the system with its words spelled as English ones, and the folder of the
// WordNet that they are from; where there is none, the system as it is, and "".
func (s publishedSystem) InEnglish() (spelled publishedSystem, dir string, err error) {
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
