package metrics

import (
	"math"
	"strings"
	"testing"
)

// The function judged returns a direction with four outputs and target style 1. styles maps each
// judge to the styles that the judge finds in the four outputs.
func judged(styles map[string][]int) Input {
	in := Input{From: "a", To: "b", Target: 1, Judges: map[string]Judged{}}
	for range 4 {
		in.Source, in.Output = append(in.Source, []string{"a", "lamp"}), append(in.Output, []string{"the", "lamp"})
	}
	for key, s := range styles {
		in.Judges[key] = Judged{Name: key + ":id", Styles: s}
	}
	return in
}

// TestUnseen compares the metric "TST% unseen" with a value computed by hand. It also checks that
// the signature names the judge and that, without the judge, the metric is absent.
func TestUnseen(t *testing.T) {
	r, err := Score([]Input{judged(map[string][]int{"unseen": {1, 0, 0, 0}})}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Metrics["tst_unseen"]; math.Abs(got-25) > 1e-12 {
		t.Errorf("TST%% unseen is %v, want 25", got)
	}
	if got := r.Signatures["tst_unseen"]; !strings.Contains(got, "|classifier:unseen:id|") {
		t.Errorf("the signature %q does not name the judge", got)
	}
	if r, err = Score([]Input{judged(nil)}, Instruments{}); err != nil {
		t.Fatal(err)
	}
	if _, has := r.Metrics["tst_unseen"]; has || r.Signatures["tst_unseen"] != "" {
		t.Errorf("TST%% unseen is %v of no judge, %q", r.Metrics["tst_unseen"], r.Signatures["tst_unseen"])
	}
}
