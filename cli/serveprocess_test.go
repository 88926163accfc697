package cli

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestServeProcess checks that the printed address opens the page, and that Ctrl-C ends the server.
func TestServeProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.toml")
	if err := os.WriteFile(file, []byte("seeds = [1]\n[datasets.demo]\nbuiltin = \"demo\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command("smlm-exp", "serve", file)
	cmd.Stderr = &stderr
	line, err := testkit.Started(t, cmd).ReadString('\n')
	address, known := strings.CutPrefix(strings.TrimSpace(line), "open ")
	if err != nil || !known || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("it prints %q (%v) and says %s", line, err, &stderr)
	}
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "<h1>Results</h1>") {
		t.Errorf("%s (%v)\n%s", answer.Status, err, text)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit status is checked below
	code, said := cmd.ProcessState.ExitCode(), stderr.String()
	if code != 130 || !strings.HasSuffix(said, "the page is no longer served\n") {
		t.Errorf("exit status %d after Ctrl-C with %q, want 130", code, said)
	}
}
