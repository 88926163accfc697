package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Human returns the tables of a human evaluation: the ratings of each system, and sign tests
// between systems. If there are two systems, it also returns a table that compares them as the
// paper compares its two systems, with the paper's values.
func Human(r human.Ratings) []*table.Table {
	tables := []*table.Table{humanRatings(r), signTests(r)}
	if systems := r.Systems(); len(systems) == 2 {
		tables = append(tables, paper.Beside(verdicts(r, systems[0], systems[1])))
	}
	return tables
}

// humanRatings returns the table with the ratings of each system, first over all directions and
// then for each direction.
func humanRatings(r human.Ratings) *table.Table {
	t := &table.Table{
		Name: "ratings", Title: "Human evaluation: ratings of the outputs.", Labels: 2, Notes: []string{whoRead(r)},
		Columns: []table.Column{
			{Head: "Direction", Merge: true}, {Head: "System"}, {Head: "sentences", Align: table.Right, Key: "sentences"},
		},
	}
	share := func(key string) {
		c := table.Column{Head: key + "\n%", Align: table.Right, Key: key}
		t.Columns = append(t.Columns, c.Split("", "low", "high"))
	}
	for _, scale := range human.Scales {
		share(scale.Name)
	}
	share("flawless")
	share("best")
	addRatings(t, "all", r)
	if directions := r.Directions(); len(directions) > 1 {
		for _, d := range directions {
			addRatings(t, d, r.In(d))
		}
	}
	t.Legend = []string{"Style, content, fluency: percent of the ratings with the score 2. Flawless: all three scores are 2. " +
		"Best: the readers' votes for the best output of a sentence; n equally good outputs get 1/n each. Systems with equal " +
		"outputs each get the whole vote. In brackets: 95 % bootstrap interval over sentences."}
	return t
}

// addRatings adds a row for each system. r holds the ratings in one direction or in all directions.
func addRatings(t *table.Table, direction string, r human.Ratings) {
	for i, s := range r.Shares() {
		row := table.Row{
			Dataset: r[0].Dataset, Rule: i == 0 && len(t.Rows) > 0,
			Cells: []table.Cell{{Text: direction}, {Text: s.System}, {Text: table.Thousands(s.Sentences)}},
		}
		for _, v := range append(s.Scores[:], s.Flawless, s.Best) {
			row.Cells = append(row.Cells, intervalCell(v.Value, v.Low, v.High, 1))
		}
		t.Rows = append(t.Rows, row)
	}
}

// whoRead says which sentences were rated, who rated them, and how far the raters agree.
func whoRead(r human.Ratings) string {
	of := strings.Join(r.Splits(), " and ") + " sentences"
	if r[0].Dataset != "" {
		of += " of " + r[0].Dataset
	}
	note := fmt.Sprintf("Readers of %s: %s.", of, strings.Join(r.Readers(), "; ")) // names may contain commas
	var alphas []string
	for k, alpha := range r.Alphas() {
		if !math.IsNaN(alpha) {
			alphas = append(alphas, human.Scales[k].Name+" "+table.Decimals(alpha, 2))
		}
	}
	if alphas != nil {
		note += " Agreement (Krippendorff's alpha, ordinal): " + strings.Join(alphas, ", ") + "."
	}
	return note
}

func signTests(r human.Ratings) *table.Table {
	number := func(head, key string) table.Column { return table.Column{Head: head, Align: table.Right, Key: key} }
	t := &table.Table{
		Name: "sign-tests", Title: "Human evaluation: sign tests between systems.", Labels: 2,
		Columns: []table.Column{
			{Head: "A", Merge: true}, {Head: "B"}, number("A higher", "higher"), number("A lower", "lower"), number("p", "p"),
		},
		Legend: []string{"Sentences for which A's output has a higher, or a lower, sum of scores than B's, over the readers who " +
			"rated both. p: exact two-sided sign test."},
	}
	for _, s := range r.SignTests() {
		t.Rows = append(t.Rows, table.Row{Dataset: r[0].Dataset, Cells: []table.Cell{
			{Text: s.A},
			{Text: s.B},
			{Text: strconv.Itoa(s.Higher)},
			{Text: strconv.Itoa(s.Lower)},
			{Text: table.Decimals(s.P, 3), Parts: []string{table.Exact(s.P)}},
		}})
	}
	return t
}

// verdicts returns a table that compares the systems a and b as the paper compares its two systems.
// If a and b are the paper's systems, they are in the paper's order.
func verdicts(r human.Ratings, a, b string) *table.Table {
	dataset := r[0].Dataset
	printed := paper.Values().HumanSystems(dataset)
	same := printed != nil && (isPair(printed, a, b) || isPair(printed, b, a)) &&
		!strings.Contains(a+b, string(recipe.GuidedDecoding)) // the paper has no guided decoding
	if same && !isPair(printed, a, b) {
		a, b = b, a
	}
	number := func(head, key string) table.Column { return table.Column{Head: head, Align: table.Right, Key: key} }
	t := &table.Table{
		Name: "human", Title: "Human evaluation: which system writes the better output.", Labels: 1, Paper: "human",
		Columns: []table.Column{
			{Head: "Direction"},
			number(a+"\nbetter %", "a_better"), number(b+"\nbetter %", "b_better"),
			number("both\ngood %", "both_good"), number("both\nbad %", "both_bad"), number("no\nagreement %", "no_agreement"),
			number("readers", "readers"), number("sentences", "items"),
		},
		Legend: []string{"Percent of the sentences of a direction, by the verdict of more than half of the readers. No " +
			"agreement: there is no such verdict."},
	}
	for _, v := range r.Verdicts(a, b) {
		row := table.Row{Dataset: dataset, Cells: []table.Cell{{Text: v.Direction}}}
		if same {
			row.Name = v.Direction
		}
		for _, n := range []int{v.ABetter, v.BBetter, v.BothGood, v.BothBad, v.NoAgreement} {
			share := float64(n) / float64(v.Sentences())
			cell := table.Cell{Text: table.Percent(share), Parts: []string{table.Exact(100 * share)}}
			row.Cells = append(row.Cells, cell)
		}
		row.Cells = append(row.Cells, table.Cell{Text: strconv.Itoa(len(r.Readers()))},
			table.Cell{Text: table.Thousands(v.Sentences())})
		t.Rows = append(t.Rows, row)
	}
	return t
}

// isPair reports whether a and b are the two systems that the paper compares, in this order.
func isPair(printed []string, a, b string) bool {
	return paper.Is(a, printed[0]) && paper.Is(b, printed[1])
}
