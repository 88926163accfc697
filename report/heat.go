// Package heat shows the words of sentences with their scores and what was masked, by several
// methods side by side: as text for a terminal, JSON, HTML, and boxes of colour for LaTeX.
package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Formats are what Write can write.
var Formats = []string{"text", "json", "html", "latex"}

// Sentence is one sentence as several methods see it.
type Sentence struct {
	Words []string
	// Style is what the sentence was explained as, and Probability what the model of the first
	// method says of that, 0 to 1.
	Style       string
	Probability float64
	Methods     []Method
}

// Method is the scores of a sentence's words by one method, and what its policy masks.
type Method struct {
	Name      string
	Threshold float64 // (1 + lambda_eps) / n, the score from which on a word is masked; 0 where a policy has none
	Scores    []float64
	Masked    []bool
}

// Writer writes sentences one after the other in one of the Formats. Bars are drawn in text alone.
// Close ends the document.
type Writer struct {
	w     io.Writer
	write func(*Sentence) error
	end   string
}

// NewWriter begins a document in a format, one of Formats.
func NewWriter(w io.Writer, format string, bars bool) (out *Writer, err error) {
	out = &Writer{w: w}
	switch format {
	case "text":
		out.write = func(s *Sentence) error { return s.text(w, bars) }
	case "json":
		out.write = func(s *Sentence) error { return s.json(w) }
	case "html":
		out.end = "</html>\n"
		out.write, err = htmlWriter(w)
	case "latex":
		out.write = latexWriter(w)
	default:
		err = fmt.Errorf("heat: unknown format %q", format)
	}
	return out, err
}

// Write writes one sentence, whose methods must have a score and a mask for each word.
func (w *Writer) Write(s *Sentence) error {
	for _, m := range s.Methods {
		if len(m.Scores) != len(s.Words) || len(m.Masked) != len(s.Words) {
			return fmt.Errorf("heat: %d words have %d scores and %d masks by %s", len(s.Words), len(m.Scores),
				len(m.Masked), m.Name)
		}
	}
	return w.write(s)
}

// Close ends the document.
func (w *Writer) Close() error {
	_, err := io.WriteString(w.w, w.end)
	return err
}

// title names a method as people write it: "explainable attention".
func (m *Method) title() string { return strings.ReplaceAll(m.Name, "_", " ") }

// shares are the scores as parts of the sentence's largest, 0 to 1.
func (m *Method) shares() []float64 {
	highest := 0.0
	for _, v := range m.Scores {
		highest = max(highest, v)
	}
	out := make([]float64, len(m.Scores))
	for i, v := range m.Scores {
		if highest > 0 {
			out[i] = max(0, v) / highest
		}
	}
	return out
}

// about says what a sentence was explained as: "cheerful (p = 0.98)".
func (s *Sentence) about() string {
	return fmt.Sprintf("%s (p = %s)", s.Style, strconv.FormatFloat(s.Probability, 'f', 2, 64))
}
