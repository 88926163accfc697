package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// TestWorkers: both sides run the sweep in turn, each in a workspace that was not there; what the
// program says where it fails is told.
func TestWorkers(t *testing.T) {
	b := testBench(t, 2)
	b.program = filepath.Join(b.dir, "program")
	testkit.WriteFile(t, b.program, `#!/bin/sh
		[ "$1" = run ] && [ -s "$2" ] && mkdir "$5" && echo "$6 $7 $8 $9" >>"${0%/*}/log" || { echo "no good" >&2; exit 1; }`)
	if err := os.Chmod(b.program, 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	if err := b.workers(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(b.dir, "log"))
	one, two := "--threads 2  \n", "--workers 2 --threads 1\n"
	if err != nil || string(log) != one+two+one+two {
		t.Errorf("ran with %q, %v", log, err)
	}
	if r := b.report.Rows["workers/sweep"]; len(r.each(0)) != 2 || len(r.each(1)) != 2 || least(r.each(0)) <= 0 {
		t.Errorf("measured %+v", r.Sides)
	}
	b.judge()
	if len(b.report.Targets) != 1 || !b.report.Targets[0].Most {
		t.Errorf("targets %+v", b.report.Targets)
	}
	testkit.WriteFile(t, b.program, "#!/bin/sh\necho no good >&2; exit 1")
	err = b.workers(t.Context())
	if err == nil || !strings.Contains(err.Error(), "exit status 1: no good; --program") {
		t.Errorf("a program that fails: %v", err)
	}
}

// TestWorkersFile: the sweep is one of 24 points.
func TestWorkersFile(t *testing.T) {
	e, err := experiment.Load("workers.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(e.Points()); n != 24 {
		t.Errorf("%d points", n)
	}
}
