package report

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Masking describes the result of masking the test sentences by one method with one policy.
type Masking struct {
	Name                             string // "demo, explainable_attention, lambda_eps 0.5, seed 1"
	Method                           policy.Method
	Policy                           policy.Policy
	Sentences, NoneMasked, AllMasked int
	MaskedShare                      float64 // share of the words that are masked, 0 to 1
	Accuracy                         float64 // of the evaluation classifier on the masked sentences, in percent
	Unmasked                         *Judge  // the classifier's results without masks; nil if unknown
}

// These are the thresholds of DegenerateMasks.
const (
	// DegenerateMasks reports masks if they hide no word, or all words, in at least this share of
	// the test sentences. The rule for unchanged outputs (metrics.LeftUnchanged) uses the same
	// share.
	degenerateShare  = 0.5
	degenerateFewest = 5 // minimum number of such sentences, here and in the rule for unchanged outputs

	// Masks that hide at least this share of the words hide nearly everything. In
	// docs/results/attribution.md, masks hide .15 to .53 of the words.
	nearlyAllWords = 0.9

	// If at least this share of the style is left under masks, they do not hide the style. A
	// classifier measures the share as (a - m) / (b - m): a is its accuracy with masks, b its
	// accuracy without masks, and m the share of the larger class. Random masks leave .89 to .94 of
	// the style. Masks by explainable attention hide as many words and leave .30 to .48
	// (docs/results/lambda_eps.md).
	styleLeft = 0.95
)

// degenerations lists the possible faults of masks: what the fault is, when it holds, the numbers
// that show it, and its consequence. If masks have several faults, only the first is reported.
var degenerations = []struct {
	what    string
	holds   func(*Masking) bool
	numbers func(*Masking) string
	then    func(*Masking) string
}{
	{
		"masks hide no word in at least half of the test sentences",
		func(m *Masking) bool { return m.most(m.NoneMasked) },
		func(m *Masking) string {
			return fmt.Sprintf("%s of %s sentences", table.Thousands(m.NoneMasked), table.Thousands(m.Sentences))
		},
		func(m *Masking) string { return "These sentences are copied: " + m.hideMore() },
	},
	{
		"masks hide all words, or nearly all, of the test sentences",
		func(m *Masking) bool { return m.most(m.AllMasked) || m.MaskedShare >= nearlyAllWords },
		func(m *Masking) string {
			return fmt.Sprintf("%s %% of the words, and every word of %s of %s sentences",
				table.Decimals(100*m.MaskedShare, 1), table.Thousands(m.AllMasked), table.Thousands(m.Sentences))
		},
		func(m *Masking) string { return "The outputs then keep nothing of their sources: " + m.hideLess() },
	},
	{
		"masks hide nothing of the style",
		func(m *Masking) bool {
			if m.Method == policy.Random || m.Unmasked == nil || m.Unmasked.Weak() {
				return false
			}
			return m.Accuracy-m.Unmasked.Majority >= styleLeft*(m.Unmasked.Accuracy-m.Unmasked.Majority)
		},
		func(m *Masking) string {
			return fmt.Sprintf("the evaluation classifier recognises %s %% of the test sentences with masks and %s %% without",
				table.Decimals(m.Accuracy, 1), table.Decimals(m.Unmasked.Accuracy, 1))
		},
		func(m *Masking) string {
			return "The models then learn no other style: " + m.hideMore() +
				", or mask other words with another masking.train_on or divlstm.lambda_con"
		},
	},
}

// DegenerateMasks returns one text, without a full stop at the end, for each kind of fault that
// occurs. The text says how many of the maskings have the fault, describes the first of these, and
// names the setting to change.
func DegenerateMasks(all []Masking) (sentences []string) {
	found := make([][]*Masking, len(degenerations))
	for i := range all {
		for k, d := range degenerations {
			if d.holds(&all[i]) {
				found[k] = append(found[k], &all[i])
				break
			}
		}
	}
	for k, d := range degenerations {
		if len(found[k]) == 0 {
			continue
		}
		first, which := found[k][0], ""
		switch {
		case len(found[k]) > 1:
			which = fmt.Sprintf("%d of %d maskings; the first: ", len(found[k]), len(all))
		case len(all) > 1:
			which = fmt.Sprintf("1 of %d maskings: ", len(all))
		}
		sentences = append(sentences, fmt.Sprintf("%s (%s%s; %s). %s", d.what, which, first.Name, d.numbers(first),
			d.then(first)))
	}
	return sentences
}

// The method most reports whether a number of sentences is at least degenerateFewest and at least
// half of all test sentences.
func (m *Masking) most(sentences int) bool {
	return sentences >= degenerateFewest && float64(sentences) >= degenerateShare*float64(m.Sentences)
}

// hideMore says which setting to change so that masks hide more words.
func (m *Masking) hideMore() string {
	switch {
	case m.Policy.Name == policy.TopShare:
		return "set a higher masking.top_share"
	case m.Policy.LambdaEps > 0:
		return "set a lower " + m.lambdaEps()
	}
	return `set masking.policy = "top_share"`
}

// hideLess says which setting to change so that masks hide fewer words.
func (m *Masking) hideLess() string {
	if m.Policy.Name == policy.TopShare {
		return "set a lower masking.top_share"
	}
	return "set a higher " + m.lambdaEps()
}

// lambdaEps returns the key that sets lambda_eps for the masking's method.
func (m *Masking) lambdaEps() string {
	if m.Method.ByGradients() {
		return "masking.lambda_eps_gradients"
	}
	return "masking.lambda_eps"
}

// Sentences turns clauses into sentences for notes, with a capital letter and a full stop.
func Sentences(clauses []string) []string {
	return lists.Map(clauses, func(s string) string { return capital(s) + "." })
}
