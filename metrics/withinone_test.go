package metrics

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestWithinOne checks that an output counts if its predicted star is the target or one star away.
// An output without words does not count. The metric is absent if the styles have no order or if no
// classifier was run.
func TestWithinOne(t *testing.T) {
	up := Input{
		From: "0", To: "3", Target: 3, Ordered: true, Classifier: "stars", Predicted: []int{3, 2, 4, 1, 0, 3},
		Source: testkit.Split("a", "b", "c", "d", "e", "f"), Output: testkit.Split("a", "b", "c", "d", "e", ""),
	}
	down := Input{
		From: "3", To: "0", Target: 0, Ordered: true, Classifier: "stars", Predicted: []int{1, 2},
		Source: testkit.Split("g", "h"), Output: testkit.Split("g", "h"),
	}
	r, err := Score([]Input{up, down}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"up", r.Directions[0].Metrics["tst_within_one"], 50},
		{"down", r.Directions[1].Metrics["tst_within_one"], 50},
		{"both", r.Metrics["tst_within_one"], 50},
		{"TST% up", r.Directions[0].Metrics["tst"], 100. / 6},
		{"TST%", r.Metrics["tst"], 12.5},
	} {
		if d := c.got - c.want; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
	if got := r.Signatures["tst_within_one"]; got != "tst|level:micro|classifier:stars|within:1-step|version:1" {
		t.Errorf("the signature is %q", got)
	}
	for what, change := range map[string]func(*Input){
		"without an order":     func(in *Input) { in.Ordered = false },
		"without a classifier": func(in *Input) { in.Predicted = nil },
	} {
		a, b := up, down
		change(&a)
		change(&b)
		r, err := Score([]Input{a, b}, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		if v, has := r.Metrics["tst_within_one"]; has || r.Signatures["tst_within_one"] != "" {
			t.Errorf("%s it is %v", what, v)
		}
		for key := range r.Sentences[0][0].Numbers {
			if strings.Contains(key, "within") {
				t.Errorf("%s sentences have %s", what, key)
			}
		}
	}
}
