package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// browsers are the names of a browser that the test can drive.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// patience is how long the slowest step may take on a busy machine.
const patience = 20 * time.Second

// tab is a page in a real browser. Its methods end the test where something is not as it should be.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string
	root   string // the address of the first page, without the last slash
	// shots is where screenshots go: the folder of the environment variable SERVE_SCREENSHOTS, or
	// nowhere; they are taken and looked at in any case.
	shots string

	mu    sync.Mutex
	asked map[string]bool // hosts
	wrong []string        // what the console says
}

// open serves the options and opens the printed address in a browser.
func open(t *testing.T, o Options) (*tab, *Server) {
	t.Helper()
	var path string
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("there is no browser (%s): the pages are not tried in one", strings.Join(browsers, ", "))
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	at, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(serving, at) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, leave := chromedp.NewContext(allocated)
	t.Cleanup(leave)
	b := &tab{t: t, ctx: ctx, origin: "http://" + at.Addr().String(), root: "http://" + at.Addr().String() + s.guard.room, asked: map[string]bool{}, shots: os.Getenv("SERVE_SCREENSHOTS")}
	// The browser lives as long as the context of its first action.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	b.watch()
	b.do("opening the printed address", chromedp.Navigate(s.Address(at.Addr())))
	first := "/"
	if o.Packed != nil {
		first = "/transfer"
	}
	if got := b.eval("location.href"); got != b.root+first {
		t.Fatalf("the printed address leads to %s", got)
	}
	if got := b.eval("document.cookie"); got != "" {
		t.Fatal("scripts can read the cookie")
	}
	return b, s
}

// watch records the host of every request, and what goes wrong in the page.
func (b *tab) watch() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	note := func(address string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if of, err := url.Parse(address); err != nil || of.Scheme != "data" && of.Scheme != "about" {
			b.asked[of.Scheme+"://"+of.Host] = true
		}
	}
	complain := func(text string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.wrong = append(b.wrong, text)
	}
	requests := chromedp.Events(b.ctx, network.RequestWillBeSent)
	exceptions := chromedp.Events(b.ctx, runtime.ExceptionThrown)
	console := chromedp.Events(b.ctx, runtime.ConsoleAPICalled)
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			note(e.Request.URL)
		}
	}()
	go func() {
		for e, err := range exceptions {
			if err != nil {
				return
			}
			complain(fmt.Sprint(e.ExceptionDetails))
		}
	}()
	go func() {
		for e, err := range console {
			if err != nil {
				return
			}
			complain(fmt.Sprint(e.Type, e.Args))
		}
	}()
	// What the policy of the page blocks is an event in the page alone.
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `addEventListener("securitypolicyviolation", (e) => console.error(e.violatedDirective, e.blockedURI, e.sourceFile))`,
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// eval returns what an expression of JavaScript comes to, as text.
func (b *tab) eval(expression string) string {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// until waits for an expression to be true.
func (b *tab) until(expression string) {
	b.t.Helper()
	// Between two pages an expression fails, or there is nothing to ask.
	asks := chromedp.Evaluate[bool]("(() => { try { return Boolean(" + expression + "); } catch { return false; } })()")
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ctx, stop := context.WithTimeout(b.ctx, patience)
		is, err := chromedp.Run(ctx, asks)
		stop()
		if err == nil && is {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s is never true; the page is\n%s", expression, b.eval("document.querySelector('main').innerText"))
		}
	}
}

// want fails unless an expression comes to a text.
func (b *tab) want(expression, want string) {
	b.t.Helper()
	if got := b.eval(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.until(`document.readyState === "complete"`)
	b.do("clicking "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// press sends keys to what has the focus.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.do("pressing "+keys, chromedp.KeyEvent(keys))
}

// point moves the mouse to the middle of an element.
func (b *tab) point(selector string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`document.querySelector(%q).scrollIntoView({block: "center"})`, selector))
	var x, y float64
	at := b.eval(fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
		return (r.left + r.right) / 2 + " " + (r.top + r.bottom) / 2; })()`, selector))
	if _, err := fmt.Sscan(at, &x, &y); err != nil {
		b.t.Fatalf("%s is at %q: %v", selector, at, err)
	}
	b.do("pointing at "+selector, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y,
		})
		return err
	}))
}

// typed empties a field and types a text into it.
func (b *tab) typed(selector, text string) {
	b.t.Helper()
	b.click(selector)
	b.eval(fmt.Sprintf("document.querySelector(%q).select()", selector))
	b.press(kb.Backspace)
	b.want(fmt.Sprintf("document.querySelector(%q).value", selector), "")
	if text != "" {
		b.do("typing into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
	}
}

// choose takes an option of a select, as people do.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	b.until(`document.readyState === "complete"`)
	b.eval(fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q; if (s.value !== %q) throw "no such option";
		s.dispatchEvent(new Event("input", {bubbles: true})); s.dispatchEvent(new Event("change", {bubbles: true})); })()`,
		selector, value, value))
}

// visit opens a page by its link in the header.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.click(fmt.Sprintf("header a[href=%q]", "."+path))
	b.until(fmt.Sprintf("location.href === %q && document.readyState === 'complete'", b.root+path))
	b.want(`document.querySelector("nav a[aria-current]").href`, b.root+path)
}

// look takes pictures, narrow and wide, light and dark, and fails where the page is wider than its
// window or is as light in the dark.
func (b *tab) look(name string) {
	b.t.Helper()
	b.until(`document.readyState === "complete"`) // what a form has just sent may still load
	for _, width := range []int64{420, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			if err != nil {
				b.t.Fatal(err)
			}
			b.do("sizing the window", chromedp.EmulateViewport(width, 900))
			if got := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); got != "0" {
				b.t.Errorf("%s at %d px is %s px too wide", name, width, got)
			}
			light := b.eval(`getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0] > 128`)
			if (light == "true") != (scheme == "light") {
				b.t.Errorf("%s in %s has the colour %s", name, scheme, b.eval("getComputedStyle(document.body).backgroundColor"))
			}
			ctx, stop := context.WithTimeout(b.ctx, patience)
			picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			stop()
			if err != nil || len(picture) < 1000 {
				b.t.Fatalf("the screenshot of %s has %d bytes (%v)", name, len(picture), err)
			}
			b.accessible(name + ", " + scheme)
			if b.shots != "" {
				path := filepath.Join(b.shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
				if err := os.WriteFile(path, picture, 0o644); err != nil {
					b.t.Fatal(err)
				}
			}
		}
	}
}

// accessible fails where axe finds a serious fault of a page. SERVE_AXE names the file axe.min.js
// of the npm package axe-core; without it nothing is asked.
func (b *tab) accessible(name string) {
	b.t.Helper()
	path := os.Getenv("SERVE_AXE")
	if path == "" {
		return
	}
	source, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.eval("(() => {" + string(source) + `
		window.axeFound = "";
		axe.run({resultTypes: ["violations"]}).then((r) => {
			window.axeFound = "found: " + r.violations.filter((v) => ["serious", "critical"].includes(v.impact))
				.map((v) => v.id + " at " + v.nodes.map((n) => n.html.slice(0, 200)).join(" and ")).join("; ");
		}, (e) => { window.axeFound = "error: " + e; });
	})()`)
	b.until("window.axeFound")
	b.want("window.axeFound", "found: ")
}

// done fails where a request left loopback or something went wrong in a page.
func (b *tab) done() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.asked) == 0 {
		b.t.Error("no request was seen")
	}
	for host := range b.asked {
		if host != b.origin {
			b.t.Errorf("a request went to %s", host)
		}
	}
	for _, text := range b.wrong {
		b.t.Errorf("in the page: %s", text)
	}
}

// TestBrowser goes through every page and every control.
func TestBrowser(t *testing.T) {
	b, s := open(t, finished(t))
	defer b.done()
	for _, part := range []struct {
		name string
		try  func(*tab)
	}{
		{"runs", (*tab).tryRuns},
		{"tables", (*tab).tryTables},
		{"tradeoff", (*tab).tryTradeOff},
		{"curves", (*tab).tryCurves},
		{"explain", (*tab).tryExplain},
		{"transfer", (*tab).tryTransfer},
		{"pairs", (*tab).tryPairs},
	} {
		if part.name != "runs" {
			b.visit("/" + part.name)
		}
		part.try(b)
		b.look(part.name)
		if t.Failed() {
			return
		}
	}
	b.visit("/") // and here the run goes on
	b.tryLive(s)
}

func (b *tab) tryRuns() {
	b.until(`document.getElementById("shown").textContent.endsWith("stages")`)
	rows := `document.querySelectorAll("#stages tbody tr:not([hidden])").length`
	all := b.eval(rows)
	b.choose("#state", "failed before")
	b.want(rows, "0")
	b.choose("#state", "done")
	b.want(rows, all)
	b.typed("#find", "divlstm")
	if b.eval(rows) == all || b.eval(rows) == "0" {
		b.t.Errorf("of %s stages %s are shown", all, b.eval(rows))
	}
	b.press("\r") // which must not load the page again
	b.want(`document.getElementById("find").value`, "divlstm")
	b.typed("#find", "")
	b.choose("#state", "")
	b.want(rows, all)
}

// tryLive takes a finished training away and lets the pages see how it is made again.
func (b *tab) tryLive(s *Server) {
	ws := s.study.ws
	var training *plan.Stage
	for _, of := range s.study.plan.Stages {
		if of.Name == stages.DivLSTM {
			training = of
		}
	}
	if err := os.RemoveAll(ws.StageDir(training)); err != nil {
		b.t.Fatal(err)
	}
	state := fmt.Sprintf(`document.querySelector('tr[data-id=%q] .state').dataset.state`, training.ID[:shortID])
	b.until(state + ` === "to run"`)
	b.until(`document.getElementById("all").value === document.getElementById("all").max - 1`)
	runner, err := workspace.Open(ws.Dir)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := runner.Join(); err != nil {
		b.t.Fatal(err)
	}
	now := workspace.Running{
		Stages: 2, Stage: training.Name, ID: training.ID, Index: 1, Done: 1, Total: 4, Note: "epoch 1",
	}
	runner.Tell(now)
	b.until(state + ` === "runs"`)
	b.until(`document.querySelector("#running .card").textContent.includes("25% (1/4), epoch 1")`)
	b.want(`document.querySelector("#running progress").value`, "25")
	now.Done, now.Note = 3, "epoch 3"
	runner.Tell(now)
	b.until(`document.querySelector("#running progress").value === 75`)
	b.look("live")
	b.visit("/curves")
	epochs := func(text string) {
		b.t.Helper()
		testkit.WriteFile(b.t, filepath.Join(ws.ScratchDir(training), stage.EpochsFile), text)
	}
	one := `{"steps": 10, "train_loss": 0.5, "dev": {"loss": 0.6}}`
	epochs("[" + one + "]")
	goes := `[...document.querySelectorAll(".mark title")].map((e) => e.textContent).filter((t) => t.includes("still training"))`
	b.until(goes + `.some((t) => t.includes("after epoch 1"))`)
	epochs("[" + one + "," + one + "]")
	b.until(goes + `.some((t) => t.includes("after epoch 2"))`)
	b.visit("/")
	runner.Unlock()
	b.until(`document.getElementById("running").textContent.includes("Nothing is running.")`)
}

// tryLabels: a label that repeats the one above is empty, whatever is found, until the rows are
// sorted; one of several lines hangs over the rows that share it.
func (b *tab) tryLabels() {
	b.choose("#table", "examples")
	again := `document.querySelectorAll("#tab-examples .again").length`
	all := b.eval(again)
	rows := `[...document.querySelectorAll("#tab-examples tbody:not([hidden])")].map((t) => t.rows[0])`
	right := rows + `.every((r, i, all) => r.cells[0].classList.contains("again") ===
		(i > 0 && all[i-1].cells[0].textContent === r.cells[0].textContent))`
	b.want(right, "true")
	b.typed("#find", "smlm-ft cheerful")
	b.want(right, "true")
	b.want(rows+`[0].querySelectorAll(".again").length`, "0")
	b.typed("#find", "")
	b.want(again, all)
	for _, width := range []int64{400, 1400} {
		b.do("sizing the window", chromedp.EmulateViewport(width, 900))
		b.until(`document.querySelectorAll("#tab-examples .hangs").length > 0`)
		b.want("document.documentElement.scrollWidth - document.documentElement.clientWidth", "0") // the table's box scrolls
		b.want(rows+`.slice(0, 20).flatMap((r) => [...r.querySelectorAll(".hangs")]).every((c) => {
			const next = `+rows+`;
			const own = next.filter((r) => r.cells[c.cellIndex].textContent === c.textContent);
			return c.querySelector("span").scrollHeight <= own.at(-1).getBoundingClientRect().bottom - c.getBoundingClientRect().top;
		})`, "true")
	}
	b.click("#tab-examples thead th:first-child button")
	b.want(again, "0")
	b.want(`document.querySelectorAll("#tab-examples .hangs").length`, "0")
	if all == "0" {
		b.t.Error("no label is left empty")
	}
}

func (b *tab) tryTables() {
	b.tryLabels()
	b.choose("#table", "classifier")
	b.want(`document.querySelectorAll(".sheet:not([hidden])").length`, "1")
	b.want("location.hash", "#classifier")
	b.choose("#table", "results")
	column := func(n int) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#tab-results tbody:not([hidden])")].map((t) => t.rows[0].cells[%d].dataset.n ?? t.rows[0].cells[%d].textContent)`, n, n)
	}
	at := `[...document.querySelectorAll("#tab-results thead th")].findIndex((h) => h.textContent.includes("TST"))`
	var n int
	if _, err := fmt.Sscan(b.eval(at), &n); err != nil || n < 0 {
		b.t.Fatalf("there is no column of TST%%: %v", err)
	}
	sorted := func(way string) string {
		return fmt.Sprintf("(() => { const v = %s.map(Number); return v.length > 2 && v.every((x, i) => !i || v[i-1] %s x); })()", column(n), way)
	}
	b.want(sorted(">="), "false")
	head := fmt.Sprintf("#tab-results thead th:nth-child(%d) button", n+1)
	b.click(head)
	b.want(sorted(">="), "true")
	b.want(fmt.Sprintf(`document.querySelector(%q).parentElement.ariaSort`, head), "descending")
	b.do("going to the head", chromedp.Focus(chromedp.CSS(head)))
	b.press("\r")
	b.want(sorted("<="), "true")
	b.want(fmt.Sprintf(`document.querySelector(%q).parentElement.ariaSort`, head), "ascending")
	b.click("#tab-results thead th:first-child button") // of words
	b.want(fmt.Sprintf(`(() => { const v = %s; return v.every((x, i) => !i || v[i-1].localeCompare(x, "en") <= 0); })()`, column(0)), "true")
	b.typed("#find", "smlm-ft 10")
	b.want(fmt.Sprintf(`%s.every((x) => x === "SMLM-FT")`, column(0)), "true")
	if b.eval(`document.getElementById("shown").textContent`) == "" {
		b.t.Error("it is not said how many rows are shown")
	}
	b.typed("#find", "")
	b.click("#tab-results summary")
	b.want(`document.querySelector("#tab-results details").open`, "true")
	b.want(`fetch(document.querySelector("#tab-results a[download]").href).then((r) => "asked")`, "[object Promise]")
}

func (b *tab) tryTradeOff() {
	said := `document.querySelector(".said").textContent`
	b.do("going to a mark", chromedp.Focus(chromedp.CSS(`.mark[tabindex="0"]`)))
	first := b.eval(said)
	if !strings.Contains(first, "TST%") {
		b.t.Errorf("of a mark is said %q", first)
	}
	b.press(kb.ArrowRight)
	b.until(said + " !== " + fmt.Sprintf("%q", first))
	b.point(".mark:last-of-type path:not([fill=none])")
	b.until(fmt.Sprintf(`%s === document.querySelector(".mark:last-of-type title").textContent`, said))
	marks := `document.querySelectorAll(".mark").length`
	all := b.eval(marks)
	blue := map[string]string{"light": "rgb(0, 114, 178)", "dark": "rgb(86, 168, 232)"}
	scheme := b.eval(`matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"`)
	b.want(fmt.Sprintf(`[...document.querySelectorAll(".mark path")].some((p) => getComputedStyle(p).fill === %q)`, blue[scheme]),
		"true")
	b.click(".key label:first-of-type input")
	b.until(`location.search.includes("system=") && document.readyState === "complete" && ` + marks + " < " + all)
	b.click(".key label:first-of-type input")
	b.until(marks + " === " + all)
	b.choose("select[name=x]", "naturalness")
	b.until(`location.search.includes("x=naturalness") && document.querySelector("h2").textContent.includes("Nat")`)
	b.choose("select[name=x]", "s_bleu")
	b.until(`location.search.includes("x=s_bleu") && document.readyState === "complete"`)
	b.click("summary")
	b.want(`document.querySelectorAll("details li").length`, all)
	b.click("summary")
}

func (b *tab) tryCurves() {
	b.do("going to a line", chromedp.Focus(chromedp.CSS(`.mark[tabindex="0"]`)))
	b.until(`document.querySelector(".said").textContent.includes("after epoch 6")`)
	// Every plot says in words what its lines are, and has the mark of the epoch that is kept.
	legends := `[...document.querySelectorAll(".panel")].every((p) => [...p.querySelectorAll("text")].some((t) =>
		t.textContent === "dev set") && [...p.querySelectorAll("text")].some((t) => t.textContent === "epoch that is kept"))`
	b.want(legends, "true")
	panels := `document.querySelectorAll(".panel").length`
	all := b.eval(panels)
	b.choose("select[name=stage]", "divlstm")
	b.until(`location.search.includes("stage=divlstm") && document.readyState === "complete"`)
	if n := b.eval(panels); n == all || n == "0" {
		b.t.Errorf("of %s panels %s are of one model", all, n)
	}
	b.choose("select[name=stage]", "")
	b.until(panels + " === " + all)
}

func (b *tab) tryExplain() {
	b.typed("#text", "The soup was cold, but we liked it.")
	b.press("\r")
	b.until(`document.querySelectorAll(".method").length >= 2`)
	masked := `[...document.querySelectorAll(".method:nth-of-type(1) .word")].map((w) => Number(w.classList.contains("masked"))).join("")`
	before := b.eval(masked)
	// What the slider decides is what the server decides.
	for _, eps := range []string{"0", "0.5", "1.5", "4"} {
		b.eval(fmt.Sprintf(`(() => { const s = document.getElementById("eps"); s.value = %s; s.dispatchEvent(new Event("input")); })()`, eps))
		got := b.eval(masked)
		b.eval(fmt.Sprintf(`(() => { window.decided = ""; fetch("api/explain", {method: "POST", headers: {"Content-Type": "application/json"},
			body: JSON.stringify({point: document.getElementById("point").value, style: "", lambda_eps: %s,
				text: document.getElementById("text").value})})
			.then((r) => r.json())
			.then((a) => { window.decided = a.sentence.methods[0].masked.map(Number).join(""); }); })()`, eps))
		b.until(`window.decided !== ""`)
		b.want("window.decided", got)
		b.want(`document.getElementById("number").value`, eps)
	}
	b.want(masked, strings.Repeat("0", len(before)))
	b.click("#reset")
	b.want(masked, before)
	b.typed("#number", "900")
	b.want(masked, strings.Repeat("0", len(before)))
	b.do("going to the slider", chromedp.Focus(chromedp.CSS("#eps")))
	b.press(kb.Home)
	b.want(`document.getElementById("number").value`, "0")
	b.choose("#style", "cheerful")
	b.until(`document.querySelector("#found b").textContent === "cheerful"`)
	b.choose("#point", b.eval(`document.querySelector("#point option:last-child").value`))
	b.until(`!document.getElementById("found").hasAttribute("aria-busy")`)
	b.typed("#text", "   ")
	b.click("#go")
	b.until(`!document.getElementById("wrong").hidden`)
	b.want(`document.getElementById("wrong").textContent`, "The text has no words: give a sentence.")
	b.typed("#text", "<img src=http://elsewhere.example/x> & <b>soup</b>")
	b.click("#go")
	b.until(`document.getElementById("wrong").hidden && document.querySelectorAll(".word").length > 8`)
	b.want(`document.querySelectorAll("#found img, .word b").length`, "0")
	b.eval(`document.getElementById("text").value = "The soup was cold.\nWe liked it."`)
	b.click("#go")
	b.until(`[...document.querySelectorAll("#found h2")].map((e) => e.textContent).join("|") === "the soup was cold .|we liked it ."`)
	b.typed("#text", "The soup was cold, but we liked it.")
	b.click("#go")
	b.until(`document.querySelector("#found").textContent.includes("soup") && !document.querySelector("#found").textContent.includes("elsewhere")`)
}

func (b *tab) tryTransfer() {
	b.typed("#text", "The soup was cold.")
	b.choose("#to", "gloomy")
	b.click("#go")
	b.until(`document.querySelector(".answer .spelt")?.textContent === "The dreadful was dreadful."`)
	b.choose("#to", "")
	b.press("\r")
	b.click("#go")
	b.until(`[...document.querySelectorAll(".answer .spelt")].map((e) => e.textContent).join() === "The dreadful was dreadful.,The splendid was splendid."`)
	b.want(`document.querySelectorAll(".answer tbody tr").length`, fmt.Sprint(2*candidates))
	b.want(`document.querySelector(".answer .refilled").title`, "refilled, p = 0.25")
	b.click(".answer summary")
	b.want(`document.querySelector(".answer details").open`, "false")
	b.click(".answer summary")
	b.choose("#model", b.eval(`document.querySelector("#model option:first-child").value`))
	b.want(`document.getElementById("to").value`, "")
	b.typed("#text", "")
	b.eval(`document.getElementById("text").value = "The soup was cold.\n\n  Ada hardly sang and they seldom laughed.\r\n"`) // pasted
	b.choose("#to", "")
	b.click("#go")
	b.until(`document.querySelectorAll(".answer").length === 4 && !document.getElementById("found").hasAttribute("aria-busy")`)
	b.want(`[...document.querySelectorAll(".line h2")].map((e) => e.textContent).join("|")`,
		"1. The soup was cold.|2. Ada hardly sang and they seldom laughed.")
	b.want(`[...document.querySelectorAll(".line")].map((e) => e.querySelectorAll(".answer .spelt").length).join()`, "2,2")
	b.want(`document.querySelector(".line .spelt").textContent`, "The dreadful was dreadful.")
	b.eval(`document.getElementById("text").value = "The soup was cold.\n" + "x ".repeat(9000)`)
	b.click("#go")
	b.until(`document.getElementById("wrong").textContent.startsWith("Line 2: The sentence has ")`)
	b.eval(`document.getElementById("text").value = "a\n".repeat(101)`)
	b.click("#go")
	b.until(`document.getElementById("wrong").textContent === "There are 101 lines. Give at most 100 at a time."`)
	b.look("lines")
	b.typed("#text", "xa xb xc xd.")
	b.choose("#to", "cheerful")
	b.press("\r")
	b.click("#go")
	b.until(`document.querySelector(".answer .notice")?.textContent.startsWith("The models know 0 of the 4 words")`)
	b.typed("#text", "The soup was cold, but we liked it.")
	b.choose("#to", "")
	b.click("#go")
	b.until(`document.querySelectorAll(".answer").length === 2 && !document.getElementById("found").hasAttribute("aria-busy")`)
	b.typed("#text", "Ada hardly sang and they seldom laughed.")
	b.choose("#to", "gloomy")
	b.click("#go")
	b.until(`document.querySelector(".answer .spelt")?.textContent === "Ada sang dreadful they dreadful indeed laughed dreadful"`)
	for k, want := range []string{ // the source, the output, what transfer writes and the next candidate
		"ada hardly sang and they seldom laughed .",
		"ada hardly sang dreadful they dreadful indeed laughed dreadful",
		"★ ada hardly sang dreadful they dreadful indeed laughed dreadful",
		"ada hardly sang and they seldom laughed .",
	} {
		b.want(fmt.Sprintf(`[...document.querySelectorAll(".answer .output")[%d].children].map((e) => e.textContent).join(" ")`, k), want)
	}
	b.want(`[...document.querySelectorAll(".answer .deleted")].map((e) => e.title + " " + e.querySelector("del").textContent).join()`,
		"deleted, p = 0.50 hardly,deleted, p = 0.50 hardly")
	b.want(`document.querySelector(".answer .inserted ins").textContent`, "indeed")
}

func (b *tab) tryPairs() {
	first := `document.querySelector(".pairs li").textContent`
	one := b.eval(first)
	b.click(".turn a[rel=next]")
	b.until(`location.search.includes("page=1") && document.readyState === "complete"`)
	if b.eval(first) == one {
		b.t.Error("the next page shows the same")
	}
	b.click(".turn a[rel=prev]")
	b.until(first + " === " + fmt.Sprintf("%q", one))
	b.choose("select[name=b]", b.eval(`document.querySelector("select[name=b] option:last-child").value`))
	b.until(`location.search.includes("b=") && document.querySelectorAll(".pairs mark").length > 0`)
	b.choose("select[name=direction]", "cheerful to gloomy")
	b.until(`[...document.querySelectorAll(".pairs .quiet")].every((e) => e.textContent.startsWith("cheerful to gloomy"))`)
	b.click("input[name=differ]")
	b.until(`location.search.includes("differ=1") && document.readyState === "complete" && ![...document.querySelectorAll(".pairs .quiet")].some((e) => e.textContent.includes("are the same"))`)
	b.typed("input[name=q]", "WORST")
	b.press("\r")
	b.until(`location.search.includes("q=WORST") && document.readyState === "complete"`)
	b.want(`document.getElementById("count").textContent.startsWith("No sentence matches.")`, "true") // it is the other direction's
	b.choose("select[name=direction]", "")
	b.until(`document.querySelectorAll(".pairs li").length > 0 && [...document.querySelectorAll(".pairs li")].every((e) => e.textContent.includes("worst"))`)
}

// trySource: the source's style is not said at first, and may be none of the styles.
func (b *tab) trySource(options, to, guessed, unstyled string) {
	b.t.Helper()
	b.want(`[...document.querySelectorAll("#from option")].map((e) => e.textContent).join("|")`, options)
	b.want(`document.getElementById("from").value`, "")
	b.typed("#text", "The soup was cold.")
	b.choose("#to", to)
	said := `[...document.querySelectorAll(".answer h3")].map((e) => e.textContent.split(";")[0]).join("|")`
	for _, a := range []struct{ from, want string }{{"", guessed}, {"none", unstyled}} { // "none" is chosen at the end
		b.choose("#from", a.from)
		b.click("#go")
		b.until(said + fmt.Sprintf(" === %q", a.want) + ` && !document.getElementById("found").hasAttribute("aria-busy")`)
	}
}

// TestBrowserSource: the choice of the source's style, of two styles and of three.
func TestBrowserSource(t *testing.T) {
	b, _ := open(t, study1())
	b.visit("/transfer")
	b.trySource("the other style|none of them", "", "gloomy from cheerful|cheerful from gloomy",
		"gloomy from none of the styles|cheerful from none of the styles")
	b.choose("#model", b.eval(`document.querySelector("#model option:first-child").value`))
	b.want(`document.getElementById("from").value`, "none")
	b.look("source")
	b.done()

	b, _ = open(t, finishedOf(t, threeFile))
	b.visit("/transfer")
	b.trySource("the style that the model predicts|plain|lofty|slangy|none of them", "slangy", "slangy from plain",
		"slangy from none of the styles")
	b.choose("#to", "")
	b.choose("#from", "lofty")
	b.click("#go")
	said := `[...document.querySelectorAll(".answer h3")].map((e) => e.textContent.split(";")[0]).join("|")`
	b.until(said + ` === "plain from lofty|slangy from lofty"`)
	b.choose("#to", "lofty")
	b.click("#go")
	b.until(`!document.getElementById("wrong").hidden`)
	b.want(`document.getElementById("wrong").textContent`, "The source and the output have the same style: choose two styles.")
	b.look("source-three")
	b.done()
}

// TestBrowserForms fills in the forms of a human evaluation, by mouse and by keys.
func TestBrowserForms(t *testing.T) {
	dir := formsFolder(t)
	b, _ := open(t, Options{Forms: dir})
	defer b.done()
	b.look("forms")
	for annotator := 1; annotator <= 2; annotator++ {
		b.click(fmt.Sprintf(`a[href="form/%d"]`, annotator))
		for n := 1; n <= 6; n++ {
			b.until(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("h2")?.textContent.startsWith("Question %d ")`, n))
			switch {
			case annotator == 1 && n == 1:
				b.look("question")
				b.click(`.turn a[rel=next]`)
				b.until(`document.readyState === "complete" && document.querySelector("h2").textContent.startsWith("Question 2 ")`)
				b.click(`.turn a[rel=prev]`)
				b.until(`document.readyState === "complete" && document.querySelector("h2").textContent.startsWith("Question 1 ")`)
				b.click(`button[value="both"]`)
			case annotator == 1:
				b.press("12bn"[n%4 : n%4+1])
			default:
				b.click(`button[value="2"]`)
			}
		}
		b.until(`document.querySelector(".good")?.textContent.startsWith("All questions are answered")`)
		b.click(`.good + p a`)
		b.until(`document.querySelector(".chosen") !== null`)
		b.do("going back", chromedp.Navigate(b.root+"/"))
	}
	if _, votes, err := human.Tally(dir); err != nil || len(votes.Annotators) != 2 {
		t.Errorf("the forms cannot be tallied: %v", err)
	}
}

// TestBrowserSheets rates the sheets of blind readers by keys and by mouse. What is not rated to
// its end is not sent.
func TestBrowserSheets(t *testing.T) {
	dir := sheetsFolder(t)
	b, _ := open(t, Options{Forms: dir, Readers: []string{"somebody"}})
	defer b.done()
	b.look("sheets")
	b.click(`a[href="sheet/1"]`)
	item := func(n int) {
		b.until(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("h2")?.textContent.startsWith("Item %d ")`, n))
	}
	item(1)
	b.want(`document.activeElement.name`, "style-A")
	b.look("item")
	keys := func(text string) {
		for _, key := range text {
			b.press(string(key))
		}
	}
	keys("210")
	b.want(`document.activeElement.name`, "style-B")
	b.press("\r") // B is not rated: the browser says so and sends nothing
	item(1)
	keys("121ab")
	keys("a") // again: it is not best
	b.press("\r")
	item(2)
	b.want(`document.querySelector("progress").value`, "1")
	keys("222222")
	b.want(`document.activeElement.value`, "A")
	b.press("\r") // none is best
	item(2)
	b.want(`document.querySelectorAll("input:invalid").length`, "1")
	b.press(" ") // the focus is on it
	b.press("\r")
	item(3)
	b.click(`.turn a[rel=prev]`)
	item(2)
	b.want(`document.querySelectorAll("input:checked").length`, "7")
	b.click(`.turn a[rel=next]`)
	for n := 3; n <= 6; n++ {
		item(n)
		for _, letter := range []string{"A", "B"} {
			for _, scale := range human.Scales {
				b.click(fmt.Sprintf(`input[name="%s-%s"][value="%d"]`, scale.Name, letter, n%3))
			}
		}
		b.click(`input[name=best][value=B]`)
		b.click(`button.main`)
	}
	b.until(`document.querySelector(".good")?.textContent.startsWith("All items are rated")`)
	b.click(`.good + p a`)
	item(1)
	sheet, err := human.OpenSheet(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"A [2 1 0] false B [1 2 1] true", "A [2 2 2] true B [2 2 2] false"} {
		var said []string
		for _, r := range sheet.Items[i].Rewrites {
			said = append(said, fmt.Sprint(r.Letter, " ", r.Scores, " ", r.Best))
		}
		if got := strings.Join(said, " "); got != want {
			t.Errorf("item %d is rated %q, want %q", i+1, got, want)
		}
	}
	for _, item := range sheet.Items {
		if !item.Rated() {
			t.Errorf("item %d is not rated", item.Number)
		}
	}
}

// TestBrowserReport: the page of a report, which needs no server, fits narrow windows and dark
// screens as those of the server do, and shows every figure.
func TestBrowserReport(t *testing.T) {
	o := study1()
	b, _ := open(t, o)
	found, err := results.Collect(o.Plan, o.WS)
	if err != nil {
		t.Fatal(err)
	}
	path, err := found.WritePage(filepath.Join(t.TempDir(), "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	b.do("opening the report", chromedp.Navigate("file://"+path))
	b.want(`document.querySelectorAll("figure.picture svg").length`, fmt.Sprint(len(found.Figures())))
	b.eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
	b.look("report")
}

// TestBrowserWithout: a page in a browser that was not given the token shows a sentence.
func TestBrowserWithout(t *testing.T) {
	b, s := open(t, planned(t))
	defer b.done()
	b.visit("/explain")
	b.do("forgetting the cookie", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.ClearBrowserCookies, cdp.Empty{})
		return err
	}), chromedp.Navigate(b.root+"/"))
	b.want(`document.querySelector(".notice").textContent`,
		"This page needs the token of the address that smlm-exp serve printed.")
	b.want(`document.querySelectorAll("li").length + " " + document.querySelectorAll("main a").length`, "3 0")
	b.look("locked")
	if s.guard.token == "" || http.StatusForbidden != 403 {
		t.Error("there is no token")
	}
}
