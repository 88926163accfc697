package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A page of the document holds about this many lines of a table in \small, head, caption and notes apart.
const latexPageLines = 44

// A line of 17 cm in \small holds about this many letters.
const latexLineChars = 96

// latexInto appends t as a table environment for a document that loads booktabs, array and graphicx. A table longer than a
// page becomes several, "continued"; one that is wider than the line it stands in measures itself and shrinks to that line.
func (t *Table) latexInto(b *strings.Builder) {
	parts := t.pages()
	for i, rows := range parts {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("% needs \\usepackage{booktabs,array,graphicx}\n\\begin{table}[!htbp]\n\\centering\n\\small\n\\setlength{\\tabcolsep}{4pt}\n")
		b.WriteString("\\sbox0{%\n")
		t.latexTabular(b, rows)
		b.WriteString("}\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi\n")
		caption, label := latexText(t.Title), "tab:"+t.Name
		if i > 0 {
			caption = strings.TrimSuffix(caption, ".") + " (continued)."
			b.WriteString("\\addtocounter{table}{-1}\n")
			label += fmt.Sprintf("-%d", i+1)
		}
		if len(t.Notes) > 0 && i == len(parts)-1 {
			b.WriteString("\\par\\vspace{4pt}\n\\parbox{\\linewidth}{\\footnotesize\\raggedright\n")
			for j, n := range t.Notes {
				if j > 0 {
					b.WriteString("\\par\n")
				}
				b.WriteString(latexText(flat(n)))
			}
			b.WriteString("}\n")
		}
		fmt.Fprintf(b, "\\caption{%s}\n\\label{%s}\n\\end{table}\n", caption, label)
	}
}

// latexTabular appends head and rows between booktabs rules.
func (t *Table) latexTabular(b *strings.Builder, rows []Row) {
	b.WriteString("\\begin{tabular}{@{}")
	for _, c := range t.Columns {
		if c.Width > 0 {
			fmt.Fprintf(b, ">{\\raggedright\\arraybackslash}p{%.1fcm}", c.Width)
			continue
		}
		b.WriteByte("lrc"[c.Align])
	}
	b.WriteString("@{}}\n\\toprule\n")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteString(" & ")
		}
		b.WriteString(latexHead(c))
	}
	b.WriteString(" \\\\\n\\midrule\n")
	texts := t.merged(rows)
	for i, r := range rows {
		if r.Rule && i > 0 {
			b.WriteString("\\midrule\n")
		}
		for j, c := range r.Cells {
			if j > 0 {
				b.WriteString(" & ")
			}
			text := latexText(texts[i][j])
			switch {
			case c.Mark == Best:
				text = "\\textbf{" + text + "}"
			case c.Mark == Second:
				text = "\\underline{" + text + "}"
			}
			// A row that begins with "[" or "*" would be read as an argument of the "\\" or the rule before it.
			if j == 0 && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*")) {
				text = "{}" + text
			}
			b.WriteString(text)
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}%\n")
}

func latexHead(c Column) string {
	if c.TeX != "" {
		return c.TeX
	}
	lines := strings.Split(c.Head, "\n")
	for i, l := range lines {
		lines[i] = latexText(clean(l))
	}
	if len(lines) == 1 {
		return lines[0]
	}
	pos := "c"
	if c.Width == 0 {
		pos = string("lrc"[c.Align])
	}
	return "\\shortstack[" + pos + "]{" + strings.Join(lines, "\\\\") + "}"
}

// pages cuts the rows into runs that fit a page. A table without rows is one empty run.
func (t *Table) pages() [][]Row {
	var parts [][]Row
	start, lines := 0, 0
	for i, r := range t.Rows {
		n := t.lines(r)
		if lines+n > latexPageLines && i > start {
			parts = append(parts, t.Rows[start:i])
			start, lines = i, 0
		}
		lines += n
	}
	return append(parts, t.Rows[start:])
}

// lines estimates the height of a row.
func (t *Table) lines(r Row) int {
	most := 1
	for i, c := range r.Cells {
		if width := t.Columns[i].Width; width > 0 {
			perLine := max(1, int(width*latexLineChars/17*0.85)) // ragged right leaves about a seventh of a line empty
			most = max(most, 1+utf8.RuneCountInString(c.Text)/perLine)
		}
	}
	return most
}
