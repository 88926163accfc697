package main

import (
	"fmt"
	"io"
	"strings"
)

// table is one of the report: printed line by line as its numbers come, and written as Markdown at
// the end.
type table struct {
	title  string
	about  string // a paragraph, or ""
	head   []string
	widths []int
	rows   [][]string
	out    io.Writer
}

// table begins a table; widths are those of the printed columns, the first of which is aligned to
// the left.
func (b *bench) table(title, about string, widths []int, head ...string) *table {
	t := &table{title: title, about: about, head: head, widths: widths, out: b.out}
	b.report.tables = append(b.report.tables, t)
	fmt.Fprintf(b.out, "\n%s\n", strings.ToUpper(title[:1])+title[1:])
	if about != "" {
		fmt.Fprintln(b.out, about)
	}
	t.print(head)
	return t
}

// add prints a line and keeps it.
func (t *table) add(cells ...string) {
	t.rows = append(t.rows, cells)
	t.print(cells)
}

func (t *table) print(cells []string) {
	var line strings.Builder
	for i, c := range cells {
		pad := strings.Repeat(" ", max(0, t.widths[i]-len([]rune(c))))
		switch i {
		case 0:
			line.WriteString(c + pad)
		default:
			line.WriteString("  " + pad + c)
		}
	}
	fmt.Fprintln(t.out, strings.TrimRight(line.String(), " "))
}

// markdown writes the table in Markdown.
func (t *table) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n", strings.ToUpper(t.title[:1])+t.title[1:])
	if t.about != "" {
		fmt.Fprintf(w, "%s\n\n", t.about)
	}
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	rule := make([]string, len(t.head))
	for i := range rule {
		rule[i] = "---:"
	}
	rule[0] = ":---"
	line(rule)
	for _, r := range t.rows {
		line(r)
	}
}

// writeMarkdown writes the machine and all tables.
func (b *bench) writeMarkdown(w io.Writer) error {
	for _, line := range b.report.Machine.lines() {
		fmt.Fprintf(w, "%s\n", line)
	}
	for _, t := range b.report.tables {
		t.markdown(w)
	}
	_, err := fmt.Fprintf(w, "\n%d alternations; medians, of an epoch the whole, and least to most in brackets.\n", b.alternations)
	return err
}

// The columns of a comparison.
var (
	compareHead   = []string{"", "median", "least-most", "peak memory", "faster than plain"}
	compareWidths = []int{57, 10, 20, 11, 26}
)

// addRow adds a line for every side of a row: its time for so many units, and how much faster than
// the first side it is.
func (t *table) addRow(r *row, units float64) {
	for i, s := range r.Sides {
		each := r.each(i)
		for k := range each {
			each[k] *= units
		}
		ratio := ""
		if i > 0 && s.Case.Task != "products" {
			ratio = between(r.faster(i, 0), r.pairs(i, 0))
		}
		name := s.Name
		if r.Title != "" {
			name = r.Title + ": " + name
		}
		t.add(name, seconds(units*r.unit(i)), seconds(least(each))+" - "+seconds(most(each)), megabytes(s.Peak), ratio)
	}
}

func times(xs []float64) string { return between(median(xs), xs) }

// between is a ratio with the least and the most of its pairs.
func between(x float64, pairs []float64) string {
	return fmt.Sprintf("%.2fx (%.2f - %.2f)", x, least(pairs), most(pairs))
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n/1_000_000) }

func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.0f us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.1f ms", s*1e3)
	default:
		return fmt.Sprintf("%.2f s", s)
	}
}
