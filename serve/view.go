package serve

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

//go:embed pages
var files embed.FS

var templates = template.Must(template.ParseFS(files, "pages/*.tmpl"))

// view holds what a page shows. Empty fields are not shown.
type view struct {
	Title   string
	Wrong   string   // error message if the request failed
	Notices []string // sentences about the result
	Form    *form    // the form above the result
	Answers []string // outputs, with the spacing and capitals of their sources
	Scored  bool     // set if candidates and their scores are shown too
	Body    template.HTML

	Name, Folder string
	Links        []link
}

// link is a navigation link to a page in the secret folder. Here is set if the link is on the page
// to which it leads.
type link struct {
	To, Text string
	Here     bool
}

// errNowhere means that the address is unknown.
var errNowhere = errors.New("there is no such page")

// errChanging means that a run replaces stages while a page reads them.
var errChanging = errors.New("a run is replacing the results that this page shows: try again in a moment")

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	switch {
	case err == nil:
		return http.StatusOK
	case errors.Is(err, errNowhere):
		return http.StatusNotFound
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, errChanging), userr.CodeOf(err) == userr.NoTorch, errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	case userr.CodeOf(err) == userr.BadInput:
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// page returns a handler that sends the view that build returns. If build returns an error, the
// page shows it as a sentence, together with the view if there is one.
func (s *Server) page(build func(*http.Request) (*view, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := build(r)
		if errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*workspace.Damage)) {
			err = errChanging // a run removed a stage that was finished a moment ago
		}
		if v == nil {
			v = &view{}
		}
		if err != nil {
			v.Wrong = sentence(err.Error())
		}
		for _, l := range s.links() {
			l.Here = s.folder()+l.To == r.URL.Path
			v.Links = append(v.Links, l)
		}
		s.write(w, statusOf(err), v)
	})
}

// links returns the navigation links.
func (s *Server) links() []link {
	forms := []link{{To: "explain", Text: "Explain"}, {To: "transfer", Text: "Transfer"}}
	if s.study == nil {
		return forms
	}
	return append([]link{{To: "", Text: "Results"}, {To: "examples", Text: "Examples"}}, forms...)
}

// write renders the whole page before it sends anything. If a template fails, it can therefore
// still send an error status.
func (s *Server) write(w http.ResponseWriter, status int, v *view) {
	v.Name, v.Folder = s.opts.Name, s.folder()
	if v.Title == "" {
		v.Title = "Not shown"
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "frame", v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the browser may have disconnected
}

// sentence turns an error's text into a sentence: it capitalizes the first letter and adds a full
// stop.
func sentence(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:] + "."
}

// serveStyle serves one style sheet: the report's, followed by the rules in pages/serve.css.
func serveStyle(w http.ResponseWriter, r *http.Request) {
	own, _ := files.ReadFile("pages/serve.css") // cannot fail: the file is embedded
	http.ServeContent(w, r, "style.css", time.Time{}, strings.NewReader(page.CSS()+string(own)))
}
