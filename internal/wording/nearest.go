package wording

import "strings"

// Nearest returns the word of known closest to word by Levenshtein's distance in lower-case runes,
// or "" where none is close enough to be a likely slip: at most 2 edits, or a third of a longer
// word. Of equally close words the first is returned.
func Nearest[T ~string](word T, known []T) T {
	var best T
	bestDistance := max(2, len([]rune(word))/3) + 1
	for _, k := range known {
		if d := distance(string(word), string(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance is Levenshtein's, with one row of the table kept.
func distance(a, b string) int {
	from, to := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, q := range to {
			cost := diagonal
			if r != q {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
