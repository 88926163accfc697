package report

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Masking is what the masks of test sentences come to that a model is trained and asked with.
type Masking struct {
	Name                             string // "demo, explainable_attention, lambda_eps 0.5, seed 1"
	Method                           policy.Method
	Policy                           policy.Policy
	Sentences, NoneMasked, AllMasked int
	MaskedShare                      float64 // of words, 0-1
	Accuracy                         float64 // percent, of the evaluation classifier on the masked sentences
	Unmasked                         *Judge  // the same classifier on these sentences without masks; nil: not known
}

// The rules of DegenerateMasks.
const (
	// degenerateShare is the share of the test sentences from which on masks that hide nothing of a
	// sentence, or all of it, are said: what a model makes of such a sentence is its source, or has
	// nothing of it. Half of them is where outputs are called unchanged, too.
	degenerateShare  = 0.5
	degenerateFewest = 5 // sentences, as of unchanged outputs

	// nearlyAllWords is the share of words from which on masks hide nearly everything; they are 15
	// to 53 in a hundred in docs/results/attribution.md.
	nearlyAllWords = 0.9

	// styleLeft is the share of what the classifier finds above the larger class that it must still
	// find in masked sentences for the masks to hide nothing of the style. Masks of as many words
	// drawn by chance leave .89 to .94, those of explainable attention .30 to .48
	// (docs/results/lambda_eps.md).
	styleLeft = 0.95
)

// degenerations are what is wrong with masks, of which a masking has the first that holds; says is
// what shows it, then what it leads to.
var degenerations = []struct {
	what  string
	holds func(*Masking) bool
	says  func(*Masking) string
}{
	{
		"masks hide no word of half of the test sentences or more",
		func(m *Masking) bool { return m.most(m.NoneMasked) },
		func(m *Masking) string {
			return fmt.Sprintf("%s of %s sentences), which are copied: %s", table.Thousands(m.NoneMasked),
				table.Thousands(m.Sentences), m.hideMore())
		},
	},
	{
		"masks hide all words, or nearly all, of the test sentences",
		func(m *Masking) bool { return m.most(m.AllMasked) || m.MaskedShare >= nearlyAllWords },
		func(m *Masking) string {
			return fmt.Sprintf("%s %% of the words, and all of them in %s of %s sentences), so that nothing of what these say "+
				"is kept: %s", table.Decimals(100*m.MaskedShare, 1), table.Thousands(m.AllMasked),
				table.Thousands(m.Sentences), m.hideLess())
		},
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
			return fmt.Sprintf("the evaluation classifier finds it in %s %% of the masked test sentences, and in %s %% "+
				"without masks), so that nothing asks a model for another style: %s, or mask other words by another "+
				"masking.train_on or divlstm.lambda_con", table.Decimals(m.Accuracy, 1),
				table.Decimals(m.Unmasked.Accuracy, 1), m.hideMore())
		},
	},
}

// DegenerateMasks returns a sentence, without its full stop, for each thing that is wrong with any
// masks: how many have it, the first of them, and which key to change.
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
		first, which := found[k][0], ", of "
		switch {
		case len(found[k]) > 1:
			which = fmt.Sprintf(" in %d of %d maskings, the first of ", len(found[k]), len(all))
		case len(all) > 1:
			which = fmt.Sprintf(" in 1 of %d maskings, that of ", len(all))
		}
		sentences = append(sentences, d.what+which+first.Name+" ("+d.says(first))
	}
	return sentences
}

// most says whether so many sentences are at least half of all.
func (m *Masking) most(sentences int) bool {
	return sentences >= degenerateFewest && float64(sentences) >= degenerateShare*float64(m.Sentences)
}

// hideMore says which key makes masks hide more, where too few words are hidden.
func (m *Masking) hideMore() string {
	switch {
	case m.Policy.Name == policy.TopK:
		return "set a higher masking.top_k"
	case m.Policy.Name == policy.TopShare:
		return "set a higher masking.top_share"
	case m.Policy.LambdaEps > 0:
		return "set a lower " + m.lambdaEps()
	case m.Policy.Comparator == policy.Above:
		return `set masking.comparator = ">="`
	}
	return `set masking.policy = "top_share"`
}

// hideLess says which key makes masks hide less.
func (m *Masking) hideLess() string {
	switch m.Policy.Name {
	case policy.TopK:
		return "set a lower masking.top_k"
	case policy.TopShare:
		return "set a lower masking.top_share"
	}
	return "set a higher " + m.lambdaEps()
}

// lambdaEps is the key of the threshold of the masking's method.
func (m *Masking) lambdaEps() string {
	if m.Method.ByGradients() {
		return "masking.lambda_eps_gradients"
	}
	return "masking.lambda_eps"
}

// Sentences writes them with a capital and a full stop, as notes are.
func Sentences(clauses []string) []string {
	return lists.Map(clauses, func(s string) string { return capital(s) + "." })
}
