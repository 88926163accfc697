package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Human returns the tables of a human evaluation: ratings of each system, sign tests between
// systems and, for two systems, the paper's comparison with its values.
func Human(r human.Ratings) []*table.Table {
	tables := []*table.Table{humanRatings(r), signTests(r)}
	if systems := r.Systems(); len(systems) == 2 {
		tables = append(tables, paper.Beside(verdicts(r, systems[0], systems[1])))
	}
	return tables
}

// humanRow is a system's ratings in one direction, or in all.
type humanRow struct {
	direction string
	human.Shares
}

func humanRatings(r human.Ratings) *table.Table {
	var rows []humanRow
	add := func(direction string, some human.Ratings) {
		for _, s := range some.Shares() {
			rows = append(rows, humanRow{direction, s})
		}
	}
	add("all", r)
	if directions := r.Directions(); len(directions) > 1 {
		for _, d := range directions {
			add(d, r.In(d))
		}
	}
	s := sheet[humanRow]{name: "ratings", title: "Human evaluation: ratings of the outputs."}
	s.dataset = func(*humanRow) string { return r[0].Dataset }
	s.labels = []column[humanRow]{
		merged("Direction", func(r *humanRow) string { return r.direction }),
		left("System", func(r *humanRow) string { return r.System }),
	}
	s.numbers = []column[humanRow]{count("sentences", "sentences", func(r *humanRow) int { return r.Sentences })}
	for k, scale := range human.Scales {
		s.numbers = append(s.numbers,
			shareColumn(scale.Name+"\n%", scale.Name, func(r *humanRow) human.Share { return r.Scores[k] }))
	}
	s.numbers = append(s.numbers,
		shareColumn("flawless\n%", "flawless", func(r *humanRow) human.Share { return r.Flawless }),
		shareColumn("best\n%", "best", func(r *humanRow) human.Share { return r.Best }))
	s.apart = func(before, r *humanRow) bool { return before.direction != r.direction }
	s.legend = []string{"Style, content, fluency: percent of the ratings with the score 2. Flawless: all three scores are 2. " +
		"Best: the readers' votes for the best output of a sentence; n equally good outputs get 1/n each. Systems with equal " +
		"outputs each get the whole vote. In brackets: 95 % bootstrap interval over sentences."}
	return s.table(rows, whoRead(r))
}

// shareColumn shows a percentage and its interval: "58.2 [50.1, 66.0]".
func shareColumn[R any](head, key string, of func(*R) human.Share) column[R] {
	c := right[R](head, key, nil)
	c.cell = func(r *R) table.Cell {
		s := of(r)
		text := table.Decimals(s.Value, 1)
		if !math.IsNaN(s.Low) {
			text += " [" + table.Decimals(s.Low, 1) + ", " + table.Decimals(s.High, 1) + "]"
		}
		return table.Cell{Text: text, Parts: []string{table.Exact(s.Value), table.Exact(s.Low), table.Exact(s.High)}}
	}
	c.Column = c.Split("", "low", "high")
	return c
}

// whoRead says which sentences were rated, by whom, and how far the readers agree.
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
	s := sheet[human.SignTest]{name: "sign-tests", title: "Human evaluation: sign tests between systems."}
	s.dataset = func(*human.SignTest) string { return r[0].Dataset }
	s.labels = []column[human.SignTest]{
		merged("A", func(t *human.SignTest) string { return t.A }), left("B", func(t *human.SignTest) string { return t.B }),
	}
	s.numbers = []column[human.SignTest]{
		integer("A higher", "higher", func(t *human.SignTest) int { return t.Higher }),
		integer("A lower", "lower", func(t *human.SignTest) int { return t.Lower }),
		right("p", "p", func(t *human.SignTest) string { return table.Decimals(t.P, 3) }),
	}
	s.legend = []string{"Sentences for which A's output has a higher, or a lower, sum of scores than B's, over the readers who " +
		"rated both. p: exact two-sided sign test."}
	return s.table(r.SignTests())
}

// verdicts returns the paper's comparison of two systems. If they are the paper's systems, they
// have the paper's order.
func verdicts(r human.Ratings, a, b string) *table.Table {
	dataset := r[0].Dataset
	printed := paper.Values().HumanSystems(dataset)
	same := printed != nil && (isPair(printed, a, b) || isPair(printed, b, a)) &&
		!strings.Contains(a+b, string(recipe.GuidedDecoding)) // the paper has no guided decoding
	if same && !isPair(printed, a, b) {
		a, b = b, a
	}
	s := sheet[human.Verdicts]{name: "human", title: "Human evaluation: which system writes the better output.", paper: "human"}
	s.dataset = func(*human.Verdicts) string { return dataset }
	s.labels = []column[human.Verdicts]{left("Direction", func(v *human.Verdicts) string { return v.Direction })}
	percent := func(head, key string, of func(*human.Verdicts) int) column[human.Verdicts] {
		return right(head, key, func(v *human.Verdicts) string {
			return table.Percent(float64(of(v)) / float64(v.Sentences()))
		})
	}
	s.numbers = []column[human.Verdicts]{
		percent(a+"\nbetter %", "a_better", func(v *human.Verdicts) int { return v.ABetter }),
		percent(b+"\nbetter %", "b_better", func(v *human.Verdicts) int { return v.BBetter }),
		percent("both\ngood %", "both_good", func(v *human.Verdicts) int { return v.BothGood }),
		percent("both\nbad %", "both_bad", func(v *human.Verdicts) int { return v.BothBad }),
		percent("no\nagreement %", "no_agreement", func(v *human.Verdicts) int { return v.NoAgreement }),
		integer("readers", "readers", func(*human.Verdicts) int { return len(r.Readers()) }),
		count("sentences", "items", (*human.Verdicts).Sentences),
	}
	s.printed = func(v *human.Verdicts) string {
		if same {
			return v.Direction
		}
		return ""
	}
	s.legend = []string{"Percent of the sentences of a direction, by the verdict of more than half of the readers. No " +
		"agreement: there is no such verdict."}
	return s.table(r.Verdicts(a, b))
}

// isPair reports whether a and b are the two systems that the paper compares, in its order.
func isPair(printed []string, a, b string) bool {
	return paper.Is(a, printed[0]) && paper.Is(b, printed[1])
}
