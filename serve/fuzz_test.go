package serve

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzHTTP: whatever is asked for, by whom it may be, nothing fails on the server's side, nobody
// without the token, or the cookie and the room, gets more than a sentence, and no answer leads to
// another host. TOKEN and ROOM in a path stand for the server's; shown is a study, forms or sheets.
func FuzzHTTP(f *testing.F) {
	visitors := []*visitor{
		visit(f, study1()), visit(f, Options{Forms: formsFolder(f)}), visit(f, Options{Forms: sheetsFolder(f)}),
	}
	const study, forms, sheets = uint8(0), uint8(1), uint8(2)
	for _, path := range append(thePages, "/api/status", "/tables/results.csv", "/assets/../x", "/form/1?question=2", "//x/") {
		f.Add(true, study, "GET", "/ROOM"+path, host, "", "", "")
		f.Add(true, study, "GET", path, host, "", "", "")
		f.Add(false, forms, "GET", "/ROOM"+path, host, "", "", "")
	}
	for _, body := range []string{
		`{"point":"6e4603fdbf75","text":"The soup was cold.","style":"cheerful","lambda_eps":0.5}`,
		`{"model":"922d56d59457","to":"cheerful","text":"The soup was cold."}`,
		`{"model":"922d56d59457","from":"none","to":"cheerful","text":"The soup was cold."}`,
		`{"point":"6e4603fdbf75","text":"The soup was cold.","style":"none"}`, `{"text":"\u0000"}`, `[]`, `{"lambda_eps":1e999}`,
	} {
		f.Add(true, study, "POST", "/ROOM/api/explain", host, "http://"+host, jsonType, body)
		f.Add(true, study, "POST", "/ROOM/api/transfer", host, "http://"+host, jsonType, body)
	}
	f.Add(true, forms, "POST", "/ROOM/form/1", host, "http://"+host, "application/x-www-form-urlencoded", "question=1&answer=both")
	f.Add(true, sheets, "GET", "/ROOM/sheet/1?item=2", host, "", "", "")
	f.Add(true, sheets, "POST", "/ROOM/sheet/2", host, "http://"+host, "application/x-www-form-urlencoded",
		"item=1&style-A=2&content-A=1&fluency-A=0&style-B=2&content-B=1&fluency-B=0&best=B")
	f.Add(true, study, "GET", "/ROOM/pairs?a=0&b=1&q=x&page=99999999999999999999&differ=1", host, "", "", "")
	f.Add(true, study, "GET", "/ROOM/tradeoff?x=tst&y=tst", "localhost:1", "", "", "")
	f.Add(false, study, "GET", "/?token=x", "rebound.example", "", "", "")
	for _, path := range []string{"/?token=TOKEN", "//elsewhere.example?token=TOKEN", "/%5celsewhere.example?a=b&token=TOKEN"} {
		f.Add(false, study, "GET", path, host, "", "", "")
		f.Add(false, forms, "GET", path, host, "cross-site", "", "")
	}
	f.Fuzz(func(t *testing.T, cookie bool, shown uint8, method, path, at, origin, kind, body string) {
		visitor := visitors[int(shown)%len(visitors)]
		g := visitor.server.guard
		of, err := url.ParseRequestURI(strings.NewReplacer("TOKEN", g.token, "ROOM", g.room[1:]).Replace(path))
		if err != nil || method == "" || strings.ContainsAny(method, " \r\n") {
			t.Skip()
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL, r.RequestURI, r.Host = method, of, of.String(), at
		r.Header.Set("Origin", origin)
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Sec-Fetch-Site", origin)
		if cookie {
			r.AddCookie(&http.Cookie{Name: cookieName, Value: g.cookie})
		}
		w := visitor.do(r)
		enters := same(of.Query().Get("token"), g.token) && method != http.MethodPost && isLoopback(at)
		knows := strings.Contains(path, "TOKEN") || strings.Contains(path, "ROOM") // and may be told it again
		switch {
		case w.Code >= 500:
			t.Errorf("%d %s", w.Code, w.Body)
		case (!cookie || !strings.HasPrefix(path, "/ROOM/")) && !enters && w.Code < 400:
			t.Errorf("without the cookie or the room: %d %s", w.Code, w.Body)
		case !enters && (!knows && tells(visitor.server, w) || len(w.Result().Cookies()) > 0):
			t.Error("a secret is told")
		case method == http.MethodPost && w.Code < 400 && (origin != "http://"+at || !isLoopback(at)):
			t.Errorf("something was taken from %q at %q: %d", origin, at, w.Code)
		}
		refresh, _ := strings.CutPrefix(w.Header().Get("Refresh"), "0; url=")
		if to := w.Header().Get("Location") + refresh; to != "" {
			if address, err := url.Parse(to); err != nil || address.Host != "" || strings.HasPrefix(to, "//") {
				t.Errorf("it leads to %q", to)
			}
		}
		want := policyHeader
		if strings.Contains(w.Body.String(), "<style>") {
			want = strangersPolicy
		}
		if policy := w.Header().Get("Content-Security-Policy"); policy != want || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %q", policy)
		}
	})
}
