package metrics

// Collapse holds the columns that show a model writing the same word everywhere, which TST%, BLEU
// and a unigram naturalness cannot see. A new word is a white-space token of an output that its
// source sentence does not contain, compared as it is; a token that stands twice in the output
// occurs twice.
type Collapse struct {
	// MostFrequentNewWord is the first in byte order of equally frequent ones; "" where no output
	// has a new word.
	MostFrequentNewWord string `json:"most_frequent_new_word"`
	// MostFrequentNewWordShare is its share of all new-word occurrences, 0-1; 0 where there is
	// none.
	MostFrequentNewWordShare float64 `json:"most_frequent_new_word_share"`
	// NewWords is the number of new-word occurrences; a share of few says little.
	NewWords         int `json:"new_words"`
	DistinctNewWords int `json:"distinct_new_words"` // number of different new words
	// RepeatShare is the share of outputs, 0-1, in which some word directly follows itself more
	// often than in the output's source: "very very" that a source has is kept, not written.
	RepeatShare float64 `json:"repeat_share"`
	// MostFrequentAddedWord is that of the added words. An added word is an occurrence beyond those
	// of the word in the output's source: a model that writes "the" at every mask has few new
	// words, since most sources have it, and many added ones. Of equally frequent ones it is the
	// first in byte order; "" where no output has any.
	MostFrequentAddedWord string `json:"most_frequent_added_word,omitempty"`
	// MostFrequentAddedShare is its share of all added words, 0-1; 0 where there is none.
	MostFrequentAddedShare float64 `json:"most_frequent_added_share,omitempty"`
	AddedWords             int     `json:"added_words,omitempty"` // number of added words
}

// The rule of Collapsed: a system writes one word nearly everywhere. TST%, BLEU and a unigram
// naturalness reward that.
const (
	// collapsedShare is the share of one word among all new, or all added, words of a direction
	// from which on a system counts as collapsed. Models that write one word everywhere have it in
	// nearly all places, while it is .29 at most for published systems (docs/results/baselines.md).
	collapsedShare = 0.5

	// The least number of new or added words of which collapsedShare is asked: collapsedWords, in
	// a small test set half as many as there are outputs, but no fewer than collapsedFewest. A
	// model that fills every sentence with one word has one or more a sentence; one that changes
	// hardly anything has a few, and the most frequent of a few has a large share by chance.
	collapsedWords  = 20
	collapsedFewest = 5
)

// MostFrequentWord returns the most frequent new word and its share or, where only that is nearly
// everywhere, the most frequent added word and its share; and whether the word is nearly
// everywhere.
func (d *Direction) MostFrequentWord() (word string, share float64, everywhere bool) {
	least := max(collapsedFewest, min(collapsedWords, (d.N+1)/2))
	nearly := func(share float64, words int) bool {
		return share >= collapsedShare && (words == 0 || words >= least)
	}
	if !nearly(d.MostFrequentNewWordShare, d.NewWords) && nearly(d.MostFrequentAddedShare, d.AddedWords) {
		return d.MostFrequentAddedWord, d.MostFrequentAddedShare, true
	}
	return d.MostFrequentNewWord, d.MostFrequentNewWordShare, nearly(d.MostFrequentNewWordShare, d.NewWords)
}

const collapseSignature = "collapse|tok:whitespace|case:as-is|new:not-in-own-source|share:of-occurrences|" +
	"ties:byte-order|repeat:beyond-own-source|version:2"

// collapseOf computes the collapse columns of outputs, aligned with sources.
func collapseOf(sources, outputs [][]string) Collapse {
	fresh, added := map[string]int{}, map[string]int{}
	var c Collapse
	known, left := map[string]bool{}, map[string]int{} // of the source: its words; those not met yet in the output
	for i, output := range outputs {
		clear(known)
		clear(left)
		for _, w := range sources[i] {
			known[w] = true
			left[w]++
		}
		for _, w := range output {
			if !known[w] {
				fresh[w]++
			}
			if left[w]--; left[w] < 0 {
				added[w]++
			}
		}
	}
	c.DistinctNewWords = len(fresh)
	c.MostFrequentNewWord, c.MostFrequentNewWordShare, c.NewWords = mostFrequent(fresh)
	c.MostFrequentAddedWord, c.MostFrequentAddedShare, c.AddedWords = mostFrequent(added)
	c.RepeatShare = repeatShare(sources, outputs)
	return c
}

// mostFrequent returns the word that was counted most, of equals the first in byte order, its share
// of all that was counted, and how much that is.
func mostFrequent(counts map[string]int) (word string, share float64, all int) {
	most := 0
	for w, n := range counts {
		all += n
		if n > most || n == most && w < word {
			word, most = w, n
		}
	}
	if all > 0 {
		share = float64(most) / float64(all)
	}
	return word, share, all
}

// repeatShare is the share of outputs in which some word directly follows itself more often than in
// the source, 0 of none.
func repeatShare(sources, outputs [][]string) float64 {
	if len(outputs) == 0 {
		return 0
	}
	some, left := 0, map[string]int{} // of the source: repeats of a word that the output has not met yet
	for i, output := range outputs {
		clear(left)
		eachRepeat(sources[i], func(w string) bool {
			left[w]++
			return false
		})
		if eachRepeat(output, func(w string) bool {
			left[w]--
			return left[w] < 0
		}) {
			some++
		}
	}
	return float64(some) / float64(len(outputs))
}

// eachRepeat calls found with every word that directly follows itself, each time that it does,
// until found says true; it returns whether it did.
func eachRepeat(words []string, found func(string) bool) bool {
	for i := 1; i < len(words); i++ {
		if words[i] == words[i-1] && found(words[i]) {
			return true
		}
	}
	return false
}
