package bertscore

import (
	"math"
	"testing"
)

// sentence returns a sentence whose tokens have unit vectors in the plane, at the given angles in
// degrees. The first and the last token have weight 0, like special tokens. The others have weight
// 1.
func sentence(angles ...float64) Sentence {
	var s Sentence
	for i, a := range angles {
		s.Vectors = append(s.Vectors, float32(math.Cos(a*math.Pi/180)), float32(math.Sin(a*math.Pi/180)))
		weight := 1.
		if i == 0 || i == len(angles)-1 {
			weight = 0
		}
		s.Weights = append(s.Weights, weight)
	}
	return s
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("%s is %v, not %v", what, got, want)
	}
}

func TestMatch(t *testing.T) {
	cos := func(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }
	// The tokens with a weight are at 0 and 90 degrees in the output, and at 30 and 200 in the
	// reference. Their nearest tokens are at 30 and 100 in the reference, and at 0 and 180 in the
	// output. The tokens at 100 and 180 have no weight, but can be matched.
	got := Match(sentence(-90, 0, 90, 180), sentence(-100, 30, 200, 100))
	precision, recall := (cos(30)+cos(10))/2, (cos(30)+cos(20))/2
	near(t, "F1", got, 2*precision*recall/(precision+recall))

	empty := sentence(0, 90)
	if got := Match(empty, sentence(0, 10, 90)); got != 0 {
		t.Errorf("an empty output has %v", got)
	}
	if got := Match(sentence(0, 10, 90), empty); got != 0 {
		t.Errorf("an empty reference gives %v", got)
	}
	if got := Match(empty, empty); got != 0 {
		t.Errorf("two empty sentences have %v", got)
	}
	nothing := sentence(0, 10, 90)
	nothing.Weights[1] = 0
	if got := Match(nothing, sentence(0, 10, 90)); got != 0 {
		t.Errorf("an output of pieces that weigh nothing has %v", got)
	}
	// If all cosines are negative, the largest of them counts, not 0.
	if got := Match(sentence(0, 0, 0), sentence(120, 180, 240)); !(got < -.4) {
		t.Errorf("opposite sentences have %v", got)
	}
}

func TestDot(t *testing.T) {
	for n := range 30 {
		u, v, want := make([]float32, n), make([]float32, n), 0.
		for k := range u {
			u[k], v[k] = float32(k+1), float32(2*k-7)
			want += float64(k+1) * float64(2*k-7)
		}
		if got := dot(u, v); float64(got) != want {
			t.Errorf("the product of %d numbers is %v, not %v", n, got, want)
		}
	}
}

func TestUnit(t *testing.T) {
	v := []float32{3, 4, 0, 0, 0, 2}
	Unit(v, 2)
	for k, want := range []float64{.6, .8, 0, 0, 0, 1} {
		near(t, "a vector's part", float64(v[k]), want)
	}
}

func TestWeights(t *testing.T) {
	got := Weights([]int64{2, 7, 3, 3}, 2, 3)
	for k, want := range []float64{0, 1, 0, 0} {
		near(t, "a weight", got[k], want)
	}
}
