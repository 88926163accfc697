// Package meteor computes METEOR (Lavie and Agarwal 2007; Banerjee and Lavie 2005) like NLTK's
// meteor_score: words match exactly, by Porter stem, or as WordNet synonyms. It reads WordNet's own
// files, which Find locates on the machine.
//
// This is not the METEOR of nlg-eval, which the paper uses: Denkowski and Lavie's Java program
// METEOR 1.5. That program has other parameters, also matches paraphrases, weights function words
// separately and sums its counts over the corpus. The numbers of the two METEORs are not
// comparable: those of METEOR 1.5 are about half as large.
package meteor

import (
	"fmt"
	"math"
	"strings"
	"sync"
)

// signature is the format string of the method Signature. It takes the WordNet version.
const signature = "meteor|nltk-3.10|level:sentence-mean|alpha:0.9|beta:3|gamma:0.5|match:exact,stem:porter-nltk,synonym:wordnet-%s|best:score|tok:whitespace|case:lower|dirs:mean|refs:source|version:1"

// METEOR implements metrics.SentenceJudge. It caches the stem and the synonyms of every word, and
// is safe for concurrent use.
type METEOR struct {
	wordNet *wordNet
	mu      sync.RWMutex
	forms   map[string]*form
}

// form holds a lower-case word or a stem. Each text has only one form, so equal texts have equal
// pointers.
type form struct {
	text     string
	stem     *form           // nil if the form has only occurred as a stem
	synonyms map[string]bool // computed once, on first use
	once     sync.Once
}

// New reads the WordNet in dir, a folder or an archive as returned by Find, in a few tenths of a
// second. An error is userr.BadInput and names the missing or damaged file.
func New(dir string) (*METEOR, error) {
	w, err := readWordNet(dir)
	if err != nil {
		return nil, err
	}
	return &METEOR{wordNet: w, forms: map[string]*form{}}, nil
}

// Signature describes in one line how Sentences computes its scores, and with which WordNet.
func (m *METEOR) Signature() string { return fmt.Sprintf(signature, m.wordNet.version) }

// Sentences returns the METEOR of each output against its source, 0-1. sources[i] belongs to
// outputs[i]. Words are compared in lower case. The score is 0 if a sentence is empty (as in NLTK,
// even if both are) or if no word matches. Sentences panics if the numbers of outputs and sources
// differ.
//
// Go converts words to lower case letter by letter. Python's result differs for a capital I with a
// dot and a final capital sigma.
func (m *METEOR) Sentences(outputs, sources [][]string) []float64 {
	if len(sources) != len(outputs) {
		panic(fmt.Sprintf("meteor: %d outputs, %d sources", len(outputs), len(sources)))
	}
	scores := make([]float64, len(outputs))
	for i, words := range outputs {
		scores[i] = m.score(m.lookUp(words), m.lookUp(sources[i]))
	}
	return scores
}

// lookUp returns the forms of the words, each with its stem.
func (m *METEOR) lookUp(words []string) []*form {
	forms := make([]*form, len(words))
	var missing []int
	m.mu.RLock()
	for i, w := range words {
		if f := m.forms[strings.ToLower(w)]; f != nil && f.stem != nil {
			forms[i] = f
		} else {
			missing = append(missing, i)
		}
	}
	m.mu.RUnlock()
	if missing == nil {
		return forms
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range missing {
		f := m.form(strings.ToLower(words[i]))
		if f.stem == nil {
			f.stem = m.form(stem(f.text))
		}
		forms[i] = f
	}
	return forms
}

// form returns the form of a text. The caller must hold the lock mu.
func (m *METEOR) form(text string) *form {
	f := m.forms[text]
	if f == nil {
		f = &form{text: text}
		m.forms[text] = f
	}
	return f
}

// synonymOf reports whether b is in one of the synsets of a.
func (m *METEOR) synonymOf(a, b *form) bool {
	a.once.Do(func() { a.synonyms = m.wordNet.synonyms(a.text) })
	return a.synonyms[b.text]
}

// The parameters of Lavie and Agarwal (2007), which are NLTK's defaults.
const (
	alpha = 0.9 // weight of precision in the denominator of the harmonic mean
	beta  = 3.0 // shape of the fragmentation penalty
	gamma = 0.5 // greatest value of the penalty
)

// score returns the METEOR of a pair:
//
//	P = m/|output|,  R = m/|reference|,  F = PR / (alpha P + (1-alpha) R),  METEOR = F (1 - gamma (chunks/m)^beta)
//
// m is the number of matched words. chunks is the number of runs of matched words that are adjacent
// and in the same order in both sentences.
func (m *METEOR) score(output, reference []*form) float64 {
	matched, chunks := m.align(output, reference)
	if matched == 0 {
		return 0
	}
	n := float64(matched)
	p, r := n/float64(len(output)), n/float64(len(reference))
	mean := p * r / (alpha*p + (1-alpha)*r)
	return mean * (1 - gamma*math.Pow(float64(chunks)/n, beta))
}

// align matches words greedily in three stages, as NLTK does: equal words, equal stems, synonyms.
// Each stage goes from the last word of the output to the first, and matches each word with the
// last fitting word of the reference that is still free. The original METEOR instead looks for the
// alignment with the fewest crossings. As in NLTK, the third stage looks up stems in WordNet, not
// words: "happily" becomes "happili", which is not in WordNet.
func (m *METEOR) align(output, reference []*form) (matched, chunks int) {
	match := make([]int, len(output)) // index of the match in the reference; -1 if there is none
	for i := range match {
		match[i] = -1
	}
	taken := make([]bool, len(reference))
	for _, equal := range []func(a, b *form) bool{
		func(a, b *form) bool { return a == b },
		func(a, b *form) bool { return a.stem == b.stem },
		func(a, b *form) bool { return m.synonymOf(a.stem, b.stem) },
	} {
		for i := len(output) - 1; i >= 0; i-- {
			if match[i] >= 0 {
				continue
			}
			for j := len(reference) - 1; j >= 0; j-- {
				if !taken[j] && equal(output[i], reference[j]) {
					match[i], taken[j] = j, true
					matched++
					break
				}
			}
		}
	}
	for i, j := range match {
		if j >= 0 && (i == 0 || match[i-1] < 0 || match[i-1]+1 != j) {
			chunks++
		}
	}
	return matched, chunks
}
