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
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"pgregory.net/rapid"
)

// record returns a record with the given axes. The parameter axes alternates keys and values.
func record(table string, values metrics.Values, axes ...string) *report.Record {
	r := &report.Record{From: table, Values: values, Scores: &metrics.Scores{Metrics: values}}
	for pair := range slices.Chunk(axes, 2) {
		r.Axes = append(r.Axes, report.Axis{Key: pair[0], Value: pair[1]})
	}
	return r
}

// mask returns a record of masked test sentences.
func mask(dataset, method, con, eps, seed string, accuracy, charBLEU float64) *report.Record {
	return record(report.FromMasks, metrics.Values{"sentences": 400, "accuracy": accuracy, "char_s_bleu": charBLEU},
		report.Dataset, dataset, "method", method, "lambda_con", con, "lambda_eps", eps, "policy", "surplus", report.Seed, seed)
}

// system returns a record of a system with two metrics.
func system(name string, tst, sBLEU float64, settings ...string) *report.Record {
	axes := append([]string{report.Dataset, "market", report.System, name}, settings...)
	return record(report.FromSystems, metrics.Values{"tst": tst, "s_bleu": sBLEU}, axes...)
}

// figures returns one figure of each kind.
func figures(t testing.TB) map[string]*Figure {
	must := func(f *Figure, err error) *Figure {
		if err != nil || f == nil {
			t.Fatalf("figure %v, error %v", f, err)
		}
		return f
	}
	var masks []*report.Record
	for i, eps := range []string{"0", "0.5", "1"} {
		at := func(dataset string, lift float64) *report.Record {
			return mask(dataset, "explainable_attention", "10", eps, "1", 70+lift+float64(3*i), 60+lift+float64(8*i))
		}
		masks = append(masks, at("market", 0), at("yelp", 4))
	}
	var systems []*report.Record
	for i, name := range []string{"SMLM", "SMLM-G", "DeleteOnly", "B-GST", "human"} {
		r := system(name, 60+7*float64(i), 60-9*float64(i))
		r.Kind = []report.Kind{report.Ours, report.Ours, report.Published, report.Published, report.People}[i]
		systems = append(systems, r)
	}
	return map[string]*Figure{
		"lambda_eps": must(LambdaEps(masks)),
		"tradeoff":   must(TradeOff(systems)),
	}
}

// TestWriteIsDeterministic checks that figures that are written twice have the same bytes and a
// fixed date. If FIGURE_DIR names a folder, the figures are kept there.
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
	if err := first["tradeoff"].Write(io.Discard, "jpeg"); err == nil {
		t.Error("jpeg is accepted as a format")
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

// TestAnyName checks that the SVG is valid XML and contains only drawing elements, whatever a
// system's name is. This matters because a web page includes the SVG unchanged. PDFs must also
// accept any name.
func TestAnyName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := system(rapid.String().Draw(t, "name"), 60, 50)
		r.Kind = report.Kind(rapid.IntRange(int(report.Ours), int(report.People)).Draw(t, "kind"))
		f, err := TradeOff([]*report.Record{r})
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
				t.Fatalf("the SVG has a <%s>", e.Name.Local)
			}
		}
	})
}

// TestPlain checks that a name of 60 letters is shortened to its first 37 and its last 12 letters.
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
