// Package meteor computes METEOR (Lavie and Agarwal 2007; Banerjee and Lavie 2005) as NLTK's
// meteor_score does: words match exactly, by Porter stem, or as WordNet synonyms. It reads
// WordNet's own files, which Find locates on the machine.
//
// This is not the METEOR of nlg-eval and so of the paper: that is Denkowski and Lavie's Java
// program METEOR 1.5, whose parameters were tuned otherwise and which also matches paraphrases,
// weighs function words apart and adds up its counts over the corpus. The two are not comparable:
// METEOR 1.5 gives figures of about half the size.
package meteor

import (
	"fmt"
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

// Signature says in one line how Sentences computes its figures, and with which WordNet; references
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
