package ngram

import (
	"fmt"
	"math"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// naive is the package comment's model with n-grams as text, words parted by spaces, and everything
// counted when it is asked for.
type naive struct {
	order, classes int
	times          map[string]int             // how often the text has an n-gram
	before         map[string]map[string]bool // the words that the text has before it
	words          map[string]bool
	ofLength       map[int][]float64 // discounts, once asked for
}

func naiveWords(ids []int64) []string {
	out := []string{"<bos>"}
	for _, id := range ids {
		out = append(out, fmt.Sprint("w", id))
	}
	return append(out, "<eos>")
}

func newNaive(text [][]int64, order, vocab int) *naive {
	n := &naive{
		order: order, classes: vocab - corpus.NumSpecial + 2, times: map[string]int{},
		before: map[string]map[string]bool{}, words: map[string]bool{}, ofLength: map[int][]float64{},
	}
	for _, ids := range text {
		s := naiveWords(ids)
		for i := range s {
			n.words[s[i]] = true
			for k := i + 1; k <= len(s) && k-i <= order; k++ {
				gram := strings.Join(s[i:k], " ")
				n.times[gram]++
				if n.before[gram] == nil {
					n.before[gram] = map[string]bool{}
				}
				if i > 0 {
					n.before[gram][s[i-1]] = true
				}
			}
		}
	}
	return n
}

func (n *naive) a(gram string) int {
	words := strings.Fields(gram)
	if len(words) == n.order || words[0] == "<bos>" {
		return n.times[gram]
	}
	return len(n.before[gram])
}

func (n *naive) discount(words, count int) float64 {
	if n.ofLength[words] == nil {
		n.ofLength[words] = n.discounts(words)
	}
	return n.ofLength[words][min(count, 3)]
}

func (n *naive) discounts(words int) []float64 {
	var of [5]float64
	for gram := range n.times {
		k := n.a(gram)
		if len(strings.Fields(gram)) == words && gram != "<bos>" && k < 5 {
			of[k]++
		}
	}
	y := of[1] / (of[1] + 2*of[2])
	d := []float64{0, 1 - 2*y*of[2]/of[1], 2 - 3*y*of[3]/of[2], 3 - 4*y*of[4]/of[3]}
	for k := 1; k <= 3; k++ {
		if of[k] == 0 || of[k+1] == 0 || d[k] <= 0 || d[k] > float64(k) {
			return []float64{0, 0.5, 1, 1.5}
		}
	}
	return d
}

// p is that of w after the words h.
func (n *naive) p(w string, h []string) float64 {
	shorter := 1 / float64(n.classes)
	if len(h) > 0 {
		shorter = n.p(w, h[1:])
	}
	gram := func(v string) string { return strings.Join(append(h[:len(h):len(h)], v), " ") }
	sum, kept := 0.0, 0.0
	for v := range n.words {
		if count := n.a(gram(v)); count > 0 && v != "<bos>" {
			sum += float64(count)
			kept += n.discount(len(h)+1, count)
		}
	}
	if sum == 0 {
		return shorter
	}
	p := kept / sum * shorter
	if count := n.a(gram(w)); count > 0 {
		p += (float64(count) - n.discount(len(h)+1, count)) / sum
	}
	return p
}

func (n *naive) logProb(ids []int64) float64 {
	s, sum := naiveWords(ids), 0.0
	for i := 1; i < len(s); i++ {
		sum += math.Log(n.p(s[i], s[max(0, i-n.order+1):i]))
	}
	return sum
}
