package masking

import (
	"errors"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// lengths returns the norms of B*T vectors [B, T, E].
func lengths(vectors *torch.Tensor) []float64 {
	squares := doubles(vectors.Mul(vectors).SumDim(2, false))
	for i, x := range squares {
		squares[i] = math.Sqrt(x)
	}
	return squares
}

// sums returns the sum of the elements of each of B*T vectors [B, T, E].
func sums(vectors *torch.Tensor) []float64 { return doubles(vectors.SumDim(2, false)) }

func doubles(t *torch.Tensor) []float64 {
	flat := t.Floats()
	out := make([]float64, len(flat))
	for i, x := range flat {
		out[i] = float64(x)
	}
	return out
}

// distributions turns rows of n numbers into distributions, in place: each positive number is
// divided by the sum of the positive numbers, and all other numbers become 0. It returns an error
// if a number is not finite.
func distributions(rows []float64, n int) ([]float64, error) {
	if err := finite(rows); err != nil {
		return nil, err
	}
	for row := range slices.Chunk(rows, n) {
		positive(row)
	}
	return rows, nil
}

// finite returns an error if a score is not finite.
func finite(scores []float64) error {
	if slices.ContainsFunc(scores, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return errors.New(wording.NoNumbers("the word scores of the Diversity-LSTM"))
	}
	return nil
}

// positive divides each positive number by the sum of the positive numbers, and sets all other
// numbers to 0. If a row has no positive number, all its words get equal shares.
func positive(row []float64) {
	largest := max(0, slices.Max(row))
	if largest == 0 {
		for i := range row {
			row[i] = 1 / float64(len(row))
		}
		return
	}
	sum := 0.0
	for i, x := range row {
		row[i] = max(x, 0) / largest // so that the sum of tiny numbers does not underflow
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}
