package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestVariants: the values of a variant override those of the data set and of the file, which
// override the profile's. The sweep of one variant does not apply to the others.
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
		"variant=plain", "variant=one-code", "variant=swept lambda_eps=0.1", "variant=swept lambda_eps=0.2", "variant=last",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("points (-want +got):\n%s", d)
	}
	points := e.Points()
	plain, oneCode, last := points[0].Settings, points[1].Settings, points[4].Settings
	if plain.Masking.LambdaEps != 0.4 || plain.DivLSTM.Attention != 7 || !plain.SMLM.SourceToken ||
		oneCode.SMLM.SourceToken {
		t.Errorf("plain %+v, one-code %+v", plain, oneCode)
	}
	if points[3].Settings.Masking.LambdaEps != 0.2 {
		t.Errorf("the variant's lambda_eps does not win: %v", points[3].Settings.Masking.LambdaEps)
	}
	if last.DivLSTM.Attention != 7 || last.DivLSTM.Hidden != 9 || last.Finetune.LambdaSta != 3 ||
		last.SMLM.SourceToken {
		t.Errorf("last %+v", last)
	}
}
