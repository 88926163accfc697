package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// LaTeXPackages are what a document must load to take in tables of the format "latex".
const LaTeXPackages = "booktabs,array,adjustbox,longtable,pdflscape"

// The commands around what knows one column only, in a document of two.
const (
	latexOneColumn = "\\ifdim\\columnwidth<\\textwidth\\onecolumn\\let\\smlmcolumns\\twocolumn" +
		"\\else\\let\\smlmcolumns\\relax\\fi\n"
	latexColumns = "\\smlmcolumns\n"
)

// latexInto appends t as table environments for a document that loads LaTeXPackages. The caption
// has the legend and what the marks mean; what else is said is latexAppendix's.
//
// adjustbox shrinks a table to the line and the page that it stands in, whatever these are. One
// that is too wide for a column of a two-column paper is a table*, which spans both; one that
// would have to shrink too much is cut where a part of its columns begins, or stands on a page
// turned by pdflscape, and where that is not enough, it is cut into runs of columns. What is longer
// than a page becomes several, "continued"; a table may say what LaTeX leaves out. Only a table of
// running text is a longtable, which knows neither adjustbox nor two columns, and begins a page
// without the labels that the rows before it share.
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

// latexShort is what LaTeX shows of t, and whether that is less than all.
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

// latexLess is said of a table of which LaTeX shows less than all.
const latexLess = "Other formats of this table, such as CSV, have more columns."

// floatsTogether is how many floats of a table may wait for a page: LaTeX holds few.
const floatsTogether = 4

// label is that of the n-th of the floats of a table.
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

// latexFloat appends what stands in a float, the n-th of a table that is cut into several.
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

// CaptionNotes are what the caption says beyond the title: the legend, and what the marks mean.
func (t *Table) CaptionNotes() []string {
	if !t.Marked() {
		return t.Legend
	}
	return append(slices.Clone(t.Legend), t.marksMean(true))
}

// latexPage is about how many characters a line, and lines a page, have room for a table in \small.
type latexPage struct{ characters, lines int }

var (
	latexColumn    = latexPage{characters: 58} // of a two-column paper
	latexPortrait  = latexPage{118, 55}        // A4 with margins of 2 cm
	latexLandscape = latexPage{178, 34}
)

const (
	latexLeast  = .8  // the least scale: digits of 8 points in a paper of 11
	latexRagged = 5.  // characters in a centimetre of ragged running text, of which charsPerCm would fit
	latexSlack  = 3   // lines that the last page may be too long, which makes its letters smaller: none has a row alone
	latexLabel  = 32. // characters of a label; a longer one becomes running text of this width
)

// widest is how many characters a line holds at the least scale.
func (p latexPage) widest() int { return int(float64(p.characters) / latexLeast) }

// measure says how widths are counted in characters.
type measure struct {
	gap     int  // between two columns
	symbols bool // quantities have the paper's symbols
	shrinks bool // what is a little wider than it may becomes smaller
}

var latexMeasure = measure{gap: 2, symbols: true, shrinks: true}

// characters is how many stand in a line of t.
func (t *Table) characters(m measure) int {
	n := 0
	for j := range t.Columns {
		n += t.columnCharacters(j, m)
	}
	return n
}

// columnCharacters is how many the widest cell of a column has, and the gap to the next column.
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

// latexWrapped is t with long labels as running text, where it is wider than a page.
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

// columnRuns cuts t into runs of columns, each behind the labels of the rows, where a line of it
// has more characters than it may; else it is t alone. It cuts where a part of the columns begins,
// and within a part that is still too wide into runs of about equal width.
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
	room := max(most-labels, 1) // of the numbers beside the labels
	if m.shrinks {
		room = max(room, most/3)
	}
	for start := t.Labels; start < last; {
		end := start
		for next := start + 1; next <= last; next++ { // as many parts as fit, and one that does not
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

// fits says whether each of some runs of columns has no more characters in a line than it may.
func (t *Table) fits(runs []*Table, most int) bool {
	return !slices.ContainsFunc(runs, func(run *Table) bool { return run.characters(latexMeasure) > most })
}

// columnRun is t with its labels and the columns from start up to end, without rows of the paper
// that are empty there.
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
	for j, c := range t.Columns {
		if c.Width > 0 {
			fmt.Fprintf(b, ">{\\raggedright\\arraybackslash}p{%.1fcm}", c.Width)
			continue
		}
		b.WriteByte("lrc"[c.Align])
		if sign := t.longestSign(j); sign != "" && c.Align == Right { // room for what stands behind the digits
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

// latexRule is the line above a row, which begins where its labels are not those of the row above.
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

// longestSign is the longest sign of a column, "" where it has none.
func (t *Table) longestSign(j int) (longest string) {
	for _, r := range t.Rows {
		if sign := r.Cells[j].Sign; utf8.RuneCountInString(sign) > utf8.RuneCountInString(longest) {
			longest = sign
		}
	}
	return longest
}

// latexHead is the head of a column, whose lines stand on those of the heads beside it.
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

// latexSigns raises the signs that LaTeX has no raised form of.
var latexSigns = strings.NewReplacer("§", "\\textsuperscript{\\S}", "¶", "\\textsuperscript{\\P}")

// latexSigned is a sign as it stands behind a number.
func latexSigned(sign string) string { return latexSigns.Replace(LaTeXText(sign)) }

// latexCell is a cell whose text is not left out. Digits stay below digits: what is behind a number
// takes no room, or as much as the longest deviation of its column.
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

// latexAppendix appends what LaTeX leaves out from under the tables, once for all of them: what the
// columns are, the settings, the notes, and the signatures. It is for \input behind \appendix.
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

// latexTable stands around the label of a table before a note, a character that no text has: clean
// takes it away.
const latexTable = "\x00"

// saidBy is what all tables say, each sentence once.
func saidBy(tables []*Table, said func(*Table) []string) (all []string) {
	for _, t := range tables {
		all = lists.AddOnce(all, said(t)...)
	}
	return all
}

// latexSettings appends the settings of each part of a study, once: those that most parts share
// before all others.
func latexSettings(b *strings.Builder, tables []*Table) {
	var parts []Part
	of := map[Setting]int{} // parts that have it
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
	for i := range parts { // another table may not say for how long a model was trained, and have what was asked for
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
	having := map[string]int{} // parts that have a setting of that name, whatever its value
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

// longestName is how long a name before a colon may be that a sentence explains.
const longestName = 40

// latexParagraph appends sentences under a head; none: nothing.
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

// latexNamed is a text behind the name of what it is about.
func latexNamed(name, text string) string {
	if name == "" {
		return latexProse(Flat(text))
	}
	return "\\textit{" + latexProse(name) + "}: " + latexProse(Flat(text))
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
