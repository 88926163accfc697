package metrics

import (
	"fmt"
	"slices"
	"testing"
)

// TestLowTST checks the flaw at its limit: fewer than 20 % of all outputs have the target style. A
// low TST% in only one direction is no flaw. A system is not ranked if its scores for one random
// seed have the flaw.
func TestLowTST(t *testing.T) {
	scored := func(right ...int) *Scores {
		var dirs []Input
		for k, n := range right {
			in := Input{From: fmt.Sprint("style ", k), To: fmt.Sprint("style ", k+1), Target: k + 1}
			for i := range 50 {
				in.Source = append(in.Source, []string{"room", fmt.Sprint(i)})
				in.Output = append(in.Output, []string{fmt.Sprint("hall", i), fmt.Sprint(i)})
				style := 0
				if i < n {
					style = in.Target
				}
				in.Predicted = append(in.Predicted, style)
			}
			dirs = append(dirs, in)
		}
		s, err := Score(dirs, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		right []int // number of outputs, of 50, with the target style, by direction
		want  bool
	}{
		{[]int{10}, false},
		{[]int{9}, true},
		{[]int{0}, true},
		{[]int{50}, false},
		{[]int{0, 20}, false},
		{[]int{0, 19}, true},
		{[]int{9, 11, 50}, false},
	} {
		s := scored(c.right...)
		if got := slices.Contains(s.Flaws(), LowTST); got != c.want || Ranked(s) == c.want {
			t.Errorf("%v of 50: %v, flaws %q", c.right, got, s.FlawKeys)
		}
		if got := slices.Contains(s.FlawKeys, "low_tst"); got != c.want {
			t.Errorf("%v of 50: in JSON the flaws are %q", c.right, s.FlawKeys)
		}
	}
	if good, low := scored(50), scored(9); !Ranked(good, good) || Ranked(good, low) || Ranked(low, good) {
		t.Error("the seeds of a system are not ranked alike")
	}
	unknown := &Scores{Metrics: Values{"s_bleu": 100}}
	if unknown.Has(LowTST) || LowTST.Outputs(&Direction{N: 50}) != 0 {
		t.Error("a system whose TST% is unknown has the flaw")
	}
}
