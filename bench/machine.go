package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/buildinfo"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// machine says what was measured on, and with what.
type machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Commit string `json:"commit,omitempty"` // of this program's source
	Ours   reply  `json:"ours"`
	Plain  reply  `json:"plain"`
	Python string `json:"python"`
}

// look asks both sides what they run on, which also shows early whether they run at all.
func (b *bench) look(ctx context.Context) error {
	built, _ := buildinfo.Read()
	m := machine{CPU: "unknown CPU", Cores: runtime.NumCPU(), Commit: built.Short(7)}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, after, ok := strings.Cut(string(text), "model name"); ok {
			line, _, _ := strings.Cut(after, "\n")
			m.CPU = strings.TrimLeft(line, "\t: ")
		}
	}
	for _, s := range []struct {
		side
		to *reply
	}{{side{Name: "ours"}, &m.Ours}, {side{Name: "plain PyTorch", Plain: true}, &m.Plain}} {
		if s.Plain && !b.plain() {
			continue
		}
		w, err := b.start(ctx, s.side)
		if err != nil {
			return err
		}
		*s.to, err = w.ask(request{Do: "hello"})
		w.stop()
		if err != nil {
			return err
		}
		if b.threads > 0 {
			s.to.Threads = b.threads
		}
	}
	if why := m.Ours.NoBF16; why != "" && b.plain() {
		return userr.New(userr.NoTorch, "the benchmark measures bfloat16 too, but %s: unset that", why)
	}
	b.report.Machine = m
	for _, line := range m.lines() {
		fmt.Fprintln(b.out, line)
	}
	return nil
}

// lines describe the machine, for the text and for Markdown.
func (m machine) lines() []string {
	bf16 := "without bfloat16 products in hardware"
	if m.Ours.BF16 {
		bf16 = "with bfloat16 products in hardware (avx512_bf16)"
	}
	lines := []string{
		fmt.Sprintf("CPU: %s, %d cores, %s %s", m.CPU, m.Cores, m.Ours.CPU, bf16),
		fmt.Sprintf("ours: libtorch %s, %d threads", m.Ours.Torch, m.Ours.Threads),
	}
	if m.Plain.Torch != "" {
		lines[1] += fmt.Sprintf("; plain: PyTorch %s, %d threads", m.Plain.Torch, m.Plain.Threads)
	}
	if m.Commit != "" {
		lines[1] = "commit " + m.Commit + "; " + lines[1]
	}
	if m.Plain.Torch == "" {
		return lines
	}
	if m.Ours.Torch != m.Plain.Torch || m.Ours.Threads != m.Plain.Threads {
		lines = append(lines, "The two sides differ in version or threads: the ratios compare that as well.")
	}
	return lines
}
