// Package page writes the report of a run as one HTML file that needs nothing else: no network, no
// other file, no script. It opens from disk, in light and dark, on paper and on a telephone. A Page
// is plain data; its texts may be any text, and are escaped.
package page

import (
	"bytes"
	"embed"
	"html/template"
	"io"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// Page is the report of one run. What is empty is left out.
type Page struct {
	Title      string            // the experiment: "market"
	Finished   int               // points and published systems that it shows
	Command    string            // the command line that reproduces it
	About      []string          // a sentence each: data, seeds, profile, what is missing
	Tables     []*table.Table    // each with its LaTeX to copy
	Figures    []Figure          //
	Examples   []Example         // of one data set, direction and source stand together
	Settings   string            // the experiment, with all defaults, as TOML
	Signatures map[string]string // metric: how it was computed
	Stages     []Stage           // in the order of the study
}

// Figure is a picture.
type Figure struct {
	Name  string // short, of the file that its link saves: "lambda-eps"
	Title string // the caption
	SVG   []byte // as package figure writes it
}

// Stage is one step of the run.
type Stage struct {
	Name  string // what it did: "divlstm of yelp, seed 1"
	ID    string // its identity, shortened or not
	State string // "done", "failed", "not run"
	Took  string // "3m12s"; "" where it is not known
}

//go:embed page.tmpl page.css page.js
var files embed.FS

var layout = template.Must(template.ParseFS(files, "page.tmpl"))

// Write writes the page, the same bytes for the same data. It fails, having written nothing, where
// a table cannot be written, a figure is no SVG or has in it what could load or run something, or
// an example's scores, masks or origins are not as many as its words.
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
