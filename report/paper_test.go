package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

// paperRows are systems of the paper with numbers near its own, and one that it lacks. The
// published outputs' own numbers are those of ../shared/notes/published-outputs.md; the others are
// invented.
func paperRows() []ResultRow {
	row := func(dataset, system string, tst, r, s, nat, mean float64) ResultRow {
		m := scores(tst, r, s, nat, mean, .2, .1, 100, 90, 0, 0)
		rouge, cider := .8329, 6.613
		m.Metrics["rouge_l"], m.Metrics["cider"] = rouge, cider
		return ResultRow{Dataset: dataset, System: system, Published: true, Metrics: m}
	}
	rows := []ResultRow{
		row("amazon-small", "DirR", 58.2, 34.15, 68.31, .93, 73.17),
		row("amazon-small", "DandR", 52, 27.27, 56.61, .957, 68.1),
		row("amazon-small", "human references", 40, 100, 50, .9, 60),
		row("amazon-small", "SMLM-FT", 63.9, 29.6, 69.8, .92, 75.2333), row("amazon-small", "Mine", 60, 30, 60, .9, 70),
		row("market", "SMLM", 60, 30, 60, .9, 70),
	}
	rows[2].Unranked = true
	for i := 3; i < len(rows); i++ {
		rows[i].Published, rows[i].Axes = false, []Axis{{Key: "lambda_eps", Value: "0.15"}}
	}
	return rows
}

var paperAbout = About{
	Seeds: []uint64{1}, Profile: "paper",
	Missing: map[string]string{"meteor": "METEOR needs WordNet: set wordnet to its folder."},
}

// lines are the rows of a table with their signs, cells divided by "|".
func lines(t *Table) []string {
	var out []string
	for _, r := range t.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, c.Text+c.Sign)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out
}

// Differences by hand: of the numbers as printed, with the decimals of ours.
func TestWithPaperResults(t *testing.T) {
	table := paper.Beside(Results(paperRows(), paperAbout))
	if got, want := heads(table), "Data set,System,lambda_eps,,TST%,r-BLEU,s-BLEU,Nat.,Mean,most frequent new "+
		"word %,distinct new words,repeated word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"amazon-small|SMLM-FT|0.15|ours|63.9|29.6|69.8|0.92|75.2|20.0 / 10.0|100 / 90|0.0 / 0.0",
		"amazon-small|SMLM-FT||paper|63.9|29.6|69.8|0.92|75.03|||",
		"amazon-small|SMLM-FT||difference|0.0|0.0|0.0|0.00|+0.2|||",
		"amazon-small|Mine|0.15|ours|60.0|30.0|60.0|0.90|70.0|20.0 / 10.0|100 / 90|0.0 / 0.0",
		// 34.15 in binary is below 34.15
		"amazon-small|DirR||ours|58.2|34.1|68.3|0.93|73.2|20.0 / 10.0|100 / 90|0.0 / 0.0",
		"amazon-small|DirR||paper|58.2|30.1†|60.6†|0.91|69.93†|||",
		"amazon-small|DirR||difference|0.0|+4.0|+7.7|+0.02|+3.3|||",
		"amazon-small|DandR||ours|52.0|27.3|56.6|0.96|68.1|20.0 / 10.0|100 / 90|0.0 / 0.0",
		"amazon-small|DandR||paper|52.0|27.2|56.6|0.92|66.9|||",
		"amazon-small|DandR||difference|0.0|+0.1|0.0|+0.04|+1.2|||",
		"amazon-small|human references||ours|40.0|100.0|50.0|0.90|60.0|20.0 / 10.0|100 / 90|0.0 / 0.0",
		"market|SMLM|0.15|ours|60.0|30.0|60.0|0.90|70.0|20.0 / 10.0|100 / 90|0.0 / 0.0",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	notes := strings.Join(said(table), "\n")
	for _, want := range []string{
		"paper: as printed in the paper; difference: ours minus the paper's",
		"The paper's values come from its tables of quantitative metrics.", "†: the printed value contradicts something that can be checked.",
		"† amazon DirR, r-BLEU; amazon DirR, s-BLEU: The published outputs give 34.15 and 68.31",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "tab:") {
		t.Errorf("a label of the paper's source:\n%s", notes)
	}
	if strings.Contains(notes, "Stable") {
		t.Errorf("a reason for a cell that is not shown:\n%s", notes)
	}
	for i, mark := range map[int]Mark{0: Best, 1: Plain, 2: Plain} { // TST% of the data set
		if table.Rows[i].Cells[4].Mark != mark {
			t.Errorf("row %d has mark %v, want %v", i, table.Rows[i].Cells[4].Mark, mark)
		}
	}
}

// TestWithPaperGuided: the paper has no guided decoding, so a guided row stands alone, and none of
// the paper's values stands below it.
func TestWithPaperGuided(t *testing.T) {
	plain := paperRows()[3]
	guided := plain
	guided.Guided = true
	guided.Axes = append(slices.Clone(plain.Axes), Axis{Key: "decoding", Value: "guided"})
	got := lines(paper.Beside(Results([]ResultRow{plain, guided}, paperAbout)))
	if len(got) != 4 || !strings.Contains(got[2], "difference") || !strings.Contains(got[3], "guided|ours") {
		t.Errorf("with a plain and a guided row:\n%s", strings.Join(got, "\n"))
	}
	if got := lines(Main([]ResultRow{guided}, false, paperAbout)); len(got) != 1 {
		t.Errorf("the main table of a guided row:\n%s", strings.Join(got, "\n"))
	}
	if got := lines(Main([]ResultRow{plain}, false, paperAbout)); len(got) != 2 {
		t.Errorf("the main table of a plain row:\n%s", strings.Join(got, "\n"))
	}
}

// The other tables, each against the paper's values by hand; settings of the paper's own stand in
// its row.
func TestWithPaperOthers(t *testing.T) {
	for _, c := range []struct {
		table *Table
		want  []string // some of its lines
	}{
		{
			Content(paperRows(), paperAbout),
			[]string{"amazon-small|DirR||paper|0.823†|6.612", "amazon-small|DirR||difference|+0.01|0.00"},
		},
		{Attribution(studyAttribution()[:8], about), []string{
			"Vanilla Attention (VA)||0.15|surplus|paper||||73.8||62.41†|", "Gradients * " +
				"X|||surplus|difference||||-25.9||+34.1|", "Explainable Attention " +
				"(EA)|10|–|top_share|ours|21.6|3|1,200|71.3|64.3|71.1|–",
			"No Masking|||–|paper||||100.0†||100.0†|",
		}},
		{
			Classifier(studyClassifiers(), about),
			[]string{
				"yelp|fastText-like classifier|paper||97.6||", "imdb|Evaluation classifier|paper||99.0†||", "snli|Evaluation classifier|difference||+1.5||",
				"market|Evaluation classifier|ours|97.8|90.7|2|1,484,162",
			},
		},
		{
			DivLSTM(studyDivLSTM(), about),
			[]string{
				"amazon|0|ours|97.3|96.8|0.15|mean|2", "amazon|0.5|ours|97.3|96.8|0.15|mean|2",
				"amazon|20|paper||89.0|0.03†||", "amazon||difference||+7.8|+0.12||",
			},
		},
		{
			Datasets(studyDatasets(), about),
			[]string{
				"yelp|fed_up|paper|177,000|2,000|500|", "yelp|fed_up|difference|-69,616|0|0|",
				"market|pleased|ours|4,000|400|200|–",
			},
		},
		{
			verdicts(studyHuman(), "SMLM", "Tag"),
			[]string{
				"entailment to contradiction|paper|11.0|55.0|8.0|18.0|8.0|3|100",
				"entailment to contradiction|difference|+4.5|-4.0|+7.0|-5.5|-2.0||",
			},
		},
	} {
		table := paper.Beside(c.table)
		got := lines(table)
		for _, want := range c.want {
			if !slices.ContainsFunc(
				got,
				func(line string) bool { return line == want || strings.HasSuffix(line, "|"+want) },
			) {
				t.Errorf("%s: no line %q in\n%s", table.Name, want, strings.Join(got, "\n"))
			}
		}
	}
}

// In a sweep of lambda_eps the paper's row stands beside the row of its own value alone; where the
// sweep lacks that, a note says so in its place. The paper's is 0.15 of attentions on Yelp, 0.5 on
// SNLI, and 0 of gradients.
func TestWithPaperSweep(t *testing.T) {
	row := func(dataset string, method policy.Method, eps float64) AttributionRow {
		return AttributionRow{
			Dataset: dataset, Method: method, Policy: policy.Surplus, LambdaEps: &eps, Seed: 1,
			Accuracy: 70, CharBLEU: 60, Axes: []Axis{{Key: "masking.lambda_eps", Value: strconv.FormatFloat(eps, 'g', -1, 64)}},
		}
	}
	beside := func(table *Table) []string {
		var out []string
		for i, r := range table.Rows {
			if strings.Contains(lines(table)[i], "|difference|") {
				out = append(out, r.Dataset+" "+r.Name+" under "+table.Rows[i-2].Cells[3].Text)
			}
		}
		return out
	}
	const left = "The paper's values are left out where no row has their lambda_eps: "
	sweep := []AttributionRow{
		row("yelp", policy.ExplainableAttention, 0), row("yelp", policy.ExplainableAttention, .15),
		row("yelp", policy.ExplainableAttention, .3), row("yelp", policy.Gradients, 0),
		row("snli", policy.VanillaAttention, .15), row("snli", policy.VanillaAttention, .3),
	}
	table := paper.Beside(Attribution(sweep, About{}))
	if d := cmp.Diff([]string{
		"yelp explainable_attention under 0.15", "yelp gradients under 0",
	}, beside(table)); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
	if want := left + "snli Vanilla Attention (0.5)."; !slices.Contains(table.Notes, want) {
		t.Errorf("notes %q, want %q", table.Notes, want)
	}
	given := Attribution(sweep[4:], About{})
	notes := len(given.Notes)
	table = paper.Beside(given)
	if len(table.Rows) != 2 || heads(table) != heads(given) || len(given.Notes) != notes ||
		!slices.Contains(table.Notes, left+"snli Vanilla Attention (0.5).") {
		t.Errorf("a sweep without the paper's value: columns %s, %d rows, notes %q", heads(table), len(table.Rows),
			table.Notes)
	}
	if table = paper.Beside(Attribution(sweep[:4], About{})); strings.Contains(strings.Join(table.Notes, " "), left) {
		t.Errorf("nothing is left out: %q", table.Notes)
	}
}

// A table of which the paper has nothing stays as it is, and the table given is never changed.
func TestWithPaperLeaves(t *testing.T) {
	for _, table := range []*Table{
		Results(paperRows()[5:], paperAbout), Training(trainingRows(), about),
		Significance(studySignificance(), about), Score(studyScore()),
		{Name: "other"},
	} {
		if got := paper.Beside(table); got != table {
			t.Errorf("%s has got rows of the paper", table.Name)
		}
	}
	table := Results(paperRows(), paperAbout)
	before := strings.Join(lines(table), "\n") + strings.Join(said(table), "\n")
	paper.Beside(table)
	if after := strings.Join(lines(table), "\n") + strings.Join(said(table), "\n"); before != after ||
		len(table.Columns) != 11 {
		t.Error("WithPaper has changed the table given")
	}
}

// In CSV every value of the three rows is a number, and every row has its labels; in text the
// labels stand once.
func TestWithPaperFormats(t *testing.T) {
	table := paper.Beside(Results(paperRows(), paperAbout))
	records := csvRecords(t, table)
	if len(records) != 13 {
		t.Fatalf("%d records", len(records))
	}
	for _, record := range records[1:] {
		if record[0] == "" || record[1] == "" {
			t.Errorf("a row without labels: %v", record)
		}
		for _, field := range record[4:9] {
			if _, err := strconv.ParseFloat(field, 64); err != nil {
				t.Errorf("%q is not a number in %v", field, record)
			}
		}
	}
	runs := map[string]int{"text": 2, "markdown": 1, "latex": 1, "html": 1} // of columns, each behind the labels
	for format, want := range map[string]string{
		"text": "69.93†", "markdown": "| 69.93† |", "latex": "69.93\\rlap{$^\\dagger$}",
		"html": `<td class="right">69.93<sup>†</sup></td>`,
	} {
		var b strings.Builder
		if err := table.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) || strings.Count(b.String(), "SMLM-FT") != runs[format] {
			t.Errorf("%s lacks %q, or repeats labels:\n%s", format, want, b.String())
		}
	}
}

// bleuRows have BLEU-1 to BLEU-4 and nothing else.
func bleuRows() []ResultRow {
	var rows []ResultRow
	for i, system := range []string{"SMLM", "DirR"} {
		m := studyMetrics(i).Metrics
		maps.DeleteFunc(
			m, func(key string, _ float64) bool { return !strings.Contains(key, "_bleu") || key == "self_bleu" },
		)
		rows = append(
			rows,
			ResultRow{
				Dataset: "yelp", System: system, Published: i == 1, Seed: 1, Metrics: &metrics.Scores{Metrics: m},
			},
		)
	}
	return rows
}
