package report

import (
	"math"
	"testing"
)

// TestWeakJudges checks that a judge is weak if its accuracy is below 75 %, or if the accuracy's
// interval reaches down to the share of the larger class.
func TestWeakJudges(t *testing.T) {
	for _, c := range []struct {
		name     string
		accuracy float64
		n        int
		majority float64
		weak     bool
	}{
		{"good", 97, 1000, 50, false},
		{"chance", 50, 1000, 50, true},
		{"worse than chance", 3, 1000, 50, true},
		{"just too low", 74.9, 1000, 50, true},
		{"just enough", 75, 1000, 50, false},
		{"the larger class", 90, 1000, 90, true},
		{"hardly more than the larger class", 91, 1000, 90, true}, // the interval begins at 89.1
		{"more than the larger class", 93, 1000, 90, false},       // the interval begins at 91.2
		{"few sentences", 80, 6, 50, true},                        // the interval begins at 42
		{"more sentences", 80, 60, 50, false},                     // the interval begins at 68
		{"none", 0, 0, 0, true},
	} {
		j := Judge{Accuracy: c.accuracy, Sentences: c.n, Majority: c.majority}
		if j.Weak() != c.weak {
			t.Errorf("%s: weak is %v", c.name, j.Weak())
		}
	}
	// Wilson's interval for 81 of 263 observations begins at 0.2553 (Newcombe 1998, table I, method
	// 3: 0.2553 to 0.3662).
	if got := wilsonLow(81./263, 263); math.Abs(got-0.2553) > 5e-5 {
		t.Errorf("the interval begins at %v", got)
	}
	j := Judge{
		Measures: "TST%", Dataset: "yelp", Axes: swept("vocab.size", "50"), Split: "test", Accuracy: 67.04,
		Sentences: 1000, Majority: 50,
	}
	const want = "TST% of yelp (vocab.size 50): the classifier that computes it recognises 67.0 % of 1,000 " +
		"human test sentences, too few to trust it (always answering the larger class: 50.0 %)."
	if got := j.Warning(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
