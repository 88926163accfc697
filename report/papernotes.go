package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// doubtsListed is how many cells of one reason a note names.
const doubtsListed = 4

// notes are those of the table, then what the three rows are, what the paper's table is, and why values are doubtful.
func (w *paperWriter) notes() {
	w.out.Notes = slices.Clone(w.from.Notes)
	w.out.Notes = append(w.out.Notes, fmt.Sprintf("%s: as printed in %s %s; %s: ours less the paper's, of the numbers as printed.", paperWord,
		plural(len(w.labelled), "table"), strings.Join(w.labelled, ", "), differenceWord))
	for _, n := range w.p.Notes {
		if slices.Contains(w.tables, n.Table) {
			w.out.Notes = append(w.out.Notes, n.Note)
		}
	}
	if len(w.shown) > 0 {
		w.out.Notes = append(w.out.Notes, doubtSign+": differs from what can be checked.")
	}
	for _, d := range w.shown {
		cells := d.cells
		if len(cells) > doubtsListed {
			cells = append(slices.Clone(cells[:doubtsListed]), fmt.Sprintf("and %d more", len(cells)-doubtsListed))
		}
		w.out.Notes = append(w.out.Notes, fmt.Sprintf("%s %s: %s", doubtSign, strings.Join(cells, "; "), d.reason))
	}
}

// printedText writes a value as the paper does, without trailing zeros; counts have commas.
func printedText(v float64) string {
	if v >= 1000 && v == float64(int(v)) {
		return thousands(int(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// minusText subtracts b from a, two numbers as printed; Absent where either is.
func minusText(a, b string) string {
	v, err := strconv.ParseFloat(b, 64)
	if err != nil {
		return Absent
	}
	if text := minus(a, v); text != "" {
		return text
	}
	return Absent
}

// minus subtracts the paper's value from the number that ours begins with, with as many decimals as ours; "" where ours is Absent.
func minus(ours string, paper float64) string {
	number := leading(ours)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return ""
	}
	_, fraction, _ := strings.Cut(number, ".")
	if d := v - paper; len(fraction) == 0 && d == float64(int(d)) {
		text := thousands(int(d))
		if d > 0 {
			return "+" + text
		}
		return text
	}
	text := decimals(v-paper, len(fraction))
	if !strings.HasPrefix(text, "-") && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}
