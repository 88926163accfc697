package wording

import (
	"math"
	"slices"
	"strings"
)

// Nearest returns the word of known closest to word by distance in lower-case runes, or "" where
// none is close enough to be a likely slip: an edit for every three letters of the longer of the
// two, and one in shorter words; of two edits "xml" would be "html", and "gif" "pdf". Of equally
// close words the first is returned.
func Nearest[T ~string](word T, known []T) T {
	var best T
	bestDistance := math.MaxInt
	for _, k := range known {
		from, to := []rune(strings.ToLower(string(word))), []rune(strings.ToLower(string(k)))
		longer := max(len(from), len(to))
		if d := distance(from, to); d <= max(1, longer/3) && d < min(longer, bestDistance) {
			best, bestDistance = k, d
		}
	}
	return best
}

// ByNearness is known with the words closest to word first, as Nearest measures it; of equally
// close ones the order stays.
func ByNearness[T ~string](word T, known []T) []T {
	far := map[T]int{}
	for _, k := range known {
		far[k] = distance([]rune(strings.ToLower(string(word))), []rune(strings.ToLower(string(k))))
	}
	sorted := slices.Clone(known)
	slices.SortStableFunc(sorted, func(a, b T) int { return far[a] - far[b] })
	return sorted
}

// distance counts letters that are put in, left out, or another, and neighbours that are swapped:
// the optimal string alignment of Damerau's and Levenshtein's distances. Three rows of the table
// are kept.
func distance(from, to []rune) int {
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		before, last, row = last, row, before
		row[0] = i + 1
		for j, q := range to {
			cost := last[j]
			if r != q {
				cost++
			}
			row[j+1] = min(cost, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && r == to[j-1] && q == from[i-1] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(to)]
}
