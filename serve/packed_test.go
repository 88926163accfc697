package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// packedModel packs a model of the study, and takes the workspace away
// from whoever looks at it.
func packedModel(t *testing.T) Options {
	t.Helper()
	o := study1()
	chosen, err := rewrite.Choice{Plan: o.Plan, WS: o.WS, Decoding: "copied"}.Transfer()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tried.smlm")
	if _, err := rewrite.Write(file, chosen, o.WS, "# A card\n"); err != nil {
		t.Fatal(err)
	}
	p, err := rewrite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return Options{Packed: p, File: filepath.Base(file), Models: fakeTorch()}
}

// TestPacked: a packed model has the two pages for sentences, from folders that are gone when the
// models are loaded; the others say in a sentence that they are not there.
func TestPacked(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	o := packedModel(t)
	v := visit(t, o)
	w := v.do(v.request(http.MethodGet, "/", ""))
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "transfer" {
		t.Errorf("the first page is %d, %v", w.Code, w.Header())
	}
	if page := v.get("/transfer"); !strings.Contains(page, "tried.smlm") || !strings.Contains(page, "smlm-ft on demo") ||
		strings.Contains(page, `href="./tables"`) {
		t.Errorf("the page is %s", page)
	}
	for to, want := range map[string]string{"cheerful": "The splendid was splendid.", "gloomy": "The dreadful was dreadful."} {
		var a transferAnswer
		code := v.post("/api/transfer", transferRequest{Model: theModel, To: to, Text: "The soup was cold."}, &a)
		if code != http.StatusOK || a.Text != want || a.To != to || a.From == to || len(a.Candidates) != candidates {
			t.Errorf("%d %+v, want %q", code, a, want)
		}
	}
	if page := v.get("/explain"); !strings.Contains(page, `data-eps="0"`) || !strings.Contains(page, "<option>gloomy") {
		t.Errorf("the page is %s", page)
	}
	var a explainAnswer
	eps := 2.
	ask := explainRequest{Point: theModel, Text: "The soup was cold.", Style: "gloomy", LambdaEps: &eps}
	if code := v.post("/api/explain", ask, &a); code != http.StatusOK || len(a.Policies) != 1 || a.Policies[0].LambdaEps != eps {
		t.Errorf("%d %+v", code, a)
	}
	var s struct{ Methods []struct{ Scores []float64 } }
	if err := json.Unmarshal(a.Sentence, &s); err != nil || len(s.Methods) != 1 || len(s.Methods[0].Scores) != 5 {
		t.Errorf("the scores are %s (%v)", a.Sentence, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v stay (%v)", left, err)
	}
	for _, path := range []string{"/tables", "/tradeoff", "/curves", "/pairs"} {
		w := v.do(v.request(http.MethodGet, path, ""))
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "A packed model has no experiment") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for want, body := range map[string]any{
		"there is no such model":    transferRequest{Model: "none", To: "gloomy", Text: "a b"},
		"choose gloomy or cheerful": transferRequest{Model: theModel, To: "sad", Text: "a b"},
	} {
		var wrong map[string]string
		if code := v.post("/api/transfer", body, &wrong); code != http.StatusBadRequest || !strings.Contains(wrong["error"], want) {
			t.Errorf("%d %v, want %q", code, wrong, want)
		}
	}
	var wrong map[string]string
	if code := v.post("/api/explain", explainRequest{Point: "none", Text: "a b"}, &wrong); code != http.StatusBadRequest {
		t.Errorf("%d %v", code, wrong)
	}
}

// TestBrowserPacked: the pages of a packed model in a browser.
func TestBrowserPacked(t *testing.T) {
	b, _ := open(t, packedModel(t))
	defer b.done()
	b.want(`[...document.querySelectorAll("nav a")].map((e) => e.pathname.split("/").pop()).join(" ")`, "explain transfer")
	b.tryTransfer()
	b.look("packed-transfer")
	b.visit("/explain")
	b.typed("#text", "The soup was cold.")
	b.click("#go")
	b.until(`document.querySelectorAll(".method").length === 1 && document.querySelectorAll(".word").length === 5`)
	masked := `document.querySelectorAll(".word.masked").length`
	b.typed("#number", "4")
	b.until(masked + " < 2")
	b.look("packed-explain")
	b.do("opening a page that is not there", chromedp.Navigate(b.root+"/tables"))
	b.want(`document.querySelector(".notice").textContent.includes("A packed model has no experiment")`, "true")
	b.look("packed-tables")
}

// failing is models that cannot be computed with.
type failing struct{ rewrite.Opener }

func (f failing) OpenTransfer(ctx context.Context, r stages.TransferRequest) (stages.TransferSession, error) {
	s, err := f.Opener.OpenTransfer(ctx, r)
	return failingSession{s}, err
}

type failingSession struct{ stages.TransferSession }

func (s failingSession) Rewrite(ctx context.Context, sentences [][]string) ([]stages.Rewritten, error) {
	if sentences[0][0] == "panic" {
		panic("runtime error: integer divide by zero")
	}
	return s.TransferSession.Rewrite(ctx, sentences)
}

// TestPanic: a panic in a request, of models in the workspace or of a packed one, is an answer in a
// sentence, and the next request is answered.
func TestPanic(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	of := packedModel(t)
	here := study1()
	for name, o := range map[string]Options{"packed": of, "study": here} {
		o.Models = failing{fakeTorch()}
		var log bytes.Buffer
		o.Log = &log
		v := visit(t, o)
		model := theModel
		if name == "study" {
			page := v.get("/transfer")
			_, after, _ := strings.Cut(page, `<option value="`)
			model, _, _ = strings.Cut(after, `"`)
		}
		for text, want := range map[string]string{"panic now .": "", "The soup was cold.": "splendid"} {
			var wrong map[string]any
			code := v.post("/api/transfer", transferRequest{Model: model, To: "cheerful", Text: text}, &wrong)
			sentence, _ := wrong["error"].(string)
			written, _ := wrong["text"].(string)
			if want == "" && (code < 400 || sentence == "" || strings.Contains(sentence, "\n")) ||
				want != "" && (code != http.StatusOK || !strings.Contains(written, want)) {
				t.Errorf("%s, %q: %d %v", name, text, code, wrong)
			}
		}
		v.server.Close()     // whoever writes the log has ended
		said := log.String() // a pack's panic is the pack's fault, and told in the answer
		if whole := strings.Count(said, "smlm-exp: a bug in ") == 1 && strings.Contains(said, "integer divide by zero") &&
			strings.Contains(said, "serve.failingSession.Rewrite("); whole != (name == "study") || !whole && said != "" {
			t.Errorf("%s: the log says %q, want the panic once, and where", name, said)
		}
	}
	var log bytes.Buffer
	if err := (bugs{&log}).caught("GET /\n\x1b[2J", func() error { panic("\x1b[31m") }); !errors.Is(err, errBug) ||
		!strings.HasPrefix(log.String(), "smlm-exp: a bug in GET /\\n\\x1b[2J: \\x1b[31m\n") || strings.Contains(log.String(), "\x1b") {
		t.Errorf("a panic is %v, and the log says %q", err, &log)
	}
}
