package plan

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestAgainst: report.against accepts the names that tables print. If no row will have the name,
// planning returns an error before anything is trained, and the error suggests similar names.
func TestAgainst(t *testing.T) {
	swept := []string{"masking.lambda_eps=[0, 0.5]", "smlm.decoding=['copied', 'guided']"}
	for _, c := range []struct {
		against string
		set     []string
		want    string // part of the error; "" if the name is accepted
	}{
		{"SMLM (guided, lambda_eps 0.5)", swept, ""},
		{"SMLM (guided)", swept, ""},
		{"smlm-ft:decoding=copied,lambda_eps=0,seed=1", swept, ""},
		{"SMLM (guided, 2 seeds)", swept, ""},
		{"SMLM:lambda_eps=0.50", swept, ""},
		{"SMLM (guided, lambda_eps 0.0)", swept, ""},
		{"SMLM:lambda_eps=0.51", swept, "no such row: use "},
		{"references", swept, ""},
		{
			"SMLM (gided, lambda_eps 0.5)", swept,
			`names "SMLM (gided, lambda_eps 0.5)", but the experiment has no such row: use "SMLM `,
		},
		{"SMLM (guided, lambda_eps 1)", swept, "no such row: use "},
		{"SMLM:seed=2", swept, "no such row: use "},
		{"SMLM (guided)", []string{"smlm.decoding=['copied', 'predicted']"}, "no such row: use "},
		{"SMLM", nil, ""},
	} {
		_, err := New(load(t, testkit.SmallStudy, append([]string{"report.against='" + c.against + "'"}, c.set...)...))
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", c.against, err)
		} else if c.want != "" {
			testkit.WantError(t, err, userr.BadInput, c.want)
		}
	}
}
