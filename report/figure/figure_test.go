package figure

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

// Every figure in every format, the same bytes each time. FIGURE_DIR names a folder to look at them
// in.
func TestWriteIsDeterministic(t *testing.T) {
	for name, f := range figures() {
		for _, format := range Formats {
			var a, b bytes.Buffer
			if err := Write(&a, f, format); err != nil {
				t.Fatalf("%s as %s: %v", name, format, err)
			}
			if err := Write(&b, f, format); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s as %s: written twice, the bytes differ", name, format)
			}
			heads := map[string]string{"pdf": "%PDF-", "png": "\x89PNG", "svg": "<?xml"}
			if !strings.HasPrefix(a.String(), heads[format]) {
				t.Errorf("%s as %s begins with %.10q", name, format, a.String())
			}
			if dir := os.Getenv("FIGURE_DIR"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name+"."+format), a.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A figure that was drawn before is known by its JSON, so that must have all of it.
func TestFiguresAreTheirJSON(t *testing.T) {
	var whole func(of string, typ reflect.Type)
	whole = func(of string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			whole(of, typ.Elem())
		case reflect.Struct:
			for f := range typ.Fields() {
				if !f.IsExported() || f.Tag != "" {
					t.Errorf("%s.%s is not, or not under its name, in JSON", of, f.Name)
				}
				whole(of+"."+f.Name, f.Type)
			}
		case reflect.Bool, reflect.Int, reflect.Float64, reflect.String:
		default:
			t.Errorf("%s is a %s", of, typ)
		}
		if typ.Implements(reflect.TypeFor[json.Marshaler]()) {
			t.Errorf("%s writes a JSON of its own", of)
		}
	}
	for _, f := range []Figure{LambdaEps{}, MaskedShare{}, TradeOff{}, Training{}} {
		whole(fmt.Sprintf("%T", f), reflect.TypeOf(f))
	}
}

// No date of today may be in a PDF: the same figure made tomorrow must be the same file.
func TestPDFHasNoDate(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, maskedParts(1, 1), "pdf"); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("(D:20000101000000)")); n != 2 || bytes.Count(b.Bytes(), []byte("(D:")) != 2 {
		t.Errorf("%d dates are fixed of %d; want both of 2", n, bytes.Count(b.Bytes(), []byte("(D:")))
	}
}

func TestGoldenSVG(t *testing.T) {
	small := drawing.Size{Width: 5, Panel: 2, Font: 7}
	eps := EpsSeries{
		Name: "market", Points: []EpsPoint{{0.5, &Value{Mean: 80, Deviation: 4}, single(70)}, {0, single(55), nil}},
		Paper: paperPoints("Yelp")[:2],
	}
	half, third := 0.5, 0.25
	off := systems(4).Panels[0].Points
	off[1].Flaws, off[1].Signs, off[2].Human = "collapsed‡", "‡", true
	for name, f := range map[string]Figure{
		"lambdaeps": LambdaEps{Series: []EpsSeries{eps}, Size: small},
		"tradeoff": TradeOff{
			X: "s-BLEU, %", Y: "TST, %", Front: true, Size: small,
			Panels: []TradeOffPanel{{Title: "market", Points: systems(4).Panels[0].Points}},
		},
		"tradeoff-off": TradeOff{
			X: "s-BLEU, %", Y: "TST, %", Front: true, Size: small, Panels: []TradeOffPanel{{Points: off}},
		},
		"training": Training{
			Curves: []Curve{
				{
					Panel: "SMLM",
					Epochs: []Epoch{
						{N: 1, Loss: &half, DevLoss: &half}, {N: 2, Loss: &third, DevLoss: &third, Kept: true},
					},
				},
			},
			Size: small,
		},
		"masked": MaskedShare{
			Series: []ShareSeries{{Name: "A_S", Parts: []Part{{1, 4}, {0, 0}, {3, 4}}}}, Size: small,
		},
	} {
		var b bytes.Buffer
		if err := Write(&b, f, "svg"); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, filepath.Join("testdata", name+".svg"), b.String())
	}
}

// What cannot be drawn is said in a sentence for the user, and nothing is written.
func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		figure Figure
		format string
		want   string
	}{
		"empty eps": {
			LambdaEps{Series: []EpsSeries{{Name: "a"}, {Name: "b", Points: []EpsPoint{{LambdaEps: 0.1}}}}},
			"svg",
			"the figure of lambda_eps has nothing to draw",
		},
		"empty tradeoff": {
			TradeOff{Panels: []TradeOffPanel{{Title: "yelp"}}},
			"svg",
			"the figure of the trade-off has nothing to draw",
		},
		"empty training": {
			Training{Curves: []Curve{{Panel: "smlm", Epochs: []Epoch{{N: 1}}}}},
			"pdf",
			"the figure of training has nothing to draw",
		},
		"empty masked": {MaskedShare{Series: []ShareSeries{{Parts: make([]Part, 10)}}}, "pdf", "has nothing to draw"},
		"format":       {fourDatasets(), "jpeg", `figure format "jpeg" is unknown: use one of pdf, png, svg`},
		"NaN eps": {
			LambdaEps{Series: []EpsSeries{{Name: "a", Paper: []EpsPoint{{0.1, single(math.NaN()), nil}}}}},
			"svg",
			`series "a", has the value NaN`,
		},
		"Inf tradeoff": {
			TradeOff{Panels: []TradeOffPanel{{Points: []TradeOffPoint{{Name: "x", Y: Value{Mean: math.Inf(1)}}}}}},
			"svg", `system "x", has the value +Inf`,
		},
		"NaN training": {
			Training{Curves: []Curve{{Panel: "smlm", Epochs: []Epoch{{N: 3, Loss: &[]float64{math.NaN()}[0]}}}}},
			"svg",
			`model "smlm", epoch 3, has the value NaN`,
		},
		"masked": {
			MaskedShare{Series: []ShareSeries{{Name: "m", Parts: []Part{{5, 4}}}}}, "svg", "5 of 4 words are masked",
		},
	} {
		var b bytes.Buffer
		err := Write(&b, c.figure, c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
		var user *userr.Error
		if !errors.As(err, &user) || user.Code != userr.BadInput {
			t.Errorf("%s: %v is not an error of the user's input", name, err)
		}
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes were written", name, b.Len())
		}
	}
}

// Any name is drawn in every format, and SVG stays XML.
func TestAnyName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		f := LambdaEps{Series: []EpsSeries{{Name: name, Points: paperPoints("SNLI")[:2]}}}
		if rapid.Bool().Draw(t, "cloud") {
			f := systems(3)
			f.Panels[0].Title, f.Panels[0].Points[1].Name = name, name
			checkXML(t, f)
			return
		}
		checkXML(t, f)
	})
}

// elements are those that a figure as SVG has.
var elements = []string{"svg", "style", "g", "title", "path", "text"}

// checkXML fails unless a figure is drawn in every format, and as SVG is XML that does nothing but
// draw: pages take it in as it is.
func checkXML(t *rapid.T, f Figure) {
	var b bytes.Buffer
	for _, format := range []string{"pdf", "svg"} {
		b.Reset()
		if err := Write(&b, f, format); err != nil {
			t.Fatal(err)
		}
	}
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if e, is := token.(xml.StartElement); is {
			if !slices.Contains(elements, e.Name.Local) {
				t.Fatalf("there is a <%s>", e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Fatalf("there is a <%s %s>", e.Name.Local, a.Name.Local)
				}
			}
		}
	}
}

// No SVG asks for a font without a family that every viewer has behind it.
func TestSVGFonts(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, maskedParts(1, 1), "svg"); err != nil {
		t.Fatal(err)
	}
	families := regexp.MustCompile(`font-family="([^"]*)"`).FindAllStringSubmatch(b.String(), -1)
	if len(families) == 0 {
		t.Error("there is no text")
	}
	for _, f := range families {
		if !strings.HasSuffix(f[1], ",sans-serif") {
			t.Fatalf("the font is %q", f[1])
		}
	}
}
