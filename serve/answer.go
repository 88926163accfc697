package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

const (
	jsonType = "application/json"
	htmlType = "text/html; charset=utf-8"
	tooLong  = "what was sent is too long: at most 64 kB"
)

// errNowhere is a page that there is not.
var errNowhere = errors.New("there is no such page")

// errBusy is a queue that is full.
var errBusy = errors.New("too many sentences are waiting for the models: try again in a moment")

// errChanging is a page of stages that a run takes away and makes anew while it is asked for.
var errChanging = errors.New("a run is replacing the results that this page shows: try again in a moment")

// again is in how many seconds a browser may ask again for what is not there at the moment.
const again = "2"

// statusOf is the HTTP status that an error asks for.
func statusOf(err error) int {
	var long *http.MaxBytesError
	switch {
	case errors.Is(err, errChanging), vanished(err):
		return http.StatusServiceUnavailable
	case errors.Is(err, errNowhere), errors.Is(err, errPacked):
		return http.StatusNotFound
	case errors.Is(err, errBusy), userr.CodeOf(err) == userr.NoTorch:
		return http.StatusServiceUnavailable
	case errors.As(err, &long):
		return http.StatusRequestEntityTooLarge
	case userr.CodeOf(err) == userr.BadInput:
		return http.StatusBadRequest
	case errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable // nobody reads it, but for one whom the end of the server meets
	}
	return http.StatusInternalServerError
}

// vanished says whether a file of a finished stage is gone, or not as it was when the stage was
// found finished.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*workspace.Damage))
}

// steady calls build, which reads a workspace in which `run --force` may take stages away between
// two reads. A page is built once more then, of what is finished by that time; what is sent to be
// worked on was read already, and so the sender is asked to send it again.
func (s *Server) steady(r *http.Request, build func() error) error {
	changing := func(err error) bool {
		return err != nil && s.study != nil && !errors.Is(err, errBug) && r.Context().Err() == nil &&
			(vanished(err) || statusOf(err) == http.StatusInternalServerError && s.study.alive())
	}
	err := build()
	if changing(err) && r.Method != http.MethodPost {
		err = build()
	}
	if changing(err) && s.study.alive() {
		return fmt.Errorf("%w (%v)", errChanging, err)
	}
	return err
}

// errorData is a page that says why another one is not shown.
type errorData struct{ Sentence, Root string }

// refuse says in one sentence what is wrong: as JSON to scripts, else as a page.
func refuse(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", again)
	}
	if forScripts(r) {
		writeJSON(w, status, map[string]string{"error": sentence})
		return
	}
	title := "Not shown"
	switch status {
	case http.StatusNotFound:
		title = "Page not found"
	case http.StatusServiceUnavailable:
		title = "Not available at the moment"
	case http.StatusInternalServerError:
		title = "Something went wrong"
	}
	root := rootOf(r)
	say(w, status, &view{Title: title, Page: "error", Root: root, Data: errorData{sentence, root}})
}

// forScripts says whether a request is one of a page's script.
func forScripts(r *http.Request) bool { return strings.Contains(r.URL.Path, "/api/") }

// say writes a page without a frame of links.
func say(w http.ResponseWriter, status int, v *view) {
	var b bytes.Buffer
	if err := v.write(&b); err != nil {
		http.Error(w, v.Title, status)
		return
	}
	w.Header().Set("Content-Type", htmlType)
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // whoever went away needs no answer
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// api answers with what a function returns, as JSON.
func (s *Server) api(do func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v any
		if err := s.steady(r, func() (err error) {
			v, err = do(r)
			return err
		}); err != nil {
			refuse(w, r, statusOf(err), err.Error())
			return
		}
		writeJSON(w, http.StatusOK, v)
	})
}

// readJSON decodes a body, whose fields must be those of into.
func readJSON(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something follows it")
		}
	}
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return fmt.Errorf("%s: %w", tooLong, err)
	case err != nil:
		return userr.New(userr.BadInput, "what was sent is not the JSON that this address takes: %w", err)
	}
	return nil
}

// page answers with a page of the server.
func (s *Server) page(build func(w http.ResponseWriter, r *http.Request) (*view, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v *view
		err := s.steady(r, func() (err error) {
			v, err = build(w, r)
			return err
		})
		var b bytes.Buffer
		if err == nil && v != nil {
			s.frame(v, r)
			err = v.write(&b)
		}
		switch {
		case err != nil:
			refuse(w, r, statusOf(err), err.Error())
		case v != nil:
			w.Header().Set("Content-Type", htmlType)
			_, _ = b.WriteTo(w)
		}
	})
}
