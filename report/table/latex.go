package table

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// LaTeXPackages lists the packages that a document must load for tables in the format "latex".
const LaTeXPackages = "booktabs,array,adjustbox,longtable"

//go:embed latex
var latexFiles embed.FS

var latexTemplates = template.Must(template.New("").Delims("<<", ">>").ParseFS(latexFiles, "latex/*"))

// These are sizes of a page, estimated for A4 paper with margins of 2 cm and letters of 8 points.
const (
	latexPage     = 140 // maximum characters per row of a table
	latexTiny     = 200 // maximum characters per row in the smallest letters
	latexHalfPage = 70  // maximum characters per row in one column of a two-column paper
	latexPageCm   = 17.
	latexPerCm    = 7. // characters per centimetre of Column.Width
	latexLabel    = 40 // maximum characters of a label that does not wrap
	maxLatexRows  = 50
)

// latexView is the data for the templates of the two layouts, "float" and "longtable". All text in
// it is LaTeX.
type latexView struct {
	Packages, Environment, Size, Columns, Heads, Title, Caption, Label string
	Rows                                                               []latexRow
}

type latexRow struct {
	Above    string // LaTeX of a line or space above the row
	Cells    string
	Together bool // prevents a page break after this row
}

// latexInto appends t for a document that loads LaTeXPackages, in one of two layouts. Most tables
// are floats, which adjustbox shrinks to the page. Tables with running text, or with more rows than
// fit on a page, are longtables. The caption contains the legend and explains the marks.
// latexAppendix writes the other notes.
func (t *Table) latexInto(b *strings.Builder) {
	t = t.inLaTeX()
	layout, environment, size, shrink, caption := "float", "table", "scriptsize", 1., t.latexCaption()
	if t.long() {
		layout = "longtable"
		if len(t.Rows) > maxLatexRows && t.characters() > latexPage {
			size, shrink = "tiny", float64(latexPage)/latexTiny
			caption = strings.Replace(caption, "]{", "]{\\scriptsize ", 1)
		}
	} else if t.characters() > latexHalfPage {
		environment = "table*" // spans both columns of a two-column paper
	}
	view := latexView{
		Packages: LaTeXPackages, Environment: environment, Size: size, Title: latexProse(t.Title), Label: t.label(),
		Caption: caption, Heads: strings.Join(lists.Map(t.Columns, Column.latexHead), " & "),
	}
	for j := range t.Columns {
		view.Columns += t.latexColumn(j, shrink)
	}
	widest := t.widestParts()
	for i := range t.Rows {
		view.Rows = append(view.Rows, t.latexRow(i, widest))
	}
	var text strings.Builder
	latexExecute(&text, layout, view)
	b.WriteString(LaTeXScripts(text.String()) + text.String())
}

// latexExecute renders a template with a view and appends the result.
func latexExecute(b *strings.Builder, name string, view any) {
	if err := latexTemplates.ExecuteTemplate(b, name+".tex.tmpl", view); err != nil {
		panic(err) // cannot happen: writing to a strings.Builder never fails
	}
}

// long reports whether t is printed as a longtable, because it has running text or more rows than
// fit on a page.
func (t *Table) long() bool {
	return len(t.Rows) > maxLatexRows || slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Width > 0 })
}

// inLaTeX returns the part of t that LaTeX shows. If t is too wide for a page, its minor columns
// are left out. If t also has more rows than fit on a page, it is a longtable, which LaTeX cannot
// shrink. Columns are then left out from the right until the others fit in the smallest letters.
// The legend says if columns are left out.
func (t *Table) inLaTeX() (shown *Table) {
	if t.characters() <= latexPage {
		return t
	}
	shown = t.only(func(j int) bool { return !t.Columns[j].Minor })
	for len(shown.Rows) > maxLatexRows && shown.characters() > latexTiny && len(shown.Columns) > shown.Labels+1 {
		shown = shown.only(func(j int) bool { return j < len(shown.Columns)-1 })
	}
	if len(shown.Columns) < len(t.Columns) {
		shown.Legend = append(slices.Clone(shown.Legend), latexLess)
	}
	return shown
}

// latexLess is a sentence for the legend if LaTeX leaves out columns of a table.
const latexLess = "Other formats of this table, such as CSV, have more columns."

// label returns the LaTeX label of the table.
func (t *Table) label() string {
	if t.Study != "" {
		return "tab:" + t.Study + "-" + t.Name
	}
	return "tab:" + t.Name
}

// latexCaption returns the caption, including the legend and the meaning of the marks. In LaTeX's
// list of tables, the caption is only the title.
func (t *Table) latexCaption() string {
	more := t.legend()
	if t.Marked() {
		more = append(more, t.marksMean())
	}
	title := latexProse(t.Title)
	if len(more) == 0 {
		return "\\caption{" + title + "}"
	}
	short := strings.ReplaceAll(title, "]", "{]}") // a bare "]" would end the argument
	return "\\caption[" + short + "]{" + title + " " + latexProse(Flat(strings.Join(more, " "))) + "}"
}

// characters estimates the width of t in characters. It counts two characters for the space between
// columns.
func (t *Table) characters() (n int) {
	for j := range t.Columns {
		if cm := t.latexCm(j); cm > 0 {
			n += int(cm*latexPerCm) + 2
		} else {
			n += t.columnCharacters(j) + 2
		}
	}
	return n
}

// columnCharacters returns the number of characters of the widest line in a column.
func (t *Table) columnCharacters(j int) (most int) {
	for line := range strings.SplitSeq(t.Columns[j].head(), "\n") {
		most = max(most, utf8.RuneCountInString(line))
	}
	for _, r := range t.Rows {
		most = max(most, utf8.RuneCountInString(r.Cells[j].Text+r.Cells[j].Sign))
	}
	return most
}

// latexCm returns the width, in centimetres, of a column whose text wraps. It returns 0 if the text
// does not wrap. A column of labels wraps if any label is long.
func (t *Table) latexCm(j int) float64 {
	if t.Columns[j].Width == 0 && j < t.Labels && t.columnCharacters(j) > latexLabel {
		return latexLabel / latexPerCm
	}
	return t.Columns[j].Width
}

// latexColumn returns the LaTeX declaration of a column. The factor shrink makes columns whose text
// wraps narrower.
func (t *Table) latexColumn(j int, shrink float64) string {
	if cm := shrink * t.latexCm(j); cm > 0 {
		return fmt.Sprintf(">{\\raggedright\\arraybackslash}p{%.3f\\textwidth}", cm/latexPageCm)
	}
	return t.Columns[j].latexAlign()
}

func (c Column) latexAlign() string { return string("lrc"[c.Align]) }

// latexHead returns the head of a column. A head with several lines is aligned at the bottom.
func (c Column) latexHead() string {
	lines := lists.Map(strings.Split(c.head(), "\n"), func(l string) string { return latexProse(clean(l)) })
	if len(lines) == 1 {
		return lines[0]
	}
	return "\\begin{tabular}[b]{@{}" + c.latexAlign() + "@{}}" + strings.Join(lines, "\\\\") + "\\end{tabular}"
}

// latexRow returns a row, with the line or space above it. widest[j] contains the longest sign and
// the longest standard deviation in column j.
func (t *Table) latexRow(i int, widest []cellParts) latexRow {
	var cells []string
	for j := range t.Columns {
		cell := ""
		if !t.repeats(i, j) {
			cell = t.latexCell(i, j, widest[j])
		}
		cells = append(cells, cell)
	}
	row := latexRow{
		Cells: strings.Join(cells, " & "), Together: i+1 < len(t.Rows) && t.Rows[i+1].Joined,
	}
	// LaTeX would read "[" or "*" at the start of a row as an argument of the "\\" before it.
	if strings.HasPrefix(row.Cells, "[") || strings.HasPrefix(row.Cells, "*") {
		row.Cells = "{}" + row.Cells
	}
	switch r := t.Rows[i]; {
	case i == 0:
	case r.Rule:
		row.Above = "\\midrule\n"
	case r.Gap, t.joined() && !r.Joined:
		row.Above = "\\addlinespace\n"
	}
	return row
}

// latexCell returns a cell with its mark and its sign. So that digits are aligned, every number has
// space for the longest sign in its column, and a number without a standard deviation has space for
// the longest one.
func (t *Table) latexCell(i, j int, widest cellParts) string {
	c, escape := t.Rows[i].Cells[j], LaTeXText
	if j < t.Labels {
		escape = latexProse
	}
	text, sign, deviation := clean(c.Text), LaTeXText(c.Sign), ""
	if t.Columns[j].Align == Right {
		text, deviation, _ = strings.Cut(Minuses(text), " ± ")
		if sign != "" {
			sign = "\\rlap{" + sign + "}"
		}
		if widest.sign != "" {
			sign += "\\phantom{" + LaTeXText(widest.sign) + "}"
		}
	}
	text = c.stressed(text, escape, "\\textbf{", "}")
	if c.Best {
		text = "\\textbf{" + text + "}"
	}
	if deviation != "" {
		return text + latexDeviation(deviation) + sign
	}
	if widest.deviation != "" && text != "" {
		sign += "\\phantom{" + latexDeviation(widest.deviation) + "}"
	}
	return text + sign
}

// latexDeviation formats a standard deviation as it is printed after the mean.
func latexDeviation(d string) string { return "{\\scriptsize$\\,\\pm\\,$" + LaTeXText(d) + "}" }

// cellParts are the parts of a cell that come after its number.
type cellParts struct{ sign, deviation string }

// widestParts returns the longest sign and the longest standard deviation of each column. They are
// "" if a column has none, or if it is not aligned at the right.
func (t *Table) widestParts() []cellParts {
	widest := make([]cellParts, len(t.Columns))
	for _, r := range t.Rows {
		for j, c := range r.Cells {
			if t.Columns[j].Align != Right {
				continue
			}
			_, deviation, _ := strings.Cut(clean(c.Text), " ± ")
			widest[j].sign = longer(widest[j].sign, c.Sign)
			widest[j].deviation = longer(widest[j].deviation, deviation)
		}
	}
	return widest
}

// longer returns the text with more characters, or a if both have equally many.
func longer(a, b string) string {
	if utf8.RuneCountInString(b) > utf8.RuneCountInString(a) {
		return b
	}
	return a
}

// latexDocument appends a complete document that contains the tables and their appendix.
func latexDocument(b *strings.Builder, tables []*Table) {
	var shown, appendix strings.Builder
	each((*Table).latexInto)(&shown, tables)
	latexAppendix(&appendix, tables)
	scripts := LaTeXScripts(shown.String() + appendix.String())
	latexExecute(b, "document", map[string]any{
		"Packages": LaTeXPackages, "Tables": shown.String(), "Appendix": appendix.String(),
		"Scripts": scripts, "Cyrillic": strings.Contains(scripts, "Cyrillic"),
	})
}
