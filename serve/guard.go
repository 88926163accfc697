package serve

import (
	"crypto/subtle"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// maxBody is the largest body of a request, in bytes.
const maxBody = 64 << 10

// contentPolicy allows only this server's style sheets, forms that are sent to this server, and
// style attributes.
const contentPolicy = "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request only if
//
//   - its Host header names this machine. Otherwise another site could make its own name resolve to
//     this machine, so that its scripts could read the pages (DNS rebinding);
//   - its path begins with the secret folder, which only the printed address contains; and
//   - it comes from a page of this server, if it is a POST request. Otherwise a page of another
//     site could send a form to this server (CSRF).
//
// A panic ends only the request that caused it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // "no-referrer" would make browsers send the Origin "null" with forms
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	var refusal string
	switch {
	case !isLoopback(r.Host):
		refusal = "This page answers only to the names 127.0.0.1 and localhost."
	case !s.knowsFolder(r.URL.Path):
		refusal = "Open the whole address that `smlm-exp serve` printed, with the long word. It changes at every start."
	case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
		refusal = "Only pages of this server may send something."
	}
	if refusal != "" {
		h.Set("Connection", "close")
		http.Error(w, refusal, http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	defer func() {
		if bug := recover(); bug != nil {
			asked := wording.VisibleLine(r.Method + " " + strings.TrimPrefix(r.URL.Path, s.folder()))
			s.log.Printf("a bug in %s: %v\n%s", asked, bug, debug.Stack())
			answer := &view{Wrong: "A bug in smlm-exp: it could not answer this request."}
			s.write(w, http.StatusInternalServerError, answer)
		}
	}()
	s.mux.ServeHTTP(w, r)
}

// knowsFolder reports whether a path begins with the secret folder.
func (s *Server) knowsFolder(path string) bool {
	folder := s.folder()
	return len(path) >= len(folder) && subtle.ConstantTimeCompare([]byte(path[:len(folder)]), []byte(folder)) == 1
}

// isLoopback reports whether a Host header names this machine. It accepts any port: behind an SSH
// tunnel, the browser sees the tunnel's port, not this server's.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, strings.Trim(host, "[]"))
}
