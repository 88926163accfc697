package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"pgregory.net/rapid"
)

// figures are one of each kind, made of few rows.
func figures(t testing.TB) map[string]*Figure {
	must := func(f *Figure, err error) *Figure {
		if err != nil || f == nil {
			t.Fatalf("figure %v, error %v", f, err)
		}
		return f
	}
	var masking []report.AttributionRow
	for i, eps := range []float64{0, .5, 1} {
		at := func(dataset string, lift float64) report.AttributionRow {
			return report.AttributionRow{
				Dataset: dataset, Method: policy.ExplainableAttention, LambdaEps: &eps, Seed: 1, Sentences: 400,
				Accuracy: 70 + lift + float64(3*i), CharBLEU: 60 + lift + float64(8*i),
			}
		}
		masking = append(masking, at("market", 0), at("yelp", 4))
	}
	var results []report.ResultRow
	for i, name := range []string{"SMLM", "SMLM-G", "DeleteOnly", "B-GST", "human"} {
		results = append(results, report.ResultRow{
			Dataset: "market", System: name, Seed: 1, Published: i > 1, Unranked: name == "human",
			Metrics: &metrics.Scores{Metrics: metrics.Values{"tst": 60 + 7*float64(i), "s_bleu": 60 - 9*float64(i)}},
		})
	}
	return map[string]*Figure{
		"lambda_eps": must(LambdaEps(masking)),
		"tradeoff":   must(TradeOff(results, metrics.ColumnsOf("s_bleu")[0], metrics.ColumnsOf("tst")[0])),
		"losses":     must(Losses(course("smlm", "lambda_con", "1", "2"))),
		"accuracies": must(Accuracies(course("classifier", "lambda_con", "1"))),
	}
}

// course is three epochs of a model at each value of a setting.
func course(model, key string, values ...string) (rows []report.TrainingRow) {
	for _, v := range values {
		for epoch := 1; epoch <= 3; epoch++ {
			loss, accuracy := 2/float64(epoch)+float64(len(rows))/10, 70+float64(5*epoch)
			rows = append(rows, report.TrainingRow{
				Dataset: "market", Model: model, Axes: []report.Axis{{Key: key, Value: v}}, Epoch: epoch,
				TrainLoss: &loss, DevLoss: &accuracy, DevAccuracy: &accuracy, Kept: epoch == 2,
			})
		}
	}
	return rows
}

// Every figure in every format has the same bytes each time, and no date of today. FIGURE_DIR names
// a folder to look at them in.
func TestWriteIsDeterministic(t *testing.T) {
	heads := map[string]string{"pdf": "%PDF-", "png": "\x89PNG", "svg": "<?xml"}
	first, second := figures(t), figures(t)
	for name, f := range first {
		for _, format := range Formats {
			var a, b bytes.Buffer
			if err := errors.Join(f.Write(&a, format), second[name].Write(&b, format)); err != nil {
				t.Fatalf("%s as %s: %v", name, format, err)
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s as %s: written twice, the bytes differ", name, format)
			}
			if !strings.HasPrefix(a.String(), heads[format]) {
				t.Errorf("%s as %s begins with %.10q", name, format, a.String())
			}
			if all, fixed := strings.Count(a.String(), "(D:"), strings.Count(a.String(), "(D:20000101000000)"); all != fixed {
				t.Errorf("%s as %s: %d dates, and %d are fixed", name, format, all, fixed)
			}
			if dir := os.Getenv("FIGURE_DIR"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name+"."+format), a.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := first["losses"].Write(io.Discard, "jpeg"); err == nil {
		t.Error("jpeg is a format")
	}
}

func TestGoldenSVG(t *testing.T) {
	for name, f := range figures(t) {
		var b bytes.Buffer
		if err := f.Write(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, filepath.Join("testdata", name+".svg"), b.String())
	}
}

// The SVG of a figure stands in a page as it is: it is XML that does nothing but draw, whatever a
// system is called. PDF takes any name too.
func TestAnyName(t *testing.T) {
	x, y := metrics.ColumnsOf("s_bleu")[0], metrics.ColumnsOf("tst")[0]
	rapid.Check(t, func(t *rapid.T) {
		row := report.ResultRow{
			Dataset: "market", System: rapid.String().Draw(t, "name"), Published: rapid.Bool().Draw(t, "published"),
			Metrics: &metrics.Scores{Metrics: metrics.Values{"tst": 60, "s_bleu": 50}},
		}
		f, err := TradeOff([]report.ResultRow{row}, x, y)
		if err != nil {
			t.Fatal(err)
		}
		var svg bytes.Buffer
		if err := errors.Join(f.Write(io.Discard, "pdf"), f.Write(&svg, "svg")); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&svg)
		for {
			token, err := d.Token()
			if err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			allowed := []string{"svg", "g", "path", "text"}
			if e, is := token.(xml.StartElement); is && !slices.Contains(allowed, e.Name.Local) {
				t.Fatalf("there is a <%s>", e.Name.Local)
			}
		}
	})
}

// By hand: a name of 60 letters keeps its first 37 and its last 12.
func TestPlain(t *testing.T) {
	long := strings.Repeat("a", 40) + strings.Repeat("b", 20)
	for name, want := range map[string]string{
		"SMLM (copied)": "SMLM (copied)",
		"café":          "caf?",
		long:            strings.Repeat("a", 37) + "..." + strings.Repeat("b", 12),
	} {
		if got := plain(name); got != want {
			t.Errorf("plain(%q) = %q, want %q", name, got, want)
		}
	}
}
