package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/report/table"
	"pgregory.net/rapid"
)

// picture returns a figure from the golden files of package figure.
func picture(t testing.TB, name string) []byte {
	t.Helper()
	svg, err := os.ReadFile(filepath.Join("..", "figure", "testdata", name+".svg"))
	if err != nil {
		t.Fatal(err)
	}
	return svg
}

// example returns an example. It masks the words whose score reaches a threshold.
func example(system, source, output string, scores ...float64) Example {
	e := Example{
		Dataset: "market", System: system, Direction: "complaint to praise", Source: strings.Fields(source),
		Scores: scores, Output: strings.Fields(output),
	}
	if scores != nil {
		threshold := 1.15 / float64(len(scores))
		e.Rule = fmt.Sprintf("from %.3f on", threshold)
		for _, s := range scores {
			e.Masked = append(e.Masked, s >= threshold)
		}
	}
	return e
}

// guidedExample returns an example whose output words have origins.
func guidedExample() Example {
	e := example("SMLM (guided)", "a good place for a slow lunch", "a poor place for the slow lunch",
		.05, .6, .05, .05, .05, .2, .05)
	e.Direction, e.Guide = "praise to complaint", .984
	for _, w := range e.Source {
		e.Origins = append(e.Origins, Origin{How: Kept, Source: w})
	}
	e.Origins[1].How, e.Origins[1].P = Filled, .3141
	e.Origins[4].How = Rephrased
	return e
}

// deletingExample returns an example in which one source word is deleted and another becomes two
// words.
func deletingExample() Example {
	e := example("SMLM (guided)", "we were hardly pleased", "we were so glad", .1, .1, .4, .4)
	e.Origins = []Origin{
		{How: Kept, Source: "we"},
		{How: Kept, Source: "were"},
		{How: Deleted, Source: "hardly"},
		{How: Rephrased, Source: "pleased"},
		{How: Rephrased, Source: "pleased"},
	}
	return e
}

// The function full returns a page that has all parts, including a wide table and hostile text.
func full(t testing.TB) *Page {
	wide := &table.Table{
		Name: "results", Title: "Results on the test set.",
		Notes: []string{"Seeds 1, 2.", "<script>alert(1)</script> in a note."},
	}
	wide.Columns = []table.Column{{Head: "Data set", Merge: true}, {Head: "System"}}
	for _, head := range []string{
		"TST%", "s-BLEU", "r-BLEU", "METEOR", "ROUGE-L", "CIDEr", "EA", "VE", "GM", "Nat.", "Mean", "PPL", "Self-BLEU",
		"Distinct-1", "Distinct-2", "masked", "top word", "share",
	} {
		wide.Columns = append(wide.Columns, table.Column{Head: head, Align: table.Right})
	}
	for i, system := range []string{
		"Source copied", "DirR", "Stable", "B-GST & co", "SMLM", "SMLM-FT", "<script>alert(2)</script>",
	} {
		row := table.Row{Cells: []table.Cell{{Text: "market"}, {Text: system}}, Rule: i == 4}
		for j := range wide.Columns[2:] {
			c := table.Cell{Text: fmt.Sprintf("%.1f", 10+float64((i*37+j*13)%800)/10)}
			if i == 5 && j < 3 {
				c.Best = true
			}
			row.Cells = append(row.Cells, c)
		}
		wide.Rows = append(wide.Rows, row)
	}
	small := &table.Table{
		Name: "results", Title: "Again by the same name.", Columns: []table.Column{
			{Head: "Text", Width: 5}, {Head: "n", Align: table.Right},
		},
		Rows: []table.Row{
			{Cells: []table.Cell{{Text: strings.Repeat("a long line of running text ", 6)}, {Text: "12"}}},
		},
	}
	other := example("SMLM-FT", "a good place for lunch", "a poor place for lunch", 0.1, 0.6, 0.1, 0.05, 0.15)
	other.Direction = "praise to complaint"
	return &Page{
		Title: "market & more", Command: "smlm-exp run experiments/market.toml --set 'seeds=[1, 2]'",
		About: []string{
			"market: 2,000 + 2,000 training and 100 + 100 test sentences (complaint + praise).",
			"Seeds 1 and 2, profile paper.", "Invented data: no number here means anything.",
		},
		Tables: []*table.Table{wide, small},
		Figures: []Figure{
			{Title: "Effect of λ_ε on the masked sentences.", SVG: picture(t, "lambda_eps")},
			{
				Title: "TST% against s-BLEU </svg><script>alert(3)</script>",
				SVG:   picture(t, "tradeoff"),
			},
		},
		Examples: []Example{
			example("SMLM", "the soup was cold and the waiter rude , we will never come back again",
				"the soup was warm and the waiter kind , we will surely come back again",
				.01, .06, .02, .21, .01, .01, .05, .22, .01, .01, .02, .19, .05, .08, .05),
			example("SMLM-FT", "the soup was cold and the waiter rude , we will never come back again",
				"the soup was great",
				.02, .05, .02, .31, .01, .01, .05, .12, .01, .01, .02, .19, .05, .08, .05),
			example(
				"<script>alert(4)</script>", "a <script>alert(5)</script> & \"quoted\" <b>word</b>",
				"</dd><script>alert(6)</script>", 0, .5, 0, .3, .2,
			),
			{
				Dataset: "market", Direction: "complaint to praise", System: "retrieval, which masks nothing",
				Source: strings.Fields("too dear"), Output: strings.Fields("well worth it"),
			},
			other, guidedExample(), deletingExample(),
		},
		Settings: "name = \"market\" # <script>alert(7)</script>\nseeds = [1, 2]\n\n[divlstm]\nlambda_con = 10.0\n",
		Signatures: map[string]string{
			"s_bleu": "bleu4|level:corpus|<script>", "tst": "tst|level:micro|classifier:textcnn|version:1",
			"cider": "cider|version:1",
		},
	}
}

func render(t rapid.TB, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	own   = regexp.MustCompile(`(?s)<style>.*?</style>`)
	void  = map[string]bool{"meta": true, "br": true, "link": true, "img": true, "hr": true, "input": true}
	loads = map[string]bool{
		"src": true, "href": true, "srcset": true, "action": true, "data": true, "poster": true, "background": true,
		"xlink:href": true,
	}
)

// check parses a page as a browser would and returns the number of elements. It fails if tags do
// not balance, if an id is missing or used twice, if the page would load anything, or if it has a
// script.
func check(t interface{ Fatalf(string, ...any) }, page string) int {
	if strings.Contains(page, "<script") {
		t.Fatalf("the page has a script")
	}
	for _, css := range own.FindAllString(page, -1) {
		if strings.Contains(css, "http:") || strings.Contains(css, "https:") || strings.Contains(css, "url(") ||
			strings.Contains(css, "@import") {
			t.Fatalf("the style loads something: %.80s", css)
		}
	}
	d := xml.NewDecoder(strings.NewReader(own.ReplaceAllString(page, "")))
	d.Strict, d.Entity = false, xml.HTMLEntity
	ids, wanted := map[string]bool{}, map[string]bool{}
	var open []string
	n := 0
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page cannot be parsed: %v", err)
		}
		switch tag := token.(type) {
		case xml.StartElement:
			n++
			if !void[tag.Name.Local] {
				open = append(open, tag.Name.Local)
			}
			for _, a := range tag.Attr {
				switch {
				case a.Name.Local == "id":
					if ids[a.Value] || strings.ContainsAny(a.Value, " <>\"") {
						t.Fatalf("id %q is there twice, or is none", a.Value)
					}
					ids[a.Value] = true
				case loads[a.Name.Local] && !strings.HasPrefix(a.Value, "#"):
					t.Fatalf("<%s %s=%q> leads out of the page", tag.Name.Local, a.Name.Local, a.Value)
				case strings.HasPrefix(a.Name.Local, "on"):
					t.Fatalf("<%s %s> runs a script", tag.Name.Local, a.Name.Local)
				}
				if a.Name.Local == "href" {
					wanted[strings.TrimPrefix(a.Value, "#")] = true
				}
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != tag.Name.Local {
				t.Fatalf("</%s> closes %v", tag.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("never closed: %v", open)
	}
	for id := range wanted {
		if !ids[id] {
			t.Fatalf("a link points to %q, which is not there", id)
		}
	}
	return n
}

// TestPage checks a full page. If PAGE_DIR names a folder, the page is written there, so that you
// can look at it.
func TestPage(t *testing.T) {
	page := render(t, full(t))
	if dir := os.Getenv("PAGE_DIR"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "page.html"), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if n := check(t, page); n < 400 {
		t.Errorf("%d elements: the page is not whole", n)
	}
	if again := render(t, full(t)); again != page {
		t.Error("written twice, the bytes differ")
	}
	for _, want := range []string{
		`<title>market &amp; more</title>`, `smlm-exp run experiments/market.toml --set &#39;seeds=[1, 2]&#39;`,
		`<li><a href="#table-1">Results on the test set.</a></li>`, `<strong>`, `<td class="right">`,
		`lambda_con = 10.0`, `bleu4|level:corpus|&lt;script&gt;`,
		`masked: from 0.077 on`, `<th scope="row" class="name">`, `<path d="M`,
		`<span class="word masked" style="--a:0.57"><b>cold</b><small>0.21</small></span>`,
		`<span class="word" style="--a:0.03">the<small>0.01</small></span>`, `<dt class="system">SMLM-FT</dt>`,
		`&lt;script&gt;alert(5)&lt;/script&gt;`,
		`role="img" aria-label="Effect of λ_ε on the masked sentences."`,
		`<h3>market: praise to complaint</h3>`,
		`<dd class="system">a <span class="word filled" title="filled by SMLM in place of “good”: p = 0.314">poor` +
			`<small>0.31</small></span> place for <span class="word rephrased" title="rephrased in place of “a”">the</span> ` +
			`slow lunch <small class="guide">guide 0.98</small></dd>`,
		`<span class="word rephrased">rephrased</span> word is of a phrase that training texts of the target style have`,
		`<dd class="system">we were <span class="word deleted" title="deleted, with nothing in its place"><del>hardly` +
			`</del></span> <span class="word rephrased" title="rephrased in place of “pleased”">so</span> ` +
			`<span class="word rephrased" title="rephrased in place of “pleased”">glad</span> </dd>`,
		`<span class="word deleted"><del>deleted</del></span> word of the source is struck through and is not in the output`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestEmptyPage checks that a page without content is still valid and has no empty parts.
func TestEmptyPage(t *testing.T) {
	page := render(t, &Page{Title: "nothing"})
	check(t, page)
	for _, part := range []string{
		`id="tables"`, `id="figures"`, `id="examples"`, `id="settings"`, `id="signatures"`, "<pre",
		`class="word rephrased"`,
	} {
		if strings.Contains(page, part) {
			t.Errorf("an empty page has %s", part)
		}
	}
}

// TestAnyText checks that any text, in any place of a page, is shown as text.
func TestAnyText(t *testing.T) {
	svg := picture(t, "losses")
	rapid.Check(t, func(t *rapid.T) {
		odd := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"</script><script>alert(1)</script>", "</style><img src=x onerror=alert(1)>",
			"\"><a href=\"https://example.org\">", "'-alert(1)-'",
			"{{.Title}}", "<!--", "]]>", "&lt;", "javascript:alert(1)",
		}))
		text := func(name string) string { return odd.Draw(t, name) }
		p := &Page{
			Title: text("title"), Command: text("command"), About: []string{text("about")}, Settings: text("settings"),
			Tables: []*table.Table{
				{
					Name: text("name"), Title: text("caption"), Columns: []table.Column{{Head: text("head")}},
					Rows: []table.Row{{Cells: []table.Cell{{Text: text("cell")}}}}, Notes: []string{text("note")},
				},
			},
			Figures: []Figure{{Title: text("figure title"), SVG: svg}},
			Examples: []Example{
				{
					Dataset: text("dataset"), System: text("system"), Direction: text("direction"),
					Source: []string{text("word")}, Scores: []float64{0.5}, Masked: []bool{true},
					Output: []string{text("output")}, Rule: "from 0.200 on",
					Origins: []Origin{
						{How: Filled, Source: text("replaced"), P: 0.5}, {How: Deleted, Source: text("gone")},
					},
				},
			},
			Signatures: map[string]string{text("metric"): text("signature")},
		}
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		check(t, xmlReadable(b.String()))
	})
}

// xmlReadable removes the control characters that HTML ignores and XML does not allow.
func xmlReadable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0xfffe && r <= 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// TestShortScore checks how scores are printed under words. Scores may be negative. A score of
// 0.996 must not become "0.00".
func TestShortScore(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.00", 0.214: "0.21", 0.996: "1.00", 1.5: "1.50", 10: "10.00", -0.3: "−0.30", -10.5: "−10.50",
	} {
		if got := shortScore(v); got != want {
			t.Errorf("shortScore(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestFigureInThePage checks that the page contains a figure's svg element without the XML head.
// The figure's width must be limited, so that letters are at most twice as large as in print.
func TestFigureInThePage(t *testing.T) {
	page := render(t, &Page{Figures: []Figure{{SVG: picture(t, "tradeoff")}}})
	for part, want := range map[string]int{
		"<?xml": 0, "<style": 1, "<svg ": 1, `style="--wide:min(437pt,77.7vh)"`: 1,
	} {
		if got := strings.Count(page, part); got != want {
			t.Errorf("%d of %s, want %d", got, part, want)
		}
	}
}

// TestCards checks that the page has one card for each source. On a card, systems with the same
// scores and masks share one copy of the source. Output words that the source lacks are bold.
func TestCards(t *testing.T) {
	source := "the soup was cold"
	alike := example("SMLM (copied)", source, "the soup was warm", .1, .1, .1, .7)
	alike.New = []bool{false, false, false, true}
	other := example("SMLM (guided)", source, "the soup was hot", .1, .1, .1, .7)
	apart := example("gradients", source, "the stew was cold", .1, .7, .1, .1)
	page := render(t, &Page{Title: "x", Examples: []Example{alike, other, apart, example("SMLM (copied)", "too dear", "cheap", .5, .5)}})
	check(t, page)
	for part, want := range map[string]int{
		`<article class="item example">`: 2, `<dl class="reading">`: 3, `<dt class="system">SMLM (copied)</dt>`: 2,
		`<b>warm</b>`: 1, `<b>hot</b>`: 0,
	} {
		if got := strings.Count(page, part); got != want {
			t.Errorf("%d of %s, want %d", got, part, want)
		}
	}
}

// TestMethods checks that an example with only scores appears under the name of its method, without
// an output.
func TestMethods(t *testing.T) {
	var all []Example
	for _, method := range []string{"attention", "gradients"} {
		e := example("", "the soup was cold", "", .1, .1, .1, .7)
		e.Method = method
		all = append(all, e)
	}
	html, err := Examples(all)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int{
		`<dl class="reading">`: 2, "<dt>attention</dt>": 1, "<dt>gradients</dt>": 1, `class="system"`: 0, "<dt>Source</dt>": 0,
		"the higher the score": 1,
	} {
		if got := strings.Count(string(html), part); got != want {
			t.Errorf("%d of %s, want %d in\n%s", got, part, want, html)
		}
	}
}

// TestBody checks that Body returns the page without its frame.
func TestBody(t *testing.T) {
	p := full(t)
	body, err := p.Body()
	if err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"<html", "<style", "<script", "<main", "<h1"} {
		if strings.Contains(string(body), no) {
			t.Errorf("the body has %s", no)
		}
	}
	whole := render(t, p)
	for line := range strings.Lines(string(body)) {
		if !strings.Contains(whole, line) {
			t.Errorf("the page has no %.200q", line)
		}
	}
}

// TestOutputs checks that the page shows each output word and each deleted source word once and in
// order, and that it explains deleted words only if it shows any.
func TestOutputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Example{System: "S", Origins: []Origin{}}
		var want []string
		deleted := false
		for k := range rapid.IntRange(1, 8).Draw(t, "places") {
			e.Source = append(e.Source, fmt.Sprintf("in%d", k))
			how := rapid.SampledFrom([]How{Kept, Filled, Rephrased, Deleted}).Draw(t, "how")
			if how == Deleted {
				deleted = true
				e.Origins = append(e.Origins, Origin{How: how, Source: e.Source[k]})
				want = append(want, "<del>"+e.Source[k]+"</del>")
				continue
			}
			words := 1
			if how == Rephrased {
				words = rapid.IntRange(1, 3).Draw(t, "words")
			}
			for n := range words {
				w := fmt.Sprintf("out%d.%d", k, n)
				e.Output, want = append(e.Output, w), append(want, w)
				e.Origins = append(e.Origins, Origin{How: how, Source: e.Source[k], P: .5})
			}
		}
		page := render(t, &Page{Title: "x", Examples: []Example{e}})
		check(t, page)
		_, shown, _ := strings.Cut(page, `<dd class="system">`)
		shown, _, _ = strings.Cut(shown, "</dd>")
		got := regexp.MustCompile(`<del>in\d+</del>|out[\d.]+`).FindAllString(shown, -1)
		if !slices.Equal(got, want) {
			t.Fatalf("%q is shown, want %q", got, want)
		}
		if said := strings.Contains(page, "<del>deleted</del>"); said != deleted {
			t.Errorf("deleted words are explained: %t, want %t", said, deleted)
		}
	})
}

// TestNotesOnce checks that text about all tables appears on the page only once.
func TestNotesOnce(t *testing.T) {
	one := &table.Table{
		Name: "a", Title: "A.", Columns: []table.Column{{Head: "x"}}, Rows: []table.Row{{Cells: []table.Cell{{Text: "1"}}}},
		Notes: []string{"Of all.", "Of one."}, Signatures: []string{"tst, mean: t|version:1.", "kappa: k|version:1."},
	}
	page := render(t, &Page{
		Title: "x", About: []string{"Of all."}, Tables: []*table.Table{one, one},
		Signatures: map[string]string{"tst": "t|version:1", "mean": "t|version:1"},
	})
	for text, want := range map[string]int{
		`tabindex="0">` + "\n<table>": 2, "</table></div>\n<ul class=\"notes\">": 2, // notes are outside the box
		"Of all.": 1, "<li>Of one.</li>": 2, "<li>tst": 0, "<li>kappa: k|version:1.</li>": 2,
	} {
		if got := strings.Count(page, text); got != want {
			t.Errorf("%q stands %d times, want %d", text, got, want)
		}
	}
	if len(one.Notes) != 2 || len(one.Signatures) != 2 {
		t.Error("the caller's table is another one")
	}
}
