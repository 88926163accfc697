package drawing

import (
	"bytes"
	"fmt"
	"image"
	pngfile "image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"
)

func TestLettersThatAreLacking(t *testing.T) {
	if got, want := asCodes("Ελλ ą 日b"), "Ελλ ą [U+65E5]b"; got != want {
		t.Errorf("asCodes: %q, want %q", got, want)
	}
	if got, want := clean("a\x01b\n\xffc \u0085 d"), "a b \uFFFDc d"; got != want {
		t.Errorf("clean: %q, want %q", got, want)
	}
}

// Lines are no wider than asked, and lose nothing unless there are too many.
func TestWrap(t *testing.T) {
	sty := newPen(backEnds["png"].spell, Size{}).style(draw.XLeft, draw.YBottom)
	rapid.Check(t, func(t *rapid.T) {
		s := clean(rapid.StringMatching(`[a-zA-Z_%é ]{0,80}`).Draw(t, "s"))
		width := vg.Length(rapid.Float64Range(20, 200).Draw(t, "width"))
		most := rapid.IntRange(2, 5).Draw(t, "most")
		lines := wrap(sty, s, width, most)
		if len(lines) > most {
			t.Fatalf("%d lines, want at most %d", len(lines), most)
		}
		whole := strings.ReplaceAll(strings.Join(lines, ""), " ", "")
		if !strings.Contains(whole, "…") && whole != strings.ReplaceAll(s, " ", "") {
			t.Fatalf("%q became %q", s, lines)
		}
		for _, l := range lines {
			if sty.Width(l) > width {
				t.Fatalf("%q is %v wide, want at most %v", l, sty.Width(l), width)
			}
		}
	})
}

func TestFitKeepsBothEnds(t *testing.T) {
	sty := newPen(backEnds["png"].spell, Size{}).style(draw.XLeft, draw.YBottom)
	got := fit(sty, "SMLM-FT with lambda_eps 0.15", 60)
	if !strings.HasPrefix(got, "SMLM") || !strings.HasSuffix(got, ".15") || sty.Width(got) > 60 {
		t.Errorf("%q, %v wide", got, sty.Width(got))
	}
}

// Ticks stand within the range, at equal steps, no more of them than asked, and their labels are
// their values.
func TestRoundTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e4, 1e4).Draw(t, "low")
		high := low + math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "decades"))
		most := rapid.IntRange(2, 9).Draw(t, "most")
		ticks := roundTicks(low, high, most, 0)
		if len(ticks) > most || len(ticks) == 0 && most >= 4 {
			t.Fatalf("%d ticks from %v to %v, want 1 to %d", len(ticks), low, high, most)
		}
		for i, tick := range ticks {
			slack := 1e-6 * (high - low)
			if tick.Value < low-slack || tick.Value > high+slack {
				t.Fatalf("tick %v is outside of %v to %v", tick.Value, low, high)
			}
			if i > 1 && math.Abs((tick.Value-ticks[i-1].Value)-(ticks[1].Value-ticks[0].Value)) > slack {
				t.Fatalf("unequal steps: %v", ticks)
			}
			if i > 0 && tick.Label == ticks[i-1].Label {
				t.Fatalf("two ticks are labelled %s", tick.Label)
			}
		}
	})
}

func TestTickLabels(t *testing.T) {
	labels := func(low, high float64, most int, least float64) string {
		var s []string
		for _, tick := range roundTicks(low, high, most, least) {
			s = append(s, tick.Label)
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct{ got, want string }{
		{labels(45, 96, 6, 0), "50 60 70 80 90"},
		{labels(-0.3, 0.3, 5, 0), "−0.2 0.0 0.2"},
		{labels(0, 1, 5, 0), "0.00 0.25 0.50 0.75 1.00"},
		{labels(0.95, 3.05, 6, 1), "1 2 3"}, // epochs
		{labels(0.5, 1.5, 6, 1), "1"},
	} {
		if c.got != c.want {
			t.Errorf("ticks %q, want %q", c.got, c.want)
		}
	}
	if ticksAt([]float64{0.5, 0, 0.1, 0.1}, 8, 0.08) == nil || ticksAt([]float64{0, 0.01, 1}, 8, 0.08) != nil ||
		ticksAt(make([]float64, 1), 0, 0) != nil {
		t.Error("ticks stand at the values if they are few and far enough apart")
	}
}

// The text of a PDF can be searched: its font is embedded, says which letters it has, and the same
// sheet is the same bytes.
func TestPDFText(t *testing.T) {
	sheet := &Sheet{Height: 4, Columns: 1, Panels: []*Panel{{
		Title: "Größe, λ −1 ≤ 2 ‡ 日", X: Axis{Title: "lambda_eps", Range: Span{High: 1}, Most: 5},
		Y:      Axis{Title: "char s-BLEU, %", Range: Span{High: 100}, Most: 5},
		Curves: []Curve{{Dots: []Dot{{X: 0, Y: 1}, {X: 1, Y: 2}}, Mark: &Mark{Colour: Ink}}},
	}}}
	var b, again bytes.Buffer
	for _, to := range []*bytes.Buffer{&b, &again} {
		if err := sheet.Write(to, "pdf"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the same sheet, written twice, differs")
	}
	for _, want := range []string{"/ToUnicode", "/FontFile2"} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("the PDF lacks %s", want)
		}
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("needs pdftotext (Debian: poppler-utils)")
	}
	file := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pdftotext", file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"lambda_eps", "char s-BLEU, %", "Größe, λ −1 ≤ 2 ‡ [U+65E5]"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the text lacks %q: %q", want, out)
		}
	}
}

// A key of a weight is a symbol with a subscript, of which a label may be cut anywhere; other texts
// stay. In a PDF its letters can be searched.
func TestSymbols(t *testing.T) {
	for text, want := range map[string]string{
		"lambda_eps": "λ_ε", "a, lambda_con 1.5, lambda_eps 0": "a, λ_con = 1.5, λ_ε = 0",
		"lambda_rec −1": "λ_rec = −1",
		"lambda_":       "lambda_", "Lambda_eps": "Lambda_eps", "xlambda_eps": "xlambda_eps",
		"lambda_con axis": "λ_con axis",
	} {
		if got := PlainSymbols(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		plain := ""
		for _, r := range runsOf(Symbols(text)) {
			if r.below {
				plain += "_"
			}
			plain += r.text
		}
		if plain != want {
			t.Errorf("the label of %q is %q, want %q", text, plain, want)
		}
	}
	if got := HTMLSymbols("<i> lambda_eps 0.5"); got != "&lt;i&gt; λ<sub>ε</sub> = 0.5" {
		t.Errorf("in a page it is %q", got)
	}
	l := &lettering{text.Plain{Fonts: font.DefaultCache}, asCodes}
	f := font.From(sans, 8)
	width := func(s string) vg.Length {
		w, _, _ := l.Box(s, f)
		return w
	}
	small, large := width(Symbols("lambda_con"))-width("λ"), width("con")
	if math.Abs(float64(small/large)-subscriptSize) > 0.05 {
		t.Errorf("a subscript is %v wide, the same text %v", small, large)
	}
	var svg bytes.Buffer
	sheet := &Sheet{Height: 4, Panels: []*Panel{{
		Title: Symbols("lambda_con 1"), X: Axis{Range: Span{High: 1}, Most: 5}, Y: Axis{Range: Span{High: 1}, Most: 5},
	}}}
	if err := sheet.Write(&svg, "svg"); err != nil {
		t.Fatal(err)
	}
	texts := regexp.MustCompile(`y="([0-9.]+)" font-size="([0-9.]+)"[^>]*>([^<]*)<`)
	parts := texts.FindAllStringSubmatch(svg.String(), -1)
	at := slices.IndexFunc(parts, func(p []string) bool { return p[3] == "con" })
	if at < 1 || parts[at-1][3] != "λ" || parts[at+1][3] != "= 1" || parts[at][1] <= parts[at-1][1] ||
		parts[at][2] != "5.04" {
		t.Errorf("in the SVG stand %q", parts)
	}
}

// No line of a curve hides the mark of another.
func TestMarksOverLines(t *testing.T) {
	var b bytes.Buffer
	sheet := &Sheet{Height: 4, Panels: []*Panel{{
		X: Axis{Range: Span{High: 1}, Most: 5}, Y: Axis{Range: Span{High: 1}, Most: 5},
	}}}
	for i := range 3 {
		sheet.Panels[0].Curves = append(sheet.Panels[0].Curves, Curve{
			Dots: []Dot{{X: 0, Y: 0.5, Deviation: 0.4}, {X: 1, Y: 0.5}},
			Line: &Line{Colour: Colour(i)}, Mark: &Mark{Colour: Colour(i), Shape: ShapeOf(i)},
		})
	}
	if err := sheet.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	picture := string(Inline(b.Bytes())) // without the style
	line := regexp.MustCompile(`fill="none" stroke="#(?:0072B2|E69F00|009E73)"`).FindAllStringIndex(picture, -1)
	mark := regexp.MustCompile(`fill="#(?:0072B2|E69F00|009E73)"`).FindAllStringIndex(picture, -1)
	if len(line) != 3*4 || len(mark) != 3*2 || line[len(line)-1][0] > mark[0][0] {
		t.Errorf("%d lines and bars to %v, %d marks from %v", len(line), line[len(line)-1], len(mark), mark[0])
	}
}

// A PNG says how large it is on paper: its width in pixels is that of the figure at 300 dpi.
func TestPNGResolution(t *testing.T) {
	var b bytes.Buffer
	sheet := &Sheet{Height: 4, Panels: []*Panel{{
		X: Axis{Range: Span{High: 1}, Most: 5}, Y: Axis{Range: Span{High: 1}, Most: 5},
	}}}
	if err := sheet.Write(&b, "png"); err != nil {
		t.Fatal(err)
	}
	picture, format, err := image.DecodeConfig(bytes.NewReader(b.Bytes()))
	if err != nil || format != "png" || picture.Width != int(math.Round(defaultWidth/2.54*pngDPI)) {
		t.Fatalf("%s, %d pixels wide (%v)", format, picture.Width, err)
	}
	if _, err := pngfile.Decode(bytes.NewReader(b.Bytes())); err != nil { // with the checksums
		t.Error(err)
	}
	_, chunk, found := bytes.Cut(b.Bytes(), []byte("pHYs"))
	if want := "\x00\x00\x2e\x23\x00\x00\x2e\x23\x01"; !found || !strings.HasPrefix(string(chunk), want) {
		t.Errorf("the resolution is % x", chunk[:min(9, len(chunk))])
	}
}

// A viewer without the font of a picture keeps to its widths, but where it must take another one.
func TestSVGWidths(t *testing.T) {
	var b bytes.Buffer
	sheet := &Sheet{Height: 4, Panels: []*Panel{{
		Title: "a 日 title", X: Axis{Title: "s-BLEU, %", Range: Span{High: 1}, Most: 5},
		Y: Axis{Range: Span{High: 1}, Most: 5},
	}}}
	if err := sheet.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`textLength="[0-9.]+" lengthAdjust="spacingAndGlyphs">s-BLEU, %<`).MatchString(b.String()) {
		t.Error("a label has no width")
	}
	if !regexp.MustCompile(`fill="#000000">a 日 title<`).MatchString(b.String()) {
		t.Error("a label with a letter that the font lacks has a width, or is not there")
	}
}

// A page has all colours that a picture by itself has, by name, and those in the dark by the same
// rules; what stands in the page is the picture without its style.
func TestColoursOfPagesAndPictures(t *testing.T) {
	var b bytes.Buffer
	sheet := &Sheet{Height: 4, Panels: []*Panel{{
		X: Axis{Range: Span{High: 1}, Most: 5}, Y: Axis{Range: Span{High: 100}, Most: 5},
		Curves: []Curve{{Dots: []Dot{{X: 0, Y: 1}}, Mark: &Mark{Colour: Colour(0)}}},
	}}}
	if err := sheet.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	css := CSS()
	for _, c := range colours {
		light, dark := fmt.Sprintf("#%06X", c.light), fmt.Sprintf("#%06X", c.dark)
		if strings.Count(css, "--"+c.name+": "+light+";") != 1 || strings.Count(css, "--"+c.name+": "+dark+";") != 1 {
			t.Errorf("pages lack %s", c.name)
		}
		for _, text := range []string{css, b.String()} {
			if !strings.Contains(text, `svg [fill="`+light+`"] { fill: `+dark+" }") ||
				!strings.Contains(text, `svg [stroke="`+light+`"] { stroke: `+dark+" }") {
				t.Errorf("%s is the same in the dark", c.name)
			}
		}
	}
	for _, used := range regexp.MustCompile(`(?:fill|stroke)="(#\w+)"`).FindAllStringSubmatch(b.String(), -1) {
		if !slices.ContainsFunc(colours, func(c colour) bool { return fmt.Sprintf("#%06X", c.light) == used[1] }) {
			t.Errorf("%s is drawn, and none of the colours", used[1])
		}
	}
	inline := string(Inline(b.Bytes()))
	if !strings.HasPrefix(inline, "<svg ") || !strings.HasSuffix(inline, "</svg>\n") ||
		strings.Contains(inline, "<style") || strings.Contains(inline, " style=") {
		t.Errorf("in a page stands\n%s", inline)
	}
}

// One long text at the end stands across all columns; two, or one elsewhere, stand in them.
func TestLegendAcross(t *testing.T) {
	p := newPen(backEnds["png"].spell, Size{})
	long := "Pareto front (without collapsed systems and people)"
	short := func(n int) (entries []Entry) {
		for range n {
			entries = append(entries, Entry{Text: "SMLM-G, predicted", Mark: &Mark{}})
		}
		return entries
	}
	last := Entry{Text: long, Line: &StepLine}
	for name, c := range map[string]struct {
		entries []Entry
		across  bool
	}{
		"last": {append(short(8), last), true}, "first": {append([]Entry{last}, short(8)...), false},
		"two": {append(short(8), last, last), false}, "few": {append(short(2), last), false},
	} {
		width := vg.Length(220)
		l := p.legend(c.entries, width)
		if (l.across != nil) != c.across || l.width() > width {
			t.Errorf("%s: across %v, %v wide", name, l.across != nil, l.width())
		}
		if l.across == nil {
			continue
		}
		_, lines := l.rows()
		if len(l.entries) != len(c.entries)-1 || len(l.across.lines[0]) != 1 || len(lines) != 4 {
			t.Errorf("%s: %d entries in %d rows, and %q", name, len(l.entries), len(lines), l.across.lines)
		}
	}
}

// No title of a panel is cut at the edge of the figure.
func TestHeadingsStayInside(t *testing.T) {
	p := newPen(backEnds["png"].spell, Size{})
	s := &Sheet{Columns: 3, Height: 2.8}
	for range 6 {
		x := Axis{Range: Span{Low: 1, High: 2}, Most: 5, Whole: true}
		y := Axis{Range: Span{Low: 99.01, High: 99.09}, Most: 4} // its numbers leave little room for the data
		s.Panels = append(s.Panels, &Panel{Title: "Language model", Under: "dev accuracy, %", X: x, Y: y})
	}
	var c recorder.Canvas
	s.layout(p).draw(draw.Canvas{Canvas: &c, Rectangle: vg.Rectangle{Max: vg.Point{X: p.width, Y: 300}}})
	lines := 0
	for _, a := range c.Actions {
		if text, is := a.(*recorder.FillString); is {
			lines++
			width, _ := widthOf(text.String, text.Font)
			if left, right := text.Point.X, text.Point.X+width; left < 0 || right > p.width {
				t.Errorf("%q is from %v to %v of %v", text.String, left, right, p.width)
			}
		}
	}
	if lines < 12 {
		t.Errorf("%d lines of text are drawn", lines)
	}
}
