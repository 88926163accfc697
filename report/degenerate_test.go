package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// sound returns typical masks. They hide a fifth of the words and most of the style.
func sound() Masking {
	return Masking{
		Name: "market, explainable_attention, seed 1", Method: policy.ExplainableAttention,
		Policy:    policy.Policy{Name: policy.Surplus, LambdaEps: .15},
		Sentences: 87, NoneMasked: 2, AllMasked: 1, MaskedShare: .2, Accuracy: 64,
		Unmasked: &Judge{Accuracy: 97, Sentences: 87, Majority: 50},
	}
}

// TestDegenerateMasks checks each rule just above and below its threshold. If masks have several
// faults, only the first is reported.
func TestDegenerateMasks(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Masking)
		want   string // beginning of the sentence; "" if there is no fault
	}{
		"sound":                 {func(*Masking) {}, ""},
		"nothing":               {func(m *Masking) { m.NoneMasked, m.MaskedShare, m.Accuracy = 87, 0, 97 }, "masks hide no word"},
		"half":                  {func(m *Masking) { m.NoneMasked = 44 }, "masks hide no word"},
		"less than half":        {func(m *Masking) { m.NoneMasked = 43 }, ""},
		"four of four":          {func(m *Masking) { m.Sentences, m.NoneMasked = 4, 4 }, ""},
		"five of ten":           {func(m *Masking) { m.Sentences, m.NoneMasked = 10, 5 }, "masks hide no word"},
		"everything":            {func(m *Masking) { m.AllMasked, m.MaskedShare, m.Accuracy = 87, 1, 50 }, "masks hide all words"},
		"all but the full stop": {func(m *Masking) { m.AllMasked, m.MaskedShare = 0, .9 }, "masks hide all words"},
		"many words":            {func(m *Masking) { m.MaskedShare = .89 }, ""},
		"all the style left":    {func(m *Masking) { m.Accuracy = 97 }, "masks hide nothing of the style"},
		"at the share":          {func(m *Masking) { m.Accuracy = 94.66 }, "masks hide nothing of the style"}, // 50 + .95 * (97 - 50) = 94.65
		"below the share":       {func(m *Masking) { m.Accuracy = 94.64 }, ""},
		"drawn by chance":       {func(m *Masking) { m.Method, m.Accuracy = policy.Random, 97 }, ""},
		"no accuracy yet":       {func(m *Masking) { m.Accuracy, m.Unmasked = 97, nil }, ""},
		"a classifier that knows little": {
			func(m *Masking) { m.Accuracy, m.Unmasked.Accuracy = 66, 66 }, "",
		},
	} {
		m := sound()
		c.change(&m)
		got := strings.Join(DegenerateMasks([]Masking{m}), "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestDegenerateMasksAreSummedUp checks that one sentence counts all maskings that share a fault
// and names the first of them.
func TestDegenerateMasksAreSummedUp(t *testing.T) {
	all := make([]Masking, 20)
	for i := range all {
		all[i] = sound()
	}
	for i := 5; i < 17; i++ {
		all[i].Name, all[i].NoneMasked = "market, attention, lambda_eps 9, seed 1", 80+i%7
	}
	all[19].Accuracy = 97
	got := DegenerateMasks(all)
	want := []string{
		"masks hide no word in at least half of the test sentences (12 of 20 maskings; the first: market, attention, " +
			"lambda_eps 9, seed 1; 85 of 87 sentences). These sentences are copied: set a lower masking.lambda_eps",
		"masks hide nothing of the style (1 of 20 maskings: market, explainable_attention, seed 1; the evaluation " +
			"classifier recognises 97.0 % of the test sentences with masks and 97.0 % without). The models then learn no " +
			"other style: set a lower masking.lambda_eps, or mask other words with another masking.train_on or " +
			"divlstm.lambda_con",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := Sentences(got); got[0] != "M"+want[0][1:]+"." {
		t.Errorf("the note is %q", got[0])
	}
	if alone := DegenerateMasks(all[5:6]); len(alone) != 1 ||
		!strings.Contains(alone[0], "test sentences (market, attention") {
		t.Errorf("the sentence on one point is %q", alone)
	}
}

// TestDegenerateMasksNameTheKey checks that the setting that a sentence suggests has an effect with
// the policy and the method of the masks.
func TestDegenerateMasksNameTheKey(t *testing.T) {
	surplus := func(lambdaEps float64) policy.Policy {
		return policy.Policy{Name: policy.Surplus, LambdaEps: recipe.OrAuto(lambdaEps)}
	}
	for _, c := range []struct {
		method     policy.Method
		policy     policy.Policy
		more, less string
	}{
		{policy.VanillaAttention, surplus(.5), "set a lower masking.lambda_eps", "set a higher masking.lambda_eps"},
		{policy.Gradients, surplus(.5), "set a lower masking.lambda_eps_gradients", "set a higher masking.lambda_eps_gradients"},
		{policy.VanillaAttention, surplus(0), `set masking.policy = "top_share"`, "set a higher masking.lambda_eps"},
		{policy.VanillaAttention, policy.Policy{Name: policy.TopShare, TopShare: .2}, "set a higher masking.top_share", "set a lower masking.top_share"},
	} {
		m := sound()
		m.Method, m.Policy = c.method, c.policy
		none, all := m, m
		none.NoneMasked, all.AllMasked = 87, 87
		got := []string{DegenerateMasks([]Masking{none})[0], DegenerateMasks([]Masking{all})[0]}
		ends := []bool{strings.HasSuffix(got[0], ": "+c.more), strings.HasSuffix(got[1], ": "+c.less)}
		if slices.Contains(ends, false) {
			t.Errorf("%s, %+v: %q", c.method, c.policy, got)
		}
	}
}
