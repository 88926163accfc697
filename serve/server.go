package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Options say what a server shows: an experiment, a packed model, or the forms or sheets of a human
// evaluation and nothing else, since whoever fills them in must not see who wrote what.
type Options struct {
	Plan *plan.Plan
	WS   *workspace.Workspace
	// Explain is the same with all methods that score words, as `mask explain` has them.
	Explain *plan.Plan
	// Packed, where it is not nil, takes the place of an experiment; File names it.
	Packed *rewrite.Pack
	File   string
	// Forms is a folder that `human export` or `human sheets` wrote, "" for an experiment.
	Forms string
	// Readers are the names of those who fill in sheets, in the order of these.
	Readers []string

	Models  rewrite.Opener // opens trained models; forms need none
	Threads int            // 0: all cores
	Devices string         // as in Job
	Log     io.Writer      // of bugs: what panicked and where; nil for none
}

// Server answers the requests of one Options. Close ends it.
type Server struct {
	opts    Options
	bugs    bugs
	guard   *guard
	study   *study // nil where there is no experiment
	trained trained
	models  *models
	forms   *forms
	sheets  *sheets
}

// New returns a server with secrets of its own.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	s := &Server{opts: o, bugs: bugs{o.Log}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /assets/{name}", serveAsset)
	mux.HandleFunc("GET /assets/colours.css", serveColours)
	switch {
	case o.Forms != "":
		if err := s.fillIn(mux, o.Forms, o.Readers); err != nil {
			return nil, err
		}
	case o.Packed != nil:
		s.trained = &packed{o.Packed}
		s.models = newModels(&s.opts, s.bugs)
		s.packedRoutes(mux)
	default:
		s.study = &study{plan: o.Plan, explain: o.Explain, ws: o.WS}
		s.trained = s.study
		s.models = newModels(&s.opts, s.bugs)
		s.studyRoutes(mux)
	}
	mux.Handle("/", s.page(func(http.ResponseWriter, *http.Request) (*view, error) {
		return nil, errNowhere
	}))
	s.guard = newGuard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.bugs.caught(r.Method+" "+r.URL.Path, func() error { mux.ServeHTTP(w, r); return nil })
		if err != nil {
			refuse(w, r, http.StatusInternalServerError, err.Error())
		}
	}))
	return s, nil
}

// fillIn serves the sheets of a folder, or its forms.
func (s *Server) fillIn(mux *http.ServeMux, dir string, names []string) error {
	readers, err := human.SheetReaders(dir, names)
	switch {
	case err != nil:
		return err
	case len(readers) > 0:
		s.sheets, err = openSheets(dir, readers)
		s.sheetRoutes(mux)
		return err
	}
	if s.forms, err = openForms(dir); err != nil {
		return err
	}
	if len(names) > 0 {
		return userr.New(userr.BadInput, "--reader is for sheets, and %q has forms: leave it out", dir)
	}
	s.formRoutes(mux)
	return nil
}

// studyRoutes are the pages of an experiment.
func (s *Server) studyRoutes(mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.page(s.runsPage))
	mux.Handle("GET /api/status", s.api(s.status))
	mux.Handle("GET /tables", s.page(s.tablesPage))
	mux.Handle("GET /tables/{name}", s.page(s.tableFile))
	mux.Handle("GET /tradeoff", s.page(s.tradeOffPage))
	mux.Handle("GET /curves", s.page(s.curvesPage))
	mux.Handle("GET /pairs", s.page(s.pairsPage))
	s.sentenceRoutes(mux)
}

// sentenceRoutes are the pages that hand sentences to models.
func (s *Server) sentenceRoutes(mux *http.ServeMux) {
	mux.Handle("GET /explain", s.page(s.explainPage))
	mux.Handle("POST /api/explain", s.api(s.explain))
	mux.Handle("GET /transfer", s.page(s.transferPage))
	mux.Handle("POST /api/transfer", s.api(s.transfer))
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.guard.ServeHTTP(w, r) }

// Address is what a browser is given to open.
func (s *Server) Address(at net.Addr) string {
	return fmt.Sprintf("http://%s/?token=%s", at, s.guard.token)
}

// Close gives the models back, after the last request.
func (s *Server) Close() {
	if s.models != nil {
		s.models.close()
	}
}

// How long a browser may take. An answer of models waits in a queue and then for them. Who has not
// shown the token has headerTime in all: what he asks is refused and his connection closed.
const (
	headerTime  = 5 * time.Second
	bodyTime    = 30 * time.Second
	answerTime  = 10 * time.Minute
	idleTime    = 2 * time.Minute
	partingTime = 3 * time.Second
	mostHeader  = 16 << 10 // bytes

	// mostStrangers is how many connections there may be that have not shown the token. A browser
	// opens some before it needs them.
	mostStrangers = 32
)

// Listen listens on a loopback port, 0 for a free one.
func Listen(port int) (net.Listener, error) {
	at, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, userr.New(userr.BadInput, "--port %d: %w: name another port, or none for a free one", port, err)
	}
	return at, nil
}

// Serve answers until ctx ends, which also ends the requests that are under way.
func (s *Server) Serve(ctx context.Context, at net.Listener) error {
	return s.serve(ctx, &door{Listener: at, most: mostStrangers})
}

func (s *Server) serve(ctx context.Context, at *door) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime,
		IdleTimeout: idleTime, MaxHeaderBytes: mostHeader, ConnContext: withCaller,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    log.New(wording.NewShown(s.opts.Log), "smlm-exp: ", 0),
	}
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
		_ = server.Close() // whoever is still there had his time
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
