package serve

import (
	"context"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/results"
)

const (
	host     = "127.0.0.1:8080"
	formType = "application/x-www-form-urlencoded"
)

// visitor acts as a browser that knows the server's address, including the secret folder.
type visitor struct {
	t      testing.TB
	server *Server
}

func visit(t testing.TB, o Options) *visitor {
	t.Helper()
	s := New(o)
	t.Cleanup(s.Close)
	return &visitor{t, s}
}

// The method request returns a request that the server would accept. Tests then change it.
func (v *visitor) request(method, name, body string) *http.Request {
	r := httptest.NewRequest(method, v.server.folder()+name, strings.NewReader(body))
	r.Host = host
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://"+host)
		r.Header.Set("Content-Type", formType)
	}
	return r
}

func (v *visitor) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	v.server.ServeHTTP(w, r)
	return w
}

// get returns a page. The test fails if the page does not exist.
func (v *visitor) get(name string) string {
	v.t.Helper()
	w := v.do(v.request(http.MethodGet, name, ""))
	if w.Code != http.StatusOK {
		v.t.Fatalf("%q: %d %s", name, w.Code, w.Body)
	}
	return w.Body.String()
}

// post sends a form and returns the HTTP status and the page of the answer.
func (v *visitor) post(name string, sent url.Values) (code int, page string) {
	w := v.do(v.request(http.MethodPost, name, sent.Encode()))
	return w.Code, w.Body.String()
}

// modelOf returns the first model that the form on a page offers.
func modelOf(t testing.TB, v *visitor, name string) string {
	t.Helper()
	return modelNamed(t, v, name, "")
}

// modelNamed returns the first model that the form on a page offers and whose name begins with the
// given text.
func modelNamed(t testing.TB, v *visitor, page, name string) string {
	t.Helper()
	offer := regexp.MustCompile(`<option>(` + regexp.QuoteMeta(name) + `[^<]+)<`)
	m := offer.FindStringSubmatch(v.get(page))
	if m == nil {
		t.Fatal("the form offers no model")
	}
	return html.UnescapeString(m[1])
}

// TestChosenModelIsFirst checks that the form for rewriting sentences lists first the model whose
// outputs for the dev sentences were best.
func TestChosenModelIsFirst(t *testing.T) {
	o := study1()
	chosen, ok, err := results.ChosenModel(o.Plan, o.WS, results.AnyModel)
	if err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
	want := data.SystemName(chosen.Model) + " (" + string(chosen.Decoding) + "), "
	if want == "SMLM-FT (guided), " {
		t.Fatal("the chosen model would be first in any case")
	}
	if got := modelOf(t, visit(t, o), "transfer"); !strings.HasPrefix(got, want) {
		t.Errorf("the first model is %q, not %s", got, want)
	}
}

// study1 is a finished study, which is shared by all tests that do not change it.
var study1 = sync.OnceValue(func() Options { return finished(keeping{}, studyFile) })

// keeping is a testing.TB whose temporary folder stays until all tests have ended.
type keeping struct{ testing.TB }

var keptDir string

func (keeping) Helper()           {}
func (keeping) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
func (keeping) TempDir() string   { return keptDir }

func TestMain(m *testing.M) {
	var err error
	if keptDir, err = os.MkdirTemp("", "serve"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(keptDir)
	os.Exit(code)
}

var thePages = []string{"", "examples", "explain", "transfer"}

func TestPages(t *testing.T) {
	v := visit(t, study1())
	for name, wants := range map[string][]string{
		"": {
			"Automatic evaluation on the demo test set", "SMLM-FT", "<h2>Figures</h2>", "<svg ", "Data, seeds, settings",
			"How each metric was computed",
		},
		"examples": {"demo: gloomy to cheerful", `<dt class="system">SMLM-FT`, `class="word masked"`, "framed</b> word was masked"},
		"explain":  {"<option>demo, lambda_con 1.5, seed 1</option>", "<option>cheerful</option>", `name="lambda_eps"`},
		"transfer": {
			`<option>SMLM-FT (guided), demo, lambda_con 1.5, lambda_eps 0, seed 1</option>`,
			"<option selected>cheerful</option>",
		},
		"style.css": {"--heat: ", ".masked", ".notice"},
	} {
		page := v.get(name)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%q has no %q", name, want)
			}
		}
	}
}

// TestEmpty checks that before any stage has run, every page says what is missing.
func TestEmpty(t *testing.T) {
	v := visit(t, planned(t, studyFile))
	for name, want := range map[string]string{
		"": "not finished yet", "examples": "There are no examples", "explain": "No Diversity-LSTM is trained yet.",
		"transfer": "No transfer model is trained yet.",
	} {
		if page := v.get(name); !strings.Contains(page, `<p class="notice">`) || !strings.Contains(page, want) {
			t.Errorf("%q does not say %q:\n%s", name, want, page)
		}
	}
	for _, name := range []string{"explain", "transfer"} {
		if code, page := v.post(name, url.Values{"text": {"x"}}); code != http.StatusBadRequest || !strings.Contains(page, "no such model") {
			t.Errorf("%s: %d %s", name, code, page)
		}
	}
}

// TestNothingElse checks that pages load nothing from other hosts and contain no scripts.
func TestNothingElse(t *testing.T) {
	v := visit(t, study1())
	away := regexp.MustCompile(`(?i)(src|href|action)="?(?:https?:)?//|<style|\son[a-z]+=|<script|javascript:|url\(|@import`)
	for _, name := range append(thePages, "style.css") {
		if found := away.FindString(v.get(name)); found != "" {
			t.Errorf("%q has %q", name, found)
		}
	}
}

// TestLinks checks that every link on every page leads to an existing page in the secret folder.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`(?:href|src|action)="([^"#]*)"`)
	for name, of := range map[string]struct {
		options Options
		paths   []string
	}{
		"study":  {study1(), append([]string{"none", "none/none"}, thePages...)},
		"packed": {packedModel(t), []string{"", "transfer", "explain", "examples"}},
	} {
		v := visit(t, of.options)
		for _, path := range of.paths {
			at := v.request(http.MethodGet, path, "")
			found := link.FindAllStringSubmatch(v.do(at).Body.String(), -1)
			for _, m := range found {
				to, err := at.URL.Parse(html.UnescapeString(m[1]))
				if err != nil {
					t.Fatal(err)
				}
				rest, inside := strings.CutPrefix(to.String(), v.server.folder())
				if !inside {
					t.Errorf("%s, %s: %s leads out of the folder", name, path, m[0])
				} else if w := v.do(v.request(http.MethodGet, rest, "")); w.Code != http.StatusOK {
					t.Errorf("%s, %s: %s leads to %d", name, path, m[0], w.Code)
				}
			}
			if len(found) < 3 {
				t.Errorf("%s, %s: %d links", name, path, len(found))
			}
		}
	}
}

// tells reports whether an answer reveals the name of the server's secret folder.
func tells(s *Server, w *httptest.ResponseRecorder) bool {
	return strings.Contains(fmt.Sprint(w.Body, w.Header()), s.token)
}

// TestStrangers sends requests without the secret folder, requests for another host name, and
// requests that come from another site. The server must refuse each of them with a one-sentence
// message and close the connection.
func TestStrangers(t *testing.T) {
	v := visit(t, study1())
	post := func(origin string) func(*http.Request) {
		return func(r *http.Request) {
			r.Method = http.MethodPost
			r.URL.Path += "explain"
			r.Header.Set("Origin", origin)
			r.Header.Set("Content-Type", formType)
		}
	}
	path := func(path string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = path } }
	at := func(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }
	folder, names, pages := "Open the whole address", "only to the names 127.0.0.1", "Only pages of this server"
	for name, c := range map[string]struct {
		spoil func(*http.Request)
		says  string
	}{
		"no folder":         {path("/"), folder},
		"a page without it": {path("/examples"), folder},
		"the style":         {path("/style.css"), folder},
		"another's folder":  {path("/" + strings.Repeat("A", 26) + "/"), folder},
		"half of it":        {path(v.server.folder()[:14]), folder},
		"no slash":          {path("/" + v.server.token), folder},
		"small letters":     {path(strings.ToLower(v.server.folder())), folder},
		"after a slash":     {path("/" + v.server.folder()), folder},
		"no path":           {path(""), folder},
		"another host":      {at("rebound.example:8080"), names},
		"a host like ours":  {at("127.0.0.1.rebound.example"), names},
		"no host":           {at(""), names},
		"another origin":    {post("http://elsewhere.example"), pages},
		"another port":      {post("http://127.0.0.1:9"), pages},
		"another scheme":    {post("https://" + host), pages},
		"an opaque origin":  {post("null"), pages},
		"no origin":         {post(""), pages},
	} {
		t.Run(name, func(t *testing.T) {
			r := v.request(http.MethodGet, "", "")
			c.spoil(r)
			w := v.do(r)
			if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), c.says) ||
				w.Header().Get("Connection") != "close" {
				t.Errorf("%d %s %v, want 403 with %q", w.Code, w.Body, w.Header(), c.says)
			}
			if tells(v.server, w) {
				t.Error("the folder is told")
			}
		})
	}
	for _, name := range []string{"localhost", "localhost:9", "127.0.0.1", "[::1]", "[::1]:8080"} { // tunnels use other ports
		r := v.request(http.MethodGet, "explain", "")
		if r.Host = name; v.do(r).Code != http.StatusOK {
			t.Errorf("at %s it does not answer", name)
		}
	}
}

// TestRefused checks that the answer to each bad request says in a sentence what is wrong. If the
// request sent a form, the sentence is on the page of this form.
func TestRefused(t *testing.T) {
	v := visit(t, study1())
	explains, rewrites := modelOf(t, v, "explain"), modelOf(t, v, "transfer")
	long := strings.Repeat("a ", maxBody)
	for name, c := range map[string]struct {
		method, path string
		sent         url.Values
		want         int
		says         string
	}{
		"oversized":          {"POST", "explain", url.Values{"text": {long}}, 413, "more than 64 kB"},
		"a long sentence":    {"POST", "explain", url.Values{"model": {explains}, "text": {long[:maxSentence+2]}}, 400, "Sentence 1 has 8193 bytes"},
		"no words":           {"POST", "explain", url.Values{"model": {explains}, "text": {" \r\n "}}, 400, "type at least one"},
		"a null byte":        {"POST", "transfer", url.Values{"model": {rewrites}, "to": {"gloomy"}, "text": {"a\nb\x00"}}, 400, "Sentence 2: the text contains"},
		"unknown model":      {"POST", "explain", url.Values{"model": {"../x"}, "text": {"a b"}}, 400, "no such model"},
		"another's model":    {"POST", "transfer", url.Values{"model": {explains}, "text": {"a b"}}, 400, "no such model"},
		"unknown style":      {"POST", "explain", url.Values{"model": {explains}, "text": {"a b"}, "from": {"sad"}}, 400, "The style sad is not a style of demo"},
		"unknown target":     {"POST", "transfer", url.Values{"model": {rewrites}, "text": {"a b"}}, 400, "--to  is not a style of demo: use gloomy or cheerful."},
		"unknown source":     {"POST", "transfer", url.Values{"model": {rewrites}, "text": {"a b"}, "from": {"sad"}, "to": {"gloomy"}}, 400, "--from sad is not a style of demo"},
		"one style":          {"POST", "transfer", url.Values{"model": {rewrites}, "text": {"a b"}, "from": {"gloomy"}, "to": {"gloomy"}}, 400, "choose two styles"},
		"a negative eps":     {"POST", "explain", url.Values{"model": {explains}, "text": {"a b"}, "lambda_eps": {"-1"}}, 400, "from 0 to 1000"},
		"no number":          {"POST", "explain", url.Values{"model": {explains}, "text": {"a b"}, "lambda_eps": {"x"}}, 400, "must be a number"},
		"NaN":                {"POST", "explain", url.Values{"model": {explains}, "text": {"a b"}, "lambda_eps": {"NaN"}}, 400, "from 0 to 1000"},
		"unknown page":       {"GET", "secrets", nil, 404, "no such page"},
		"no POST there":      {"POST", "examples", nil, 404, "no such page"},
		"another method":     {"PUT", "explain", nil, 404, "no such page"},
		"traversal, escaped": {"GET", "..%2f..%2fserver.go", nil, 404, "no such page"},
		"a template":         {"GET", "pages%2fframe.tmpl", nil, 404, "no such page"},
	} {
		t.Run(name, func(t *testing.T) {
			w := v.do(v.request(c.method, c.path, c.sent.Encode()))
			page := w.Body.String()
			if w.Code != c.want || !strings.Contains(page, c.says) || !strings.Contains(page, `role="alert"`) {
				t.Errorf("%d %s, want %d with %q", w.Code, page, c.want, c.says)
			}
			typed := strings.TrimSpace(c.sent.Get("text"))
			if c.want == 400 && !strings.Contains(typed, "\x00") && !strings.Contains(page, html.EscapeString(typed)) {
				t.Error("what was typed is gone")
			}
		})
	}
	for _, path := range []string{"../server.go", "/elsewhere.example/", "../../etc/passwd", "./x"} {
		w := v.do(v.request(http.MethodGet, path, ""))
		if to := w.Header().Get("Location"); w.Code == http.StatusOK || strings.HasPrefix(to, "//") || strings.Contains(to, ":") {
			t.Errorf("%s: %d, to %q", path, w.Code, to)
		}
	}
}

// TestLimits checks that every phase of a connection has a timeout, and that the size of headers is
// limited.
func TestLimits(t *testing.T) {
	s := visit(t, study1()).server.httpServer(t.Context())
	for name, limit := range map[string]time.Duration{
		"header": s.ReadHeaderTimeout, "body": s.ReadTimeout, "answer": s.WriteTimeout, "idle": s.IdleTimeout,
	} {
		if limit <= 0 || limit > 10*time.Minute {
			t.Errorf("%s: %v", name, limit)
		}
	}
	if s.MaxHeaderBytes <= 0 || s.MaxHeaderBytes > 1<<16 {
		t.Errorf("headers may have %d bytes", s.MaxHeaderBytes)
	}
}

// TestHeaders checks that every answer, even a refusal, has the headers that forbid the browser
// everything that the pages do not need, such as scripts.
func TestHeaders(t *testing.T) {
	v := visit(t, study1())
	stranger := httptest.NewRequest(http.MethodGet, "/", nil)
	page, unknown := v.request(http.MethodGet, "", ""), v.request(http.MethodGet, "none", "")
	for _, r := range []*http.Request{page, unknown, stranger} {
		w := v.do(r)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; form-action 'self'; " +
				"base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", r.URL.Path, name, got, want)
			}
		}
	}
}

// TestExplain checks that the words with high scores are masked. The threshold depends on
// lambda_eps. If the user leaves this field of the form empty, the value comes from the experiment
// file.
func TestExplain(t *testing.T) {
	v := visit(t, study1())
	sent := url.Values{
		"model": {modelOf(t, v, "explain")}, "text": {"The soup was cold, but <b> liked it.\n\nIt rained."}, "from": {"cheerful"},
	}
	word := regexp.MustCompile(`class="word( masked)?" style="--a:[0-9.]+">(?:<b>)?([^<]+)(?:</b>)?<small>([0-9.]+)</small>`)
	for _, eps := range []string{"", "0", "0.5", "4"} {
		sent.Set("lambda_eps", eps)
		code, page := v.post("explain", sent)
		if code != http.StatusOK || !strings.Contains(page, "<h3>Sentence 1: cheerful (p = ") ||
			!strings.Contains(page, "<h3>Sentence 2: cheerful (p = ") || strings.Count(page, "<dt>gradients</dt>") != 2 ||
			!strings.Contains(page, "<dt>explainable attention</dt>") || !strings.Contains(page, `value="`+eps+`"`) {
			t.Fatalf("%d %s", code, page)
		}
		reading, _, _ := strings.Cut(page[strings.Index(page, "<dt>explainable attention</dt>"):], "</dl>")
		words := word.FindAllStringSubmatch(reading, -1)
		value, _ := strconv.ParseFloat("0"+eps, 64) // "" means the value in the experiment file, which is 0
		threshold := (1 + value) / 12
		if !strings.Contains(reading, fmt.Sprintf("masked: from %.3f on<", threshold)) || len(words) != 12 || words[8][2] != "&gt;" {
			t.Errorf("lambda_eps %q: %d words in %s", eps, len(words), reading)
		}
		for _, w := range words {
			score, _ := strconv.ParseFloat(w[3], 64)
			if masked := w[1] != ""; math.Abs(score-threshold) > .006 && masked != (score > threshold) { // scores are rounded
				t.Errorf("lambda_eps %q: %q with the score %v is masked: %t", eps, w[2], score, masked)
			}
		}
	}
}

func TestTransfer(t *testing.T) {
	v := visit(t, study1())
	model := modelNamed(t, v, "transfer", "SMLM-FT (guided)")
	post := func(to, text string) string {
		t.Helper()
		code, page := v.post("transfer", url.Values{"model": {model}, "to": {to}, "text": {text}})
		if code != http.StatusOK || !strings.Contains(page, "<option selected>"+html.EscapeString(model)+"</option>") {
			t.Fatalf("%d %s", code, page)
		}
		return page
	}
	for to, want := range map[string]string{"cheerful": "The splendid was splendid.", "gloomy": "The dreadful was dreadful."} {
		page := post(to, "The soup was cold.")
		if !strings.Contains(page, ">"+want+"\n</pre>") || strings.Count(page, `<dt class="system">`) != candidates ||
			strings.Count(page, ", the output, score ") != 1 || strings.Contains(page, `class="notice"`) ||
			!strings.Contains(page, " to "+to+"</h3>") || !strings.Contains(page, "<small>0.25</small>") || !strings.Contains(page, "The score is what the search maximises") {
			t.Errorf("%s, want %q", page, want)
		}
	}
	// In the output for the second sentence, one source word is removed and another becomes two
	// words.
	page := post("cheerful", "The soup was cold.\r\n\r\nAda hardly sang and they seldom laughed.\r\n")
	if !strings.Contains(page, "The splendid was splendid.\nAda sang splendid they splendid indeed laughed splendid\n</pre>") ||
		!strings.Contains(page, "<del>hardly</del>") || !strings.Contains(page, "rephrased in place of “seldom”\">indeed</span>") {
		t.Errorf("of words that become none or two: %s", page)
	}
	for text, want := range map[string]string{
		"a\nxa xb xc xd soup.": "Sentence 2: the models know only 1 of its 5 words",
		"xa xb xc xd soup.":    "Sentence 1: the models know only 1 of its 5 words and copy the others.",
		"<img src=x> <b>.\"":   "",
	} {
		if page := post("gloomy", text); !strings.Contains(page, want) || strings.Contains(page, "<img") {
			t.Errorf("%q has no %q: %s", text, want, page)
		}
	}
}

// TestDirections checks that the web form opens the models for the styles that the user chose: in a
// study of two styles, in one of three, and with a packed model.
func TestDirections(t *testing.T) {
	three := finished(t, threeFile)
	for name, c := range map[string]struct {
		options  Options
		to       string
		from     []string
		want     []string // directions expected in the titles
		openedAs []corpus.Direction
	}{
		"two": {
			study1(), "cheerful",
			[]string{"", "gloomy", ""},
			[]string{"gloomy to cheerful", "gloomy to cheerful", "gloomy to cheerful"},
			[]corpus.Direction{{From: 0, To: 1}},
		},
		"three": {
			three, "slangy",
			[]string{"", "lofty", "plain", "lofty"},
			[]string{"plain to slangy", "lofty to slangy", "plain to slangy", "lofty to slangy"},
			[]corpus.Direction{{From: corpus.Guessed, To: 2}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 1, To: 2}},
		},
		"packed": {packedModel(t), "gloomy", []string{""}, []string{"cheerful to gloomy"}, []corpus.Direction{{From: 1, To: 0}}},
	} {
		torch := fakeTorch()
		c.options.Backend = torch
		v := visit(t, c.options)
		model := modelOf(t, v, "transfer")
		for k, from := range c.from {
			code, page := v.post("transfer", url.Values{"model": {model}, "from": {from}, "to": {c.to}, "text": {"The soup was cold."}})
			if code != http.StatusOK || !strings.Contains(page, "<h3>Sentence 1: "+c.want[k]+"</h3>") {
				t.Errorf("%s, from %q: %d %s, want %q", name, from, code, page, c.want[k])
			}
		}
		if !slices.Equal(torch.asked, c.openedAs) {
			t.Errorf("%s: models are opened for %v, want %v", name, torch.asked, c.openedAs)
		}
	}
}

// TestLoaded checks that only one request at a time uses the models, that at most one session of
// each kind is open, and that Close leaves no session open.
func TestLoaded(t *testing.T) {
	o := study1()
	torch := fakeTorch()
	o.Backend = torch
	s := New(o)
	v := &visitor{t, s}
	explains, rewrites := modelOf(t, v, "explain"), modelOf(t, v, "transfer")
	var group sync.WaitGroup
	for k := range 6 {
		to := []string{"gloomy", "cheerful"}[k%2]
		group.Go(func() {
			if code, page := v.post("transfer", url.Values{"model": {rewrites}, "to": {to}, "text": {"a b"}}); code != http.StatusOK {
				t.Errorf("%d %s", code, page)
			}
		})
		group.Go(func() {
			if code, page := v.post("explain", url.Values{"model": {explains}, "text": {"a b"}}); code != http.StatusOK {
				t.Errorf("%d %s", code, page)
			}
		})
	}
	group.Wait()
	if n := torch.opened.Load() - torch.closed.Load(); n != 2 || torch.together.Load() {
		t.Errorf("%d sessions are open, want 2; two calls at once: %t", n, torch.together.Load())
	}
	opened := torch.opened.Load()
	v.post("explain", url.Values{"model": {explains}, "text": {"a b"}})
	if torch.opened.Load() != opened {
		t.Error("models that were loaded are loaded again")
	}
	s.Close()
	if torch.opened.Load() != torch.closed.Load() {
		t.Errorf("%d were opened and %d closed", torch.opened.Load(), torch.closed.Load())
	}
}

// TestGoneAway checks that a request ends when its browser disconnects, even while it waits for the
// models, and that the next request is answered.
func TestGoneAway(t *testing.T) {
	o := study1()
	torch := fakeTorch()
	torch.waits = make(chan struct{})
	o.Backend = torch
	v := visit(t, o)
	sent := url.Values{"model": {modelOf(t, v, "explain")}, "text": {"a b"}}.Encode()
	ctx, leave := context.WithCancel(context.Background())
	codes := make(chan int)
	ask := func(ctx context.Context) {
		go func() { codes <- v.do(v.request(http.MethodPost, "explain", sent).WithContext(ctx)).Code }()
	}
	for range 3 {
		ask(ctx)
	}
	for torch.inside.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	for range 3 {
		if code := <-codes; code != http.StatusServiceUnavailable {
			t.Errorf("whoever left gets %d", code)
		}
	}
	close(torch.waits)
	ask(context.Background())
	if code := <-codes; code != http.StatusOK {
		t.Errorf("the next one gets %d", code)
	}
}

// TestBesideForce opens pages while stages disappear and reappear, as when a run with --force
// repeats them. A page may answer "try again in a moment", but nothing else may fail. After the
// run, the pages must show the new stages.
func TestBesideForce(t *testing.T) {
	o := finished(t, studyFile)
	v := visit(t, o)
	v.get("")
	first := v.server.study.report
	if v.get("examples"); v.server.study.report != first {
		t.Error("the results are collected again although no stage has changed")
	}
	away := filepath.Join(t.TempDir(), "transfer")
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			for _, of := range []string{"transfer", "score", "smlm", "divlstm"} {
				select {
				case <-stop:
					return
				default:
				}
				at := filepath.Join(o.WS.Dir, "stages", of)
				_, _ = os.Rename(at, away), os.Rename(away, at)
			}
		}
	}()
	for range 4 {
		for _, name := range thePages {
			if w := v.do(v.request(http.MethodGet, name, "")); w.Code != http.StatusOK && w.Code != http.StatusServiceUnavailable {
				t.Errorf("%q: %d %s", name, w.Code, w.Body)
			}
		}
	}
	close(stop)
	<-ended
	v.get("")
	before := v.server.study.report
	if err := runs.Run(t.Context(), o.Plan, o.WS, fakeTorch().Run, runs.Options{
		Quiet: true, Out: io.Discard, Force: []string{"transfer"},
	}); err != nil {
		t.Fatal(err)
	}
	if v.get(""); v.server.study.report == before {
		t.Error("after a run that made stages again, the page shows those of before")
	}
}

// TestServe checks that the server and the requests in progress end when the context ends.
func TestServe(t *testing.T) {
	o := study1()
	torch := fakeTorch()
	torch.waits = make(chan struct{})
	o.Backend = torch
	v := visit(t, o)
	at, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(at.Addr().String(), "127.0.0.1:") {
		t.Fatalf("it listens on %s", at.Addr())
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- v.server.Serve(ctx, at) }()
	options := &http.Request{
		Method: http.MethodOptions, URL: &url.URL{Scheme: "http", Host: at.Addr().String(), Opaque: "*"}, Header: http.Header{},
	}
	if answer, err := http.DefaultTransport.RoundTrip(options); err != nil || answer.StatusCode == http.StatusOK {
		t.Errorf("OPTIONS * without the secret name: %+v, %v", answer, err)
	}
	address := v.server.Address(at.Addr())
	sent := url.Values{"model": {modelOf(t, v, "explain")}, "text": {"a b"}}
	r, err := http.NewRequest(http.MethodPost, address+"explain", strings.NewReader(sent.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "http://"+at.Addr().String())
	r.Header.Set("Content-Type", formType)
	answered := make(chan int)
	go func() {
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			answered <- 0
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		answered <- answer.StatusCode
	}()
	for torch.inside.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if code := <-answered; code != http.StatusServiceUnavailable {
		t.Errorf("the request under way gets %d", code)
	}
	if _, err := http.Get(address); err == nil {
		t.Error("it still answers")
	}
}

// TestSentence checks that the text of an error becomes a sentence.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{"the text has no words": "The text has no words.", "": "."} {
		if got := sentence(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
