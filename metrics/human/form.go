package human

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Pair is two systems' outputs for one source.
type Pair struct {
	Direction    string // "negative to positive"
	Item         string // names the source within its direction
	Source, A, B string
}

// Question is a Pair as an annotator sees it, without a word on who wrote what.
type Question struct {
	Number                int // of the form, from 1 on
	Direction             string
	Source, First, Second string
}

// Key says what a Question was made of.
type Key struct {
	Direction, Item string
	AFirst          bool
}

// Draw draws n pairs of each direction, or all where there are fewer, by the seed alone. Pairs of
// equal outputs are left out: nobody can prefer one.
func Draw(pairs []Pair, n int, seed uint64) []Pair {
	rng := rand.New(rand.NewPCG(seed, 0))
	of := map[string][]Pair{}
	var directions []string
	for _, p := range pairs {
		if _, known := of[p.Direction]; !known {
			directions = append(directions, p.Direction)
		}
		of[p.Direction] = append(of[p.Direction], p)
	}
	var drawn []Pair
	for _, d := range directions {
		some := slices.DeleteFunc(slices.Clone(of[d]), func(p Pair) bool { return p.A == p.B })
		order := rng.Perm(len(some))[:min(n, len(some))]
		slices.Sort(order)
		for _, i := range order {
			drawn = append(drawn, some[i])
		}
	}
	return drawn
}

// Form makes the form of one annotator, a number from 1 on: the pairs in an order of the
// annotator's own, each system first in half of each direction's, to one.
func Form(pairs []Pair, annotator int, seed uint64) ([]Question, []Key) {
	rng := rand.New(rand.NewPCG(seed, uint64(annotator)))
	sides := map[string][]bool{} // by direction, what is still to be given out
	counts := map[string]int{}
	for _, p := range pairs {
		counts[p.Direction]++
	}
	for _, p := range pairs {
		if d := p.Direction; sides[d] == nil {
			odd := rng.IntN(2) // of an odd number the system that is first once more
			for i := range counts[d] {
				sides[d] = append(sides[d], (i+odd)%2 == 0)
			}
			rng.Shuffle(len(sides[d]), func(i, j int) { sides[d][i], sides[d][j] = sides[d][j], sides[d][i] })
		}
	}
	var questions []Question
	var keys []Key
	for number, i := range rng.Perm(len(pairs)) {
		p := pairs[i]
		first := sides[p.Direction][0]
		sides[p.Direction] = sides[p.Direction][1:]
		q := Question{Number: number + 1, Direction: p.Direction, Source: p.Source, First: p.A, Second: p.B}
		if !first {
			q.First, q.Second = p.B, p.A
		}
		questions = append(questions, q)
		keys = append(keys, Key{p.Direction, p.Item, first})
	}
	return questions, keys
}

// answers are what an annotator may write: which output is better, or neither of both is.
var answers = []string{"1", "2", "both", "neither"}

// Vote is what an answer to a question means for the two systems: a, b, both or neither.
func (k Key) Vote(answer string) (string, error) {
	switch {
	case !slices.Contains(answers, answer):
		return "", fmt.Errorf("the answer must be 1, 2, both or neither, it is %q", answer)
	case answer == "1" && k.AFirst, answer == "2" && !k.AFirst:
		return "a", nil
	case answer == "1", answer == "2":
		return "b", nil
	}
	return answer, nil
}
