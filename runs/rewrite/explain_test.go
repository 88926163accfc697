package rewrite

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestSetLambdaEps: a user's lambda_eps replaces every policy, also a share of words, which "auto"
// chooses. A number out of range and NaN are errors that name the option.
func TestSetLambdaEps(t *testing.T) {
	x := &Explaining{Policies: []stages.MaskSettings{
		{Policy: policy.Policy{Name: policy.Surplus, LambdaEps: .5}},
		{Policy: policy.Policy{Name: policy.TopShare, TopShare: .25}},
	}}
	for _, eps := range []float64{0, .15, 1000} {
		want := policy.Policy{Name: policy.Surplus, LambdaEps: recipe.OrAuto(eps)}
		if err := x.SetLambdaEps("--x", eps); err != nil || x.Policies[0].Policy != want || x.Policies[1].Policy != want {
			t.Errorf("policies %+v (%v)", x.Policies, err)
		}
	}
	for _, eps := range []float64{-.1, 1001, math.NaN()} {
		testkit.WantError(t, x.SetLambdaEps("--x", eps), userr.BadInput, "but must be from 0 to 1000")
	}
}
