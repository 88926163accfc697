package metrics

// Collapse holds the columns that show a model writing the same word everywhere, which TST%, BLEU and a unigram
// naturalness cannot see. A new word is a white-space token of an output that its source sentence does not contain,
// compared as it is; a token that stands twice in the output occurs twice.
type Collapse struct {
	CommonestNewWord      string  `json:"commonest_new_word"`       // of equally common ones the first in byte order; "" where no output has a new word
	CommonestNewWordShare float64 `json:"commonest_new_word_share"` // its share of all new-word occurrences, 0-1; 0 where there is none
	NewWords              int     `json:"new_words"`                // number of new-word occurrences; a share of few says little
	DistinctNewWords      int     `json:"distinct_new_words"`       // number of different new words
	RepeatShare           float64 `json:"repeat_share"`             // share of outputs, 0-1, in which some word directly follows itself
}

// CollapseOf computes the collapse columns of outputs, aligned with sources.
func CollapseOf(sources, outputs [][]string) Collapse {
	counts := map[string]int{}
	repeats := 0
	var c Collapse
	known := map[string]bool{}
	for i, output := range outputs {
		clear(known)
		for _, w := range sources[i] {
			known[w] = true
		}
		for _, w := range output {
			if !known[w] {
				counts[w]++
				c.NewWords++
			}
		}
		if repeatsWord(output) {
			repeats++
		}
	}
	c.DistinctNewWords = len(counts)
	most := 0
	for w, n := range counts {
		if n > most || n == most && w < c.CommonestNewWord {
			c.CommonestNewWord, most = w, n
		}
	}
	if c.NewWords > 0 {
		c.CommonestNewWordShare = float64(most) / float64(c.NewWords)
	}
	if len(outputs) > 0 {
		c.RepeatShare = float64(repeats) / float64(len(outputs))
	}
	return c
}

func repeatsWord(words []string) bool {
	for i := 1; i < len(words); i++ {
		if words[i] == words[i-1] {
			return true
		}
	}
	return false
}
