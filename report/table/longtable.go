package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Approximate size of a longtable: lines of 8-point letters per page, characters per line, and the
// maximum number of pages.
const (
	longLines      = 64
	longCharacters = 118
	longPages      = 2
)

// running reports whether t is a table of running text: it has rows that state what the rows below
// share.
func (t *Table) running() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Shared })
}

// latexLong appends t as a longtable of at most longPages pages. Each group of rows stays on one
// page. The first column names blocks of groups and is printed above each block. If t is too long,
// only the first groups of every block are shown, the same number of each, and the caption says so.
func (t *Table) latexLong(b *strings.Builder) {
	widths, all := make([]float64, len(t.Columns)), 0.
	for _, c := range t.Columns[1:] {
		all += c.Width
	}
	for j, c := range t.Columns {
		widths[j] = c.Width / all
	}
	shown, k := t.firstGroups(widths)
	title, more := latexProse(t.Title), slices.Clone(t.Legend)
	if k > 0 {
		more = append(more, "Shown: the first "+wording.Count(k, "sentence")+" of each direction.")
	}
	b.WriteString(latexOneColumn + "{\\footnotesize\n\\setlength{\\tabcolsep}{4pt}\n\\setlength{\\LTcapwidth}{\\textwidth}\n" +
		"\\begin{longtable}{@{}")
	var heads []string
	for j, c := range t.Columns[1:] {
		fmt.Fprintf(b, ">{\\raggedright\\arraybackslash}p{%.3f\\dimexpr\\textwidth-%d\\tabcolsep\\relax}", widths[j+1],
			2*(len(t.Columns)-2))
		heads = append(heads, c.latexHead())
	}
	head := "\\toprule\n" + strings.Join(heads, " & ") + " \\\\\n\\midrule\n"
	fmt.Fprintf(b, "@{}}\n\\caption[%s]{%s}\\label{%s}\\\\\n%s\\endfirsthead\n", title,
		strings.TrimSpace(title+" "+latexProse(Flat(strings.Join(more, " ")))), t.label(0), head)
	fmt.Fprintf(b, "\\caption[]{%s (continued).}\\\\\n%s\\endhead\n\\bottomrule\n\\endfoot\n",
		strings.TrimSuffix(title, "."), head)
	for i, r := range shown {
		last := i == len(shown)-1
		if i == 0 || shown[i-1].Cells[0].Text != r.Cells[0].Text {
			if i > 0 {
				b.WriteString("\\addlinespace[8pt]\n")
			}
			fmt.Fprintf(b, "\\multicolumn{%d}{@{}l@{}}{\\textit{%s}} \\\\*\n\\addlinespace\n", len(t.Columns)-1,
				latexProse(clean(r.Cells[0].Text)))
		} else if !r.Joined {
			b.WriteString("\\addlinespace\n")
		}
		var cells []string
		for _, c := range r.Cells[1:] {
			cells = append(cells, c.stressed(clean(c.Text), LaTeXText, "\\textbf{", "}"))
		}
		end := " \\\\\n"
		if !last && shown[i+1].Joined {
			end = " \\\\*\n"
		}
		if strings.HasPrefix(cells[0], "[") || strings.HasPrefix(cells[0], "*") {
			cells[0] = "{}" + cells[0]
		}
		b.WriteString(strings.Join(cells, " & ") + end)
	}
	b.WriteString("\\end{longtable}}\n" + latexColumns)
}

// firstGroups returns the rows of the first k groups of every block. k is the largest number that
// fits on longPages pages, but at least 1. If all groups fit, it returns all rows and a k of 0.
func (t *Table) firstGroups(widths []float64) (rows []Row, k int) {
	place, groups, blocks := make([]int, len(t.Rows)), 0, 0 // position of each row's group in its block
	for i, r := range t.Rows {
		switch {
		case i == 0 || t.Rows[i-1].Cells[0].Text != r.Cells[0].Text:
			blocks++
		case r.Joined:
			place[i] = place[i-1]
		default:
			place[i] = place[i-1] + 1
		}
		groups = max(groups, place[i]+1)
	}
	lines := func(k int) float64 {
		n := 2. * float64(blocks)
		for i, r := range t.Rows {
			if place[i] < k {
				most := 1
				for j := 1; j < len(r.Cells); j++ {
					line := max(1, int(widths[j]*longCharacters))
					most = max(most, (utf8.RuneCountInString(r.Cells[j].Text)+line-1)/line)
				}
				n += float64(most)
				if !r.Joined {
					n += 0.5
				}
			}
		}
		return n
	}
	for k = groups; k > 1 && lines(k) > longLines*longPages; k-- {
	}
	for i, r := range t.Rows {
		if place[i] < k {
			rows = append(rows, r)
		}
	}
	if k == groups {
		k = 0
	}
	return rows, k
}
