package corpus

import "slices"

// InTraining counts, by style, the test sentences that are training sentences too, of either style.
func (d *Dataset) InTraining() (n [2]int) {
	type some struct {
		first, middle string
		words         int
	}
	someOf := func(words Sentence) some { return some{words[0], words[len(words)/2], len(words)} }
	type place struct{ style, at int }
	tests := map[some][]place{} // a map of whole sentences would cost each plan of a large corpus much more
	var seen [2][]bool
	for style, text := range d.Text[Test] {
		seen[style] = make([]bool, len(text))
		for i, words := range text {
			tests[someOf(words)] = append(tests[someOf(words)], place{style, i})
		}
	}
	for _, text := range d.Text[Train] {
		for _, words := range text {
			for _, p := range tests[someOf(words)] {
				if !seen[p.style][p.at] && slices.Equal(words, d.Text[Test][p.style][p.at]) {
					seen[p.style][p.at] = true
					n[p.style]++
				}
			}
		}
	}
	return n
}
