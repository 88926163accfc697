package recipe

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestGuidedString: every setting that acts is named as a file has it, and no other.
func TestGuidedString(t *testing.T) {
	all := Guided{
		Gamma: 1, Plausible: .1, Price: .2, Fluency: .3, NoRepeats: true, Order: Confident, Candidates: 4,
		GuideWeight: 3, MoreMasks: 2, Doubt: .8, Restore: .9,
		Revise: true, ReviseGamma: .5, Evidence: 1,
		Length: -2, LengthGamma: 1, LengthFit: 5, Contrast: 1.5, MaskContrast: 2.5, RestoreContrast: .7,
		Ranked: true, Rated: true,
		NoPunctuation: true,
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Guided]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !strings.Contains(all.String(), key) {
			t.Errorf("%q does not name %s", all, key)
		}
	}
	for rated, n := range map[bool]int{false: 3, true: 6} {
		both := all
		both.Rated = rated
		ways := both.Ways()
		if len(ways) != n || ways[0].Ranked || ways[0].Rated || slices.Contains(ways[1:], ways[0]) {
			t.Errorf("rated %v: %+v", rated, ways)
		}
	}
	off := Guided{Plausible: .1, Order: AtOnce, Candidates: 1, GuideWeight: 3, Doubt: .8}
	if got := off.String(); got != "gamma 0, plausible 0.1, order at_once" {
		t.Errorf("with all off: %q", got)
	}
	if all.Needed() != all || !all.AsksGuide() || off.AsksGuide() || !(Guided{Restore: .5}).AsksGuide() ||
		!(Guided{Revise: true}).AsksGuide() ||
		!(Guided{Candidates: 2, GuideWeight: 1}).AsksGuide() || (Guided{Candidates: 2}).AsksGuide() ||
		!(Guided{Evidence: 1}).AsksGuide() ||
		(Guided{LengthGamma: 1, LengthFit: 1}).Needed() != (Guided{}) ||
		(Guided{Gamma: 1, Revise: true, LengthGamma: 1}).Needed().LengthGamma != 0 ||
		(Guided{Revise: true, ReviseGamma: 1, LengthGamma: 1}).Needed().LengthGamma != 1 ||
		(Guided{Rated: true}).Needed().Rated {
		t.Error("what is needed is not what acts")
	}
	// A search knows nothing of single fills, and a beam of one has nothing to choose from.
	for beam, want := range map[int]Guided{
		1: {
			Candidates: 1, Fluency: .3, Evidence: 1, MoreMasks: 2, Doubt: .8, Restore: .9,
			NoRepeats: true,
		},
		5: {
			Candidates: 5, Fluency: .3, GuideWeight: 3, Evidence: 1, MoreMasks: 2, Doubt: .8,
			Restore: .9, NoRepeats: true,
		},
	} {
		if got := all.Searched(beam); got != want {
			t.Errorf("with a beam of %d: %+v, want %+v", beam, got, want)
		}
	}
	all.Restore = 0
	if got := all.Searched(1).Fluency; got != 0 {
		t.Errorf("a beam of one, and no source word returns: fluency %g", got)
	}
	if got, want := all.Searched(5).String(), "fluency 0.3, guide_weight 3"; !strings.HasPrefix(got, want) {
		t.Errorf("a search is %q", got)
	}
}
