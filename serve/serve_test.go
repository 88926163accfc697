package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

const host = "127.0.0.1:8080"

// visitor is a browser that has been given the address.
type visitor struct {
	t      testing.TB
	server *Server
}

func visit(t testing.TB, o Options) *visitor {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &visitor{t, s}
}

// request is one that is let through unless change spoils it.
func (v *visitor) request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, v.server.guard.room+path, strings.NewReader(body))
	r.Host = host
	r.AddCookie(&http.Cookie{Name: cookieName, Value: v.server.guard.cookie})
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://"+host)
		r.Header.Set("Content-Type", jsonType)
	}
	return r
}

func (v *visitor) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	v.server.ServeHTTP(w, r)
	return w
}

// get returns a page, which must be there.
func (v *visitor) get(path string) string {
	v.t.Helper()
	w := v.do(v.request(http.MethodGet, path, ""))
	if w.Code != http.StatusOK {
		v.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// post decodes what an address answers.
func (v *visitor) post(path string, body, into any) int {
	v.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	w := v.do(v.request(http.MethodPost, path, string(text)))
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		v.t.Fatalf("%s answers %q: %v", path, w.Body, err)
	}
	return w.Code
}

// study is finished once for all tests that only look.
var study1 = sync.OnceValue(func() Options { return finished(keeping{}) })

// keeping is a testing.TB whose folders stay until the end of all tests.
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

var thePages = []string{"/", "/tables", "/tradeoff", "/curves", "/explain", "/transfer", "/pairs"}

func TestPages(t *testing.T) {
	v := visit(t, study1())
	for path, wants := range map[string][]string{
		"/":       {"Experiment file tried.toml, 8 points", "stages done", `data-state="done"`, "Nothing is running."},
		"/tables": {"Automatic evaluation on the demo test set", `data-n="89"`, "SMLM-FT", "are set apart", "<b>", `<a href="tables/results.csv"`},
		"/tradeoff": {
			"demo: TST% against s-BLEU", `<g class="mark"><title>SMLM-FT, `, " of 2 seeds, on the front</title>", "<li>SMLM-FT, ",
			"Pareto front", `value="SMLM-FT (guided)" checked>`,
		},
		"/curves": {
			"<h2>Diversity-LSTM</h2>", "<title>λ_con = 10, seed 1: dev loss ", "epoch that is kept</text>", "after epoch 5</title>",
			"dev accuracy, %", "<h2>CNN judge of TST% unseen</h2>", "<h2>CNN judge of unseen whole</h2>",
		},
		"/explain":   {"demo, lambda_con 1.5, seed 1", "<option>cheerful</option>"},
		"/transfer":  {"SMLM-FT (guided), demo, lambda_con 1.5, lambda_eps 0, seed 1", `,&#34;cheerful&#34;]" selected`},
		"/pairs":     {"1 to 25 of", "<mark>", "gloomy to cheerful"},
		"/pairs?a=0": {"1 to 25 of"},
	} {
		page := v.get(path)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %q", path, want)
			}
		}
	}
	one := v.get("/tradeoff?system=SMLM-FT+%28guided%29")
	if strings.Contains(one, "<title>SMLM, ") || !strings.Contains(one, "<title>SMLM-FT, ") ||
		strings.Count(one, " checked>") != 1 {
		t.Errorf("of one system there is %s", one)
	}
	if css := v.get("/assets/colours.css"); !strings.Contains(css, "--blue: ") {
		t.Errorf("the colours are %s", css)
	}
	if csv := v.get("/tables/results.csv"); !strings.Contains(csv, "\nSystem,") {
		t.Errorf("the table as CSV begins with %.40q", csv)
	}
	var now statusData
	if err := json.Unmarshal([]byte(v.get("/api/status")), &now); err != nil || now.Done != now.Stages || now.Done < 20 {
		t.Errorf("the status is %+v (%v)", now, err)
	}
}

// TestEmpty: before anything has run every page says so, and none fails.
func TestEmpty(t *testing.T) {
	o := planned(t)
	v := visit(t, o)
	for _, path := range thePages {
		v.get(path)
	}
	if page := v.get("/"); !strings.Contains(page, "0 of ") {
		t.Error("the page of runs does not say that nothing is done")
	}
}

// TestNothingElse: pages ask no other host, and have no script or style of their own.
func TestNothingElse(t *testing.T) {
	v := visit(t, study1())
	away := regexp.MustCompile(`(?i)(src|href|action)="?(?:https?:)?//|<style|\sstyle=|\son[a-z]+=|<script(?: type="module")?>|javascript:`)
	texts := map[string]string{}
	for _, path := range thePages {
		texts[path] = v.get(path)
	}
	assets, err := files.ReadDir("assets")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range assets {
		texts[a.Name()] = v.get("/assets/" + a.Name())
		if strings.Contains(texts[a.Name()], "url(") || strings.Contains(texts[a.Name()], "@import") {
			t.Errorf("%s asks for something else", a.Name())
		}
	}
	for name, text := range texts {
		if found := away.FindString(text); found != "" {
			t.Errorf("%s has %q", name, found)
		}
	}
}

// tells says whether an answer holds one of a server's secrets.
func tells(s *Server, w *httptest.ResponseRecorder) bool {
	return slices.ContainsFunc([]string{s.guard.token, s.guard.room, s.guard.cookie}, func(secret string) bool {
		return strings.Contains(fmt.Sprint(w.Body, w.Header()), secret)
	})
}

// TestRefused: whoever has not the cookie, or comes from elsewhere, gets a sentence and nothing
// more.
func TestRefused(t *testing.T) {
	v := visit(t, study1())
	asks := `{"point":"","text":"x","style":""}`
	for name, c := range map[string]struct {
		method, path, body string
		spoil              func(r *http.Request)
		want               int
		says               string
	}{
		"no cookie": {"GET", "/", "", func(r *http.Request) { r.Header.Del("Cookie") }, 403, "This page needs the token"},
		"another's cookie": {"GET", "/tables", "", func(r *http.Request) {
			r.Header.Set("Cookie", strings.ReplaceAll(r.Header.Get("Cookie"), v.server.guard.cookie, newToken()))
		}, 403, "This page needs the token"},
		"the token as cookie": {"GET", "/tables", "", func(r *http.Request) {
			r.Header.Set("Cookie", cookieName+"="+v.server.guard.token)
		}, 403, "This page needs the token"},
		"out of the room":  {"GET", "/", "", func(r *http.Request) { r.URL.Path = "/tables" }, 403, "This page needs the token"},
		"another's room":   {"GET", "/", "", func(r *http.Request) { r.URL.Path = "/" + newToken() + "/tables" }, 403, "This page needs the token"},
		"half of the room": {"GET", "/", "", func(r *http.Request) { r.URL.Path = r.URL.Path[:20] }, 403, "This page needs the token"},
		"the room, escaped": {"GET", "/", "", func(r *http.Request) {
			r.URL.RawPath = "/%" + hex.EncodeToString([]byte(r.URL.Path[1:2])) + r.URL.Path[2:]
		}, 403, "This page needs the token"},
		"wrong token":        {"GET", "/?token=WRONG", "", nil, 403, "not that of the program that runs now"},
		"empty token":        {"GET", "/?token=", "", nil, 403, "not that of the program that runs now"},
		"assets too":         {"GET", "/assets/serve.css", "", func(r *http.Request) { r.Header.Del("Cookie") }, 403, "token"},
		"another host":       {"GET", "/", "", func(r *http.Request) { r.Host = "rebound.example:8080" }, 403, "answers to the names 127.0.0.1"},
		"a host like ours":   {"GET", "/", "", func(r *http.Request) { r.Host = "127.0.0.1.rebound.example" }, 403, "answers to the names 127.0.0.1"},
		"no host":            {"GET", "/", "", func(r *http.Request) { r.Host = "" }, 403, "answers to the names 127.0.0.1"},
		"another origin":     {"POST", "/api/explain", asks, func(r *http.Request) { r.Header.Set("Origin", "http://elsewhere.example") }, 403, "only pages of this server"},
		"another port":       {"POST", "/api/explain", asks, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:9") }, 403, "only pages of this server"},
		"no origin":          {"POST", "/api/transfer", asks, func(r *http.Request) { r.Header.Del("Origin") }, 403, "only pages of this server"},
		"text":               {"POST", "/api/explain", asks, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, "must be JSON"},
		"another method":     {"PUT", "/api/explain", asks, nil, 405, "only GET and POST"},
		"oversized":          {"POST", "/api/explain", `{"text":"` + strings.Repeat("a ", mostBody) + `"}`, nil, 413, "at most 64 kB"},
		"oversized, unsaid":  {"POST", "/api/explain", `{"text":"` + strings.Repeat("a ", mostBody) + `"}`, func(r *http.Request) { r.ContentLength = -1 }, 413, "at most 64 kB"},
		"a long path":        {"GET", "/tables?" + strings.Repeat("a", mostPath), "", nil, 414, "too long"},
		"a long text":        {"POST", "/api/explain", `{"point":"","style":"","text":"` + strings.Repeat("a ", mostText) + `"}`, nil, 400, "at most 8192"},
		"no words":           {"POST", "/api/explain", `{"text":"  "}`, nil, 400, "no words"},
		"no JSON":            {"POST", "/api/transfer", `{"text"`, nil, 400, "not the JSON"},
		"two of it":          {"POST", "/api/transfer", `{"text":"x"} {}`, nil, 400, "something follows"},
		"unknown field":      {"POST", "/api/transfer", `{"file":"/etc/passwd"}`, nil, 400, "unknown field"},
		"unknown point":      {"POST", "/api/explain", `{"point":"../x","text":"a b"}`, nil, 400, "no such point"},
		"unknown model":      {"POST", "/api/transfer", `{"model":"nobody","to":"cheerful","text":"a b"}`, nil, 400, "no such model"},
		"a negative eps":     {"POST", "/api/explain", `{"text":"a b","lambda_eps":-1}`, nil, 400, "from 0 to 1000"},
		"unknown system":     {"GET", "/pairs?a=9999", "", nil, 400, "no system"},
		"a system by name":   {"GET", "/pairs?b=../../etc", "", nil, 400, "no system"},
		"an odd page":        {"GET", "/pairs?page=-1", "", nil, 400, "number from 0 on"},
		"unknown metric":     {"GET", "/tradeoff?x=secrets", "", nil, 400, "no metric"},
		"unknown table":      {"GET", "/tables/secrets.csv", "", nil, 404, "no such page"},
		"a table's format":   {"GET", "/tables/results.tex", "", nil, 404, "no such page"},
		"unknown page":       {"GET", "/secrets", "", nil, 404, "no such page"},
		"no GET there":       {"GET", "/api/explain", "", nil, 404, "no such page"},
		"no POST there":      {"POST", "/tables", "{}", nil, 404, "no such page"},
		"unknown asset":      {"GET", "/assets/secrets", "", nil, 404, "no such page"},
		"traversal, escaped": {"GET", "/assets/..%2f..%2fserver.go", "", nil, 404, "no such page"},
		"traversal, twice":   {"GET", "/assets/%2e%2e%2fpages%2fframe.tmpl", "", nil, 404, "no such page"},
		"traversal, pages":   {"GET", "/tables/..%2f..%2fworkspace%2fversion", "", nil, 404, "no such page"},
		"backslashes":        {"GET", "/assets/..%5cserver.go", "", nil, 404, "no such page"},
		"a null byte":        {"GET", "/assets/serve.css%00", "", nil, 404, "no such page"},
	} {
		t.Run(name, func(t *testing.T) {
			r := v.request(c.method, c.path, c.body)
			if c.spoil != nil {
				c.spoil(r)
			}
			w := v.do(r)
			if w.Code != c.want || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s, want %d with %q", w.Code, w.Body, c.want, c.says)
			}
			if tells(v.server, w) || len(w.Result().Cookies()) > 0 {
				t.Error("a secret is told")
			}
		})
	}
	for _, path := range []string{"/assets/../server.go", "//elsewhere.example/", "/../../etc/passwd", "/./x"} {
		w := v.do(v.request(http.MethodGet, path, ""))
		if to := w.Header().Get("Location"); w.Code == http.StatusOK || strings.HasPrefix(to, "//") || strings.Contains(to, ":") {
			t.Errorf("%s: %d, to %q", path, w.Code, to)
		}
	}
}

// TestLocked: a page for a browser without the token says what to do, needs no file that this
// browser does not get, and has no link, since each would lead to the same page.
func TestLocked(t *testing.T) {
	v := visit(t, study1())
	link := regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	for _, path := range []string{"/", "/tables", "/?token=WRONG", "/assets/serve.css"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = host
		w := v.do(r)
		page := w.Body.String()
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "#") {
				t.Errorf("%s leads to %s", path, m[1])
			}
		}
		if w.Code != http.StatusForbidden || !strings.Contains(page, "<li>Open that address in this browser.</li>") {
			t.Errorf("%s: %d\n%s", path, w.Code, page)
		}
		_, after, _ := strings.Cut(page, "<style>")
		style, _, _ := strings.Cut(after, "</style>")
		sum := sha256.Sum256([]byte(style))
		if allowed := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(style, "--blue") ||
			!strings.Contains(w.Header().Get("Content-Security-Policy"), "style-src 'sha256-"+allowed+"';") {
			t.Errorf("%s: the policy does not allow the style of the page", path)
		}
	}
}

// TestSentence: what is wrong becomes a sentence, and whatever it holds stays text.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"the text has no words": "The text has no words.", "is it English?": "Is it English?",
		"run `a <b>` again": "Run <code>a &lt;b&gt;</code> again.", "": ".",
	} {
		if got := string(sentence(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestEnter: the address of the printed line becomes a cookie, and leads nowhere else.
func TestEnter(t *testing.T) {
	v := visit(t, study1())
	address, err := url.Parse(v.server.Address(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}))
	if err != nil || address.Host != host {
		t.Fatalf("the address is %v (%v)", address, err)
	}
	for path, want := range map[string]string{
		"/": "/", "/pairs": "/pairs", "//elsewhere.example/x": "/elsewhere.example/x",
		`/\elsewhere.example`: "/%5Celsewhere.example", "/pairs?a=1": "/pairs?a=1",
	} {
		of, _ := url.Parse(path)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host, r.URL.Path = host, path
		r.URL.RawQuery = "token=" + v.server.guard.token
		if path != "//elsewhere.example/x" {
			r.URL.Path = of.Path
			if of.RawQuery != "" {
				r.URL.RawQuery += "&" + of.RawQuery
			}
		}
		w := v.do(r)
		want = v.server.guard.room + want
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != want {
			t.Errorf("%s: %d to %q, want %q", path, w.Code, got, want)
		}
		cookies := w.Result().Cookies()
		if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode ||
			cookies[0].Value != v.server.guard.cookie || cookies[0].Path != v.server.guard.room+"/" {
			t.Errorf("the cookies are %v", cookies)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/pairs?token="+v.server.guard.token, nil)
	r.Host = host
	r.Header.Set("Sec-Fetch-Site", "cross-site") // a link in somebody's mail
	w := v.do(r)
	if w.Code != http.StatusOK || w.Header().Get("Refresh") != "0; url="+v.server.guard.room+"/pairs" || len(w.Result().Cookies()) != 1 ||
		strings.Contains(w.Body.String(), v.server.guard.token) {
		t.Errorf("from another site: %d %v", w.Code, w.Header())
	}
	w = v.do(v.request(http.MethodGet, "/", ""))
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if got := w.Header().Get(name); !strings.HasPrefix(got, want) || strings.Contains(got, "unsafe") {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestNeighbour: another server of the same machine, which browsers send the cookies of all ports,
// is sent none of ours; nor does it get anything by one that it is given without the room.
func TestNeighbour(t *testing.T) {
	v := visit(t, study1())
	ours := httptest.NewServer(v.server)
	t.Cleanup(ours.Close)
	var sent []string
	neighbour := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "its-own", Value: "x", Path: "/"})
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: "x", Path: "/"})
	}))
	t.Cleanup(neighbour.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	get := func(address string) (int, string) {
		t.Helper()
		answer, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	code, _ := get(v.server.Address(ours.Listener.Addr()))
	if code != http.StatusOK {
		t.Fatalf("the printed address: %d", code)
	}
	for range 2 {
		for _, path := range []string{"/", "/tables", "/api/status", "/?token=x"} {
			get(neighbour.URL + path)
		}
	}
	cookies := strings.Join(sent, "\n")
	if !strings.Contains(cookies, "its-own=x") { // or the test would find nothing
		t.Fatalf("the neighbour is sent %q", cookies)
	}
	for _, secret := range []string{v.server.guard.cookie, v.server.guard.token, v.server.guard.room[1:]} {
		if strings.Contains(cookies, secret) {
			t.Errorf("the neighbour is sent %q", cookies)
		}
	}
	room := ours.URL + v.server.guard.room
	if code, page := get(room + "/tables"); code != http.StatusOK || !strings.Contains(page, "Automatic evaluation") {
		t.Errorf("beside the neighbour's cookie of the same name: %d %s", code, page)
	}
	for _, path := range []string{"/", "/tables", "/" + newToken() + "/tables"} {
		r := v.request(http.MethodGet, "/", "") // with the cookie
		r.URL.Path = path
		if w := v.do(r); w.Code != http.StatusForbidden {
			t.Errorf("with the cookie, without the room: %d", w.Code)
		}
	}
}

// TestLinks: every link of every page, and of pages that say what is wrong, leads to one that is
// there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`(?:href|src|action)="([^"#]*)"`)
	for name, of := range map[string]struct {
		options Options
		paths   []string
	}{
		"study":  {study1(), append([]string{"/tables/none.csv", "/none/none/none"}, thePages...)},
		"packed": {packedModel(t), []string{"/transfer", "/explain", "/tables"}},
		"forms":  {Options{Forms: formsFolder(t)}, []string{"/", "/form/1", "/form/1?question=2", "/form/none"}},
		"sheets": {Options{Forms: sheetsFolder(t)}, []string{"/", "/sheet/1", "/sheet/1?item=2", "/sheet/none"}},
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
				rest, in := strings.CutPrefix(to.String(), v.server.guard.room)
				if !in {
					t.Errorf("%s, %s: %s leads out of the room", name, path, m[0])
				} else if w := v.do(v.request(http.MethodGet, rest, "")); w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
					t.Errorf("%s, %s: %s leads to %d", name, path, m[0], w.Code)
				}
			}
			if len(found) < 4 {
				t.Errorf("%s, %s: %d links", name, path, len(found))
			}
		}
	}
}

// modelOf is the model that the page of transfer has chosen.
func modelOf(t *testing.T, v *visitor) string {
	t.Helper()
	m := regexp.MustCompile(`<option value="([^"]+)"[^>]* selected`).FindStringSubmatch(v.get("/transfer"))
	if m == nil {
		t.Fatal("no model is chosen")
	}
	return m[1]
}

func point(t *testing.T, v *visitor) string {
	t.Helper()
	m := regexp.MustCompile(`<select id="point"><option value="([^"]+)"`).FindStringSubmatch(v.get("/explain"))
	if m == nil {
		t.Fatal("the page has no point")
	}
	return m[1]
}

// TestExplain: the answer is a line of `mask explain`, and what it says of the policies decides as
// they do, at every lambda_eps.
func TestExplain(t *testing.T) {
	v := visit(t, study1())
	ask := explainRequest{Point: point(t, v), Text: "The soup was cold, but we liked it.", Style: "cheerful"}
	for eps := -0.05; eps < 4; eps += .05 {
		if ask.LambdaEps = &eps; eps < 0 {
			ask.LambdaEps = nil
		}
		var a explainAnswer
		if code := v.post("/api/explain", ask, &a); code != http.StatusOK {
			t.Fatalf("%d", code)
		}
		var s struct {
			Words   []string
			Style   string
			Methods []struct {
				Method string
				Scores []float64
				Masked []bool
			}
		}
		if err := json.Unmarshal(a.Sentence, &s); err != nil {
			t.Fatal(err)
		}
		if s.Style != "cheerful" || strings.Join(s.Words, " ") != "the soup was cold , but we liked it ." || len(s.Methods) < 2 {
			t.Fatalf("got %s", a.Sentence)
		}
		for k, m := range s.Methods {
			p := a.Policies[k]
			if ask.LambdaEps != nil && math.Abs(p.LambdaEps-eps) > 0 {
				t.Errorf("lambda_eps is %v, want %v", p.LambdaEps, eps)
			}
			for i, score := range m.Scores {
				if mine := score >= (1+p.LambdaEps)/float64(p.N)*p.Slack; mine != m.Masked[i] {
					t.Errorf("%s at %v: %q is masked %t here and %t there", m.Method, eps, s.Words[i], mine, m.Masked[i])
				}
			}
		}
	}
}

func TestTransfer(t *testing.T) {
	o := study1()
	o.Models = fakeTorch()
	v := visit(t, o)
	model := modelOf(t, v)
	for to, want := range map[string]string{"cheerful": "The splendid was splendid.", "gloomy": "The dreadful was dreadful."} {
		var a transferAnswer
		if code := v.post("/api/transfer", transferRequest{Model: model, To: to, Text: "The soup was cold."}, &a); code != http.StatusOK {
			t.Fatalf("%d", code)
		}
		if a.Text != want || a.To != to || a.From == to || len(a.Candidates) != candidates || a.Warning != "" ||
			a.Fewer != "" {
			t.Errorf("got %+v, want %q", a, want)
		}
		if a.Words[1].Origin != guided.Refilled || a.Words[1].P != .25 || a.Words[0].Origin != guided.Kept {
			t.Errorf("the words are %+v", a.Words)
		}
	}
	var slots transferAnswer
	v.post("/api/transfer", transferRequest{Model: model, To: "cheerful", Text: "Ada hardly sang and they seldom laughed."}, &slots)
	if slots.Text != "Ada sang splendid they splendid indeed laughed splendid" || slots.Candidates[0].Text != slots.Text ||
		slots.Words[1] != (stages.Word{Origin: guided.Deleted, P: .5}) || slots.Words[6].Origin != guided.Inserted {
		t.Errorf("of words that become none or two: %+v", slots)
	}
	for text, want := range map[string]string{
		"Soup":     "Only 1 of 5 candidates exist, because none of its words is masked.",
		"Hot soup": "Only 2 of 5 candidates exist, because all 320 fillings of its masks that were tried give the same words.",
	} {
		var a transferAnswer
		if v.post("/api/transfer", transferRequest{Model: model, To: "gloomy", Text: text}, &a); a.Fewer != want {
			t.Errorf("%q has %q, want %q", text, a.Fewer, want)
		}
	}
	var a transferAnswer
	v.post("/api/transfer", transferRequest{Model: model, To: "gloomy", Text: "xa xb xc xd soup."}, &a)
	if !strings.HasPrefix(a.Warning, "The models know 1 of the 5 words") {
		t.Errorf("it warns %q", a.Warning)
	}
	var wrong map[string]string
	if code := v.post("/api/transfer", transferRequest{Model: model, To: "nobody's", Text: "a b"}, &wrong); code != http.StatusBadRequest ||
		!strings.Contains(wrong["error"], "choose gloomy or cheerful") {
		t.Errorf("%d %v", code, wrong)
	}
}

// TestTransferFrom: the style of a sentence is what transfer --from makes of the same word, of two
// styles and of three, in the workspace and packed; the answer says it; and models that were opened
// for one style are not used for another.
func TestTransferFrom(t *testing.T) {
	three := finishedOf(t, threeFile)
	for name, c := range map[string]struct {
		options Options
		to      string
		ask     []string // the styles of the sources, "!" before one that is refused
		asked   []corpus.Direction
		want    []string // what is answered
	}{
		"two": {
			study1(), "cheerful",
			[]string{"", "none", "gloomy", "!cheerful", "!glum", "!None", "none"},
			[]corpus.Direction{{From: 0, To: 1}, {From: corpus.NoStyle, To: 1}},
			[]string{
				"gloomy", "none", "gloomy", "the source and the output have the same style: choose two styles",
				`demo has no style of that name for the source: choose gloomy or cheerful, or "none" if the source has none of them`,
				"demo has no style of that name for the source", "none",
			},
		},
		"three": {
			three, "slangy",
			[]string{"", "none", "lofty", "plain", "!slangy", "!-2", "lofty"},
			[]corpus.Direction{
				{From: corpus.Guessed, To: 2}, {From: corpus.NoStyle, To: 2}, {From: 1, To: 2}, {From: 0, To: 2},
			},
			[]string{
				"plain", "none", "lofty", "plain", "the source and the output have the same style",
				"choose plain or lofty or slangy, or", "lofty",
			},
		},
		"packed": {
			packedModel(t), "gloomy",
			[]string{"none", "", "!gloomy", "!sad"},
			[]corpus.Direction{{From: corpus.NoStyle, To: 0}, {From: 1, To: 0}},
			[]string{"none", "cheerful", "the source and the output have the same style", "the packed model has no style of that name for"},
		},
	} {
		torch := fakeTorch()
		c.options.Models = torch
		v := visit(t, c.options)
		model := modelOf(t, v)
		for k, from := range c.ask {
			from, refused := strings.CutPrefix(from, "!")
			var a struct {
				transferAnswer
				Error string
			}
			code := v.post("/api/transfer", transferRequest{Model: model, From: from, To: c.to, Text: "The soup was cold."}, &a)
			if refused && (code != http.StatusBadRequest || !strings.Contains(a.Error, c.want[k])) ||
				!refused && (code != http.StatusOK || a.From != c.want[k] || a.To != c.to) {
				t.Errorf("%s, from %q: %d %+v, want %q", name, from, code, a, c.want[k])
			}
		}
		if !slices.Equal(torch.asked, c.asked) {
			t.Errorf("%s: models are opened for %v, want %v", name, torch.asked, c.asked)
		}
	}
}

// TestNamedNone: where a style is called none, that is what a request of this word means.
func TestNamedNone(t *testing.T) {
	labels := corpus.Styles{"some", "none", "all"}
	for from, want := range map[string]int{"none": 1, "all": 2, "": corpus.Guessed} {
		if d, err := directionOf(from, "some", "shares", labels); err != nil || d != (corpus.Direction{From: want, To: 0}) {
			t.Errorf("from %q it is %v (%v), want %d", from, d, err, want)
		}
	}
	_, err := directionOf("none", "none", "shares", labels)
	testkit.WantError(t, err, userr.BadInput, "the source and the output have the same style: choose two styles")
}

// TestExplainNone: scores are of a style, so there are none of no style, and it is said why.
func TestExplainNone(t *testing.T) {
	v := visit(t, study1())
	var wrong map[string]string
	code := v.post("/api/explain", explainRequest{Point: point(t, v), Text: "a b", Style: "none"}, &wrong)
	const want = `scores say how much a word speaks for a style, so there are none for "none": ` +
		"choose gloomy or cheerful, or the style that the model predicts"
	if code != http.StatusBadRequest || wrong["error"] != want {
		t.Errorf("%d %v, want %q", code, wrong, want)
	}
}

// TestSessions: models are opened once, the oldest is closed where there are too many, and all at
// the end.
func TestSessions(t *testing.T) {
	o := study1()
	torch := fakeTorch()
	o.Models = torch
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t, s}
	ids := regexp.MustCompile(`<option value="([0-9a-f]{12})"`).FindAllStringSubmatch(v.get("/transfer"), mostOpen+1)
	var group sync.WaitGroup
	for range 3 {
		for _, id := range ids {
			group.Go(func() {
				var a map[string]any
				if code := v.post("/api/transfer", transferRequest{Model: id[1], To: "gloomy", Text: "a b"}, &a); code != http.StatusOK {
					t.Errorf("%d %v", code, a)
				}
			})
		}
	}
	group.Wait()
	if n := torch.opened.Load() - torch.closed.Load(); n != mostOpen || torch.together.Load() {
		t.Errorf("%d sessions are open, want %d; two calls at once: %t", n, mostOpen, torch.together.Load())
	}
	s.Close()
	if torch.opened.Load() != torch.closed.Load() {
		t.Errorf("%d were opened and %d closed", torch.opened.Load(), torch.closed.Load())
	}
	var a map[string]any
	if code := v.post("/api/transfer", transferRequest{Model: ids[0][1], To: "gloomy", Text: "a b"}, &a); code != http.StatusServiceUnavailable {
		t.Errorf("after the end: %d %v", code, a)
	}
}

// TestGoneAway: a request that nobody waits for ends, and the next one is answered; too many are
// refused.
func TestGoneAway(t *testing.T) {
	o := study1()
	torch := fakeTorch()
	torch.waits = make(chan struct{})
	o.Models = torch
	v := visit(t, o)
	id := point(t, v)
	body := fmt.Sprintf(`{"point":%q,"text":"a b","style":""}`, id)
	ctx, leave := context.WithCancel(context.Background())
	codes := make(chan int)
	ask := func(ctx context.Context) {
		go func() { codes <- v.do(v.request(http.MethodPost, "/api/explain", body).WithContext(ctx)).Code }()
	}
	ask(ctx)
	for torch.inside.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	for range mostWaiting {
		ask(ctx)
	}
	for v.server.models.queue.asked.Load() <= mostWaiting {
		time.Sleep(time.Millisecond)
	}
	if w := v.do(v.request(http.MethodPost, "/api/explain", body)); w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(), "too many") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	leave()
	for range mostWaiting + 1 {
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

// TestBesideForce: stages that a run takes away and is replacing while pages are asked for are no
// error of the server's. What it shows is of the stages that are there, made anew or not.
func TestBesideForce(t *testing.T) {
	o := finished(t)
	v := visit(t, o)
	v.get("/tables")
	found, err := v.server.study.results()
	if err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(t.TempDir(), "transfer")
	stages := filepath.Join(o.WS.Dir, "stages", "transfer")
	if err := os.Rename(stages, away); err != nil {
		t.Fatal(err)
	}
	// A page that was half built.
	data := v.server.study.plan.Data["demo"]
	if _, err := found.results.Pairs(0, 1, data); statusOf(err) != http.StatusServiceUnavailable {
		t.Errorf("outputs that are gone: %v", err)
	}
	if err := os.Rename(away, stages); err != nil {
		t.Fatal(err)
	}
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
	for range 12 {
		for _, path := range append(thePages, "/api/status", "/tables/results.csv", "/pairs?a=0&b=1") {
			w := v.do(v.request(http.MethodGet, path, ""))
			if !slices.Contains([]int{200, 400, 404, 503}, w.Code) {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	}
	close(stop)
	<-ended
	before := v.get("/tables")
	if err := runs.Run(t.Context(), o.Plan, o.WS, fakeTorch().Run, runs.Options{
		Quiet: true, Out: io.Discard, Force: []string{"transfer"},
	}); err != nil {
		t.Fatal(err)
	}
	was, err := v.server.study.results()
	if err != nil {
		t.Fatal(err)
	}
	if v.get("/tables"); was == found || before == "" {
		t.Error("after a run that made them anew the pages show the stages of before")
	}
}

// TestSteady: a page that cannot be built while stages change is built once more, and then asked
// for again; what is sent is not worked on twice, and other errors stay.
func TestSteady(t *testing.T) {
	o := finished(t)
	s := visit(t, o).server
	gone := fmt.Errorf("reading: %w", fs.ErrNotExist)
	odd := errors.New("12 outputs for 13 sentences")
	for _, c := range []struct {
		name, method string
		runs         bool
		errs         []error // of each time that it is built
		status       int
		times        int
	}{
		{"gone once", "GET", false, []error{gone, nil}, 200, 2},
		{"gone", "GET", false, []error{gone, gone}, 503, 2},
		{"gone beside a run", "GET", true, []error{gone, gone}, 503, 2},
		{"odd beside a run", "GET", true, []error{odd, odd}, 503, 2},
		{"odd once beside a run", "GET", true, []error{odd, nil}, 200, 2},
		{"odd", "GET", false, []error{odd}, 500, 1},
		{"sent beside a run", "POST", true, []error{odd}, 503, 1},
		{"sent", "POST", false, []error{gone}, 503, 1},
		{"a bug", "GET", true, []error{errBug}, 500, 1},
		{"wrong", "GET", true, []error{userr.New(userr.BadInput, "there is no system")}, 400, 1},
	} {
		unlock := func() {}
		if c.runs {
			other, err := workspace.Open(o.WS.Dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := other.Join(); err != nil {
				t.Fatal(err)
			}
			other.Tell(workspace.Running{Stages: 1})
			unlock = other.Unlock
		}
		times := 0
		build := func(*http.Request) (any, error) {
			times++
			return "built", c.errs[times-1]
		}
		w := httptest.NewRecorder()
		s.api(build).ServeHTTP(w, httptest.NewRequest(c.method, "/api/x", nil))
		unlock()
		if retry := w.Header().Get("Retry-After"); w.Code != c.status || times != c.times || (retry != "") != (c.status == 503) {
			t.Errorf("%s: %d after %d times, Retry-After %q, %s", c.name, w.Code, times, retry, w.Body)
		}
		const sentence = "a run is replacing the results that this page shows: try again"
		if c.runs && c.status == 503 && !strings.Contains(w.Body.String(), sentence) {
			t.Errorf("%s: it says %s", c.name, w.Body)
		}
	}
}

// TestServe: the end of the context ends the server and what it does.
func TestServe(t *testing.T) {
	o := study1()
	torch := fakeTorch()
	torch.waits = make(chan struct{})
	o.Models = torch
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
	origin := "http://" + at.Addr().String()
	r := v.request(http.MethodPost, "/api/explain", fmt.Sprintf(`{"point":%q,"text":"a b"}`, point(t, v)))
	r.URL.Scheme, r.URL.Host = "http", at.Addr().String()
	r.Host, r.RequestURI = r.URL.Host, ""
	r.Header.Set("Origin", origin)
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
	if _, err := http.Get(origin); err == nil {
		t.Error("it still answers")
	}
}

func TestForms(t *testing.T) {
	dir := formsFolder(t)
	v := visit(t, Options{Forms: dir})
	answer := func(annotator int, values url.Values) int {
		r := v.request(http.MethodPost, fmt.Sprintf("/form/%d", annotator), values.Encode())
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return v.do(r).Code
	}
	for _, path := range []string{"/tables", "/pairs", "/key.json", "/form/3", "/form/0", "/form/key", "/form/..%2fkey.json"} {
		if w := v.do(v.request(http.MethodGet, path, "")); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, but it would tell who wrote what", path, w.Code)
		}
	}
	if page := v.get("/form/1"); strings.Contains(page, "SMLM") || !strings.Contains(page, "Question 1 ") {
		t.Error("the first question is not there, or tells who wrote what")
	}
	for _, bad := range []url.Values{
		{"question": {"7"}, "answer": {"1"}},
		{"question": {"0"}, "answer": {"1"}},
		{"question": {"1"}, "answer": {"a"}},
		{"question": {"x"}, "answer": {"1"}},
		{},
	} {
		if code := answer(1, bad); code != http.StatusBadRequest {
			t.Errorf("%v: %d", bad, code)
		}
	}
	choices := human.Answers()
	for annotator := 1; annotator <= 2; annotator++ {
		for n := 1; n <= 6; n++ {
			values := url.Values{"question": {fmt.Sprint(n)}, "answer": {choices[n%len(choices)]}}
			if code := answer(annotator, values); code != http.StatusSeeOther {
				t.Fatalf("question %d: %d", n, code)
			}
		}
	}
	if page := v.get("/form/2"); !strings.Contains(page, "All questions are answered") {
		t.Error("the end is not said")
	}
	if page := v.get("/form/2?question=3"); !strings.Contains(page, `value="neither" data-key="n" class="chosen"`) {
		t.Error("the answer given is not shown")
	}
	if _, votes, err := human.Tally(dir); err != nil || len(votes.Annotators) != 2 {
		t.Errorf("the forms cannot be tallied: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "form-1.csv"))
	if err != nil || !bytes.HasPrefix(text, []byte("number,direction,source,first,second,answer\n1,")) {
		t.Errorf("the form is %.80q (%v)", text, err)
	}
}

// TestPagesSignFlaws: models that write their sources, or half of them, have a sign wherever they
// are shown, and it is said why.
func TestPagesSignFlaws(t *testing.T) {
	for _, f := range []*metrics.Flaw{metrics.LeftUnchanged, metrics.Shortened} {
		o := planned(t)
		quiet := runs.Options{Quiet: true, Out: io.Discard}
		flawed := fakebackend.Backend{Varied: true, Flaw: f}
		if err := runs.Run(t.Context(), o.Plan, o.WS, flawed.Run, quiet); err != nil {
			t.Fatal(err)
		}
		v := visit(t, o)
		said := ", not ranked in any column: " + f.Rule
		for path, wants := range map[string][]string{
			"/tables":   {said, "SMLM-FT<sup>" + f.Sign + "</sup>", f.Sign + ": " + f.Name + ", not ranked."},
			"/tradeoff": {f.Name + f.Sign},
			"/pairs":    {said, "seed 1" + f.Sign, " outputs."},
		} {
			page := v.get(path)
			for _, want := range wants {
				if !strings.Contains(page, want) {
					t.Errorf("%s has no %q", path, want)
				}
			}
		}
	}
}

// TestFormsTwice: of answers that two servers of one folder take at the same time, none is lost.
func TestFormsTwice(t *testing.T) {
	dir := formsFolder(t)
	servers := []*visitor{visit(t, Options{Forms: dir}), visit(t, Options{Forms: dir})}
	for round := range 10 {
		answer := human.Answers()[round%4]
		var all sync.WaitGroup
		for n := 1; n <= 6; n++ {
			all.Go(func() {
				values := url.Values{"question": {fmt.Sprint(n)}, "answer": {answer}}
				r := servers[n%2].request(http.MethodPost, "/form/1", values.Encode())
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				if w := servers[n%2].do(r); w.Code != http.StatusSeeOther {
					t.Errorf("question %d: %d %s", n, w.Code, w.Body)
				}
			})
		}
		all.Wait()
		form, err := human.OpenForm(dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range form.Answers {
			if got != answer {
				t.Errorf("round %d: the answer to question %d is %q, want %q", round, i+1, got, answer)
			}
		}
	}
}

// ratingOf are the fields that say of an item that what is by "fine soup" is wholly of the style
// and else has an error, and that the other rewrite is flawless, and best.
func ratingOf(item human.SheetItem) url.Values {
	values := url.Values{"item": {fmt.Sprint(item.Number)}}
	for _, r := range item.Rewrites {
		scores := []string{"2", "2", "2"}
		if strings.Contains(r.Output, "fine soup") {
			scores = []string{"2", "1", "0"}
		} else {
			values.Set("best", r.Letter)
		}
		for k, scale := range human.Scales {
			values.Set(scale.Name+"-"+r.Letter, scores[k])
		}
	}
	return values
}

// posted is the request that sends an item of a reader's sheet.
func (v *visitor) posted(reader int, values url.Values) *httptest.ResponseRecorder {
	r := v.request(http.MethodPost, fmt.Sprintf("/sheet/%d", reader), values.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.do(r)
}

// TestSheets: what readers say on the page is what tally counts, and the page tells them nothing of
// who wrote what.
func TestSheets(t *testing.T) {
	dir := sheetsFolder(t)
	v := visit(t, Options{Forms: dir, Readers: []string{"a, friend"}})
	for _, path := range []string{
		"/tables", "/key.json", "/key.sha256", "/sheet-1.csv", "/sheet/3", "/sheet/0", "/sheet/key.json", "/sheet/..%2fkey.json",
		"/form/1",
	} {
		if w := v.do(v.request(http.MethodGet, path, "")); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, but it would tell who wrote what", path, w.Code)
		}
	}
	if page := v.get("/"); !strings.Contains(page, ">a, friend<") || !strings.Contains(page, ">reader 2<") ||
		!strings.Contains(page, "0 of 6 answered") {
		t.Errorf("the readers are not listed:\n%s", page)
	}
	sheet, err := human.OpenSheet(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	page := v.get("/sheet/1")
	for _, want := range []string{
		"<h1>Sheet of a, friend</h1>", "Item 1 ", sheet.Items[0].Direction, sheet.Items[0].Source, "0 of 6 rated",
		"<p>the soup is fine .</p>", "<p>=a fine soup .</p>", "the whole sentence now has what is asked",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the first item has no %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "SMLM") || strings.Contains(page, "rival") || strings.Contains(page, `value="C"`) {
		t.Errorf("the page tells who wrote what, or shows an output twice:\n%s", page)
	}
	empty, err := os.ReadFile(filepath.Join(dir, "sheet-1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(url.Values){
		"There is no item 7: the sheet has 6":                                            func(u url.Values) { u.Set("item", "7") },
		"What was sent names no item":                                                    func(u url.Values) { u.Set("item", "one") },
		"Item 1: B needs three scores of 0, 1 or 2: style, content and fluency":          func(u url.Values) { u.Set("content-B", "3") },
		"Item 1: A needs three scores of 0, 1 or 2: style, content and fluency":          func(u url.Values) { u.Del("style-A") },
		"Item 1: no rewrite is marked as best: mark at least one":                        func(u url.Values) { u.Del("best") },
		"Item 1: &#34;C&#34; is marked as best but is no letter of the item: use A to B": func(u url.Values) { u.Set("best", "C") },
		"Item 1: &#34;C&#34; is no letter of the item: use A to B":                       func(u url.Values) { u.Set("style-C", "2") },
		"Item 1: B needs three scores of 0, 1 or 2: style, content and fluency.<":        func(u url.Values) { u.Set("fluency-B", "-1") },
	} {
		values := ratingOf(sheet.Items[0])
		change(values)
		if w := v.posted(1, values); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%v: %d, want %q in\n%s", values, w.Code, want, w.Body)
		}
	}
	if now, err := os.ReadFile(filepath.Join(dir, "sheet-1.csv")); err != nil || !bytes.Equal(now, empty) {
		t.Errorf("what was refused is in the file (%v):\n%s", err, now)
	}
	for reader := 1; reader <= 2; reader++ {
		if sheet, err = human.OpenSheet(dir, reader); err != nil {
			t.Fatal(err)
		}
		for n, item := range sheet.Items {
			if page := v.get(fmt.Sprintf("/sheet/%d", reader)); !strings.Contains(page, fmt.Sprintf("%d of 6 rated", n)) ||
				!strings.Contains(page, fmt.Sprintf("Item %d ", n+1)) {
				t.Errorf("reader %d is not shown item %d:\n%s", reader, n+1, page)
			}
			if reader == 2 && n == 4 {
				break // reader 2 stops there
			}
			if w := v.posted(reader, ratingOf(item)); w.Code != http.StatusSeeOther {
				t.Fatalf("item %d: %d %s", item.Number, w.Code, w.Body)
			}
		}
	}
	if page := v.get("/sheet/1"); !strings.Contains(page, "All items are rated") {
		t.Error("the end is not said")
	}
	if page := v.get("/sheet/1?item=3"); strings.Count(page, " checked") != 7 {
		t.Errorf("what was said is not shown:\n%s", page)
	}
	_, readings, err := human.TallySheets(dir, []string{"a, friend"})
	if err != nil || len(readings) != 3*(6+4) {
		t.Fatalf("%d ratings (%v)", len(readings), err)
	}
	for _, s := range readings.Shares() {
		want := [5]float64{100, 100, 100, 100, 100}
		if s.System == "rival" {
			want = [5]float64{100, 0, 0, 0, 0}
		}
		got := [5]float64{s.Whole.Value, s.Content.Value, s.Fluent.Value, s.Flawless.Value, s.Best.Value}
		if got != want || s.Sentences != 6 {
			t.Errorf("%s: %v of %d sentences, want %v", s.System, got, s.Sentences, want)
		}
	}
	// Reader 2 goes on in the file, as a spreadsheet writes it, and then on the page.
	path := filepath.Join(dir, "sheet-2.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var filled strings.Builder
	for line := range strings.Lines("\ufeff" + strings.ReplaceAll(string(text), ",", ";")) {
		if strings.HasPrefix(line, "5;") {
			line = strings.TrimSuffix(line, ";;;;\n") + ";1;1;1;x\n"
		}
		filled.WriteString(line)
	}
	testkit.WriteFile(t, path, filled.String())
	if page := v.get("/sheet/2"); !strings.Contains(page, "5 of 6 rated") || !strings.Contains(page, "Item 6 ") {
		t.Errorf("what the file says is not seen:\n%s", page)
	}
	if w := v.posted(2, ratingOf(sheet.Items[5])); w.Code != http.StatusSeeOther {
		t.Errorf("the last item: %d %s", w.Code, w.Body)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(after, []byte("\ufeffitem;direction;")) || bytes.Count(after, []byte(";1;1;1;x\n")) != 2 {
		t.Errorf("the file is not left as it was (%v):\n%s", err, after)
	}
	if _, readings, err = human.TallySheets(dir, nil); err != nil || len(readings) != 3*12 {
		t.Errorf("%d ratings (%v)", len(readings), err)
	}
	// A program's answers take the place of a sheet.
	testkit.WriteFile(t, filepath.Join(dir, "sheet-2.json"), "[]")
	if page := v.get("/"); !strings.Contains(page, "answered by a program, in sheet-2.json") {
		t.Errorf("the program is not named:\n%s", page)
	}
	const elsewhere = "A program has answered this sheet in sheet-2.json: remove that file to rate here"
	for _, w := range []*httptest.ResponseRecorder{
		v.do(v.request(http.MethodGet, "/sheet/2", "")), v.posted(2, ratingOf(sheet.Items[0])),
	} {
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), elsewhere) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

// TestSheetsTwice: of ratings that two servers of one folder take at the same time, none is lost.
func TestSheetsTwice(t *testing.T) {
	dir := sheetsFolder(t)
	servers := []*visitor{visit(t, Options{Forms: dir}), visit(t, Options{Forms: dir})}
	sheet, err := human.OpenSheet(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 6 {
		score := fmt.Sprint(round % 3)
		var all sync.WaitGroup
		for _, item := range sheet.Items {
			all.Go(func() {
				values := ratingOf(item)
				values.Set("style-A", score)
				if w := servers[item.Number%2].posted(1, values); w.Code != http.StatusSeeOther {
					t.Errorf("item %d: %d %s", item.Number, w.Code, w.Body)
				}
			})
		}
		all.Wait()
		now, err := human.OpenSheet(dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range now.Items {
			if got := item.Rewrites[0].Scores[0]; got != round%3 || !item.Rated() {
				t.Errorf("round %d: item %d has %+v", round, item.Number, item)
			}
		}
	}
}

// TestSheetsOfFolders: which folders have sheets to show, and whose.
func TestSheetsOfFolders(t *testing.T) {
	own := t.TempDir() // the folder of reader 2, who has one sheet and no key
	text, err := os.ReadFile(filepath.Join(sheetsFolder(t), "sheet-2.csv"))
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, filepath.Join(own, "sheet-2.csv"), string(text))
	v := visit(t, Options{Forms: own})
	if page := v.get("/"); !strings.Contains(page, "reader 2") || strings.Contains(page, "reader 1") {
		t.Errorf("the first page is\n%s", page)
	}
	if page := v.get("/sheet/2"); !strings.Contains(page, "0 of 6 rated") {
		t.Errorf("the sheet is\n%s", page)
	}
	broken := func(old, with string) string {
		dir := t.TempDir()
		testkit.WriteFile(t, filepath.Join(dir, "sheet-1.csv"), strings.Replace(string(text), old, with, 1))
		return dir
	}
	for want, o := range map[string]Options{
		"3 readers are named, but":                                      {Forms: sheetsFolder(t), Readers: []string{"a", "b", "c"}},
		`the reader's name "a" is empty or given twice`:                 {Forms: sheetsFolder(t), Readers: []string{"a", "a"}},
		`the reader's name "reader 2" is empty or given twice`:          {Forms: sheetsFolder(t), Readers: []string{"reader 2"}},
		"--reader is for sheets, and":                                   {Forms: formsFolder(t), Readers: []string{"a"}},
		"there is neither form-1.csv nor a sheet in":                    {Forms: t.TempDir()},
		"sheet-1.csv:1: the first line must be item,direction,":         {Forms: broken("letter", "who")},
		"has the item \"first\", which is not a number":                 {Forms: broken("\n1,", "\nfirst,")},
		`item 1 has the letter "B" where A should be`:                   {Forms: broken(",A,", ",C,")},
		"sheet-1.csv: item 1, A: content is \"3\", but must be 0, 1 or": {Forms: broken(",,,,\n", ",2,3,1,\n")},
		"sheet-1.csv has no item":                                       {Forms: broken(string(text), "item,direction,source,letter,output,style,content,fluency,best\n")},
	} {
		_, err := New(o)
		testkit.WantError(t, err, userr.BadInput, want)
	}
}
