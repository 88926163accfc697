// Package serve is a local web server for an experiment. Its pages show tables, figures and
// examples, and have two forms that explain and rewrite sentences with the experiment's models. For
// a packed model, only the forms exist.
//
// The server listens only on loopback and answers only requests whose path contains its secret
// folder (guard.go). The pages need no scripts and load nothing from other hosts.
package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Options configure a server for an experiment or a packed model.
type Options struct {
	Plan *plan.Plan
	WS   *workspace.Workspace
	// Packed, if set, replaces the experiment.
	Packed *rewrite.Pack
	Name   string // name of the experiment or of the packed file

	Backend stages.Backend
	Threads int       // number of threads; 0 means all cores
	Devices string    // as in the field Devices of stages.TransferRequest
	Log     io.Writer // stack traces of panics; nil means none
}

// Server serves an experiment or a packed model. Call its method Close when done.
type Server struct {
	opts   Options
	token  string // name of the secret folder
	mux    *http.ServeMux
	models models
	study  *study // nil for a packed model
	loaded *loaded
	log    *log.Logger
}

// New returns a server. The paths of its pages begin with the secret folder, whose name is random
// and new for each server.
func New(o Options) *Server {
	s := &Server{opts: o, token: rand.Text(), mux: http.NewServeMux(), loaded: newLoaded()}
	if o.Log == nil {
		o.Log = io.Discard
	}
	s.log = log.New(wording.NewScreen(o.Log), "smlm-exp: ", 0)
	if o.Packed != nil {
		s.models = packed{o.Packed}
		s.handle("GET", "{$}", s.transferForm)
	} else {
		s.study = &study{plan: o.Plan, ws: o.WS}
		s.models = s.study
		s.handle("GET", "{$}", s.results)
		s.handle("GET", "examples", s.examples)
	}
	s.handle("GET", "explain", s.explainForm)
	s.handle("POST", "explain", s.explain)
	s.handle("GET", "transfer", s.transferForm)
	s.handle("POST", "transfer", s.transfer)
	s.mux.HandleFunc("GET "+s.folder()+"style.css", serveStyle)
	s.mux.Handle("/", s.page(func(*http.Request) (*view, error) { return nil, errNowhere }))
	return s
}

// folder returns the path of the secret folder.
func (s *Server) folder() string { return "/" + s.token + "/" }

// handle registers a page in the secret folder.
func (s *Server) handle(method, name string, build func(*http.Request) (*view, error)) {
	s.mux.Handle(method+" "+s.folder()+name, s.page(build))
}

// Address returns the address to open in a browser.
func (s *Server) Address(at net.Addr) string { return "http://" + at.String() + s.folder() }

// Close waits until no request uses the models, and then frees them.
func (s *Server) Close() { s.loaded.close() }

// These constants limit connections. The limit for an answer is long, because a request may have to
// wait for other requests.
const (
	headerTime  = 5 * time.Second
	bodyTime    = 30 * time.Second
	answerTime  = 10 * time.Minute
	idleTime    = 2 * time.Minute
	partingTime = 3 * time.Second
	maxHeader   = 16 << 10 // bytes
)

// Listen listens on a loopback port. Port 0 means any free port.
func Listen(port int) (net.Listener, error) {
	at, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, userr.New(userr.BadInput, "--port %d: %w: name another port, or none for a free one", port, err)
	}
	return at, nil
}

// httpServer returns an HTTP server that enforces the limits above. When ctx ends, requests in
// progress end too.
func (s *Server) httpServer(ctx context.Context) *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeader, ErrorLog: s.log,
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		DisableGeneralOptionsHandler: true, // the general handler would answer "OPTIONS *" without the secret name
	}
}

// Serve answers requests until ctx ends.
func (s *Server) Serve(ctx context.Context, at net.Listener) error {
	server := s.httpServer(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(at) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	parting, stop := context.WithTimeout(context.WithoutCancel(ctx), partingTime)
	defer stop()
	if err := server.Shutdown(parting); err != nil {
		_ = server.Close() // close connections that outlived the timeout
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
