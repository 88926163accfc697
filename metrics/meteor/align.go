package meteor

import "math"

// The parameters of Lavie and Agarwal (2007), which NLTK has as defaults.
const (
	alpha = 0.9 // weight of precision in the denominator of the harmonic mean
	beta  = 3.0 // shape of the fragmentation penalty
	gamma = 0.5 // its greatest value
)

// score returns METEOR of a pair:
//
//	P = m/|output|,  R = m/|reference|,  F = PR / (alpha P + (1-alpha) R),  METEOR = F (1 - gamma (chunks/m)^beta)
//
// where m words match and chunks is the number of runs of them that stand side by side and in the
// same order in both sentences.
func (m *METEOR) score(output, reference []*form) float64 {
	matched, chunks := m.align(output, reference)
	if matched == 0 {
		return 0
	}
	n := float64(matched)
	p, r := n/float64(len(output)), n/float64(len(reference))
	mean := p * r / (alpha*p + (1-alpha)*r)
	return mean * (1 - gamma*math.Pow(float64(chunks)/n, beta))
}

// align matches the words in NLTK's way, which is greedy: three stages, each from the last word of
// the output to the first, each word with the last free word of the reference that agrees. METEOR
// proper would look for the alignment with the fewest crossings. As in NLTK, the third stage looks
// up stems, not words: "happily" is "happili", which WordNet does not have.
func (m *METEOR) align(output, reference []*form) (matched, chunks int) {
	at := make([]int, len(output)) // place of the match in the reference
	for i := range at {
		at[i] = -1
	}
	taken := make([]bool, len(reference))
	for _, agree := range []func(a, b *form) bool{
		func(a, b *form) bool { return a == b },
		func(a, b *form) bool { return a.stem == b.stem },
		func(a, b *form) bool { return m.synonymOf(a.stem, b.stem) },
	} {
		for i := len(output) - 1; i >= 0; i-- {
			if at[i] >= 0 {
				continue
			}
			for j := len(reference) - 1; j >= 0; j-- {
				if !taken[j] && agree(output[i], reference[j]) {
					at[i], taken[j] = j, true
					matched++
					break
				}
			}
		}
	}
	for i, j := range at {
		if j >= 0 && (i == 0 || at[i-1] < 0 || at[i-1]+1 != j) {
			chunks++
		}
	}
	return matched, chunks
}
