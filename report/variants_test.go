package report

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// switchRows are invented: two data sets, of which the second has no models.
func switchRows() []SwitchRow {
	models := func(tst, share float64) []SwitchModel {
		return []SwitchModel{
			{System: "SMLM", Metrics: scores(tst, -1, 60, 0.8, 62, share, 0.05, 10, 10, 0, 0)},
			{System: "SMLM-FT", Metrics: scores(tst+5, -1, 58.25, 0.85, 62, 1, share, 10, 10, 0, 0)},
		}
	}
	return []SwitchRow{
		{
			Dataset: "market", Variant: "paper", Seed: 1, DevAccuracy: 93, Conicity: 0.25, MaskedShare: 0.21,
			Accuracy: 71.3, SBLEU: 64.32, Models: models(41.25, 0.07),
		},
		{
			Dataset: "market", Variant: "authors", Changes: "profile = authors", Seed: 1, DevAccuracy: 95.26,
			Conicity: 0.25, MaskedShare: 0.1, Accuracy: 80, SBLEU: 80, Models: models(31.0, 0.98)[:1],
		},
		{
			Dataset: "market", Variant: "conicity over the batch", Changes: "divlstm.conicity_axis = batch", Seed: 1,
			DevAccuracy: 93.04, Conicity: math.NaN(), MaskedShare: 0.2104, Accuracy: 60, SBLEU: 64.3,
			Models: models(45, 1),
		},
		{
			Dataset: "fair", Variant: "paper", Seed: 1, DevAccuracy: 50, Conicity: 0.5, MaskedShare: 0.3, Accuracy: 50,
			SBLEU: 50,
		},
	}
}

func texts(r Row) []string {
	var s []string
	for _, c := range r.Cells {
		s = append(s, c.Text)
	}
	return s
}

func TestSwitches(t *testing.T) {
	out := Switches(switchRows(), About{})
	if len(out) != 2 {
		t.Fatalf("%d tables", len(out))
	}
	masks, models := out[0], out[1]
	for i, want := range [][]string{
		{"market", "paper", "", "93.0", "0.25", "21.0", "71.3", "64.3"},
		{
			"market", "authors", "profile = authors", "95.3 (+2.3)", "0.25 (=)", "10.0 (-11.0)", "80.0 (+8.7)",
			"80.0 (+15.7)",
		},
		{
			"market", "conicity over the batch", "divlstm.conicity_axis = batch", "93.0 (=)", Absent, "21.0 (=)",
			"60.0 (-11.3)", "64.3 (=)",
		},
		{"fair", "paper", "", "50.0", "0.50", "30.0", "50.0", "50.0"}, // compared with nothing: another data set
	} {
		if d := cmp.Diff(want, texts(masks.Rows[i])); d != "" {
			t.Errorf("masks, row %d: %s", i, d)
		}
	}
	for i, want := range [][]string{
		{"market", "SMLM", "paper", "", "41.2", "60.0", "0.80", "7.0 / 5.0"},
		{
			"market", "SMLM", "authors", "profile = authors", "31.0 (-10.2)", "60.0 (=)", "0.80 (=)",
			"98.0 (+91.0) / 5.0 (=)",
		},
		{
			"market", "SMLM", "conicity over the batch", "divlstm.conicity_axis = batch", "45.0 (+3.8)", "60.0 (=)",
			"0.80 (=)", "100.0 (+93.0) / 5.0 (=)",
		},
		{"market", "SMLM-FT", "paper", "", "46.2", "58.2", "0.85", "100.0 / 7.0"},
		{
			"market", "SMLM-FT", "conicity over the batch", "divlstm.conicity_axis = batch", "50.0 (+3.8)", "58.2 (=)",
			"0.85 (=)", "100.0 (=) / 100.0 (+93.0)",
		},
	} {
		if d := cmp.Diff(want, texts(models.Rows[i])); d != "" {
			t.Errorf("models, row %d: %s", i, d)
		}
		if rule := i == 3; models.Rows[i].Rule != rule {
			t.Errorf("models, line above row %d: %v", i, !rule)
		}
	}
	if len(masks.Rows) != 4 || len(models.Rows) != 5 {
		t.Errorf("%d and %d rows", len(masks.Rows), len(models.Rows))
	}
	if only := Switches(switchRows()[3:], About{}); len(only) != 1 {
		t.Errorf("%d tables without models", len(only))
	}
}

// With several seeds each is compared with the first variant of its own seed.
func TestSwitchesSeeds(t *testing.T) {
	rows := append(switchRows()[:2], switchRows()[:2]...)
	for i := range rows[2:] {
		rows[2+i].Seed = 2
		rows[2+i].Accuracy++
	}
	table := Switches(rows, About{})[0]
	var got []string
	for _, r := range table.Rows {
		got = append(got, r.Cells[3].Text+";"+r.Cells[7].Text)
	}
	if d := cmp.Diff([]string{"1;71.3", "1;80.0 (+8.7)", "2;72.3", "2;81.0 (+8.7)"}, got); d != "" {
		t.Error(d)
	}
}

// TestSwitchesByMethod: a row is compared with the first of its own method, and methods stand
// together, in a column of their own.
func TestSwitchesByMethod(t *testing.T) {
	row := func(method policy.Method, variant string, accuracy float64) SwitchRow {
		return SwitchRow{Dataset: "market", Method: method, Variant: variant, Accuracy: accuracy, DevAccuracy: 90}
	}
	masks := Switches([]SwitchRow{
		row("explainable_attention", "paper", 70), row("integrated_gradients", "paper", 60),
		row("explainable_attention", "latent", 75), row("integrated_gradients", "5 steps", 50),
	}, About{})[0]
	var got []string
	for _, r := range masks.Rows {
		got = append(got, r.Cells[1].Text+" "+r.Cells[2].Text+" "+r.Cells[7].Text)
	}
	want := []string{
		"Explainable Attention (EA) paper 70.0", "Explainable Attention (EA) latent 75.0 (+5.0)",
		"Integrated Gradients paper 60.0", "Integrated Gradients 5 steps 50.0 (-10.0)",
	}
	if d := cmp.Diff(want, got); d != "" || masks.Columns[1].Head != "Method" || !masks.Rows[2].Rule {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// Masks of several methods are compared within each, and a method has a column only where there are
// two.
func TestSwitchesMethods(t *testing.T) {
	var rows []SwitchRow
	for _, r := range switchRows()[:2] { // as a plan gives them: variant by variant
		for _, method := range []policy.Method{policy.ExplainableAttention, policy.Random} {
			r.Method = method
			rows = append(rows, r)
			r.Accuracy += 10
		}
	}
	out := Switches(rows, About{})
	var masks, models []string
	for _, r := range out[0].Rows {
		masks = append(masks, r.Cells[1].Text+";"+r.Cells[2].Text+";"+r.Cells[6].Text+";"+r.Cells[7].Text)
	}
	for _, r := range out[1].Rows {
		models = append(models, strings.Join(append(texts(r)[1:4:4], texts(r)[5]), ";"))
	}
	want := []string{
		"Explainable Attention (EA);paper;21.0;71.3", "Explainable Attention (EA);authors;10.0 (-11.0);80.0 (+8.7)",
		"Random;paper;21.0;81.3", "Random;authors;10.0 (-11.0);90.0 (+8.7)",
	}
	if d := cmp.Diff(want, masks); d != "" {
		t.Errorf("masks: %s", d)
	}
	want = []string{
		"SMLM;Explainable Attention (EA);paper;41.2", "SMLM;Explainable Attention (EA);authors;31.0 (-10.2)",
		"SMLM;Random;paper;41.2", "SMLM;Random;authors;31.0 (-10.2)",
		"SMLM-FT;Explainable Attention (EA);paper;46.2", "SMLM-FT;Random;paper;46.2",
	}
	if d := cmp.Diff(want, models); d != "" {
		t.Errorf("models: %s", d)
	}
	for i := range rows { // only one method's masks are trained on
		if rows[i].Method == "random" {
			rows[i].Models = nil
		}
	}
	if got := heads(Switches(rows, About{})[1]); strings.Contains(got, "Method") {
		t.Errorf("columns %s", got)
	}
}

// A variant with the first one's masks has no line in the table of masks.
func TestSwitchesSameMasks(t *testing.T) {
	rows := switchRows()[:2]
	rows[1].SameMasks = true
	out := Switches(rows, About{})
	if len(out[0].Rows) != 1 || len(out[1].Rows) != 3 {
		t.Errorf("%d lines of masks, %d of models", len(out[0].Rows), len(out[1].Rows))
	}
}
