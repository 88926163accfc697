package serve

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"strings"
	"testing"
)

// TestStrangers: of connections that say nothing the first gives way to one more than there may be;
// whoever has shown the token keeps his, and gets in however many there are; and whoever is refused
// is closed.
func TestStrangers(t *testing.T) {
	const most = 3
	v := visit(t, study1())
	at, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- v.server.serve(ctx, &door{Listener: at, most: most}) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	var silent []net.Conn
	call := func() {
		c, err := net.Dial("tcp", at.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		silent = append(silent, c)
	}
	closed := func(c net.Conn) {
		t.Helper()
		if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("it reads %d bytes, want the end", n)
		}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{MaxConnsPerHost: 1}}
	address := v.server.Address(at.Addr())
	look := func() (reused bool) {
		t.Helper()
		r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused },
		}), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "stages done") {
			t.Fatalf("%s (%v)\n%s", answer.Status, err, text)
		}
		address = answer.Request.URL.String()
		return reused
	}
	for range most {
		call()
	}
	look() // one more: the first of the silent ones gives way
	closed(silent[0])
	call()
	call()
	closed(silent[1])
	if !look() {
		t.Error("who had shown the token was closed")
	}
	for _, request := range []string{"GET /tables HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /tables?token=x HTTP/1.1\r\nHost: localhost\r\n\r\n"} {
		c, err := net.Dial("tcp", at.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(c) // to the end: no other request is waited for
		_ = c.Close()
		if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 403 ") || !strings.Contains(string(text), "Connection: close") {
			t.Errorf("%q is answered %q (%v)", request, text, err)
		}
	}
}
