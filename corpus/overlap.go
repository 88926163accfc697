package corpus

import "slices"

// InTraining counts, by style, the test sentences that are training sentences too, of either style.
func (d *Dataset) InTraining() (n [2]int) {
	type ends struct {
		first, last string
		words       int
	}
	endsOf := func(words Sentence) ends { return ends{words[0], words[len(words)-1], len(words)} }
	type place struct{ style, at int }
	tests := map[ends][]place{} // a map of whole sentences would cost each plan of a large corpus much more
	var seen [2][]bool
	for style, text := range d.Text[Test] {
		seen[style] = make([]bool, len(text))
		for i, words := range text {
			tests[endsOf(words)] = append(tests[endsOf(words)], place{style, i})
		}
	}
	for _, text := range d.Text[Train] {
		for _, words := range text {
			for _, p := range tests[endsOf(words)] {
				if !seen[p.style][p.at] && slices.Equal(words, d.Text[Test][p.style][p.at]) {
					seen[p.style][p.at] = true
					n[p.style]++
				}
			}
		}
	}
	return n
}
