package metrics

// Commonest returns the word that was counted most, of equals the first in byte order, its share of
// all that was counted, and how much that is.
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

// RepeatShare is the share of sentences in which some word directly follows itself, 0 of none.
func repeatShare(sentences [][]string) float64 {
	if len(sentences) == 0 {
		return 0
	}
	some := 0
	for _, words := range sentences {
		for i := 1; i < len(words); i++ {
			if words[i] == words[i-1] {
				some++
				break
			}
		}
	}
	return float64(some) / float64(len(sentences))
}
