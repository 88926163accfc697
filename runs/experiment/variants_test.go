package experiment

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestVariants: the values of a variant override those of the data set and of the file, which
// override those of the variant's profile. The sweep of one variant does not apply to the others.
func TestVariants(t *testing.T) {
	e := load(t, testkit.VariantsStudy)
	var got []string
	for _, p := range e.Points() {
		var axes []string
		for _, a := range p.Axes {
			axes = append(axes, a.Key+"="+a.Value)
		}
		got = append(got, strings.Join(axes, " "))
	}
	want := []string{
		"variant=plain", "variant=one-code", "variant=swept lambda_eps=0.1", "variant=swept lambda_eps=0.2", "variant=theirs",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("points (-want +got):\n%s", d)
	}
	points := e.Points()
	plain, oneCode, theirs := points[0].Settings, points[1].Settings, points[4].Settings
	if plain.Masking.LambdaEps != 0.4 || plain.DivLSTM.Attention != 7 || !plain.SMLM.SourceToken ||
		oneCode.SMLM.SourceToken {
		t.Errorf("plain %+v, one-code %+v", plain, oneCode)
	}
	if points[3].Settings.Masking.LambdaEps != 0.2 {
		t.Errorf("the variant's lambda_eps does not win: %v", points[3].Settings.Masking.LambdaEps)
	}
	if theirs.DivLSTM.Attention != 7 || theirs.DivLSTM.ConicityForm != "abs_mean" || theirs.Finetune.LambdaSta != 3 ||
		theirs.SMLM.SourceToken {
		t.Errorf("theirs %+v", theirs)
	}
}

// TestProfiles: experiments/profiles.toml shows every switch. A switch is a key that has different
// values in the profiles "paper" and "authors". A variant that changes only one switch sets it to
// the authors' value.
func TestProfiles(t *testing.T) {
	e, err := Load("../../experiments/profiles.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	paper, authors := DefaultSettings(), profileSettings("authors")
	var switches []string
	for _, f := range schema {
		if valueOf(&paper, f) != valueOf(&authors, f) {
			switches = append(switches, f.path)
		}
	}
	if len(switches) < 8 {
		t.Errorf("only %d switches: %v", len(switches), switches)
	}
	var shown []string
	variants := e.Datasets[0].variants
	first := variants[0]
	for _, v := range variants[1:] {
		if v.name == "authors" {
			continue
		}
		changed := lists.Filter(schema, func(f *field) bool { return valueOf(&v.base, f) != valueOf(&first.base, f) })
		for _, f := range changed {
			shown = append(shown, f.path)
			value := valueOf(&v.base, f)
			if len(changed) == 1 && valueOf(&authors, f) != value && slices.Contains(switches, f.path) {
				t.Errorf("variant %s sets %s to %s, but the authors' value is %s", v.name, f.path, value, valueOf(&authors, f))
			}
		}
	}
	for _, path := range switches {
		// Two switches need no variant that changes only them: every variant has both decodings,
		// and the variant "authors" sets lambda_con.
		if !slices.Contains(shown, path) && path != "smlm.decoding" && path != "divlstm.lambda_con" {
			t.Errorf("%s is a switch of the authors' profile, but profiles.toml does not show it", path)
		}
	}
	of := func(name string) bool {
		return slices.ContainsFunc(variants, func(v *variant) bool { return v.name == name })
	}
	if !of("authors") {
		t.Error("profiles.toml does not run the authors' profile")
	}
}

func valueOf(s *Settings, f *field) string {
	return formatValue(reflect.ValueOf(s).Elem().FieldByIndex(f.index))
}
