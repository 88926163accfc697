package serve

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzHTTP checks that no request causes a server error and that no answer redirects to another
// host. If a request's path does not begin with the server's secret folder, the answer must be at
// most one sentence. TOKEN in a path stands for the name of the secret folder.
func FuzzHTTP(f *testing.F) {
	v := visit(f, study1())
	for _, path := range append(thePages, "style.css", "../x", "/x/", "a/b?c=d") {
		f.Add("GET", "/TOKEN/"+path, host, "", "", "")
		f.Add("GET", "/"+path, host, "", "", "")
	}
	for _, body := range []string{
		"model=demo%2C+lambda_con+1.5%2C+seed+1&text=The+soup+was+cold.&from=cheerful&lambda_eps=0.5",
		"model=SMLM&to=cheerful&text=The+soup+was+cold.&text=x", "text=%00&lambda_eps=1e999", "%zz", "&&&=;",
	} {
		f.Add("POST", "/TOKEN/explain", host, "http://"+host, formType, body)
		f.Add("POST", "/TOKEN/transfer", host, "http://"+host, formType, body)
	}
	f.Add("POST", "/TOKEN/explain", host, "http://elsewhere.example", formType, "text=x")
	f.Add("GET", "/TOKEN/", "localhost:1", "", "", "")
	f.Add("GET", "/TOKEN/", "rebound.example", "", "", "")
	for _, path := range []string{"/TOKEN", "//elsewhere.example/TOKEN/", "/TOKEN//elsewhere.example/..", "/%5celsewhere.example?a=TOKEN"} {
		f.Add("GET", path, host, "cross-site", "", "")
	}
	f.Fuzz(func(t *testing.T, method, path, at, origin, kind, body string) {
		of, err := url.ParseRequestURI(strings.ReplaceAll(path, "TOKEN", v.server.token))
		if err != nil || method == "" || strings.ContainsAny(method, " \r\n") {
			t.Skip()
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL, r.RequestURI, r.Host = method, of, of.String(), at
		r.Header.Set("Origin", origin)
		r.Header.Set("Content-Type", kind)
		w := v.do(r)
		switch {
		case w.Code >= 500:
			t.Errorf("%d %s", w.Code, w.Body)
		case !strings.HasPrefix(of.Path, v.server.folder()) && w.Code < 400:
			t.Errorf("without the folder: %d %s", w.Code, w.Body)
		case !strings.Contains(path, "TOKEN") && tells(v.server, w):
			t.Error("the folder is told")
		case method == http.MethodPost && w.Code < 400 && origin != "http://"+at, w.Code < 400 && !isLoopback(at):
			t.Errorf("something was taken from %q at %q: %d", origin, at, w.Code)
		}
		if to := w.Header().Get("Location"); to != "" {
			if address, err := url.Parse(to); err != nil || address.Host != "" || strings.HasPrefix(to, "//") {
				t.Errorf("it leads to %q", to)
			}
		}
		if policy := w.Header().Get("Content-Security-Policy"); policy != contentPolicy {
			t.Errorf("the policy is %q", policy)
		}
	})
}
