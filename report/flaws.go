package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// flawedListed is the maximum number of rows that the note on a flaw names.
const flawedListed = 12

// flawsOf returns the flaws that any of the rows has.
func flawsOf(rows ...*ResultRow) []*metrics.Flaw {
	return lists.Where(metrics.AllFlaws(), func(m *metrics.Flaw) bool {
		return slices.ContainsFunc(rows, func(r *ResultRow) bool { return r.Metrics != nil && r.Metrics.Has(m) })
	})
}

// flawLegend returns one legend line per flaw. follows is the consequence, such as notRanked.
func flawLegend(flaws []*metrics.Flaw, follows string) []string {
	return lists.Map(flaws, func(f *metrics.Flaw) string { return f.Sign + ": " + f.Name + follows + "." })
}

// notRanked is the consequence of a flaw in tables that mark the best values.
const notRanked = ", not ranked"

// flawRules returns the criterion of each flaw.
func flawRules(flaws []*metrics.Flaw) []string {
	return lists.Map(flaws, func(f *metrics.Flaw) string {
		return fmt.Sprintf("%s %s: %s.", f.Sign, capital(f.Name), f.Rule)
	})
}

// flawNotes returns a note for each flaw that any row has. The note names the first flawedListed of
// these rows, with the numbers that show the flaw.
func flawNotes(rows []ResultRow, withData bool) (notes []string) {
	for _, m := range metrics.AllFlaws() {
		var names []string
		for i := range rows {
			if r := &rows[i]; r.Metrics != nil && r.Metrics.Has(m) {
				names = append(names, r.title(withData)+": "+shown(r.Metrics, m))
			}
		}
		if len(names) == 0 {
			continue
		}
		if more := len(names) - flawedListed; more > 0 {
			names = append(names[:flawedListed], fmt.Sprintf("and %d more", more))
		}
		notes = append(notes, fmt.Sprintf("%s %s, not ranked in any column: %s. Here: %s.",
			m.Sign, capital(m.Name), m.Rule, strings.Join(names, "; ")))
	}
	return notes
}

// shown returns the numbers that show a flaw in each direction: "best" 98.0 % / "worst" 97.0 %, or
// 44 of 44 / 43 of 43 outputs. With more than two directions it returns only the worst.
func shown(s *metrics.Scores, m *metrics.Flaw) string {
	text, outputs, share := collapsedWord, "", func(d *metrics.Direction) float64 {
		_, share, _ := d.MostFrequentWord()
		return share
	}
	if m.Shows != "" {
		text = func(d *metrics.Direction) string {
			return fmt.Sprintf("%s of %s", table.Thousands(m.Outputs(d)), table.Thousands(d.N))
		}
		outputs, share = " outputs", func(d *metrics.Direction) float64 { return float64(m.Outputs(d)) / float64(max(1, d.N)) }
	}
	if len(s.Directions) <= fewestDirections {
		return strings.Join(eachDirection(s, text), besideEachOther) + outputs
	}
	most := &s.Directions[0]
	for k := range s.Directions {
		if d := &s.Directions[k]; share(d) > share(most) {
			most = d
		}
	}
	return text(most) + outputs + " from " + most.From + " to " + most.To
}

// capital upper-cases the first letter of a word.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// collapsedWord returns the most frequent word and its share: "best" 98.0 %.
func collapsedWord(d *metrics.Direction) string {
	word, share, _ := d.MostFrequentWord()
	if word == "" {
		return table.Percent(share) + " %"
	}
	return `"` + word + `" ` + table.Percent(share) + " %"
}

// Head and key of newWordColumn.
const (
	newWordHead = "most\nfrequent\nnew word %"
	newWordKey  = "collapse_share"
)

func newWordShare(d *metrics.Direction) string { return table.Percent(d.MostFrequentNewWordShare) }

// newWordColumn returns the column with the share of the most frequent new word.
func newWordColumn[R any](rows []R, of func(*R) *ResultRow) column[R] {
	return directionsColumn(rows, newWordHead, newWordKey, of, newWordShare)
}

// mostNewWord is newWordColumn for several seeds. It shows the largest share in each direction.
func mostNewWord[R any](rows []R, seeds func(*R) []*ResultRow) column[R] {
	return newWordColumn(rows, func(r *R) *ResultRow {
		most := ResultRow{}
		for _, seed := range seeds(r) {
			switch {
			case seed.Metrics == nil:
			case most.Metrics == nil:
				scores := *seed.Metrics
				scores.Directions = slices.Clone(scores.Directions)
				most.Metrics = &scores
			default:
				for d := range most.Metrics.Directions {
					share := &most.Metrics.Directions[d].MostFrequentNewWordShare
					*share = max(*share, seed.Metrics.Directions[d].MostFrequentNewWordShare)
				}
			}
		}
		return &most
	})
}

// collapseColumns returns the three columns that show collapse.
func collapseColumns[R any](rows []R, of func(*R) *ResultRow) []column[R] {
	return []column[R]{
		newWordColumn(rows, of),
		directionsColumn(rows, "distinct\nnew words", "collapse_distinct", of, func(d *metrics.Direction) string {
			return table.Thousands(d.DistinctNewWords)
		}),
		directionsColumn(rows, "repeated\nword %", "collapse_repeat", of, func(d *metrics.Direction) string {
			return table.Percent(d.RepeatShare)
		}),
	}
}

// directionsColumn shows the numbers of two directions side by side, or the range over more. CSV
// has one field per direction. A row without scores shows table.Absent.
func directionsColumn[R any](
	rows []R, head, key string, of func(*R) *ResultRow, text func(*metrics.Direction) string,
) column[R] {
	n := mostDirections(rows, func(r *R) *metrics.Scores { return of(r).Metrics })
	return column[R]{
		Column: table.Column{Head: head, Align: table.Center, Key: key}.Split(directionEndings(n)...),
		cell: func(r *R) table.Cell {
			s := of(r).Metrics
			if s == nil {
				return table.Cell{Text: table.Absent}
			}
			each := eachDirection(s, text)
			return table.Cell{Text: directionsText(each), Parts: each}
		},
	}
}

// directionsText joins the numbers of two directions, or returns the range over more.
func directionsText(each []string) string {
	if len(each) <= fewestDirections {
		return strings.Join(each, besideEachOther)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		if err != nil { // unknown: comparisons with NaN are false
			return math.NaN()
		}
		return v
	}
	least, most := "", ""
	for _, text := range each {
		if v := number(text); least == "" || v < number(least) {
			least = text
		}
		if v := number(text); most == "" || v > number(most) {
			most = text
		}
	}
	if least == most {
		return least
	}
	return least + " to " + most
}

// besideEachOther separates several values in one cell.
const besideEachOther = " / "

// eachDirection returns the text for each direction of the scores.
func eachDirection(s *metrics.Scores, text func(*metrics.Direction) string) []string {
	each := make([]string, len(s.Directions))
	for k := range s.Directions {
		each[k] = text(&s.Directions[k])
	}
	return each
}

// fewestDirections is the number of directions between two styles.
const fewestDirections = 2

// mostDirections returns the largest number of directions in any row, and at least two.
func mostDirections[R any](rows []R, scores func(*R) *metrics.Scores) int {
	most := fewestDirections
	for i := range rows {
		if s := scores(&rows[i]); s != nil {
			most = max(most, len(s.Directions))
		}
	}
	return most
}

// directionEndings returns the endings of the CSV fields for n directions: "1", "2".
func directionEndings(n int) []string {
	var endings []string
	for k := range n {
		endings = append(endings, strconv.Itoa(k+1))
	}
	return endings
}
