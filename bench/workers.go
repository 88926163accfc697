package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// workersFile is the sweep that both sides run from nothing.
//
//go:embed workers.toml
var workersFile []byte

// The sides of the section workers.
const (
	oneWorker  = "one worker, two threads"
	twoWorkers = "--workers 2, one thread each"
)

// workers compares a whole sweep of 24 small points by one worker and by two, each time in a new
// workspace.
func (b *bench) workers(ctx context.Context) error {
	file := filepath.Join(b.dir, "workers.toml")
	if err := os.WriteFile(file, workersFile, 0o600); err != nil {
		return err
	}
	var short []string
	if b.quick {
		short = []string{"--set", "seeds=[1]", "--set", "divlstm.lambda_con=1", "--set", "masking.lambda_eps=0.5"}
	}
	r := row{Title: "workers", Sides: sides(side{Name: oneWorker}, side{Name: twoWorkers})}
	for i := range b.alternations {
		for k, flags := range [][]string{{"--threads", "2"}, {"--workers", "2", "--threads", "1"}} {
			ws := filepath.Join(b.dir, fmt.Sprintf("workers-%d-%d", i, k))
			took, err := b.study(ctx, append(append([]string{"run", file, "--quiet", "--workspace", ws}, flags...), short...))
			if err != nil {
				return err
			}
			s := &r.Sides[k]
			s.Runs, s.Steps = append(s.Runs, reply{Seconds: took.Seconds()}), append(s.Steps, 1)
			if err := os.RemoveAll(ws); err != nil {
				return err
			}
		}
	}
	b.report.Rows["workers/sweep"] = &r
	t := b.table("workers", "`smlm-exp run` of a sweep of 24 small points (bench/workers.toml) from nothing.",
		compareWidths, "", "median", "least-most", "", "faster than the first")
	for i, s := range r.Sides {
		ratio := ""
		if i > 0 {
			ratio = between(r.faster(i, 0), r.pairs(i, 0))
		}
		each := r.each(i)
		t.add(s.Name, seconds(r.unit(i)), seconds(least(each))+" - "+seconds(most(each)), "", ratio)
	}
	return nil
}

// study runs the program and returns how long it took.
func (b *bench) study(ctx context.Context, args []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches the parent alone
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start := time.Now()
	if err := cmd.Run(); ctx.Err() != nil {
		return 0, ctx.Err()
	} else if err != nil {
		lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
		return 0, userr.New(userr.BadInput, "%s %s: %v: %s; --program names a smlm-exp, as make build makes it", b.program,
			args[0], err, lines[len(lines)-1])
	}
	return time.Since(start), nil
}
