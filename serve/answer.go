package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

const (
	jsonType = "application/json"
	htmlType = "text/html; charset=utf-8"
	tooLong  = "what was sent is too long: at most 64 kB"
)

// errNowhere is a page that there is not.
var errNowhere = errors.New("there is no such page")

// errBusy is a queue that is full.
var errBusy = errors.New("too many sentences wait for the models: try again in a moment")

// statusOf is the HTTP status that an error asks for.
func statusOf(err error) int {
	var long *http.MaxBytesError
	switch {
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

// errorData is a page that says why another one is not shown.
type errorData struct{ Sentence, Root string }

// refuse says in one sentence what is wrong: as JSON to scripts, else as a page.
func refuse(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	if strings.Contains(r.URL.Path, "/api/") {
		writeJSON(w, status, map[string]string{"error": sentence})
		return
	}
	root := rootOf(r)
	say(w, status, &view{Title: "Not shown", Page: "error", Root: root, Data: errorData{sentence, root}})
}

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
func api(do func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := do(r)
		if err != nil {
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
		v, err := build(w, r)
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
