package drawing

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// A page has all colours that a picture by itself has, by name, and those in the dark by the same
// rules; what stands in the page is the picture without its style.
func TestColoursOfPagesAndPictures(t *testing.T) {
	var b bytes.Buffer
	sheet := &Sheet{Height: 4, Panels: []*Panel{{
		X: Axis{Range: Span{High: 1}, Most: 5}, Y: Axis{Range: Span{High: 100}, Most: 5},
		Curves: []Curve{{Dots: []Dot{{X: 0, Y: 1}}, Note: "<a> & b", Mark: &Mark{Colour: Colour(0)}}},
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
		strings.Contains(inline, "<style") || strings.Contains(inline, " style=") ||
		!strings.Contains(inline, `<g class="mark"><title>&lt;a&gt; &amp; b</title>`) {
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
