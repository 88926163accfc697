package table

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// latexInto appends t as table environments for a document that loads booktabs, array and graphicx.
// A caption says what the marks mean; notes and signatures are latexAppendix's.
// What is longer than a page becomes several, "continued". What is wider than the line it stands in
// measures itself and shrinks to that line; a table too wide for that lies on its side
// (latexFloats), turned by graphicx. What is too wide for one column of a two-column paper is a
// table*, which spans both.
func (t *Table) latexInto(b *strings.Builder) {
	floats, landscape := t.latexFloats()
	for i, f := range floats {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("% needs \\usepackage{booktabs,array,graphicx}\n")
		if !landscape {
			env := "table"
			if t.latexWidth() > latexColumn/latexLeast {
				env = "table*"
			}
			b.WriteString("\\begin{" + env + "}[!htbp]\n")
			t.latexFloat(b, i, f)
			b.WriteString("\\end{" + env + "}\n")
			continue
		}
		// On a page with narrow text the table on its side may be higher than that text is wide: it
		// shrinks once more.
		b.WriteString("\\begin{table*}[p]\n\\centering\n\\sbox2{\\rotatebox{90}{\\begin{minipage}{\\textheight}\n")
		t.latexFloat(b, i, f)
		b.WriteString("\\end{minipage}}}%\n\\ifdim\\wd2>\\textwidth\\resizebox{\\textwidth}{!}{\\usebox2}" +
			"\\else\\usebox2\\fi\n\\end{table*}\n")
	}
}

// latexDocument appends a whole document of tables and their appendix.
func latexDocument(b *strings.Builder, tables []*Table) {
	latexPreamble(b)
	each((*Table).latexPageInto)(b, tables)
	b.WriteString("\n\\clearpage\n")
	latexAppendix(b, tables)
	b.WriteString("\\end{document}\n")
}

// latexPageInto is latexInto for a document of our own, in which a table on its side turns the
// page, so that it is upright on a screen.
func (t *Table) latexPageInto(b *strings.Builder) {
	floats, landscape := t.latexFloats()
	if !landscape {
		t.latexInto(b)
		return
	}
	b.WriteString("\\begin{landscape}\n")
	for i, f := range floats {
		b.WriteString("\\begin{table}[p]\n")
		t.latexFloat(b, i, f)
		b.WriteString("\\end{table}\n\\clearpage\n")
	}
	b.WriteString("\\end{landscape}\n")
}

// latexFloat appends what stands in the i-th table environment of t.
func (t *Table) latexFloat(b *strings.Builder, i int, f latexFloat) {
	b.WriteString("\\centering\n\\small\n\\setlength{\\tabcolsep}{4pt}\n")
	for j, block := range f.blocks {
		if j > 0 {
			b.WriteString("\\par\\vspace{8pt}\n")
		}
		b.WriteString("\\sbox0{%\n")
		block.latexTabular(b)
		b.WriteString("}\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi\n")
	}
	title, label, more := LaTeXText(t.Title), "tab:"+t.Name, ""
	if i > 0 {
		title = strings.TrimSuffix(title, ".") + " (continued)."
		b.WriteString("\\addtocounter{table}{-1}\n")
		label += fmt.Sprintf("-%d", i+1)
	} else if more = strings.Join(t.captionNotes(), " "); more != "" {
		fmt.Fprintf(b, "\\caption[%s]{%s %s}\n\\label{%s}\n", title, title, LaTeXText(Flat(more)), label)
		return
	}
	fmt.Fprintf(b, "\\caption{%s}\n\\label{%s}\n", title, label)
}

// captionNotes are what the caption says beyond the title.
func (t *Table) captionNotes() []string {
	if !t.marked() {
		return t.Legend
	}
	return append(slices.Clone(t.Legend), captionNote)
}

// latexMinus finds the hyphens that are signs of numbers, those of an interval too.
var latexMinus = regexp.MustCompile(`(^|\[| )-([0-9.])`)

// latexTabular appends head and rows between booktabs rules.
func (t *Table) latexTabular(b *strings.Builder) {
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
	texts, deviations := t.merged(), t.deviations()
	for i, r := range t.Rows {
		switch {
		case i == 0:
		case r.Rule:
			b.WriteString("\\midrule\n")
		case t.apart(i):
			b.WriteString("\\addlinespace\n")
		}
		for j, c := range r.Cells {
			if j > 0 {
				b.WriteString(" & ")
			}
			text, sign := c.stressed(texts[i][j], LaTeXText, "\\textbf{", "}"), LaTeXText(c.Sign)
			deviation, several := "", false
			if t.Columns[j].Align == Right { // digits stay below digits
				text, deviation, several = strings.Cut(text, " ± ")
				text = latexMinus.ReplaceAllString(text, "$1$$-$$$2")
				if sign != "" {
					sign = "\\rlap{" + sign + "}"
				}
			}
			switch {
			case c.Mark == Best:
				text = "\\textbf{" + text + "}"
			case c.Mark == Second:
				text = "\\underline{" + text + "}"
			}
			switch {
			case several:
				text += latexDeviation(deviation)
			case deviations[j] != "" && text != "": // digits stay below digits
				text += "\\phantom{" + latexDeviation(deviations[j]) + "}"
			}
			// A row that begins with "[" or "*" would be read as an argument of the "\\" or the
			// rule before it.
			if j == 0 && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*")) {
				text = "{}" + text
			}
			if t.hangs(i, j) {
				text, sign = "\\leavevmode\\smash{\\parbox[t]{\\hsize}{\\raggedright "+text+sign+"}}", ""
			}
			b.WriteString(text + sign)
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}%\n")
}

// latexDeviation sets a deviation behind its mean.
func latexDeviation(d string) string { return "{\\scriptsize$\\,\\pm\\,$" + d + "}" }

// deviations are the longest of each column, "" where it has none.
func (t *Table) deviations() []string {
	longest := make([]string, len(t.Columns))
	for _, r := range t.Rows {
		for j, c := range r.Cells {
			if _, d, _ := strings.Cut(c.Text, " ± "); t.Columns[j].Align == Right && len(d) > len(longest[j]) {
				longest[j] = LaTeXText(clean(d))
			}
		}
	}
	return longest
}

func latexHead(c Column) string {
	if c.TeX != "" {
		return c.TeX
	}
	lines := strings.Split(c.Head, "\n")
	for i, l := range lines {
		lines[i] = LaTeXText(clean(l))
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
