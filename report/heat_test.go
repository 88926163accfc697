package report

import (
	"bytes"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"path/filepath"
	"strings"
	"testing"
)

// sentences are invented: words that mean something to LaTeX and HTML, a policy without threshold,
// and scores of which none is above 0.
func sentences() []*Sentence {
	return []*Sentence{
		{
			Words: []string{"the", "soup", "was", "cold"}, Style: "gloomy", Probability: .978,
			Methods: []Method{
				{"explainable_attention", .2875, []float64{.03, .11, .06, .8}, []bool{false, false, false, true}},
				{"gradients", 0, []float64{.1, .3, .2, .4}, []bool{false, true, false, true}},
			},
		},
		{
			Words: []string{"100%", "<b>", "füße", "a_b&c", "漢字"}, Style: "cheerful", Probability: .5,
			Methods: []Method{{"explainable_attention", .23, make([]float64, 5), make([]bool, 5)}},
		},
	}
}

func write(t *testing.T, format string, bars bool) string {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, format, bars)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sentences() {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	for _, format := range Formats {
		testkit.Golden(t, filepath.Join("testdata", format+".golden"), write(t, format, false))
	}
	testkit.Golden(t, filepath.Join("testdata", "bars.golden"), write(t, "text", true))
	if _, err := NewWriter(&bytes.Buffer{}, "pdf", false); err == nil {
		t.Error("an unknown format is taken")
	}
}

// TestBars: a bar of a larger score is never shorter, the largest fills the width.
func TestBars(t *testing.T) {
	before := 0
	for i := range 101 {
		n := len([]rune(bar(float64(i) / 100)))
		if n < before || n > barWidth {
			t.Fatalf("%d%% is %d characters long, %d before", i, n, before)
		}
		before = n
	}
	if bar(1) != strings.Repeat("█", barWidth) || bar(0) != "" {
		t.Errorf("1 is %q, 0 is %q", bar(1), bar(0))
	}
}

func TestMisfit(t *testing.T) {
	s := sentences()[0]
	s.Methods[1].Masked = s.Methods[1].Masked[:3]
	w, err := NewWriter(&bytes.Buffer{}, "json", false)
	if err != nil {
		t.Fatal(err)
	}
	want := "4 words have 4 scores and 3 masks by gradients"
	if err := w.Write(s); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestHeatmapPDFLaTeX(t *testing.T) {
	document := "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\\usepackage{textcomp,xcolor}\n\\begin{document}\n" +
		write(t, "latex", false) + "\\end{document}\n"
	testkit.PDFLaTeX(t, t.TempDir(), "heat", []byte(document), "^!")
}
