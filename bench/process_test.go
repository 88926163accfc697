package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestCancelEndsWorkers: a worker in the middle of a long run ends when the parent is interrupted.
func TestCancelEndsWorkers(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := startProcess(ctx, "ours", nil, self(t), "worker")
	if err != nil {
		t.Fatal(err)
	}
	b := testBench(t, 1)
	path, err := b.write("data", synthetic(40, reviews, 200, 1))
	if err != nil {
		t.Fatal(err)
	}
	c := tiny(paperSizes("classifier", 0))
	c.Data, c.Threads = path, 1
	mustAsk(t, p, request{Do: "prepare", Case: &c})
	mustAsk(t, p, request{Do: "run", N: 1})
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := p.Ask(request{Do: "run", N: 1 << 30}); err == nil {
		t.Error("the run came to an end")
	}
	p.Stop()
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Errorf("the worker ended with %v", p.cmd.ProcessState)
	}
}

// TestBrokenWorker: one that cannot start or that dies is told in one sentence, with what it wrote
// last.
func TestBrokenWorker(t *testing.T) {
	p, err := startProcess(t.Context(), "the other side", nil, "sh", "-c", "read line; echo first >&2; echo last "+
		"words >&2; exit 1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Ask(request{Do: "hello"})
	p.Stop()
	if err == nil || err.Error() != `the other side ended at "hello": last words` {
		t.Errorf("error %v", err)
	}
}

// TestProgram runs the smallest whole comparison, and reads its files.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	report, tables := filepath.Join(dir, "bench.json"), filepath.Join(dir, "bench.md")
	var out, errs bytes.Buffer
	plain := python(t)
	code := program(t.Context(), []string{
		"--quick", "--only", "transfer,memory", "--alternations", "2", "--threads", "1", "--python", plain,
		"--json", report, "--markdown", tables,
	}, &out, &errs)
	if code != userr.OK {
		t.Fatalf("exit code %d: %s\n%s", code, &errs, &out)
	}
	for _, what := range []string{
		"libtorch", "smlm-g, greedy: ours fp32", "live tensor handles", "3. transfer, smlm-g, greedy",
		"no number above means anything",
	} {
		if !strings.Contains(out.String(), what) {
			t.Errorf("the output lacks %q:\n%s", what, &out)
		}
	}
	if strings.Contains(out.String(), "outputs differ") {
		t.Errorf("the two sides rewrite differently:\n%s", &out)
	}
	var got struct {
		Machine hardware
		Rows    map[string]row
		Targets []target
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	r := got.Rows["transfer/copied"]
	n := map[bool]int{true: 3, false: 4}[!got.Machine.Ours.BF16]
	if len(r.Sides) != n || len(r.Sides[0].Runs) != 2 || r.Sides[0].Runs[1].Seconds <= 0 {
		t.Errorf("transfer/copied is %+v", r)
	}
	guided := got.Rows["guided/fp32"]
	if len(guided.Sides) != 4 || guided.unit(2) <= guided.unit(0) {
		t.Errorf("guided transfer takes less time than plain: %+v", guided)
	}
	want := 7 + len(models) // a row's each, two of the copying one, three of the guided one, and memory's
	if got.Machine.Ours.BF16 {
		want += 3 + 3 + 1 // of guided transfer, SMLM and SMLM-G
	}
	if len(got.Targets) != want {
		t.Errorf("%d targets, want %d: %+v", len(got.Targets), want, got.Targets)
	}
	if text, err = os.ReadFile(tables); err != nil || !strings.Contains(string(text), "## Transfer\n") {
		t.Errorf("Markdown %v:\n%s", err, text)
	}
}
