package main

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// asking asks an address of a page and returns the status of the answer.
type asking func(path string, body map[string]string, into any) int

// servePacked starts the page of a packed model, until the end of the test.
func servePacked(t *testing.T, packed string) asking {
	t.Helper()
	cmd, _, errs := program(t, "", "serve", packed)
	cmd.Stdout = nil
	address := started(t, cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait() // its error is the exit status
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("exit status %d after Ctrl-C with %q, want 130", code, errs)
		}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	first, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Body.Close()
	origin, _, _ := strings.Cut(address, "/?")
	room := strings.TrimSuffix(first.Request.URL.String(), "/transfer")
	return func(path string, body map[string]string, into any) int {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, room+path, strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Content-Type", "application/json")
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
			t.Fatalf("%s: %s (%v)", path, answer.Status, err)
		}
		return answer.StatusCode
	}
}

// written is what a page answers of a sentence to rewrite.
type written struct {
	Text, From, Error string
	Candidates        []any
}

// serves wants the page of a packed model to write what `transfer --packed` writes, to refuse what
// it refuses, and to explain each word.
func serves(t *testing.T, packed, sentence, want string) {
	t.Helper()
	ask := servePacked(t, packed)
	var w written
	code := ask("/api/transfer", map[string]string{"model": "packed", "to": "cheerful", "text": sentence}, &w)
	if code != http.StatusOK || w.Text != want || w.From != "gloomy" || len(w.Candidates) == 0 {
		t.Errorf("the page writes %d %+v, the command %q", code, w, want)
	}
	_, errs := run(t, 2, sentence, "transfer", "--packed", packed, "--from", "none", "--to", "cheerful")
	var no written
	code = ask("/api/transfer", map[string]string{"model": "packed", "from": "none", "to": "cheerful", "text": sentence}, &no)
	if code != http.StatusBadRequest || no.Error == "" || "smlm-exp: "+no.Error+"\n" != errs {
		t.Errorf("models that read the source's style: %d %+v, the command says %q", code, no, errs)
	}
	var explained struct {
		Sentence struct {
			Words   []string
			Methods []struct{ Scores []float64 }
		}
	}
	code = ask("/api/explain", map[string]string{"point": "packed", "text": sentence}, &explained)
	s := explained.Sentence
	if code != http.StatusOK || len(s.Methods) != 1 || len(s.Methods[0].Scores) != len(s.Words) || len(s.Words) == 0 {
		t.Errorf("it explains %d %+v", code, s)
	}
}

// servesUnstyled wants the page of a packed model to write of a sentence without a style what
// `transfer --from none` writes, and of two styles what it writes where nothing is said.
func servesUnstyled(t *testing.T, packed, sentence string, labels []string) {
	t.Helper()
	ask := servePacked(t, packed)
	for _, to := range labels {
		want, _ := run(t, 0, sentence, "transfer", "--packed", packed, "--from", "none", "--to", to)
		var none, open written
		for from, into := range map[string]*written{"none": &none, "": &open} {
			code := ask("/api/transfer", map[string]string{"model": "packed", "from": from, "to": to, "text": sentence}, into)
			if code != http.StatusOK {
				t.Errorf("to %s: %d %+v", to, code, into)
			}
		}
		if none.Text != strings.TrimSpace(want) || none.From != "none" || len(none.Candidates) == 0 {
			t.Errorf("to %s the page writes %+v, the command %q", to, none, want)
		}
		if open.From == "none" || len(labels) == 2 && open.Text != none.Text {
			t.Errorf("to %s the page writes %+v where nothing is said of the source", to, open)
		}
	}
}

// started starts `serve` and returns the address that it prints.
func started(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	line, err := testkit.Started(t, cmd).ReadString('\n')
	address, known := strings.CutPrefix(strings.TrimSpace(line), "open ")
	if err != nil || !known {
		t.Fatalf("it prints %q (%v)", line, err)
	}
	return address
}
