// Package meteor computes METEOR (Lavie and Agarwal 2007; Banerjee and Lavie 2005) as NLTK's
// meteor_score does: words match exactly, by Porter stem, or as WordNet synonyms. It reads
// WordNet's own files, which Find locates on the machine.
//
// This is not the METEOR of nlg-eval and so of the paper: that is Denkowski and Lavie's Java
// program METEOR 1.5, whose parameters were tuned otherwise and which also matches paraphrases,
// weighs function words apart and adds up its counts over the corpus. The two are not comparable:
// METEOR 1.5 gives numbers of about half the size.
package meteor

import (
	"fmt"
	"math"
	"strings"
	"sync"
)

// signature says how METEOR is computed; it takes the WordNet and what the references are.
const signature = "meteor|nltk-3.10|level:sentence-mean|alpha:0.9|beta:3|gamma:0.5|match:exact,stem:porter-nltk,synonym:wordnet-%s|best:score|tok:whitespace|case:lower|dirs:mean|refs:%s|version:1"

// METEOR is a metrics.SentenceJudge. It is safe for concurrent use, and remembers the stem and the
// synonyms of every word it has met.
type METEOR struct {
	wordNet *wordNet
	mu      sync.RWMutex
	forms   map[string]*form
}

// form is a word in lower case, or a stem. There is one for each text, so that equal texts are
// equal pointers.
type form struct {
	text     string
	stem     *form           // nil where the form was only met as a stem
	synonyms map[string]bool // valid after once
	once     sync.Once
}

// New reads the WordNet that lies at dir, a folder or an archive as Find returns it, in some tenths
// of a second. An error is userr.BadInput and names the file that is missing or damaged.
func New(dir string) (*METEOR, error) {
	w, err := readWordNet(dir)
	if err != nil {
		return nil, err
	}
	return &METEOR{wordNet: w, forms: map[string]*form{}}, nil
}

// Signature says in one line how Sentences computes its numbers, and with which WordNet; references
// is their number, or what stands in their place ("source").
func (m *METEOR) Signature(references string) string {
	return fmt.Sprintf(signature, m.wordNet.version, references)
}

// Sentences returns METEOR, 0-1, of each output: the greatest over its references; references[k][i]
// belongs to outputs[i]. Words are compared in lower case. Where a sentence is empty or no word
// matches it is 0, as in NLTK, which has no special case for two empty ones; without references
// too. It panics where a reference set's length differs from that of outputs.
//
// Lower case is Go's, letter by letter; Python's differs in a capital I with a dot and a final
// capital sigma.
func (m *METEOR) Sentences(outputs [][]string, references ...[][]string) []float64 {
	for k, set := range references {
		if len(set) != len(outputs) {
			panic(fmt.Sprintf("meteor: %d outputs, %d sentences in reference set %d", len(outputs), len(set), k))
		}
	}
	scores := make([]float64, len(outputs))
	for i, words := range outputs {
		output := m.lookUp(words)
		for _, set := range references {
			scores[i] = max(scores[i], m.score(output, m.lookUp(set[i])))
		}
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

// form returns the form of a text; the caller holds mu.
func (m *METEOR) form(text string) *form {
	f := m.forms[text]
	if f == nil {
		f = &form{text: text}
		m.forms[text] = f
	}
	return f
}

// synonymOf says whether b is a word of one of the synsets of a.
func (m *METEOR) synonymOf(a, b *form) bool {
	a.once.Do(func() { a.synonyms = m.wordNet.synonyms(a.text) })
	return a.synonyms[b.text]
}

// The parameters of Lavie and Agarwal (2007), which NLTK has as defaults.
const (
	alpha = 0.9 // weight of precision in the denominator of the harmonic mean
	beta  = 3.0 // shape of the fragmentation penalty
	gamma = 0.5 // its greatest value
)

// score returns METEOR of a pair:
//
//	P = m/|output|,  R = m/|reference|,  F = PR / (alpha P + (1-alpha) R),  METEOR = F (1 - gamma (chunks/m)^beta)
//
// where m words match and chunks is the number of runs of them that stand side by side and in the
// same order in both sentences.
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

// align matches the words in NLTK's way, which is greedy: three stages, each from the last word of
// the output to the first, each word with the last free word of the reference that agrees. METEOR
// proper would look for the alignment with the fewest crossings. As in NLTK, the third stage looks
// up stems, not words: "happily" is "happili", which WordNet does not have.
func (m *METEOR) align(output, reference []*form) (matched, chunks int) {
	at := make([]int, len(output)) // place of the match in the reference
	for i := range at {
		at[i] = -1
	}
	taken := make([]bool, len(reference))
	for _, agree := range []func(a, b *form) bool{
		func(a, b *form) bool { return a == b },
		func(a, b *form) bool { return a.stem == b.stem },
		func(a, b *form) bool { return m.synonymOf(a.stem, b.stem) },
	} {
		for i := len(output) - 1; i >= 0; i-- {
			if at[i] >= 0 {
				continue
			}
			for j := len(reference) - 1; j >= 0; j-- {
				if !taken[j] && agree(output[i], reference[j]) {
					at[i], taken[j] = j, true
					matched++
					break
				}
			}
		}
	}
	for i, j := range at {
		if j >= 0 && (i == 0 || at[i-1] < 0 || at[i-1]+1 != j) {
			chunks++
		}
	}
	return matched, chunks
}
