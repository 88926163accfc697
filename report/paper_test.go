package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

// paperRecords returns records of the paper's systems with values similar to the paper's, and of
// one system that is not in the paper. The values of published outputs come from
// ../shared/notes/published-outputs.md. The other values are invented.
func paperRecords() []*Record {
	of := func(kind Kind, dataset, name string, tst, r, s, nat, mean float64, settings ...string) *Record {
		m := scores(tst, r, s, nat, mean, .2, .1, 100, 90, 0, 0)
		m.Metrics["rouge_l"], m.Metrics["cider"] = .8329, 6.613
		return as(kind, system(dataset, name, m, settings...))
	}
	return []*Record{
		of(Published, "amazon-small", "DirR", 58.2, 34.15, 68.31, .93, 73.17),
		of(Published, "amazon-small", "DandR", 52, 27.27, 56.61, .957, 68.1),
		of(People, "amazon-small", "references", 40, 100, 50, .9, 60),
		of(Ours, "amazon-small", "SMLM-FT", 63.9, 29.6, 69.8, .92, 75.2333, "lambda_eps", "0.15"),
		of(Ours, "amazon-small", "Mine", 60, 30, 60, .9, 70, "lambda_eps", "0.15"),
		of(Ours, "market", "SMLM", 60, 30, 60, .9, 70, "lambda_eps", "0.15"),
	}
}

var paperAbout = About{
	Seeds: []uint64{1}, Profile: "paper",
	Missing: map[string]string{"meteor": "METEOR needs WordNet: set wordnet to its folder."},
}

// TestBesideResults checks that differences are computed from the printed numbers, with as many
// decimals as our number.
func TestBesideResults(t *testing.T) {
	table := paper.Beside(Build("results", paperRecords(), paperAbout))
	if got, want := heads(table), "Data set,System,lambda_eps,,TST%,r-BLEU,s-BLEU,Nat.,Mean,most frequent new "+
		"word %,distinct new words,repeated word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"amazon-small|SMLM-FT|0.15|ours|63.9|29.6|69.8|0.92|75.2|20.0 / 10.0|100 / 90|0.0 / 0.0",
		"amazon-small|SMLM-FT||paper|63.9|29.6|69.8|0.92|75.03|||",
		"amazon-small|SMLM-FT||difference|0.0|0.0|0.0|0.00|+0.2|||",
		"amazon-small|Mine|0.15|ours|60.0|30.0|60.0|0.90|70.0|20.0 / 10.0|100 / 90|0.0 / 0.0",
		// The nearest binary number to 34.15 is slightly smaller, so it is rounded down.
		"amazon-small|DirR||ours|58.2|34.1|68.3|0.93|73.2|20.0 / 10.0|100 / 90|0.0 / 0.0",
		"amazon-small|DirR||paper|58.2|30.1†|60.6†|0.91|69.93†|||",
		"amazon-small|DirR||difference|0.0|+4.0|+7.7|+0.02|+3.3|||",
		"amazon-small|DandR||ours|52.0|27.3|56.6|0.96|68.1|20.0 / 10.0|100 / 90|0.0 / 0.0",
		"amazon-small|DandR||paper|52.0|27.2|56.6|0.92|66.9|||",
		"amazon-small|DandR||difference|0.0|+0.1|0.0|+0.04|+1.2|||",
		"amazon-small|references||ours|40.0|100.0|50.0|0.90|60.0|20.0 / 10.0|100 / 90|0.0 / 0.0",
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
		t.Errorf("the notes have a label of the paper's LaTeX:\n%s", notes)
	}
	if strings.Contains(notes, "Stable") {
		t.Errorf("the notes have a reason for a cell that is not shown:\n%s", notes)
	}
	for i, mark := range map[int]bool{0: Best, 1: Plain, 2: Plain} { // the TST% of the first system, in three rows
		if table.Rows[i].Cells[4].Best != mark {
			t.Errorf("row %d has mark %v, want %v", i, table.Rows[i].Cells[4].Best, mark)
		}
	}
}

// TestBesideGuided checks that a row for guided decoding gets none of the paper's values, because
// the paper has no guided decoding.
func TestBesideGuided(t *testing.T) {
	plain := paperRecords()[3]
	guided := plain.with(System, plain.System())
	guided.Paper, guided.Axes = "", append(guided.Axes, swept("decoding", "guided")...)
	got := lines(paper.Beside(Build("results", []*Record{plain, guided}, paperAbout)))
	if len(got) != 4 || !strings.Contains(got[2], "difference") || !strings.Contains(got[3], "guided|ours") {
		t.Errorf("rows of a plain and a guided system:\n%s", strings.Join(got, "\n"))
	}
	for want, r := range map[int]*Record{1: guided, 3: plain} {
		if got := lines(paper.Beside(Build("main", []*Record{r}, paperAbout))); len(got) != want {
			t.Errorf("main has rows %q, want %d", got, want)
		}
	}
}

// TestBesideOthers checks that tables other than "results" also show the paper's values and
// settings.
func TestBesideOthers(t *testing.T) {
	for _, c := range []struct {
		table *Table
		want  []string // some of the table's rows
	}{
		{
			Build("content", paperRecords(), paperAbout),
			[]string{"amazon-small|DirR||paper|0.823†|6.612", "amazon-small|DirR||difference|+0.010|+0.001"},
		},
		{Build("attribution", studyMasks()[:8], about), []string{
			"Vanilla Attention (VA)||0.15|surplus|paper||||73.8||62.41†", "Gradients * " +
				"X|||surplus|difference||||-25.9||+34.1", "Explainable Attention " +
				"(EA)|10|–|top_share|ours|21.6|3|1,200|71.3|64.3|71.1",
			"No Masking|||–|paper||||100.0†||100.0†",
		}},
		{
			Build("classifier", studyClassifiers(), about),
			[]string{
				"yelp|fastText-like classifier|paper||97.6||", "imdb|Evaluation classifier|paper||99.0†||", "snli|Evaluation classifier|difference||+1.5||",
				"market|Evaluation classifier|ours|97.8|90.7|2|1,484,162",
			},
		},
		{
			Build("divlstm", studyDivLSTMs(), about),
			[]string{
				"amazon|0|ours|97.3|96.8|0.15|2", "amazon|0.5|ours|97.3|96.8|0.15|2",
				"amazon|20|paper||89.0|0.03†|", "amazon||difference||+7.8|+0.12|",
			},
		},
		{
			Build("datasets", studySizes(), about),
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

// TestBesideSweep checks a table with several values of lambda_eps. The paper's row must be below
// our row with the same lambda_eps. If we have no such row, a note must say so. The paper's
// lambda_eps is 0.15 for attention on Yelp, 0.5 on SNLI, and 0 for gradients.
func TestBesideSweep(t *testing.T) {
	const left = "The paper's values are left out where no row has their lambda_eps: snli Vanilla Attention (0.5)."
	sweep := []*Record{
		mask("yelp", "explainable_attention", "10", "0", "surplus"), mask("yelp", "explainable_attention", "10", "0.15", "surplus"),
		mask("yelp", "explainable_attention", "10", "0.3", "surplus"), mask("yelp", "gradients", "10", "0", "surplus"),
		mask("snli", "vanilla_attention", "0", "0.15", "surplus"), mask("snli", "vanilla_attention", "0", "0.3", "surplus"),
	}
	made := paper.Beside(Build("attribution", sweep, About{}))
	var got []string
	for i, r := range made.Rows {
		if strings.Contains(lines(made)[i], "|difference|") {
			got = append(got, r.Dataset+" "+r.Name+" below "+made.Rows[i-2].Cells[3].Text)
		}
	}
	if d := cmp.Diff([]string{"yelp explainable_attention below 0.15", "yelp gradients below 0"}, got); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
	if !slices.Contains(made.Notes, left) {
		t.Errorf("notes %q, want %q", made.Notes, left)
	}
	given := Build("attribution", sweep[4:], About{})
	notes := len(given.Notes)
	made = paper.Beside(given)
	if len(made.Rows) != 2 || heads(made) != heads(given) || len(given.Notes) != notes ||
		!slices.Contains(made.Notes, left) {
		t.Errorf("without the paper's lambda_eps: columns %s, %d rows, notes %q", heads(made), len(made.Rows), made.Notes)
	}
	if made = paper.Beside(Build("attribution", sweep[:4], About{})); strings.Contains(strings.Join(made.Notes, " "), "left out") {
		t.Errorf("nothing is left out, but the notes are %q", made.Notes)
	}
}

// TestBesideOther checks that the function Beside returns a table unchanged if the paper has no
// values for it, and that it never changes the table that it is given.
func TestBesideOther(t *testing.T) {
	for _, table := range []*Table{
		Build("results", paperRecords()[5:], paperAbout),
		Significance(studySignificance(), about), Score(studyScore()),
		{Name: "other"},
	} {
		if got := paper.Beside(table); got != table {
			t.Errorf("%s has rows of the paper", table.Name)
		}
	}
	table := Build("results", paperRecords(), paperAbout)
	before := strings.Join(lines(table), "\n") + strings.Join(said(table), "\n")
	paper.Beside(table)
	if after := strings.Join(lines(table), "\n") + strings.Join(said(table), "\n"); before != after ||
		len(table.Columns) != 11 {
		t.Error("Beside changed the given table")
	}
}

// TestBesideFormats checks that CSV has numbers in all value columns and labels in every row. The
// other formats print a label only once if the rows below have the same one.
func TestBesideFormats(t *testing.T) {
	table := paper.Beside(Build("results", paperRecords(), paperAbout))
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
	runs := map[string]int{"text": 2, "markdown": 1, "latex": 1, "html": 1} // how often a format prints a label
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
