package serve

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/report/figure"
)

//go:embed pages assets
var files embed.FS

// choice is an option of a select.
type choice struct {
	Value, Text string
}

// view is a page.
type view struct {
	Title  string
	Page   string // its template
	Script string // of assets, "" for none
	Data   any
	Root   string       // leads from the page to the first one, "./" or "../" of any number
	Style  template.CSS // within the page, in place of files; "" for these

	Experiment string
	Links      []link // to the other pages
}

// link is one to a page below the root, Here the one shown.
type link struct {
	To, Text string
	Here     bool
}

// pages are the templates, each with the frame around it.
var pages = func() map[string]*template.Template {
	frame := template.Must(template.New("").Funcs(template.FuncMap{"sentence": sentence}).
		ParseFS(files, "pages/frame.tmpl"))
	out := map[string]*template.Template{}
	names, err := files.ReadDir("pages")
	if err != nil {
		panic(err)
	}
	for _, n := range names {
		if n.Name() != "frame.tmpl" {
			page := template.Must(template.Must(frame.Clone()).ParseFS(files, "pages/"+n.Name()))
			out[n.Name()[:len(n.Name())-len(".tmpl")]] = page
		}
	}
	return out
}()

// sentence writes what is wrong as a sentence of a page: errors begin small, have no full stop, and
// have commands between back quotes.
func sentence(text string) template.HTML {
	_, size := utf8.DecodeRuneInString(text)
	text = strings.ToUpper(text[:size]) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "!") {
		text += "."
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if part = template.HTMLEscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String()) //nolint:gosec // its parts are escaped
}

func (v *view) write(w io.Writer) error { return pages[v.Page].ExecuteTemplate(w, "frame", v) }

// sentenceLinks lead to what a packed model has too, studyLinks to all pages.
var (
	sentenceLinks = []link{{To: "explain", Text: "Explain"}, {To: "transfer", Text: "Transfer"}}
	studyLinks    = slices.Concat([]link{
		{To: "", Text: "Runs"},
		{To: "tables", Text: "Tables"},
		{To: "tradeoff", Text: "Trade-off"},
		{To: "curves", Text: "Curves"},
	}, sentenceLinks, []link{{To: "pairs", Text: "Two systems"}})
)

// rootOf leads from the page of a request to the first one. All links are relative, since pages lie
// in a folder of a name that is not known to them.
func rootOf(r *http.Request) string {
	return "./" + strings.Repeat("../", max(0, strings.Count(r.URL.EscapedPath(), "/")-1))
}

// redirect leads to a page beside the one asked for.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// frame fills in what is the same on all pages.
func (s *Server) frame(v *view, r *http.Request) {
	v.Root = rootOf(r)
	links := studyLinks
	switch {
	case s.opts.Packed != nil:
		v.Experiment, links = s.opts.File, sentenceLinks
	case s.study == nil:
		v.Experiment = "Human evaluation"
		return
	default:
		v.Experiment = s.opts.Plan.Experiment.Name
	}
	for _, l := range links {
		l.Here = "/"+l.To == r.URL.Path
		v.Links = append(v.Links, l)
	}
}

// serveColours serves the colours of pages and figures.
func serveColours(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "colours.css", time.Time{}, strings.NewReader(figure.CSS()))
}

// serveAsset serves a file of assets, of which there are only those in the program.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, err := files.ReadFile(path.Join("assets", path.Base(name)))
	if err != nil || path.Base(name) != name {
		refuse(w, r, http.StatusNotFound, errNowhere.Error())
		return
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
