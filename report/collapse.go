package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// collapsedSign marks collapsed rows.
const collapsedSign = "‡"

// collapsedListed is how many collapsed rows the note names.
const collapsedListed = 12

// collapsedNotes names the collapsed rows with their words; none: no note.
func collapsedNotes(rows []ResultRow, withData bool) []string {
	var names []string
	for i := range rows {
		if r := &rows[i]; r.Metrics != nil && r.Metrics.Collapsed() {
			names = append(names, r.title(withData)+": "+
				collapsedWord(&r.Metrics.Directions[0])+" / "+collapsedWord(&r.Metrics.Directions[1]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	if more := len(names) - collapsedListed; more > 0 {
		names = append(names[:collapsedListed], fmt.Sprintf("and %d more", more))
	}
	return []string{fmt.Sprintf("%s Collapsed, and therefore neither best nor second in any column: %s. %s.",
		collapsedSign, metrics.CollapsedRule, strings.Join(names, "; "))}
}

// collapsedWord is a word and its share: "best" .98.
func collapsedWord(d *metrics.Direction) string {
	word, share, _ := d.MostFrequentWord()
	if word == "" {
		return table.Share(share)
	}
	return `"` + word + `" ` + table.Share(share)
}

// The columns of collapse.
const (
	newWordHead = "most frequent\nnew word"
	newWordKey  = "collapse_share"
)

func newWordShare(d *metrics.Direction) string { return table.Share(d.MostFrequentNewWordShare) }

// newWordColumn is the share of the most frequent new word.
func newWordColumn[R any](of func(*R) *ResultRow) column[R] {
	return directionsColumn(newWordHead, newWordKey, of, newWordShare)
}

// mostNewWord is newWordColumn of several seeds, the largest share of them in each direction.
func mostNewWord[R any](seeds func(*R) []*ResultRow) column[R] {
	return newWordColumn(func(r *R) *ResultRow {
		most := ResultRow{}
		for _, seed := range seeds(r) {
			switch {
			case seed.Metrics == nil:
			case most.Metrics == nil:
				scores := *seed.Metrics
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

// collapseColumns are the three of collapse.
func collapseColumns[R any](of func(*R) *ResultRow) []column[R] {
	return []column[R]{
		newWordColumn(of),
		directionsColumn("distinct\nnew words", "collapse_distinct", of, func(d *metrics.Direction) string {
			return strconv.Itoa(d.DistinctNewWords)
		}),
		directionsColumn("repeat", "collapse_repeat", of, func(d *metrics.Direction) string {
			return table.Share(d.RepeatShare)
		}),
	}
}

// directionsColumn has the two directions beside each other, and as two fields in CSV; a row
// without scores has neither.
func directionsColumn[R any](head, key string, of func(*R) *ResultRow, text func(*metrics.Direction) string) column[R] {
	return column[R]{
		Column: table.Column{Head: head, Align: table.Center, Key: key}.Split("1", "2"),
		cell: func(r *R) table.Cell {
			s := of(r).Metrics
			if s == nil {
				return table.Cell{Text: table.Absent}
			}
			a, b := text(&s.Directions[0]), text(&s.Directions[1])
			return table.Cell{Text: a + " / " + b, Parts: []string{a, b}}
		},
	}
}
