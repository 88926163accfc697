package main

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// serves checks that the page of a packed model gives the same output as `transfer --packed` for
// each style, and that the page explains every word.
func serves(t *testing.T, packed, sentence string, labels ...string) {
	t.Helper()
	cmd, _, errs := program(t, "", "serve", packed)
	cmd.Stdout = nil
	line, err := testkit.Started(t, cmd).ReadString('\n')
	address, known := strings.CutPrefix(strings.TrimSpace(line), "open ")
	if err != nil || !known {
		t.Fatalf("it prints %q (%v)", line, err)
	}
	page, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(page.Body)
	_ = page.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), `<select name="model"><option>`)
	model, _, _ := strings.Cut(after, "<")
	post := func(form string, sent url.Values) string {
		t.Helper()
		sent.Set("model", html.UnescapeString(model))
		sent.Set("text", sentence)
		body := strings.NewReader(sent.Encode())
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+form, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "http://"+r.URL.Host)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s %v: %s (%v)\n%s", form, sent, answer.Status, err, text)
		}
		return html.UnescapeString(string(text))
	}
	for _, to := range labels {
		want, _ := run(t, 0, sentence, "transfer", "--packed", packed, "--to", to)
		if got := post("transfer", url.Values{"to": {to}}); !strings.Contains(got, ">"+want) {
			t.Errorf("to %s, the command writes %q, and the page\n%s", to, want, got)
		}
	}
	if got := post("explain", url.Values{"from": {labels[0]}}); !strings.Contains(got, "Sentence 1: "+labels[0]+" (p = ") ||
		strings.Count(got, "<small>") < len(strings.Fields(sentence)) {
		t.Errorf("it explains\n%s", got)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait() // the exit status is checked below
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit status %d after Ctrl-C with %q, want 130", code, errs)
	}
}
