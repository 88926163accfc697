package naturalness

import (
	"math"
	"slices"
)

// pair is two neighbouring words as their numbers in a linear model; sentenceEdge stands before the
// first and after the last word.
type pair [2]int32

// sentenceEdge is the number of the sentence's edge, unknownID that of a word without a row of its
// own.
const (
	sentenceEdge int32 = -1
	unknownID    int32 = -2
)

// linear is a logistic regression over the distinct tokens of a sentence and, if pairs is not nil,
// its distinct pairs of neighbours: score = sigmoid(intercept + sum of weights).
type linear struct {
	intercept   float64
	unknownWord float64          // of each distinct token without a row
	unknownPair float64          // of each distinct pair without a row
	ids         map[string]int32 // token -> index in words and weights
	words       []string         // tokens in file order
	weights     []float64        // of words
	pairs       map[pair]float64 // nil: tokens only
}

// score sums in the order in which the tokens stand in the sentence, so that equal sentences get
// equal bits.
func (m *linear) score(tokens []string) float64 {
	z := m.intercept
	ids := make([]int32, len(tokens))
	for i, t := range tokens {
		id, known := m.ids[t]
		if !known {
			id = unknownID
		}
		ids[i] = id
		switch {
		case known && !slices.Contains(ids[:i], id):
			z += m.weights[id]
		case !known && !slices.Contains(tokens[:i], t):
			z += m.unknownWord
		}
	}
	if m.pairs != nil {
		z += m.pairSum(tokens, ids)
	}
	return sigmoid(z)
}

// pairSum returns the weights of the distinct pairs of a sentence.
func (m *linear) pairSum(tokens []string, ids []int32) float64 {
	sum := 0.0
	type spelled struct { // unknown words share a number, so the words tell pairs of them apart
		ids  pair
		text [2]string
	}
	seen := make(map[spelled]bool, len(tokens)+1)
	for i := 0; i <= len(tokens); i++ {
		p, text := pair{sentenceEdge, sentenceEdge}, [2]string{}
		if i > 0 {
			p[0], text[0] = ids[i-1], tokens[i-1]
		}
		if i < len(tokens) {
			p[1], text[1] = ids[i], tokens[i]
		}
		if seen[spelled{p, text}] {
			continue
		}
		seen[spelled{p, text}] = true
		if w, known := m.pairs[p]; known {
			sum += w
		} else {
			sum += m.unknownPair
		}
	}
	return sum
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
