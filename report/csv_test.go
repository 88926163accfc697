package report

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

// words lists the columns that contain names. All other columns contain numbers.
var words = []string{
	"Data set", "System", "A", "B", "Metric", "verdict", "row", "Direction", "Style", "Split", "Model", "Method", "policy",
	"signs", "bootstrap p at most", "Holm's p at most",
}

// TestCSVIsNumeric checks that a CSV field is a name, a number without a plus sign, or empty.
func TestCSVIsNumeric(t *testing.T) {
	seeds := Build("seeds", studySeeds()[:20], studyAbout())
	ratings := Human(studyHuman())
	for _, table := range []*Table{
		paper.Beside(Build("results", paperRecords(), paperAbout)),
		paper.Beside(Build("intervals", studyIntervals()[:8], studyAbout())),
		Significance(studySignificance()[14:24], studyAbout()), seeds, paper.Beside(seeds),
		ratings[0], ratings[1], ratings[2],
		Build("classifier", studyClassifiers(), about),
		Build("divlstm", studyDivLSTMs(), about), Build("attribution", masks(), about), Build("datasets", studySizes(), about),
		Corpus(demoReport()),
	} {
		records, numbers := csvRecords(t, table), 0
		for _, record := range records[1:] {
			for j, field := range record {
				if field == "" || slices.Contains(words, records[0][j]) {
					continue
				}
				numbers++
				if _, err := strconv.ParseFloat(field, 64); err != nil || strings.HasPrefix(field, "+") {
					t.Errorf("%s, %s: %q is not a number", table.Name, records[0][j], field)
				}
			}
		}
		if numbers == 0 || slices.Contains(records[0], "") {
			t.Errorf("%s has %d numbers below %q", table.Name, numbers, records[0])
		}
	}
}

// TestCSVParts checks that a value with an interval has three CSV fields. In the row with the
// paper's value and in the row with the difference, only the first of the three fields is filled.
func TestCSVParts(t *testing.T) {
	records := paperRecords()[3:4]
	records[0].Scores.Intervals = map[string]metrics.Interval{
		"tst": {Value: 65.04, Low: 60.01, High: 70}, "cider": {Value: 6.613, Low: 6.5, High: 6.75},
	}
	table := paper.Beside(Build("intervals", records, About{}))
	want := [][]string{
		{
			"System", "lambda_eps", "row", "TST%", "TST% low", "TST% high", "CIDEr", "CIDEr low", "CIDEr high",
			"most frequent new word % 1", "most frequent new word % 2",
		},
		{"SMLM-FT", "0.15", "ours", "65.04", "60.01", "70", "6.613", "6.5", "6.75", "20", "10"},
		{"SMLM-FT", "", "paper", "63.9", "", "", "6.725", "", "", "", ""},
		{"SMLM-FT", "", "difference", "1.1", "", "", "-0.11", "", "", "", ""},
	}
	if d := cmp.Diff(want, csvRecords(t, table)); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	notes := strings.Join(said(table), "\n")
	if !strings.Contains(notes, "tables of quantitative metrics and table of content preservation metrics") {
		t.Errorf("the notes do not name both tables of the paper:\n%s", notes)
	}
}

// TestMarksNote checks that the formats that mark the best values also explain the marks.
func TestMarksNote(t *testing.T) {
	ranked, unranked := tables()["results"], Build("results", paperRecords()[5:], paperAbout)
	for format, want := range map[string]string{
		"latex": "number of each data set", "latex-document": "number of each data set", "latex-appendix": "",
		"html": "number of each data set", "markdown": "number of each data set", "text": "", "csv": "",
	} {
		var b strings.Builder
		if err := ranked.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(b.String(), "Bold marks"); has != (want != "") || !strings.Contains(b.String(), want) {
			t.Errorf("%s:\n%s", format, b.String())
		}
		b.Reset()
		if err := unranked.Write(&b, format); err != nil || strings.Contains(b.String(), "Bold marks") {
			t.Errorf("%s explains marks that the table does not have (%v):\n%s", format, err, b.String())
		}
	}
}

// csvRecords returns the CSV records of a table, beginning with the heads.
func csvRecords(t *testing.T, table *Table) [][]string {
	t.Helper()
	var b strings.Builder
	if err := table.Write(&b, "csv"); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(b.String()))
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}
