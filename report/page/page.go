// Package page writes the report of a run as one self-contained HTML file that needs no network.
// The file has no scripts. A browser can open it from disk, in light and dark mode, and on a phone,
// and can print it. The text in a Page is plain text, which Write escapes.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Page is the content of the report of one run. Empty fields are left out.
type Page struct {
	Title      string   // name of the experiment, such as "market"
	Command    string   // the command line that reproduces the run
	About      []string // sentences about the data, the seeds, the profile and missing results
	Tables     []*table.Table
	Figures    []Figure
	Examples   []Example         // grouped by data set, direction and source
	Settings   string            // the experiment file with all defaults, as TOML
	Signatures map[string]string // for each metric, how it was computed
}

// Figure is a picture.
type Figure struct {
	Title string // the caption of the figure
	SVG   []byte // from package figure
}

//go:embed page.tmpl page.css
var files embed.FS

var layout = template.Must(template.ParseFS(files, "page.tmpl"))

// Write writes the page. The same data always give the same bytes.
func (p *Page) Write(w io.Writer) error {
	v, err := p.view()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := layout.Execute(&b, v); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// Body returns the page's content without its frame, for use inside another page, which must
// include the style sheet that the function CSS returns.
func (p *Page) Body() (template.HTML, error) {
	v, err := p.view()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, part := range []string{"about", "contents", "sections"} {
		if err := layout.ExecuteTemplate(&b, part, v); err != nil {
			return "", err
		}
	}
	return template.HTML(b.String()), nil
}

// Examples returns examples in the form in which a Page shows them, for use inside another page,
// which must include the style sheet that the function CSS returns.
func Examples(list []Example) (template.HTML, error) {
	v, err := (&Page{Examples: list}).view()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = layout.ExecuteTemplate(&b, "examples", v)
	return template.HTML(b.String()), err
}

// CSS returns the style sheet for Body and Examples.
func CSS() string {
	css, _ := files.ReadFile("page.css") // cannot fail: the file is embedded
	return palette.CSS() + string(css)
}

// view is the data for the template: the page, with its tables, figures and examples rendered.
type view struct {
	*Page
	CSS         template.CSS
	TableViews  []tableView
	FigureViews []figureView
	Groups      []group
	HasScores   bool     // set if any example has scores
	HasOrigins  bool     // set if any example has origins
	HasDeleted  bool     // set if any example has a deleted word
	Metrics     []string // the keys of Signatures, sorted
}

type tableView struct {
	ID, Title string
	HTML      template.HTML // from package table, which escapes all text
}

type figureView struct {
	ID           string
	Title, Short string // the caption and its first sentence
	SVG          template.HTML
	Width        template.CSS // as wide as the page or window, but with letters of limited size
}

func (p *Page) view() (*view, error) {
	v := &view{Page: p, CSS: template.CSS(CSS()), Metrics: slices.Sorted(maps.Keys(p.Signatures))}
	for i, t := range p.Tables {
		var fragment strings.Builder
		if err := p.short(t).Write(&fragment, "html"); err != nil {
			return nil, err
		}
		v.TableViews = append(v.TableViews, tableView{
			ID: fmt.Sprintf("table-%d", i+1), Title: t.Title,
			HTML: template.HTML(scrolling(withoutID(fragment.String()), t.Title)),
		})
	}
	for i, f := range p.Figures {
		v.FigureViews = append(v.FigureViews, figureView{
			ID: fmt.Sprintf("figure-%d", i+1), Title: f.Title, Short: firstSentence(f.Title),
			SVG: template.HTML(inline(f.SVG)), Width: f.width(),
		})
	}
	v.Groups = groups(p.Examples)
	v.HasScores = slices.ContainsFunc(p.Examples, func(e Example) bool { return e.Scores != nil })
	v.HasOrigins = slices.ContainsFunc(p.Examples, func(e Example) bool { return e.Origins != nil })
	v.HasDeleted = slices.ContainsFunc(p.Examples, func(e Example) bool {
		return slices.ContainsFunc(e.Origins, func(o Origin) bool { return o.How == Deleted })
	})
	return v, nil
}

// inline returns the svg element of a picture. It drops the text before the element.
func inline(picture []byte) []byte {
	return picture[max(0, bytes.Index(picture, []byte("<svg"))):]
}

// firstSentence returns a caption up to its first full stop.
func firstSentence(caption string) string {
	first, _, _ := strings.Cut(caption, ". ")
	return strings.TrimSuffix(first, ".")
}

// The method short returns a copy of a table without the settings, notes and signatures that the
// page prints once for all tables.
func (p *Page) short(t *table.Table) *table.Table {
	s := *t
	unsaid := func(n string) bool { return !slices.Contains(p.About, n) }
	s.Settings, s.Notes = lists.Filter(t.Settings, unsaid), lists.Filter(t.Notes, unsaid)
	s.Signatures = lists.Filter(t.Signatures, func(line string) bool {
		names, _, _ := strings.Cut(line, ": ")
		unsaid := func(name string) bool { return p.Signatures[name] == "" }
		return slices.ContainsFunc(strings.Split(names, ", "), unsaid)
	})
	return &s
}

var firstID = regexp.MustCompile(`^(<[a-z]+[^>]*?) id="[^"]*"`)

// withoutID removes the id of a table's HTML element. Tables with the same name would have the same
// id, so the page makes its own ids from the tables' numbers.
func withoutID(fragment string) string { return firstID.ReplaceAllString(fragment, "$1") }

// scrolling puts a table into a box that scrolls. The notes below the table stay outside the box.
// It replaces tags in the table's HTML, which is safe because all text in it is escaped.
func scrolling(fragment, title string) string {
	box := `<div class="wide" role="region" aria-label="` + template.HTMLEscapeString(table.Flat(title)) + `" tabindex="0">`
	return strings.NewReplacer("<table>", box+"\n<table>", "</table>", "</table></div>").Replace(fragment)
}

var pictureSize = regexp.MustCompile(`<svg [^>]*width="([0-9.]+)pt" height="([0-9.]+)pt"`)

// width returns CSS that sets how wide a picture is displayed.
func (f *Figure) width() template.CSS {
	digits := pictureSize.FindSubmatch(f.SVG)
	width, _ := strconv.ParseFloat(string(digits[1]), 64) // the expression matches only numbers
	height, _ := strconv.ParseFloat(string(digits[2]), 64)
	return template.CSS(fmt.Sprintf("--wide:min(%.0fpt,%.1fvh)", 2*width, 85*width/height))
}
