package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"html/template"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/report/figure"
)

// mostBody is the most bytes of a request's body.
const mostBody = 64 << 10

// mostPath is the most bytes of a request's path and query.
const mostPath = 4 << 10

// policyHeader lets a page use what this server has, and nothing else; no script or style of its
// own.
var policyHeader = policyWith("'self'")

// policyWith is the policy of a page whose style comes from somewhere.
func policyWith(style string) string {
	return "default-src 'none'; script-src 'self'; style-src " + style + "; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// strangersStyle is the style of pages for a browser that gets no other file: within the page.
// strangersPolicy allows that style, by its hash, and no other.
var strangersStyle, strangersPolicy = func() (template.CSS, string) {
	text, err := files.ReadFile("assets/serve.css")
	if err != nil {
		panic(err)
	}
	style := figure.CSS() + string(text)
	sum := sha256.Sum256([]byte(style))
	return template.CSS(style), policyWith("'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
}()

// cookieName is what the cookie is called.
const cookieName = "smlm-exp"

// guard lets requests through that come from a page of this server, in the browser of whoever has
// the token. Browsers send a cookie to all ports of a host, and so to every other server that
// somebody runs there. So all pages lie in a folder of a secret name, the room, and the cookie is
// one of this folder: a browser sends it to nobody who does not have the name.
type guard struct {
	token  string // of the address that is printed
	room   string // "/" and the name
	cookie string // its value, not the token
	next   http.Handler
}

// newToken is a random name that nobody guesses.
func newToken() string { return rand.Text() }

func newGuard(next http.Handler) *guard {
	return &guard{token: newToken(), room: "/" + newToken(), cookie: newToken(), next: next}
}

// turnAway refuses somebody who has not shown the token, and closes the connection. The page says
// how to get in where that would help, and has no link: each would lead to the same page.
func turnAway(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	w.Header().Set("Connection", "close")
	if forScripts(r) {
		refuse(w, r, status, sentence)
		return
	}
	title := "Not shown"
	if status == http.StatusForbidden {
		title = "This browser has no access yet"
	}
	d := lockedData{sentence, status == http.StatusForbidden}
	sayToStranger(w, status, &view{Title: title, Page: "locked", Data: d})
}

// lockedData is a page for somebody who has not shown the token.
type lockedData struct {
	Sentence string
	Helps    bool // to open the printed address
}

// sayToStranger writes a page that needs no other file.
func sayToStranger(w http.ResponseWriter, status int, v *view) {
	w.Header().Set("Content-Security-Policy", strangersPolicy)
	v.Style = strangersStyle
	say(w, status, v)
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policyHeader)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with "no-referrer" the Origin of forms would be "null"
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !isLoopback(r.Host):
		turnAway(w, r, http.StatusForbidden, "this page answers to the names 127.0.0.1 and localhost alone")
		return
	case len(r.URL.Path)+len(r.URL.RawQuery) > mostPath:
		turnAway(w, r, http.StatusRequestURITooLong, "the address is too long")
		return
	case !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost}, r.Method):
		turnAway(w, r, http.StatusMethodNotAllowed, "only GET and POST are answered")
		return
	}
	if r.Method != http.MethodPost && r.URL.Query().Has("token") {
		g.enter(w, r)
		return
	}
	r, ok := g.inside(r)
	if !ok {
		turnAway(w, r, http.StatusForbidden, "this page needs the token of the address that `smlm-exp serve` printed")
		return
	}
	knows(r)
	if r.Method == http.MethodPost {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		switch {
		case r.Header.Get("Origin") != "http://"+r.Host:
			refuse(w, r, http.StatusForbidden, "only pages of this server may send something")
			return
		case kind != jsonType && kind != "application/x-www-form-urlencoded":
			refuse(w, r, http.StatusUnsupportedMediaType, "what is sent must be JSON or a form")
			return
		case r.ContentLength > mostBody:
			refuse(w, r, http.StatusRequestEntityTooLarge, tooLong)
			return
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	g.next.ServeHTTP(w, r)
}

// inside is a request without the room in its path, and whether it came there with the cookie.
func (g *guard) inside(r *http.Request) (*http.Request, bool) {
	path := r.URL.EscapedPath()
	if n := len(g.room); len(path) <= n || path[n] != '/' || !same(path[:n], g.room) || len(r.URL.Path) <= n ||
		r.URL.Path[:n] != g.room {
		return r, false
	}
	if !slices.ContainsFunc(r.CookiesNamed(cookieName), func(c *http.Cookie) bool { return same(c.Value, g.cookie) }) {
		return r, false
	}
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = r.URL.Path[len(g.room):], strings.TrimPrefix(r.URL.RawPath, g.room)
	return r, true
}

// enter gives a first visit the cookie, and leads to the room, without the token in the address.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if !same(query.Get("token"), g.token) {
		turnAway(w, r, http.StatusForbidden, "the token in this address is not that of the program that runs now")
		return
	}
	knows(r)
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: g.cookie, Path: g.room + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	query.Del("token")
	to := g.room + "/"
	if path := r.URL.EscapedPath(); strings.HasPrefix(path, "/") {
		to = g.room + path
	}
	if len(query) > 0 {
		to += "?" + query.Encode()
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		// Browsers keep a strict cookie from what another site's link leads to, redirects included,
		// but not from where a page of ours leads.
		w.Header().Set("Refresh", "0; url="+to)
		sayToStranger(w, http.StatusOK, &view{Title: "Opening the page", Page: "enter", Data: to})
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// isLoopback says whether a Host header names this machine as itself, at any port: a tunnel may
// have another one. A name that somebody else's DNS points here is none of these.
func isLoopback(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1", "[::1]"}, name)
}
