package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// heatmaps returns invented heat maps: words with special characters of LaTeX, methods with and
// without a threshold, scores of 0, and a word that is never masked.
func heatmaps() []*Heatmap {
	return []*Heatmap{
		{
			Words: []string{"the", "soup", "was", "cold"}, Style: "gloomy", Probability: .978,
			Methods: []HeatmapMethod{
				{"explainable_attention", "lambda_eps 0.15", "from 0.287 on", .2875, []float64{.03, .11, .06, .8}, []bool{false, false, false, true}},
				{"gradients", "top_share 0.5", "top_share 0.5", 0, []float64{.1, .3, .2, .4}, []bool{false, true, false, true}},
			},
		},
		{
			Words: []string{"100%", "<b>", "füße", "a_b&c", "漢字"}, Style: "cheerful", Probability: .5,
			Methods: []HeatmapMethod{{"explainable_attention", "lambda_eps 0.15", "from 0.230 on", .23, make([]float64, 5), make([]bool, 5)}},
		},
		{
			Words: []string{"see", "www.example.org"}, Style: "cheerful", Probability: .6,
			Methods: []HeatmapMethod{
				{"explainable_attention", "lambda_eps 0.15", "from 0.750 on", .75, []float64{.8, -1}, []bool{true, false}},
				{"gradients", "top_share 0.5", "top_share 0.5", 0, []float64{.4, -1}, []bool{true, false}},
			},
		},
		{
			Words: []string{"no", "threshold"}, Style: "gloomy", Probability: .7,
			Methods: []HeatmapMethod{{"explainable_attention", "top_share 0.5", "top_share 0.5", 0, []float64{.4, .6}, []bool{false, true}}},
		},
	}
}

func writeHeatmaps(t *testing.T, format string, bars bool) string {
	t.Helper()
	var b bytes.Buffer
	write, err := HeatmapWriter(&b, format, bars)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range heatmaps() {
		if err := write(s); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestHeatmapFormats(t *testing.T) {
	for _, format := range HeatmapFormats {
		testkit.Golden(t, filepath.Join("testdata", "heatmap."+format), writeHeatmaps(t, format, false))
	}
	testkit.Golden(t, filepath.Join("testdata", "heatmap-bars.text"), writeHeatmaps(t, "text", true))
	if _, err := HeatmapWriter(&bytes.Buffer{}, "pdf", false); err == nil {
		t.Error("an unknown format is accepted")
	}
}

// TestHeatmapBars checks that a larger share never has a shorter bar, and that a share of 1 has a
// bar of full width.
func TestHeatmapBars(t *testing.T) {
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

func TestHeatmapPDFLaTeX(t *testing.T) {
	heatmaps := writeHeatmaps(t, "latex", false)
	if !strings.Contains(heatmaps, "% Han letters: use lualatex or xelatex") {
		t.Error("no comment says what Chinese letters need")
	}
	heatmaps = strings.ReplaceAll(heatmaps, "漢字", "") // pdflatex does not print them
	document := "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\\usepackage{textcomp,xcolor}\n\\begin{document}\n" +
		heatmaps + "\\end{document}\n"
	testkit.PDFLaTeX(t, t.TempDir(), "heat", []byte(document), "^!")
}
