package page

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// view is what the template prints: the page with everything rendered that is not text.
type view struct {
	*Page
	CSS         template.CSS
	JS          template.JS
	TableViews  []tableView
	FigureViews []figureView
	Groups      []group
	HasOrigins  bool     // an example has
	Metrics     []string // the keys of Signatures, sorted
}

type tableView struct {
	ID, Title string
	HTML      template.HTML // a fragment of report's, which escapes its texts
	LaTeX     string
}

type figureView struct {
	ID, Name, Title string
	SVG             template.HTML
	Link            template.URL // the file as the caller gave it
}

func (p *Page) view() (*view, error) {
	css, _ := files.ReadFile("page.css") // embedded: it is there
	js, _ := files.ReadFile("page.js")
	v := &view{Page: p, CSS: template.CSS(css), JS: template.JS(js), Metrics: slices.Sorted(maps.Keys(p.Signatures))}
	for i, t := range p.Tables {
		var fragment, latex strings.Builder
		if err := p.short(t).Write(&fragment, "html"); err != nil {
			return nil, err
		}
		if err := t.Write(&latex, "latex"); err != nil {
			return nil, err
		}
		v.TableViews = append(v.TableViews, tableView{
			ID: fmt.Sprintf("table-%d", i+1), Title: t.Title, LaTeX: latex.String(),
			HTML: template.HTML(scrolling(withoutID(fragment.String()), t.Title)),
		})
	}
	for i, f := range p.Figures {
		id := fmt.Sprintf("figure-%d", i+1)
		svg, err := inline(f, id+"-")
		if err != nil {
			return nil, err
		}
		v.FigureViews = append(v.FigureViews, figureView{
			ID: id, Name: fileName(f.Name), Title: f.Title, SVG: template.HTML(svg),
			Link: template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(f.SVG)),
		})
	}
	var err error
	v.Groups, err = groups(p.Examples)
	v.HasOrigins = slices.ContainsFunc(p.Examples, func(e Example) bool { return e.Origins != nil })
	return v, err
}

// short is a table without the notes and signatures that the page has elsewhere, for all of them.
func (p *Page) short(t *table.Table) *table.Table {
	s := *t
	s.Notes = lists.Where(t.Notes, func(n string) bool { return !slices.Contains(p.About, n) })
	s.Signatures = lists.Where(t.Signatures, func(line string) bool {
		names, _, _ := strings.Cut(line, ": ")
		unsaid := func(name string) bool { return p.Signatures[name] == "" }
		return slices.ContainsFunc(strings.Split(names, ", "), unsaid)
	})
	return &s
}

var firstID = regexp.MustCompile(`^(<[a-z]+[^>]*?) id="[^"]*"`)

// withoutID takes its id from a table: the page numbers its tables, as two of one name must not
// share an id.
func withoutID(fragment string) string { return firstID.ReplaceAllString(fragment, "$1") }

// scrolling puts the table of a fragment, without its notes, into a box that scrolls. Texts are
// escaped: the tags are the table's own.
func scrolling(fragment, title string) string {
	box := `<div class="wide" role="region" aria-label="` + template.HTMLEscapeString(table.Flat(title)) + `" tabindex="0">`
	return strings.NewReplacer("<table>", box+"\n<table>", "</table>", "</table></div>").Replace(fragment)
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// fileName is a name to save a figure under.
func fileName(name string) string {
	if name = strings.Trim(notInNames.ReplaceAllString(name, "-"), "-."); name == "" {
		name = "figure"
	}
	return name + ".svg"
}
