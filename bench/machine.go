package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// hardware says what was measured on, and with what.
type hardware struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Commit string `json:"commit,omitempty"` // of this program's source
	Ours   reply  `json:"ours"`
	Plain  reply  `json:"plain"`
	Newer  reply  `json:"newer,omitzero"` // the other side in a newer PyTorch
	Python string `json:"python"`
}

// askSides asks both sides what they run on, which also shows early whether they run at all.
func (b *bench) askSides(ctx context.Context) error {
	built, _ := machine.ReadBuild()
	m := hardware{CPU: "unknown CPU", Cores: runtime.NumCPU(), Commit: built.Short(7)}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, after, ok := strings.Cut(string(text), "model name"); ok {
			line, _, _ := strings.Cut(after, "\n")
			m.CPU = strings.TrimLeft(line, "\t: ")
		}
	}
	for _, s := range []struct {
		side
		to *reply
	}{
		{side{Name: "ours"}, &m.Ours},
		{side{Name: "plain PyTorch", Plain: true}, &m.Plain},
		{side{Name: "newer PyTorch", Plain: true, newer: true}, &m.Newer},
	} {
		if s.Plain && !b.plain() || s.newer && !b.both() {
			continue
		}
		w, err := b.start(ctx, s.side)
		if err != nil {
			return err
		}
		*s.to, err = w.Ask(request{Do: "hello"})
		w.Stop()
		if err != nil {
			return err
		}
		if b.threads > 0 {
			s.to.Threads = b.threads
		}
	}
	b.report.Machine = m
	for _, line := range m.lines() {
		fmt.Fprintln(b.out, line)
	}
	return nil
}

// lines describe the machine, for the text and for Markdown.
func (m hardware) lines() []string {
	bf16 := "where bfloat16 is not faster"
	if m.Ours.BF16 {
		bf16 = "where bfloat16 is faster"
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
	if m.Newer.Torch != "" {
		lines[1] += fmt.Sprintf("; newer: PyTorch %s, %d threads", m.Newer.Torch, m.Newer.Threads)
	}
	if m.Plain.Torch == "" {
		return lines
	}
	if m.Ours.Torch != m.Plain.Torch || m.Ours.Threads != m.Plain.Threads {
		lines = append(lines, "The two sides differ in version or threads: the ratios compare that as well.")
	}
	return lines
}
