package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// LaTeXPackages are the packages that a document must load for tables in the format "latex".
const LaTeXPackages = "booktabs,array,adjustbox,longtable,pdflscape"

// Commands that switch a two-column document to one column and back. longtable and landscape pages
// need one column.
const (
	latexOneColumn = "\\ifdim\\columnwidth<\\textwidth\\onecolumn\\let\\smlmcolumns\\twocolumn" +
		"\\else\\let\\smlmcolumns\\relax\\fi\n"
	latexColumns = "\\smlmcolumns\n"
)

// latexInto appends t as table environments for a document that loads LaTeXPackages. The caption
// has the legend and the meaning of the marks; latexAppendix has the other notes.
//
// adjustbox shrinks a table to its line and page. A table that is too wide for a column of a
// two-column paper becomes a table*, which spans both columns. One that would shrink too much is
// cut where a part of its columns begins, or put on a landscape page (pdflscape). If that is not
// enough, it is cut into runs of columns. A table longer than a page is split into several,
// "continued". A table may choose what LaTeX leaves out. Only running text is a longtable, which
// supports neither adjustbox nor two columns, and does not repeat shared labels at the top of a
// page.
func (t *Table) latexInto(b *strings.Builder) {
	b.WriteString("% needs \\usepackage{" + LaTeXPackages + "}\n")
	t, _ = t.latexShort()
	if t.running() {
		t.latexLong(b)
		return
	}
	t = t.latexWrapped()
	page, env, end := latexPortrait, "{table}[!htbp]", "{table}\n"
	runs := t.columnRuns(page.widest(), latexMeasure)
	switch {
	case t.fits(runs, latexColumn.widest()):
	case t.fits(runs, latexPortrait.widest()):
		env, end = "{table*}[!htbp]", "{table*}\n"
	default:
		page, env, end = latexLandscape, "{table}[p]", "{table}\n\\clearpage\n"
		runs = t.columnRuns(page.widest(), latexMeasure)
		b.WriteString(latexOneColumn + "\\begin{landscape}\n")
	}
	n := 0
	for _, run := range runs {
		for _, part := range run.pages(page) {
			b.WriteString("\\begin" + env + "\n")
			part.latexFloat(b, n)
			b.WriteString("\\end" + end)
			if n++; n%floatsTogether == 0 && page != latexLandscape {
				b.WriteString("\\clearpage\n")
			}
		}
	}
	if page == latexLandscape {
		b.WriteString("\\end{landscape}\n" + latexColumns)
	}
}

// latexShort returns the table that LaTeX shows for t. less reports whether parts of t are left
// out.
func (t *Table) latexShort() (short *Table, less bool) {
	if t.InLaTeX != nil {
		some := *t.InLaTeX
		some.Name, some.Study, some.Title = t.Name, t.Study, t.Title
		return &some, true
	}
	kept := func(j int) bool { return !t.Columns[j].NotInLaTeX }
	some := *t
	some.Columns, some.Rows = nil, slices.Clone(t.Rows)
	for j, c := range t.Columns {
		if kept(j) {
			some.Columns = append(some.Columns, c)
		}
	}
	if len(some.Columns) == len(t.Columns) {
		return t, false
	}
	for i, r := range t.Rows {
		var cells []Cell
		for j, c := range r.Cells {
			if kept(j) {
				cells = append(cells, c)
			}
		}
		some.Rows[i].Cells = cells
	}
	return &some, true
}

// latexLess is the note on a table that LaTeX does not show completely.
const latexLess = "Other formats of this table, such as CSV, have more columns."

// floatsTogether is the maximum number of a table's floats that wait for a page, because LaTeX can
// hold only a few.
const floatsTogether = 4

// label returns the LaTeX label of the table's n-th float, from 0.
func (t *Table) label(n int) string {
	label := "tab:" + t.Name
	if t.Study != "" {
		label = "tab:" + t.Study + "-" + t.Name
	}
	if n > 0 {
		label += fmt.Sprint("-", n+1)
	}
	return label
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

// latexFloat appends the content of the table's n-th float, from 0.
func (t *Table) latexFloat(b *strings.Builder, n int) {
	b.WriteString("\\centering\n\\small\n\\setlength{\\tabcolsep}{4pt}\n" +
		"\\begin{adjustbox}{max width=\\linewidth,max totalheight=0.85\\textheight}\n")
	t.latexTabular(b)
	b.WriteString("\\end{adjustbox}\n")
	title, label := latexProse(t.Title), t.label(n)
	switch more := strings.Join(t.CaptionNotes(), " "); {
	case n > 0:
		title = strings.TrimSuffix(title, ".") + " (continued"
		if t.part != "" {
			title += ": " + latexProse(t.part)
		}
		fmt.Fprintf(b, "\\addtocounter{table}{-1}\n\\caption{%s).}\n\\label{%s}\n", title, label)
	case more != "":
		fmt.Fprintf(b, "\\caption[%s]{%s %s}\n\\label{%s}\n", title, title, latexProse(Flat(more)), label)
	default:
		fmt.Fprintf(b, "\\caption{%s}\n\\label{%s}\n", title, label)
	}
}

// CaptionNotes returns the caption text after the title: the legend and the meaning of the marks.
func (t *Table) CaptionNotes() []string {
	if !t.Marked() {
		return t.Legend
	}
	return append(slices.Clone(t.Legend), t.marksMean(true))
}

// latexPage is the approximate size of a page for tables in \small: characters per line, and lines.
type latexPage struct{ characters, lines int }

var (
	latexColumn    = latexPage{characters: 58} // of a two-column paper
	latexPortrait  = latexPage{118, 55}        // A4 with margins of 2 cm
	latexLandscape = latexPage{178, 34}
)

const (
	latexLeast  = .8  // smallest scale: 8-point digits in an 11-point paper
	latexRagged = 5.  // characters per centimetre of ragged text, fewer than charsPerCm
	latexSlack  = 3   // extra lines on the last page, which shrinks, so that no row is alone on a page
	latexLabel  = 32. // most characters of a label; a longer one wraps at this width
)

// widest returns how many characters fit on a line at the smallest scale.
func (p latexPage) widest() int { return int(float64(p.characters) / latexLeast) }

// measure says how widths are counted in characters.
type measure struct {
	gap     int  // between two columns
	symbols bool // quantities are printed as the paper's symbols
	shrinks bool // slightly too wide tables are shrunk
}

var latexMeasure = measure{gap: 2, symbols: true, shrinks: true}

// characters returns the width of t in characters.
func (t *Table) characters(m measure) int {
	n := 0
	for j := range t.Columns {
		n += t.columnCharacters(j, m)
	}
	return n
}

// columnCharacters returns the width of a column's widest cell, plus the gap to the next column.
func (t *Table) columnCharacters(j int, m measure) int {
	if width := t.Columns[j].Width; width > 0 {
		return int(width*charsPerCm) + m.gap
	}
	most := 0
	for line := range strings.SplitSeq(t.Columns[j].Head, "\n") {
		if m.symbols {
			line = latexSymbols.ReplaceAllString(line, "L_co")
		}
		most = max(most, utf8.RuneCountInString(line))
	}
	for _, r := range t.Rows {
		text := r.Cells[j].Text + r.Cells[j].Sign
		if m.symbols && j < t.Labels {
			text = latexSymbols.ReplaceAllString(text, "L_co")
		}
		most = max(most, utf8.RuneCountInString(text))
	}
	return most + m.gap
}

// latexWrapped returns t with long labels as running text, if t is wider than a page.
func (t *Table) latexWrapped() *Table {
	wrapped := *t
	wrapped.Columns = slices.Clone(t.Columns)
	for j := range t.Labels {
		if t.Columns[j].Width == 0 && t.columnCharacters(j, latexMeasure) > latexLabel &&
			t.characters(latexMeasure) > latexPortrait.characters {
			wrapped.Columns[j].Width = latexLabel / charsPerCm
		}
	}
	return &wrapped
}

// columnRuns cuts t into runs of columns, each with the row labels, if its lines have more than
// most characters. Otherwise it returns only t. It cuts where a part of the columns begins, and
// cuts a part that is still too wide into runs of about equal width.
func (t *Table) columnRuns(most int, m measure) []*Table {
	width := func(start, end int) (n int) {
		for j := start; j < end; j++ {
			n += t.columnCharacters(j, m)
		}
		return n
	}
	labels, last := width(0, t.Labels), len(t.Columns)
	if t.Labels == 0 || labels+width(t.Labels, last) <= most {
		return []*Table{t}
	}
	var runs []*Table
	room := max(most-labels, 1) // left for the numbers
	if m.shrinks {
		room = max(room, most/3)
	}
	for start := t.Labels; start < last; {
		end := start
		for next := start + 1; next <= last; next++ { // as many parts as fit, but at least one
			if next < last && t.Columns[next].Begins == "" {
				continue
			}
			if end > start && width(start, next) > room {
				break
			}
			end = next
		}
		share := width(start, end)
		share /= (share + room - 1) / room
		for ; start < end; start = runs[len(runs)-1].end {
			stop, wide := start, 0
			for ; stop < end; stop++ {
				more := t.columnCharacters(stop, m)
				if stop > start && (wide+more/2 > share || wide+more > room) {
					break
				}
				wide += more
			}
			runs = append(runs, t.columnRun(start, stop))
		}
	}
	return runs
}

// fits reports whether no run of columns is wider than most characters.
func (t *Table) fits(runs []*Table, most int) bool {
	return !slices.ContainsFunc(runs, func(run *Table) bool { return run.characters(latexMeasure) > most })
}

// columnRun returns t with its labels and the columns from start up to end. It drops joined rows,
// such as the paper's, that are empty there.
func (t *Table) columnRun(start, end int) *Table {
	run := *t
	run.Columns = slices.Concat(t.Columns[:t.Labels], t.Columns[start:end])
	run.Rows, run.part, run.end = nil, t.Columns[start].Begins, end
	for _, r := range t.Rows {
		numbers := r.Cells[start:end]
		if !r.Joined || slices.ContainsFunc(numbers, func(c Cell) bool { return c.Text != "" }) {
			r.Cells = slices.Concat(r.Cells[:t.Labels], numbers)
			run.Rows = append(run.Rows, r)
		}
	}
	return &run
}

// rowLines returns the number of lines of a row.
func (t *Table) rowLines(i int) int {
	n := 1
	for j := range t.Columns {
		if !t.hangs(i, j) {
			n = max(n, t.cellLines(i, j))
		}
	}
	return n
}

// cellLines returns the number of lines of a cell.
func (t *Table) cellLines(i, j int) int {
	width, text := t.Columns[j].Width, t.Rows[i].Cells[j].Text
	if width == 0 || t.repeats(i, j) {
		return 1
	}
	return max(1, int(math.Ceil(float64(utf8.RuneCountInString(text))/(width*latexRagged))))
}

// hangs reports whether a label with several lines extends into the rows below, which repeat it and
// so have empty cells there. Such a label does not make its own row higher.
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

// pages cuts t into tables that each fit on a page. A wide table is printed in smaller letters, so
// more rows fit. pages never separates rows that belong together. If the rows between two lines fit
// on half a page, they stay together too. A table without rows gives one empty table.
func (t *Table) pages(page latexPage) []*Table {
	lines := page.lines * max(page.characters, t.characters(latexMeasure)) / page.characters
	var pages []*Table
	start, height := 0, 0
	for i := 0; i < len(t.Rows); {
		end, more := t.unit(i, lines/2)
		most := lines
		if end == len(t.Rows) {
			most += latexSlack
		}
		if height+more > most && i > start {
			pages = append(pages, t.rows(start, i))
			start, height = i, 0
		}
		height += more
		i = end
	}
	return append(pages, t.rows(start, len(t.Rows)))
}

// rows returns t with only the rows from start up to end.
func (t *Table) rows(start, end int) *Table {
	some := *t
	some.Rows = t.Rows[start:end]
	return &some
}

// unit returns the end of the rows that stay together with row i, and their height in lines of
// text. If row i begins a group of rows between two rules, and the group has no more than most
// lines, these are all rows of the group. Otherwise they are the rows joined to row i.
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

// apart reports whether row i, unless it is the first, begins or follows a group of joined rows.
func (t *Table) apart(i int) bool {
	joined := func(i int) bool { return i < len(t.Rows) && t.Rows[i].Joined }
	return i > 0 && !joined(i) && (joined(i-1) || joined(i+1))
}

// latexTabular appends heads and rows between booktabs' rules.
func (t *Table) latexTabular(b *strings.Builder) {
	b.WriteString("\\begin{tabular}{@{}")
	for j, c := range t.Columns {
		if c.Width > 0 {
			fmt.Fprintf(b, ">{\\raggedright\\arraybackslash}p{%.1fcm}", c.Width)
			continue
		}
		b.WriteByte("lrc"[c.Align])
		if sign := t.longestSign(j); sign != "" && c.Align == Right { // room for the sign after the digits
			b.WriteString("<{\\phantom{" + latexSigned(sign) + "}}")
		}
	}
	heads := strings.Join(lists.Map(t.Columns, Column.latexHead), " & ")
	b.WriteString("@{}}\n\\toprule\n" + heads + " \\\\\n\\midrule\n")
	deviations := t.deviations()
	for i, r := range t.Rows {
		switch {
		case i == 0:
		case r.Rule:
			b.WriteString(t.latexRule(i))
		case r.Gap, t.apart(i):
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

// latexRule returns the line above a row. It starts at the first label that differs from the row
// above.
func (t *Table) latexRule(i int) string {
	first := 0
	for first < t.Labels && t.repeats(i, first) {
		first++
	}
	if first == 0 {
		return "\\midrule\n"
	}
	return fmt.Sprintf("\\cmidrule{%d-%d}\n", first+1, len(t.Columns))
}

// longestSign returns the longest sign of a column, "" if it has none.
func (t *Table) longestSign(j int) (longest string) {
	for _, r := range t.Rows {
		if sign := r.Cells[j].Sign; utf8.RuneCountInString(sign) > utf8.RuneCountInString(longest) {
			longest = sign
		}
	}
	return longest
}

// latexHead returns the head of a column. Heads with several lines are bottom-aligned.
func (c Column) latexHead() string {
	lines := lists.Map(strings.Split(c.Head, "\n"), func(l string) string { return latexProse(clean(l)) })
	if len(lines) == 1 {
		return lines[0]
	}
	position := "c"
	if c.Width == 0 {
		position = string("lrc"[c.Align])
	}
	return "\\begin{tabular}[b]{@{}" + position + "@{}}" + strings.Join(lines, "\\\\") + "\\end{tabular}"
}

// latexSigns makes superscripts of the signs that LaTeX does not print raised.
var latexSigns = strings.NewReplacer("§", "\\textsuperscript{\\S}", "¶", "\\textsuperscript{\\P}")

// latexSigned returns a sign as printed after a number.
func latexSigned(sign string) string { return latexSigns.Replace(LaTeXText(sign)) }

// latexCell returns a cell that is not merged with the one above. Digits stay aligned: a sign takes
// no width, and a number without a deviation gets the width of the column's longest one.
func (t *Table) latexCell(i, j int, longest string) string {
	c := t.Rows[i].Cells[j]
	escape := LaTeXText
	if j < t.Labels {
		escape = latexProse
	}
	text, sign := c.stressed(clean(c.Text), escape, "\\textbf{", "}"), latexSigned(c.Sign)
	deviation, several := "", false
	if t.Columns[j].Align == Right {
		text, deviation, several = strings.Cut(text, " ± ")
		text = minus.ReplaceAllString(text, "$1$$-$$$2")
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
		text, sign = text+sign+"\\phantom{"+latexDeviation(longest)+"}", ""
	}
	// LaTeX would read "[" or "*" at the start of a row as an argument of the "\\" or the rule
	// before it.
	if j == 0 && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*")) {
		text = "{}" + text
	}
	if t.hangs(i, j) {
		return "\\leavevmode\\smash{\\parbox[t]{\\hsize}{\\raggedright " + text + sign + "}}"
	}
	return text + sign
}

// latexDeviation returns a deviation as printed after its mean.
func latexDeviation(d string) string { return "{\\scriptsize$\\,\\pm\\,$" + d + "}" }

// deviations returns the longest deviation of each column, "" if it has none.
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

// latexAppendix appends the text that LaTeX leaves out below the tables, once for all of them:
// column definitions, settings, notes and signatures. It is for \input after \appendix.
func latexAppendix(b *strings.Builder, tables []*Table) {
	label := "app:tables"
	if len(tables) > 0 && tables[0].Study != "" {
		label = "app:" + tables[0].Study
	}
	b.WriteString("% how the numbers of the tables were computed: \\input this behind \\appendix\n" +
		"\\section*{How the numbers of the tables were computed}\n\\label{" + label + "}\n{\\scriptsize\\raggedright\n")
	latexParagraph(b, "Columns.", saidBy(tables, func(t *Table) []string { return t.Defines }))
	latexParagraph(b, "Data and settings.", saidBy(tables, func(t *Table) []string { return t.Settings.Data }))
	latexSettings(b, tables)
	shared := sharedBy(tables, func(t *Table) []string { return t.Notes })
	notes := shared
	for _, t := range tables {
		own := lists.Where(t.Notes, func(n string) bool { return !slices.Contains(shared, n) })
		if _, less := t.latexShort(); less {
			own = append(own, latexLess)
		}
		for i, n := range own {
			if i == 0 {
				n = latexTable + t.label(0) + latexTable + n
			}
			notes = append(notes, n)
		}
	}
	latexParagraph(b, "Notes.", notes)
	signatures := saidBy(tables, func(t *Table) []string { return t.Signatures })
	if slices.Sort(signatures); len(signatures) > 0 {
		latexParagraph(b, "Signatures.", []string{"Numbers with different signatures must not be compared."})
		for _, s := range signatures {
			name, text, _ := strings.Cut(s, ": ")
			if strings.HasPrefix(text, name+"|") {
				name = ""
			}
			latexItem(b, name, text)
		}
	}
	b.WriteString("\\par}\n")
}

// latexTable is put before and after the label of a table in front of its note. No text contains
// this character, because clean replaces it.
const latexTable = "\x00"

// saidBy collects the sentences that said returns for each table, without duplicates.
func saidBy(tables []*Table, said func(*Table) []string) (all []string) {
	for _, t := range tables {
		all = lists.AddOnce(all, said(t)...)
	}
	return all
}

// latexSettings appends the settings of each part of a study. Settings that most parts share are
// listed once, before the others.
func latexSettings(b *strings.Builder, tables []*Table) {
	var parts []Part
	of := map[Setting]int{} // number of parts with this setting
	for _, t := range tables {
		for _, p := range t.Settings.Parts {
			i := slices.IndexFunc(parts, func(known Part) bool { return known.Name == p.Name })
			if i < 0 {
				i, parts = len(parts), append(parts, Part{Name: p.Name})
			}
			for _, s := range p.Settings {
				if !slices.Contains(parts[i].Settings, s) {
					parts[i].Settings = append(parts[i].Settings, s)
					of[s]++
				}
			}
		}
	}
	for i := range parts { // drop the configured epochs if the training length has the same number
		trained := slices.IndexFunc(parts[i].Settings, func(s Setting) bool { return s.Name == TrainedFor })
		if trained < 0 {
			continue
		}
		asked := Setting{Name: "epochs", Value: parts[i].Settings[trained].Value}
		if at := slices.Index(parts[i].Settings, asked); at >= 0 {
			parts[i].Settings = slices.Delete(parts[i].Settings, at, at+1)
			of[asked]--
		}
	}
	having := map[string]int{} // number of parts with a setting of this name, whatever its value
	for s, n := range of {
		having[s.Name] += n
	}
	var common []Setting
	for _, p := range parts {
		for _, s := range p.Settings {
			if of[s] > 2 && 2*of[s] > having[s.Name] {
				common = lists.AddOnce(common, s)
			}
		}
	}
	add := func(name string, settings []Setting) {
		if len(settings) > 0 {
			latexItem(b, name, strings.Join(lists.Map(settings, Setting.String), ", ")+".")
		}
	}
	add("All, where no other value is given", common)
	for _, p := range parts {
		add(p.Name, lists.Where(p.Settings, func(s Setting) bool { return !slices.Contains(common, s) }))
	}
}

// longestName is the maximum length of text before a colon that counts as the name of a definition.
const longestName = 40

// latexParagraph appends sentences under a head, or nothing if there are none.
func latexParagraph(b *strings.Builder, head string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	b.WriteString("\\par\\smallskip\\noindent\\textbf{" + head + "}\n")
	for _, s := range sentences {
		if after, is := strings.CutPrefix(s, latexTable); is {
			label, note, _ := strings.Cut(after, latexTable)
			b.WriteString("Table~\\ref{" + label + "}: ")
			s = note
		}
		if name, text, defines := strings.Cut(s, ": "); defines && utf8.RuneCountInString(name) <= longestName {
			b.WriteString(latexNamed(name, text) + "\n")
			continue
		}
		b.WriteString(latexProse(Flat(s)) + "\n")
	}
}

// latexItem appends a line of a list; name may be "".
func latexItem(b *strings.Builder, name, text string) {
	b.WriteString("\\par\\hangindent1em\\noindent " + latexNamed(name, text) + "\n")
}

// latexNamed returns a text after the name of its subject; name may be "".
func latexNamed(name, text string) string {
	if name == "" {
		return latexProse(Flat(text))
	}
	return "\\textit{" + latexProse(name) + "}: " + latexProse(Flat(text))
}

// sharedBy returns the sentences of more than one table, in order of first appearance.
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
