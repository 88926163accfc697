package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics/human"
)

// startServe starts serve and returns the address that it prints, and a browser for it.
func startServe(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer, string, *http.Client) {
	t.Helper()
	cmd, stderr := exec.Command("smlm-exp", append([]string{"serve"}, args...)...), &bytes.Buffer{}
	cmd.Stderr = stderr
	line, err := testkit.Started(t, cmd).ReadString('\n')
	address, known := strings.CutPrefix(strings.TrimSpace(line), "open ")
	if err != nil || !known || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("it prints %q (%v) and says %s", line, err, stderr)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, stderr, address, &http.Client{Jar: jar}
}

// endServe ends serve by Ctrl-C.
func endServe(t *testing.T, cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its error is the exit status
	code, said := cmd.ProcessState.ExitCode(), stderr.String()
	if code != 130 || !strings.HasSuffix(said, "the page is no longer served\n") {
		t.Errorf("exit status %d after Ctrl-C with %q, want 130", code, said)
	}
}

// TestServeProcess: the printed address opens the page, and Ctrl-C ends it.
func TestServeProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.toml")
	if err := os.WriteFile(file, []byte("seeds = [1]\n[datasets.demo]\nbuiltin = \"demo\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, stderr, path, browser := startServe(t, file)
	for range 2 { // the second time without the token: the folder that the first leads to has a cookie
		answer, err := browser.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		path = answer.Request.URL.String()
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "stages done") {
			t.Errorf("%s: %s (%v)\n%s", path, answer.Status, err, text)
		}
	}
	endServe(t, cmd, stderr)
}

// TestServeSheetsProcess: what readers say on the page, in two sessions, is what tally counts.
func TestServeSheetsProcess(t *testing.T) {
	dir := t.TempDir()
	var all []human.Outputs
	for line := 1; line <= 2; line++ {
		all = append(all, human.Outputs{
			Sentence: human.Sentence{Split: "test", Direction: "wet to dry", Line: line, Words: 3}, Source: "a damp towel",
			Of: []string{"a dry towel", "a towel", "a drier towel"},
		})
	}
	reading := human.Reading{Dataset: "towels", Systems: []string{"one", "two", "three"}}
	if err := human.ExportSheets(t.Context(), dir, reading, all, 2); err != nil {
		t.Fatal(err)
	}
	for item := 1; item <= 2; item++ {
		cmd, stderr, address, browser := startServe(t, "--forms", dir, "--reader", "ann", "--reader", "bob")
		answer, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		root := answer.Request.URL
		for reader := 1; reader <= 2; reader++ {
			sheet, err := human.OpenSheet(dir, reader)
			if err != nil {
				t.Fatal(err)
			}
			values := url.Values{"item": {fmt.Sprint(item)}}
			for _, r := range sheet.Items[item-1].Rewrites { // "a towel" has no style, "a drier towel" is best
				style := "2"
				if r.Output == "a towel" {
					style = "0"
				} else if r.Output == "a drier towel" {
					values.Set("best", r.Letter)
				}
				values.Set("style-"+r.Letter, style)
				values.Set("content-"+r.Letter, "2")
				values.Set("fluency-"+r.Letter, fmt.Sprint(reader))
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
				root.JoinPath("sheet", fmt.Sprint(reader)).String(), strings.NewReader(values.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			request.Header.Set("Origin", "http://"+root.Host)
			answer, err := browser.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if want := fmt.Sprintf("%d of 2 rated", item); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("reader %d: %s (%v), want %q in\n%s", reader, answer.Status, err, want, text)
			}
		}
		endServe(t, cmd, stderr)
	}
	var out, errs bytes.Buffer
	args := []string{"human", "tally", dir, "--reader", "ann", "--reader", "bob", "--format", "csv"}
	if status := Main(t.Context(), append([]string{"smlm-exp"}, args...), nil, strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("tally: status %d, %s", status, &errs)
	}
	// fluency 1 by ann and 2 by bob
	for _, row := range []string{
		"towels,one,2,100.0,,,100.0,,,50.0,,,50.0,,,0.0,,", "towels,two,2,0.0,,,100.0,,,50.0,,,0.0,,,0.0,,",
		"towels,three,2,100.0,,,100.0,,,50.0,,,50.0,,,100.0,,",
	} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("no row %q in\n%s", row, &out)
		}
	}
}
