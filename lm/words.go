package lm

// minCount and unkShare are chosen so that <unk> is frequent enough to be trained, but few words
// are lost (decision 011).
const (
	minCount = 2
	unkShare = 0.001
)

// KnownWords returns how many words of the vocabulary a model should know: the most frequent ones.
// train is the text from which the vocabulary was made, and first the id of its most frequent word.
// All other words are trained as <unk>, so that <unk> gets a realistic probability. With a far
// smaller one, a single unknown word in an output would outweigh all other words. Words that occur
// less than minCount times are unknown. If unknown words then make up less than unkShare of the
// text, as in data sets of only frequent words, the rarest other words become unknown too, until
// the share is reached. Among equally rare words, those with the greatest ids become unknown first.
func KnownWords(train [][]int64, first int) (n int) {
	counts := map[int]int{}
	total := 0
	for _, row := range train {
		total += len(row)
		for _, id := range row {
			counts[int(id)]++
		}
	}
	known := 0
	for ; counts[first+n] >= minCount; n++ {
		known += counts[first+n]
	}
	for n > 0 && float64(total-known) < unkShare*float64(total) {
		n--
		known -= counts[first+n]
	}
	return n
}
