package wording

import (
	"math"
	"slices"
	"strings"
)

// Nearest returns the known word that is closest to word, or "" if word is not a likely typo of
// any. Closeness is the edit distance, ignoring case. Nearest allows one edit per three letters of
// the longer word, but at least one. If two edits were allowed in short words, "xml" would match
// "html", and "gif" would match "pdf". If several words are equally close, the first wins.
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

// ByNearness returns the known words sorted by their distance to word, closest first. Equally close
// words keep their order.
func ByNearness[T ~string](word T, known []T) []T {
	distances := map[T]int{}
	for _, k := range known {
		distances[k] = distance([]rune(strings.ToLower(string(word))), []rune(strings.ToLower(string(k))))
	}
	sorted := slices.Clone(known)
	slices.SortStableFunc(sorted, func(a, b T) int { return distances[a] - distances[b] })
	return sorted
}

// distance is the edit distance in the optimal string alignment variant of Damerau-Levenshtein. It
// counts insertions, deletions, substitutions and swaps of neighbours. It keeps only three rows of
// the table in memory.
func distance(from, to []rune) int {
	beforeLast, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		beforeLast, last, row = last, row, beforeLast
		row[0] = i + 1
		for j, q := range to {
			cost := last[j]
			if r != q {
				cost++
			}
			row[j+1] = min(cost, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && r == to[j-1] && q == from[i-1] {
				row[j+1] = min(row[j+1], beforeLast[j-1]+1)
			}
		}
	}
	return row[len(to)]
}
