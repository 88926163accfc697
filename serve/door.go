package serve

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// door lets connections in, of which few may be strangers': of those that have not shown the token.
// One more than most closes the door to the one that came first. So whoever has the token gets in
// however many others hold connections, and those cannot use up what files a process may open.
type door struct {
	net.Listener
	most int

	mu        sync.Mutex
	strangers []*caller // in the order in which they came
}

// caller is a connection that came through a door.
type caller struct {
	net.Conn
	door *door
}

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &caller{conn, d}
	d.mu.Lock()
	d.strangers = append(d.strangers, c)
	var first *caller
	if len(d.strangers) > d.most {
		first = d.strangers[0]
	}
	d.mu.Unlock()
	if first != nil {
		_ = first.Close()
	}
	return c, nil
}

// known takes a caller from the strangers.
func (c *caller) known() {
	c.door.mu.Lock()
	defer c.door.mu.Unlock()
	c.door.strangers = slices.DeleteFunc(c.door.strangers, func(s *caller) bool { return s == c })
}

// Close implements net.Conn.
func (c *caller) Close() error {
	c.known()
	return c.Conn.Close()
}

// CloseWrite lets the server end a refusal so that it is read: http asks for it by this name.
func (c *caller) CloseWrite() error {
	if half, can := c.Conn.(interface{ CloseWrite() error }); can {
		return half.CloseWrite()
	}
	return nil
}

type callerKey struct{}

// withCaller is the ConnContext of a server behind a door.
func withCaller(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// knows notes that a request had the token, or the cookie that stands for it.
func knows(r *http.Request) {
	if c, is := r.Context().Value(callerKey{}).(*caller); is {
		c.known()
	}
}
