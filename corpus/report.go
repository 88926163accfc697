package corpus

import (
	"slices"
	"strings"
)

// Report is what the command "data report" shows about a data set.
type Report struct {
	Name       string        `json:"name"`
	Labels     Styles        `json:"labels"`
	VocabSize  int           `json:"vocab_size"` // number of words in the vocabulary, without special tokens
	TrainWords int           `json:"train_words"`
	TrainTypes int           `json:"train_types"` // number of distinct words of the training text
	BothLabels int           `json:"both_labels"` // number of distinct training sentences that occur in several styles
	Parts      [3][]PartInfo `json:"parts"`       // by split, then style
	Overlaps   []Overlap     `json:"overlaps"`    // overlap of every pair of splits
}

// PartInfo describes one split of one style.
type PartInfo struct {
	Split      string      `json:"split"`
	Label      string      `json:"label"`
	Sentences  int         `json:"sentences"`
	References int         `json:"references"` // number of references; 0 unless the split is test
	Duplicates int         `json:"duplicates"` // number of sentences that repeat an earlier one of this split and style
	Words      int         `json:"words"`
	Lengths    LengthStats `json:"lengths"`
	OOVRate    float64     `json:"oov_rate"` // share of the words, 0-1, outside the vocabulary of the training text
}

// LengthStats summarizes the lengths of sentences, in words.
type LengthStats struct {
	Mean float64 `json:"mean"`
	P95  int     `json:"p95"` // the smallest length that at least 95 % of the sentences do not exceed
	Max  int     `json:"max"`
}

// Report computes the report on the data set. vocabSize is the maximum number of words in the
// vocabulary of the training text of all styles; 0 means no limit.
func (d *Dataset) Report(vocabSize int) *Report {
	vocab := BuildVocab(d.Text[Train], vocabSize)
	r := &Report{Name: d.Name, Labels: d.Labels, VocabSize: vocab.Len() - NumSpecial}
	const several = -1
	train := make(map[string]int) // maps a sentence to its style, or to the constant "several"
	types := make(map[string]bool)
	for style, sentences := range d.Text[Train] {
		for _, words := range sentences {
			key := strings.Join(words, " ")
			if other, known := train[key]; known && other != style {
				train[key] = several
			} else {
				train[key] = style
			}
			for _, w := range words {
				types[w] = true
			}
		}
	}
	for _, style := range train {
		if style == several {
			r.BothLabels++
		}
	}
	r.TrainTypes = len(types)
	for _, s := range Splits {
		for style, sentences := range d.Text[s] {
			p := countPart(sentences, vocab)
			p.Split, p.Label = s.String(), d.Labels[style]
			if s == Train {
				r.TrainWords += p.Words
			}
			r.Parts[s] = append(r.Parts[s], p)
		}
	}
	for direction, refs := range d.References() {
		r.Parts[Test][direction.From].References += len(refs)
	}
	r.Overlaps = d.Overlaps()
	return r
}

func countPart(sentences []Sentence, vocab *Vocab) PartInfo {
	p, unknown := PartInfo{Sentences: len(sentences)}, 0
	seen := make(map[string]bool, len(sentences))
	lengths := make([]int, len(sentences))
	for i, words := range sentences {
		key := strings.Join(words, " ")
		if seen[key] {
			p.Duplicates++
		}
		seen[key] = true
		lengths[i] = len(words)
		p.Words += len(words)
		unknown += vocab.Unknown(words)
	}
	p.Lengths = describe(lengths)
	if p.Words > 0 {
		p.OOVRate = float64(unknown) / float64(p.Words)
	}
	return p
}

// describe summarizes lengths and sorts them. Without lengths it returns zeros.
func describe(lengths []int) LengthStats {
	n := len(lengths)
	if n == 0 {
		return LengthStats{}
	}
	slices.Sort(lengths)
	sum := 0
	for _, l := range lengths {
		sum += l
	}
	return LengthStats{Mean: float64(sum) / float64(n), P95: lengths[(95*n+99)/100-1], Max: lengths[n-1]}
}
