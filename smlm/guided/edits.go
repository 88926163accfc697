package guided

import "github.com/smlm-exp/smlm-exp/corpus"

// align returns, for each source word, the output words in its place. It keeps as many common words
// as possible, in order. Between two common words, it pairs source and output words one by one.
// Source words that remain are deleted. Output words that remain join the word before them or, at
// the start of the output, the word after them.
func align[W comparable](source, output []W) [][]W {
	placed := make([][]W, len(source))
	i, j := 0, 0
	for _, common := range append(commonWords(source, output), [2]int{len(source), len(output)}) {
		for k, word := range output[j:common[1]] {
			place := max(0, min(i+k, common[0]-1))
			placed[place] = append(placed[place], word)
		}
		if i, j = common[0]+1, common[1]+1; i <= len(source) {
			placed[i-1] = append(placed[i-1], source[i-1])
		}
	}
	return placed
}

// commonWords returns the places of a longest common subsequence in a and b.
func commonWords[W comparable](a, b []W) (places [][2]int) {
	length := corpus.LongestCommon(a, b)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			places = append(places, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return places
}
