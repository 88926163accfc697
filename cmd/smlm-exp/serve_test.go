package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// serves wants the page of a packed model to write what `transfer --packed` writes, also of a
// sentence that is said to have none of the styles, and to explain each word.
func serves(t *testing.T, packed, sentence, want string) {
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
	ask := func(path string, body map[string]string, into any) {
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
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s (%v)", path, answer.Status, err)
		}
	}
	unstyled, _ := run(t, 0, sentence, "transfer", "--packed", packed, "--from", "none", "--to", "cheerful")
	for from, want := range map[string]string{"": want, "none": strings.TrimSpace(unstyled)} {
		var written struct {
			Text, From string
			Candidates []any
		}
		ask("/api/transfer", map[string]string{"model": "packed", "from": from, "to": "cheerful", "text": sentence}, &written)
		if written.Text != want || len(written.Candidates) == 0 || written.From != cmp.Or(from, "gloomy") {
			t.Errorf("the page writes %+v, the command %q", written, want)
		}
	}
	var explained struct {
		Sentence struct {
			Words   []string
			Methods []struct{ Scores []float64 }
		}
	}
	ask("/api/explain", map[string]string{"point": "packed", "text": sentence}, &explained)
	s := explained.Sentence
	if len(s.Methods) != 1 || len(s.Methods[0].Scores) != len(s.Words) || len(s.Words) == 0 {
		t.Errorf("it explains %+v", s)
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
