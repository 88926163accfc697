package metrics

// Collapse holds numbers that reveal a model which writes the same word everywhere. TST% (the share
// of outputs in the target style), BLEU and a unigram naturalness judge cannot detect such a model.
// A new word is a whitespace token of an output that is not in its source; tokens are compared as
// they are. A token that occurs twice in the output counts twice.
type Collapse struct {
	// MostFrequentNewWord is the most frequent new word, or "" if no output has one. If several
	// words are equally frequent, it is the first in byte order.
	MostFrequentNewWord string `json:"most_frequent_new_word"`
	// MostFrequentNewWordShare is the share of MostFrequentNewWord in all occurrences of new words,
	// 0-1, or 0 if there are none.
	MostFrequentNewWordShare float64 `json:"most_frequent_new_word_share"`
	// NewWords is the number of occurrences of new words. If it is small, the share means little.
	NewWords         int `json:"new_words"`
	DistinctNewWords int `json:"distinct_new_words"` // number of different new words
	// RepeatShare is the share of outputs, 0-1, in which some word directly follows itself more
	// often than in the source. Keeping "very very" from a source does not count.
	RepeatShare float64 `json:"repeat_share"`
	// MostFrequentAddedWord is the most frequent added word, or "" if there is none. If several are
	// equally frequent, it is the first in byte order. If an output has a word more often than its
	// source, the extra occurrences are added words. A model that writes "the" at every mask has
	// many added words, but few new words, because most sources contain "the".
	MostFrequentAddedWord string `json:"most_frequent_added_word,omitempty"`
	// MostFrequentAddedShare is the share of MostFrequentAddedWord in all added words, 0-1, or 0 if
	// there are none.
	MostFrequentAddedShare float64 `json:"most_frequent_added_share,omitempty"`
	AddedWords             int     `json:"added_words,omitempty"` // number of added words
}

// The thresholds of the flaw Collapsed. A collapsed system writes one word nearly everywhere, which
// TST%, BLEU and a unigram naturalness judge reward.
const (
	// A system counts as collapsed if one word makes up at least collapsedShare of all new (or all
	// added) words of a direction. Models that write one word everywhere write it in nearly all
	// places. In published systems, the largest share is .29 (docs/results/baselines.md).
	collapsedShare = 0.5

	// A direction counts as collapsed only if it has at least collapsedWords new (or added) words.
	// A model that changes little adds so few words that one of them may have a large share by
	// chance. In a small test set, the limit is half the number of outputs, but at least
	// collapsedFewest. A model that fills every sentence with one word adds at least one word per
	// sentence.
	collapsedWords  = 20
	collapsedFewest = 5
)

// MostFrequentWord returns the most frequent new word and its share. It returns the most frequent
// added word instead if only that word reaches the thresholds of Collapsed. The result collapsed
// reports whether the returned word reaches the thresholds.
func (d *Direction) MostFrequentWord() (word string, share float64, collapsed bool) {
	fewest := max(collapsedFewest, min(collapsedWords, (d.N+1)/2))
	reaches := func(share float64, words int) bool {
		return share >= collapsedShare && (words == 0 || words >= fewest)
	}
	if !reaches(d.MostFrequentNewWordShare, d.NewWords) && reaches(d.MostFrequentAddedShare, d.AddedWords) {
		return d.MostFrequentAddedWord, d.MostFrequentAddedShare, true
	}
	return d.MostFrequentNewWord, d.MostFrequentNewWordShare, reaches(d.MostFrequentNewWordShare, d.NewWords)
}

const collapseSignature = "collapse|tok:whitespace|case:as-is|new:not-in-own-source|share:of-occurrences|" +
	"ties:byte-order|repeat:beyond-own-source|version:2"

// CollapseOf computes the fields of Collapse for one direction. outputs[i] belongs to sources[i].
func CollapseOf(sources, outputs [][]string) Collapse {
	newWords, added := map[string]int{}, map[string]int{}
	var c Collapse
	// known holds the words of the source. remaining counts, for each word, the occurrences in the
	// source that the output has not used yet.
	known, remaining := map[string]bool{}, map[string]int{}
	for i, output := range outputs {
		clear(known)
		clear(remaining)
		for _, w := range sources[i] {
			known[w] = true
			remaining[w]++
		}
		for _, w := range output {
			if !known[w] {
				newWords[w]++
			}
			if remaining[w]--; remaining[w] < 0 {
				added[w]++
			}
		}
	}
	c.DistinctNewWords = len(newWords)
	c.MostFrequentNewWord, c.MostFrequentNewWordShare, c.NewWords = mostFrequent(newWords)
	c.MostFrequentAddedWord, c.MostFrequentAddedShare, c.AddedWords = mostFrequent(added)
	c.RepeatShare = repeatShare(sources, outputs)
	return c
}

// mostFrequent returns the word with the highest count, its share of the sum of all counts, and
// that sum. If several words have the highest count, it returns the first in byte order.
func mostFrequent(counts map[string]int) (word string, share float64, total int) {
	highest := 0
	for w, n := range counts {
		total += n
		if n > highest || n == highest && w < word {
			word, highest = w, n
		}
	}
	if total > 0 {
		share = float64(highest) / float64(total)
	}
	return word, share, total
}

// repeatShare returns the share of outputs in which some word directly follows itself more often
// than in the source, or 0 for no outputs.
func repeatShare(sources, outputs [][]string) float64 {
	if len(outputs) == 0 {
		return 0
	}
	repeating, remaining := 0, map[string]int{} // for each word, repeats in the source that the output has not used yet
	for i, output := range outputs {
		clear(remaining)
		eachRepeat(sources[i], func(w string) bool {
			remaining[w]++
			return false
		})
		if eachRepeat(output, func(w string) bool {
			remaining[w]--
			return remaining[w] < 0
		}) {
			repeating++
		}
	}
	return float64(repeating) / float64(len(outputs))
}

// eachRepeat calls the function visit with each word that equals the previous word, until visit
// returns true. It reports whether visit returned true.
func eachRepeat(words []string, visit func(string) bool) bool {
	for i := 1; i < len(words); i++ {
		if words[i] == words[i-1] && visit(words[i]) {
			return true
		}
	}
	return false
}
