package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed heat.tmpl
var heatmapFiles embed.FS

var page = template.Must(template.ParseFS(heatmapFiles, "heat.tmpl"))

// strongest is the opacity behind the word of the highest score: black and white text can still be
// read on it.
const strongestScore = 0.6

type htmlSentence struct {
	About   string
	Methods []htmlMethod
}

type htmlMethod struct {
	Title, Threshold string
	Words            []htmlWord
}

type htmlWord struct {
	Text, Title string
	Shade       template.CSS
	Masked      bool
}

// htmlWriter begins a page that needs no other file.
func htmlWriter(w io.Writer) (func(*Sentence) error, error) {
	return func(s *Sentence) error {
		view := htmlSentence{About: s.about()}
		for _, m := range s.Methods {
			view.Methods = append(view.Methods, m.html(s.Words))
		}
		return page.ExecuteTemplate(w, "sentence", view)
	}, page.ExecuteTemplate(w, "head", nil)
}

func (m *Method) html(words []string) htmlMethod {
	out := htmlMethod{Title: m.title()}
	if m.Threshold > 0 {
		out.Threshold = fmt.Sprintf("%.3f", m.Threshold)
	}
	shares := m.shares()
	for i, text := range words {
		w := htmlWord{Text: text, Masked: m.Masked[i], Title: fmt.Sprintf("score %.3f", m.Scores[i])}
		if m.Threshold > 0 {
			w.Title += fmt.Sprintf(", %+.3f from the threshold", m.Scores[i]-m.Threshold)
		}
		w.Shade = template.CSS(fmt.Sprintf("--a:%.2f", strongestScore*shares[i]))
		out.Words = append(out.Words, w)
	}
	return out
}
