package guided

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// before are settings, and the outputs that they had when a mask became one word, always.
var before = []struct {
	how recipe.Guided
	out []string
}{
	{off, []string{
		"26kept 18kept 0",
		"27kept 19kept 19refi 0",
		"18refi 16kept 20kept 26kept 0",
		"27refi 11kept 13refi 13kept 25refi 0",
		"9kept 15refi 27refi 25kept 11refi 27kept 0",
		"15kept 23kept 12kept 18kept 10refi 23kept 10kept 0",
	}},
	{recipe.Guided{
		Gamma: 1, Plausible: .05, Order: recipe.Confident, Candidates: 1, Fluency: .5, NoRepeats: true,
	}, []string{
		"26kept 18kept 0",
		"27kept 19kept 24refi 0",
		"18refi 16kept 20kept 26kept 0",
		"21refi 11kept 28refi 13kept 23refi 0",
		"9kept 24refi 27refi 25kept 16refi 27kept 0",
		"15kept 23kept 12kept 18kept 25refi 23kept 10kept 0",
	}},
	{recipe.Guided{
		Gamma: 1, Plausible: .05, Price: .3, Candidates: 4, GuideWeight: 3,
	}, []string{
		"26kept 18kept 272",
		"27kept 19kept 11refi 815",
		"18refi 16kept 20kept 26kept 574",
		"10refi 11kept 13refi 13kept 25refi 994",
		"9kept 9refi 12refi 25kept 13refi 27kept 734",
		"15kept 23kept 12kept 18kept 10refi 23kept 10kept 996",
	}},
	{recipe.Guided{
		Plausible: .05, Order: recipe.Confident, Candidates: 1, MoreMasks: 3, Doubt: .9, Restore: .6,
	}, []string{
		"26kept 18kept 272",
		"27kept 19kept 19refi 690",
		"14rest 16kept 20kept 26kept 578",
		"17rest 11kept 23rest 13kept 11rest 999",
		"9kept 9rest 14rest 25kept 28rest 27kept 876",
		"15kept 23kept 12kept 18kept 18rest 23kept 10kept 991",
	}},
	{recipe.Guided{
		Gamma: 1, Plausible: .05, Candidates: 1, Fluency: .5, Revise: true, ReviseGamma: .5, Restore: .8,
	}, []string{
		"26kept 18kept 272",
		"27kept 19kept 19rest 690",
		"14rest 16kept 20kept 26kept 578",
		"17rest 11kept 23rest 13kept 11rest 999",
		"9kept 9rest 14rest 25kept 28rest 27kept 876",
		"15kept 23kept 12kept 18kept 18rest 23kept 10kept 991",
	}},
	{recipe.Guided{
		Gamma: 1, Plausible: .05, Order: recipe.Confident, Candidates: 3, Fluency: .5, NoRepeats: true,
		Evidence: 1, MoreMasks: 2, Doubt: .9, Restore: .8, Revise: true, ReviseGamma: .5,
	}, []string{
		"9adde 18kept 529",
		"27kept 19kept 19rest 690",
		"14rest 16kept 20kept 26kept 578",
		"17kept 11kept 23rest 13kept 11kept 999",
		"9kept 9kept 14rest 25kept 28kept 27kept 876",
		"15kept 23kept 12kept 18kept 18rest 23kept 10kept 991",
	}},
}

// beforeSlots are the sentences of before.
func beforeSlots() (d corpus.Encoded) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 6 {
		ids, masks := make([]int64, 2+i), make([]bool, 2+i)
		for k := range ids {
			ids[k], masks[k] = corpus.NumSpecial+rng.Int64N(vocab-corpus.NumSpecial), rng.IntN(2) == 0
		}
		d.IDs, d.Masks = append(d.IDs, ids), append(d.Masks, masks)
		d.Styles, d.Asked = append(d.Styles, i%2), append(d.Asked, 1-i%2)
	}
	return d
}

// TestWithoutSlotsAsBefore: where a mask becomes one word, outputs are those of the time when there
// were no slots: words, where they come from, and how sure the guide is, in thousandths.
func TestWithoutSlotsAsBefore(t *testing.T) {
	d := beforeSlots()
	for _, c := range before {
		for i, o := range transfer(t, refiller(c.how), d) {
			var got []string
			for _, w := range o.Words {
				got = append(got, fmt.Sprint(w.ID, string(w.Origin[:4])))
			}
			got = append(got, fmt.Sprintf("%.0f", 1000*o.Sure))
			if text := strings.Join(got, " "); text != c.out[i] {
				t.Errorf("%+v, sentence %d: %q, was %q", c.how, i, text, c.out[i])
			}
		}
	}
}
