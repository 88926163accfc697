package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report/table"
)

func pointer(v float64) *float64 { return &v }

// attributionRows are invented; they stand in no order, as a sweep may leave them.
func attributionRows() []AttributionRow {
	eps, zero := pointer(0.15), pointer(0)
	row := func(method policy.Method, rule policy.Name, eps *float64) AttributionRow {
		return AttributionRow{
			Dataset: "market", Method: method, Policy: rule, LambdaCon: 10, LambdaEps: eps, Seed: 1,
			Axes: []Axis{
				{Key: "lambda_eps", Value: "0.15"}, {Key: "masking.policy", Value: string(rule)},
			}, MaskedShare: 0.216, NoneMasked: 3, AllMasked: 1200, Accuracy: 71.3, SBLEU: 64.32, CharBLEU: 71.06,
		}
	}
	rows := []AttributionRow{
		row("none", "none", nil), row("random", "random", nil), row("integrated_gradients", "surplus", zero),
		row("gradients_x_input", "surplus", zero), row("vanilla_attention", "surplus", eps),
		row("explainable_attention", "surplus", eps), row("explainable_attention", "top_share", nil),
		row("gradients", "surplus", zero),
	}
	rows[0].MaskedShare, rows[0].NoneMasked, rows[0].AllMasked, rows[0].SBLEU, rows[0].CharBLEU = 0, 1400, 0, 100, 100
	rows[2].Gap, rows[2].Change = pointer(0.00775), pointer(2.5)
	rows[4].LambdaCon = 0
	return rows
}

// The paper's order, and within a method that of the rows; a threshold only where there is one, a
// gap only for integrated gradients.
func TestAttributionRows(t *testing.T) {
	table := Attribution(
		append(
			attributionRows(),
			AttributionRow{
				Dataset: "fair", Method: "occlusion", Policy: "surplus", LambdaCon: 10,
				Axes: []Axis{{Key: "policy", Value: "surplus"}}, Seed: 1,
			},
		),
		About{},
	)
	at := func(head string) int {
		return slices.IndexFunc(table.Columns, func(c Column) bool { return c.Head == head })
	}
	var got []string
	for _, r := range table.Rows {
		line := []string{r.Cells[at("Data set")].Text}
		for _, head := range []string{"Method", "lambda_con", "lambda_eps", "policy", "completeness\ngap %"} {
			line = append(line, r.Cells[at(head)].Text)
		}
		got = append(got, strings.Join(line, ";"))
	}
	want := []string{
		"market;Vanilla Attention (VA);0;0.15;surplus;–",
		"market;Explainable Attention (EA);10;0.15;surplus;–",
		"market;Explainable Attention (EA);10;–;top_share;–",
		"market;Vanilla Gradients;10;0;surplus;–",
		"market;Gradients * X;10;0;surplus;–",
		"market;Integrated Gradients;10;0;surplus;0.3", // 0.00775 of 2.5 is .31 percent
		"market;Random;10;–;random;–",
		"market;No Masking;–;–;–;–",
		"fair;occlusion;10;–;surplus;–",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if !table.Rows[8].Rule || table.Rows[7].Rule {
		t.Error("a line belongs between data sets, and only there")
	}
}

// Columns in which nothing would differ are left out: one policy (random and none have none of
// their own), axes with a column.
func TestAttributionColumns(t *testing.T) {
	rows := slices.DeleteFunc(
		attributionRows(), func(r AttributionRow) bool { return r.Policy == "top_share" || r.Gap != nil },
	)
	got := heads(Attribution(rows, About{}))
	if want := "Data set,Method,lambda_con,lambda_eps,masked words %,nothing masked,all masked,Acc.%,s-BLEU,char " +
		"s-BLEU"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	rows[0].Axes, rows[1].Seed = append(rows[0].Axes, Axis{Key: "restarts", Value: "5"}), 2
	got = heads(Attribution(rows, About{}))
	if want := "Data set,Method,lambda_con,lambda_eps,restarts,seed,masked words %,nothing masked,all " +
		"masked,Acc.%,s-BLEU,char s-BLEU"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
}

// The builder adds a signature; the caller's map stays as it was.
func TestAttributionSignature(t *testing.T) {
	signatures := map[string]string{"s_bleu": "words"}
	table := Attribution(attributionRows(), About{Signatures: signatures})
	if len(signatures) != 1 || !strings.HasPrefix(table.Signatures[0], "char_s_bleu: bleu_char_sentence|") {
		t.Errorf("signatures %v, printed %q", signatures, table.Signatures)
	}
	if empty := Attribution(nil, About{}); len(empty.Rows) != 0 {
		t.Errorf("rows of nothing: %v", empty.Rows)
	}
}

// heads joins the heads of a table's columns.
func heads(t *Table) string {
	texts := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		texts[i] = table.Flat(c.Head)
	}
	return strings.Join(texts, ",")
}
