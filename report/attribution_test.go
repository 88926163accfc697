package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// mask returns a record of masked test sentences.
func mask(dataset, method, con, eps, policy string, settings ...string) *Record {
	r := record(FromMasks, metrics.Values{
		"masked_share": .216, "none_masked": 3, "all_masked": 1200, "accuracy": 71.3, "masked_s_bleu": 64.32,
		"char_s_bleu": 71.06,
	}, append([]string{
		Dataset, dataset, "method", method, "lambda_con", con, "lambda_eps", eps, "policy", policy,
	}, settings...)...)
	if policy == "surplus" || method == "none" {
		r.Paper = method
	}
	return r
}

// masks returns records of all attribution methods, in another order than the rows of the table.
func masks() []*Record {
	none := mask("market", "none", Absent, Absent, Absent)
	none.Values = metrics.Values{
		"masked_share": 0, "none_masked": 1400, "all_masked": 0, "accuracy": 71.3, "masked_s_bleu": 100, "char_s_bleu": 100,
	}
	return []*Record{
		none, mask("market", "random", "10", Absent, Absent),
		mask("market", "integrated_gradients", "10", "0", "surplus"),
		mask("market", "gradients_x_input", "10", "0", "surplus"), mask("market", "vanilla_attention", "0", "0.15", "surplus"),
		mask("market", "explainable_attention", "10", "0.15", "surplus"),
		mask("market", "explainable_attention", "10", Absent, "top_share"),
		mask("market", "gradients", "10", "0", "surplus"),
	}
}

// TestAttributionRows checks that methods are in the paper's order. A method that the program does
// not know comes last, under its key. Horizontal lines separate only data sets.
func TestAttributionRows(t *testing.T) {
	made := Build("attribution", append(masks(), mask("fair", "occlusion", "10", Absent, "surplus")), About{})
	var got []string
	for _, r := range made.Rows {
		got = append(got, strings.Join(texts(r)[:5], ";"))
	}
	want := []string{
		"market;Vanilla Attention (VA);0;0.15;surplus",
		"market;Explainable Attention (EA);10;0.15;surplus",
		"market;Explainable Attention (EA);10;–;top_share",
		"market;Vanilla Gradients;10;0;surplus",
		"market;Gradients * X;10;0;surplus",
		"market;Integrated Gradients;10;0;surplus",
		"market;Random;10;–;–",
		"market;No Masking;–;–;–",
		"fair;occlusion;10;–;surplus",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if !made.Rows[8].Rule || made.Rows[7].Rule {
		t.Error("a line is missing between data sets, or elsewhere")
	}
}

// TestAttributionColumns checks that the masking policy, other settings and the seed have columns
// only if records differ in them.
func TestAttributionColumns(t *testing.T) {
	records := slices.DeleteFunc(masks(), func(r *Record) bool {
		return r.Axis("policy") == "top_share"
	})
	const labels, values = "Data set,Method,lambda_con,lambda_eps,",
		"masked words %,nothing masked,all masked,Acc.%,s-BLEU,char s-BLEU"
	if got := heads(Build("attribution", records, About{})); got != labels+values {
		t.Errorf("columns %s, want %s", got, labels+values)
	}
	for i, r := range records {
		r.Axes = append(r.Axes, swept("restarts", []string{"5", "6"}[min(i, 1)], Seed, []string{"1", "2"}[min(i, 1)])...)
	}
	if got, want := heads(Build("attribution", records, About{})), labels+"restarts,seed,"+values; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if empty := Build("attribution", nil, About{}); len(empty.Rows) != 0 {
		t.Errorf("a table of no records has rows: %v", empty.Rows)
	}
}
