package serve

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// packedModel packs a model of the finished study and returns the options of a server for the
// packed file.
func packedModel(t *testing.T) Options {
	t.Helper()
	o := study1()
	choice := rewrite.Choice{Plan: o.Plan, WS: o.WS, Decoding: "copied"}
	model, err := choice.Default()
	if err != nil {
		t.Fatal(err)
	}
	asked, err := choice.Asked(model)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := choice.At(model, asked)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tried.smlm")
	if _, err := rewrite.Write(file, chosen, o.WS); err != nil {
		t.Fatal(err)
	}
	p, err := rewrite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return Options{Packed: p, Name: filepath.Base(file), Backend: fakeTorch()}
}

// TestPacked checks that the server of a packed model has the form that explains and the form that
// rewrites, and that no temporary folders are left after requests.
func TestPacked(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	v := visit(t, packedModel(t))
	for _, path := range []string{"", "transfer"} {
		page := v.get(path)
		if !strings.Contains(page, "tried.smlm") || !strings.Contains(page, "smlm-ft on demo") || strings.Contains(page, "examples") {
			t.Errorf("%q is %s", path, page)
		}
	}
	model := modelOf(t, v, "transfer")
	for to, want := range map[string]string{"cheerful": "The splendid was splendid.", "gloomy": "The dreadful was dreadful."} {
		code, page := v.post("transfer", url.Values{"model": {model}, "to": {to}, "text": {"The soup was cold."}})
		if code != http.StatusOK || !strings.Contains(page, ">"+want+"\n</pre>") || strings.Count(page, `<dt class="system">`) != 1 ||
			strings.Contains(page, "The score is") { // only guided decoding shows scores of candidates
			t.Errorf("%d %s, want %q", code, page, want)
		}
	}
	code, page := v.post("explain", url.Values{
		"model": {model}, "text": {"The soup was cold."}, "from": {"gloomy"}, "lambda_eps": {"2"},
	})
	if code != http.StatusOK || strings.Count(page, `class="word`) < 5 || !strings.Contains(page, "masked: from 0.600 on<") {
		t.Errorf("%d %s", code, page)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v stay (%v)", left, err)
	}
	if w := v.do(v.request(http.MethodGet, "examples", "")); w.Code != http.StatusNotFound {
		t.Errorf("examples of a packed model: %d", w.Code)
	}
	for want, sent := range map[string]url.Values{
		"There is no such model":                            {"model": {"none"}, "to": {"gloomy"}, "text": {"a b"}},
		"not a style of the packed model: use gloomy or ch": {"model": {model}, "to": {"sad"}, "text": {"a b"}},
	} {
		if code, page := v.post("transfer", sent); code != http.StatusBadRequest || !strings.Contains(page, want) {
			t.Errorf("%d %s, want %q", code, page, want)
		}
	}
}

// failing opens transfer models that panic if the first word of a sentence is "panic".
type failing struct{ stages.Backend }

func (f failing) OpenTransfer(ctx context.Context, r stages.TransferRequest) (stages.TransferSession, error) {
	s, err := f.Backend.OpenTransfer(ctx, r)
	return failingSession{s}, err
}

type failingSession struct{ stages.TransferSession }

func (s failingSession) Rewrite(ctx context.Context, sentences [][]string) ([]stages.Rewritten, error) {
	if sentences[0][0] == "panic" {
		panic("\x1b[31m integer divide by zero")
	}
	return s.TransferSession.Rewrite(ctx, sentences)
}

// TestPanic checks that after a panic in a request, the browser gets an error message, and that the
// next request is answered as usual. It tests models in a workspace and a packed model.
func TestPanic(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, o := range map[string]Options{"packed": packedModel(t), "study": study1()} {
		o.Backend = failing{fakeTorch()}
		var log bytes.Buffer
		o.Log = &log
		v := visit(t, o)
		sent := url.Values{"model": {modelOf(t, v, "transfer")}, "to": {"cheerful"}, "text": {"panic now ."}}
		if code, page := v.post("transfer", sent); code < 400 || !strings.Contains(page, `role="alert"`) {
			t.Errorf("%s: a panic is answered %d %s", name, code, page)
		}
		sent.Set("text", "The soup was cold.")
		if code, page := v.post("transfer", sent); code != http.StatusOK || !strings.Contains(page, "splendid") {
			t.Errorf("%s: after a panic: %d %s", name, code, page)
		}
		said := log.String()
		if strings.Count(said, "a bug in POST ") != 1 || !strings.Contains(said, "integer divide by zero") ||
			!strings.Contains(said, "serve.failingSession.Rewrite(") || strings.Contains(said, "\x1b") ||
			strings.Contains(said, v.server.token) {
			t.Errorf("the log says %q, want the panic once, and where", said)
		}
	}
}
