package report

import "testing"

// TestOverridesText: a table's name stands once, and what only some data sets have after theirs.
func TestOverridesText(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []Override
		want string
	}{
		{"none", nil, "paper"},
		{"one", []Override{{"yelp", "smlm", "dim", "256"}}, "paper, but smlm.dim 256"},
		{"tables", []Override{
			{"yelp", "divlstm", "lambda_con", "0.5"},
			{"yelp", "smlm", "dim", "256"},
			{"yelp", "smlm", "ff", "1024"},
		}, "paper, but divlstm.lambda_con 0.5; smlm.dim 256, ff 1024"},
		{"data sets", []Override{
			{"yelp", "vocab", "size", "9"},
			{"snli", "vocab", "size", "9"},
			{"snli", "masking", "lambda_eps", "0.5"},
			{"yelp", "smlm", "dim", "8"},
			{"snli", "smlm", "dim", "16"},
		}, "paper, but vocab.size 9; on yelp: smlm.dim 8; on snli: masking.lambda_eps 0.5; smlm.dim 16"},
		{"one data set of several", []Override{
			{"yelp", "vocab", "size", "9"},
			{"snli", "masking", "lambda_eps", "0.5"},
		}, "paper, but on yelp: vocab.size 9; on snli: masking.lambda_eps 0.5"},
	} {
		if got := (About{Profile: "paper", Overrides: c.all}).ProfileText(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
