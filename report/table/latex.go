package table

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// LaTeXPackages are what a document must load to take in tables of the format "latex".
const LaTeXPackages = "booktabs,array,adjustbox,pdflscape"

// latexInto appends t as table environments for a document that loads LaTeXPackages. The caption
// has the legend and what the marks mean; notes and signatures are latexAppendix's.
//
// adjustbox shrinks a table to the line and the page that it stands in, whatever these are. One
// that is too wide for a column of a two-column paper is a table*, which spans both; one that
// would have to shrink too much stands on a page turned by pdflscape, and where that is not
// enough, it is cut into runs of columns. What is longer than a page becomes several, "continued".
// It is no longtable, which knows neither adjustbox nor two columns, and begins a page without the
// labels that the rows before it share.
func (t *Table) latexInto(b *strings.Builder) {
	b.WriteString("% needs \\usepackage{" + LaTeXPackages + "}\n")
	t = t.latexWrapped()
	page, env, end := latexPortrait, "{table}[!htbp]", "{table}\n"
	switch width := t.characters(); {
	case width > latexPortrait.widest():
		page, env, end = latexLandscape, "{table}[p]", "{table}\n\\clearpage\n"
		b.WriteString("\\ifdim\\columnwidth<\\textwidth\\onecolumn\\let\\smlmcolumns\\twocolumn" +
			"\\else\\let\\smlmcolumns\\relax\\fi\n\\begin{landscape}\n") // which knows one column
	case width > latexColumn.widest():
		env, end = "{table*}[!htbp]", "{table*}\n"
	}
	n := 0
	for _, run := range t.columnRuns(page.widest()) {
		for _, part := range run.pages(page) {
			b.WriteString("\\begin" + env + "\n")
			part.latexFloat(b, n)
			b.WriteString("\\end" + end)
			n++
		}
	}
	if page == latexLandscape {
		b.WriteString("\\end{landscape}\n\\smlmcolumns\n")
	}
}

// latexDocument appends a whole document of tables and their appendix.
func latexDocument(b *strings.Builder, tables []*Table) {
	b.WriteString(`\documentclass[10pt,a4paper]{article}
\usepackage[margin=2cm]{geometry}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage{textcomp}
\usepackage{` + LaTeXPackages + `}
\renewcommand{\floatpagefraction}{0.6}
\renewcommand{\topfraction}{0.99}
\extrafloats{500}
\maxdeadcycles=1000
\begin{document}
`)
	each((*Table).latexInto)(b, tables)
	b.WriteString("\n\\clearpage\n")
	latexAppendix(b, tables)
	b.WriteString("\\end{document}\n")
}

// latexFloat appends what stands in a float, the n-th of a table that is cut into several.
func (t *Table) latexFloat(b *strings.Builder, n int) {
	b.WriteString("\\centering\n\\small\n\\setlength{\\tabcolsep}{4pt}\n" +
		"\\begin{adjustbox}{max width=\\linewidth,max totalheight=0.85\\textheight}\n")
	t.latexTabular(b)
	b.WriteString("\\end{adjustbox}\n")
	title, label := LaTeXText(t.Title), "tab:"+t.Name
	switch more := strings.Join(t.captionNotes(), " "); {
	case n > 0:
		title = strings.TrimSuffix(title, ".") + " (continued)."
		fmt.Fprintf(b, "\\addtocounter{table}{-1}\n\\caption{%s}\n\\label{%s-%d}\n", title, label, n+1)
	case more != "":
		fmt.Fprintf(b, "\\caption[%s]{%s %s}\n\\label{%s}\n", title, title, LaTeXText(Flat(more)), label)
	default:
		fmt.Fprintf(b, "\\caption{%s}\n\\label{%s}\n", title, label)
	}
}

// captionNotes are what the caption says beyond the title.
func (t *Table) captionNotes() []string {
	if !t.marked() {
		return t.Legend
	}
	return append(slices.Clone(t.Legend), captionNote)
}

// latexPage is about how many characters a line, and lines a page, have room for a table in \small.
type latexPage struct{ characters, lines int }

var (
	latexColumn    = latexPage{characters: 58} // of a two-column paper
	latexPortrait  = latexPage{118, 55}        // A4 with margins of 2 cm
	latexLandscape = latexPage{178, 34}
)

const (
	latexLeast  = 2. / 3 // the least scale: digits of 6 points
	latexRagged = 5.     // characters in a centimetre of ragged running text, of which charsPerCm would fit
	latexLabel  = 32.    // characters of a label; a longer one becomes running text of this width
)

// widest is how many characters a line holds at the least scale.
func (p latexPage) widest() int { return int(float64(p.characters) / latexLeast) }

// characters is how many stand in a line of t.
func (t *Table) characters() int {
	n := 0
	for j := range t.Columns {
		n += t.columnCharacters(j)
	}
	return n
}

// columnCharacters is how many the widest cell of a column has, and the gap to the next column.
func (t *Table) columnCharacters(j int) int {
	const gap = 2
	if width := t.Columns[j].Width; width > 0 {
		return int(width*charsPerCm) + gap
	}
	most := 0
	for line := range strings.SplitSeq(t.Columns[j].Head, "\n") {
		most = max(most, utf8.RuneCountInString(line))
	}
	for _, r := range t.Rows {
		most = max(most, utf8.RuneCountInString(r.Cells[j].Text))
	}
	return most + gap
}

// latexWrapped is t with long labels as running text.
func (t *Table) latexWrapped() *Table {
	wrapped := *t
	wrapped.Columns = slices.Clone(t.Columns)
	for j := range t.Labels {
		if t.Columns[j].Width == 0 && t.columnCharacters(j) > latexLabel {
			wrapped.Columns[j].Width = latexLabel / charsPerCm
		}
	}
	return &wrapped
}

// columnRuns cuts t into runs of columns of about equal width, each behind the labels of the rows,
// where a line of it has more characters than it may; else it is t alone.
func (t *Table) columnRuns(most int) []*Table {
	labels, numbers := 0, 0
	for j := range t.Columns {
		if j < t.Labels {
			labels += t.columnCharacters(j)
		} else {
			numbers += t.columnCharacters(j)
		}
	}
	if t.Labels == 0 || labels+numbers <= most {
		return []*Table{t}
	}
	room := max(most-labels, most/3) // of the numbers beside the labels
	share := numbers / ((numbers + room - 1) / room)
	var runs []*Table
	for start := t.Labels; start < len(t.Columns); {
		end, width := start, 0
		for ; end < len(t.Columns) && (end == start || width+t.columnCharacters(end)/2 <= share); end++ {
			width += t.columnCharacters(end)
		}
		runs = append(runs, t.columnRun(start, end))
		start = end
	}
	return runs
}

// columnRun is t with its labels and the columns from start up to end, without rows of the paper
// that are empty there.
func (t *Table) columnRun(start, end int) *Table {
	run := *t
	run.Columns = slices.Concat(t.Columns[:t.Labels], t.Columns[start:end])
	run.Rows = nil
	for _, r := range t.Rows {
		numbers := r.Cells[start:end]
		if !r.Joined || slices.ContainsFunc(numbers, func(c Cell) bool { return c.Text != "" }) {
			r.Cells = slices.Concat(r.Cells[:t.Labels], numbers)
			run.Rows = append(run.Rows, r)
		}
	}
	return &run
}

// rowLines is how many lines a row has.
func (t *Table) rowLines(i int) int {
	n := 1
	for j := range t.Columns {
		if !t.hangs(i, j) {
			n = max(n, t.cellLines(i, j))
		}
	}
	return n
}

// cellLines is how many lines a cell has.
func (t *Table) cellLines(i, j int) int {
	width, text := t.Columns[j].Width, t.Rows[i].Cells[j].Text
	if width == 0 || t.repeats(i, j) {
		return 1
	}
	return max(1, int(math.Ceil(float64(utf8.RuneCountInString(text))/(width*latexRagged))))
}

// hangs says whether the lines of a label stand beside the rows below it that repeat it, which have
// room for them all: it makes its own row no higher.
func (t *Table) hangs(i, j int) bool {
	lines := t.cellLines(i, j)
	if lines == 1 || j >= t.Labels {
		return false
	}
	for k := i + 1; k < i+lines; k++ {
		if k == len(t.Rows) || t.Rows[k].Rule || !t.repeats(k, j) {
			return false
		}
	}
	return true
}

// pages cuts the rows into runs of which a page holds one, the more the smaller the letters, but
// not between rows that belong together, and where rows stand in groups between lines, of which
// half a page holds one, not within a group. A table without rows is one empty run.
func (t *Table) pages(page latexPage) []*Table {
	lines := page.lines * max(page.characters, t.characters()) / page.characters
	var pages []*Table
	start, height := 0, 0
	for i := 0; i < len(t.Rows); {
		end, more := t.unit(i, lines/2)
		if height+more > lines && i > start {
			pages = append(pages, t.rows(start, i))
			start, height = i, 0
		}
		height += more
		i = end
	}
	return append(pages, t.rows(start, len(t.Rows)))
}

// rows is t with the rows from start up to end.
func (t *Table) rows(start, end int) *Table {
	some := *t
	some.Rows = t.Rows[start:end]
	return &some
}

// unit is where the rows end that stay together with row i, and their lines: the rows joined to it,
// or all up to the next line where these are no more than most.
func (t *Table) unit(i, most int) (end, lines int) {
	run := func(with func(r *Row) bool) (end, lines int) {
		for end = i; end == i || end < len(t.Rows) && with(&t.Rows[end]); end++ {
			lines += t.rowLines(end)
		}
		return end, lines
	}
	if i == 0 || t.Rows[i].Rule {
		if end, lines = run(func(r *Row) bool { return !r.Rule }); lines <= most {
			return end, lines
		}
	}
	return run(func(r *Row) bool { return r.Joined })
}

// apart says whether row i, unless it is the first, begins or follows a group of rows that belong
// together.
func (t *Table) apart(i int) bool {
	joined := func(i int) bool { return i < len(t.Rows) && t.Rows[i].Joined }
	return i > 0 && !joined(i) && (joined(i-1) || joined(i+1))
}

// latexTabular appends heads and rows between booktabs' rules.
func (t *Table) latexTabular(b *strings.Builder) {
	b.WriteString("\\begin{tabular}{@{}")
	for _, c := range t.Columns {
		if c.Width > 0 {
			fmt.Fprintf(b, ">{\\raggedright\\arraybackslash}p{%.1fcm}", c.Width)
		} else {
			b.WriteByte("lrc"[c.Align])
		}
	}
	heads := strings.Join(lists.Map(t.Columns, Column.latexHead), " & ")
	b.WriteString("@{}}\n\\toprule\n" + heads + " \\\\\n\\midrule\n")
	deviations := t.deviations()
	for i, r := range t.Rows {
		switch {
		case i == 0:
		case r.Rule:
			b.WriteString("\\midrule\n")
		case t.apart(i):
			b.WriteString("\\addlinespace\n")
		}
		for j := range r.Cells {
			if j > 0 {
				b.WriteString(" & ")
			}
			if !t.repeats(i, j) {
				b.WriteString(t.latexCell(i, j, deviations[j]))
			}
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// latexHead is the head of a column.
func (c Column) latexHead() string {
	if c.TeX != "" {
		return c.TeX
	}
	lines := lists.Map(strings.Split(c.Head, "\n"), func(l string) string { return LaTeXText(clean(l)) })
	if len(lines) == 1 {
		return lines[0]
	}
	position := "c"
	if c.Width == 0 {
		position = string("lrc"[c.Align])
	}
	return "\\shortstack[" + position + "]{" + strings.Join(lines, "\\\\") + "}"
}

// latexMinus finds the hyphens that are signs of numbers, those of an interval too.
var latexMinus = regexp.MustCompile(`(^|\[| )-([0-9.])`)

// latexSigns raises the signs that LaTeX has no raised form of.
var latexSigns = strings.NewReplacer("§", "\\textsuperscript{\\S}", "¶", "\\textsuperscript{\\P}")

// latexCell is a cell whose text is not left out. Digits stay below digits: what is behind a number
// takes no room, or as much as the longest deviation of its column.
func (t *Table) latexCell(i, j int, longest string) string {
	c := t.Rows[i].Cells[j]
	text, sign := c.stressed(clean(c.Text), LaTeXText, "\\textbf{", "}"), latexSigns.Replace(LaTeXText(c.Sign))
	deviation, several := "", false
	if t.Columns[j].Align == Right {
		text, deviation, several = strings.Cut(text, " ± ")
		text = latexMinus.ReplaceAllString(text, "$1$$-$$$2")
		if sign != "" {
			sign = "\\rlap{" + sign + "}"
		}
	}
	switch c.Mark {
	case Best:
		text = "\\textbf{" + text + "}"
	case Second:
		text = "\\underline{" + text + "}"
	}
	switch {
	case several:
		text += latexDeviation(deviation)
	case longest != "" && text != "":
		text += "\\phantom{" + latexDeviation(longest) + "}"
	}
	// A row that begins with "[" or "*" would be read as an argument of the "\\" or the rule before
	// it.
	if j == 0 && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*")) {
		text = "{}" + text
	}
	if t.hangs(i, j) {
		return "\\leavevmode\\smash{\\parbox[t]{\\hsize}{\\raggedright " + text + sign + "}}"
	}
	return text + sign
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

// latexAppendix appends what LaTeX leaves out from under the tables, once for all of them: the
// notes of each, those that several have, and the signatures. It is for \input behind \appendix.
func latexAppendix(b *strings.Builder, tables []*Table) {
	b.WriteString("% how the numbers of the tables were computed: \\input this behind \\appendix\n" +
		"\\section*{How the numbers of the tables were computed}\n\\label{app:tables}\n{\\small\\raggedright\n")
	shared := sharedBy(tables, func(t *Table) []string { return t.Notes })
	for _, t := range tables {
		own := lists.Where(t.Notes, func(n string) bool { return !slices.Contains(shared, n) })
		if len(own) > 0 {
			paragraph(b, LaTeXText(strings.TrimSuffix(Flat(t.Title), "."))+" (Table~\\ref{tab:"+t.Name+"}).", own)
		}
	}
	if len(shared) > 0 {
		paragraph(b, "All of these tables, or several.", shared)
	}
	var signatures []string
	for _, t := range tables {
		signatures = lists.AddOnce(signatures, t.Signatures...)
	}
	if len(signatures) > 0 {
		slices.Sort(signatures)
		paragraph(b, "Signatures: numbers whose signatures differ must not be compared.", nil)
		for _, s := range signatures {
			name, text, _ := strings.Cut(s, ": ")
			b.WriteString("\\par\\hangindent1em\\textit{" + LaTeXText(name) + "}: " + LaTeXText(Flat(text)) + "\n")
		}
	}
	b.WriteString("\\par}\n")
}

// paragraph appends sentences under a head, which is LaTeX already.
func paragraph(b *strings.Builder, head string, sentences []string) {
	b.WriteString("\\par\\medskip\\noindent\\textbf{" + head + "}\n")
	for _, s := range sentences {
		b.WriteString(LaTeXText(Flat(s)) + "\n")
	}
}

// sharedBy lists what several tables say, in the order of its first appearance.
func sharedBy(tables []*Table, said func(*Table) []string) []string {
	of, order := map[string]int{}, []string(nil)
	for _, t := range tables {
		for _, n := range said(t) {
			if of[n]++; of[n] == 1 {
				order = append(order, n)
			}
		}
	}
	return slices.DeleteFunc(order, func(n string) bool { return of[n] == 1 })
}
