package rewrite

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestSetLambdaEps: a user's lambda_eps replaces the lambda_eps of every policy. A number out of
// range, NaN, and a policy without lambda_eps are errors that name the option.
func TestSetLambdaEps(t *testing.T) {
	by := func(names ...policy.Name) *Explaining {
		x := &Explaining{}
		for _, name := range names {
			x.Policies = append(x.Policies, stages.MaskSettings{Policy: policy.Policy{Name: name, LambdaEps: .5}})
		}
		return x
	}
	x := by(policy.Surplus, policy.Surplus)
	if err := x.SetLambdaEps("--x", 2); err != nil || x.Policies[0].LambdaEps != 2 || x.Policies[1].LambdaEps != 2 {
		t.Errorf("policies %+v (%v)", x.Policies, err)
	}
	testkit.WantError(t, by(policy.Surplus, policy.TopShare).SetLambdaEps("--x", 2), userr.BadInput,
		`--x is for the policy surplus, but masking.policy is "top_share": leave it out`)
	for _, eps := range []float64{-.1, 1001, math.NaN()} {
		testkit.WantError(t, CheckLambdaEps("--x", eps), userr.BadInput, "but must be from 0 to 1000")
	}
	for _, eps := range []float64{0, .15, 1000} {
		if err := CheckLambdaEps("--x", eps); err != nil {
			t.Error(err)
		}
	}
}
