package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/precision"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
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
	// what precision = "auto" comes to here; absent where no section asks
	Auto []precisionChoice `json:"auto,omitempty"`
}

// tellsPrecisions are the sections that measure both precisions on the CPU.
var tellsPrecisions = []string{"step", "rivals", "transfer", "epoch"}

// slow tells whether bfloat16 is out of the question, so that nobody waits for it.
func (m hardware) slow() bool {
	for _, c := range m.Auto {
		if c.Precision == recipe.BF16 || c.FP32 > 0 {
			return false
		}
	}
	return len(m.Auto) > 0 || !m.Ours.BF16
}

// pays tells whether "auto" trains a model in bfloat16.
func (m hardware) pays(model string) bool {
	for _, c := range m.Auto {
		if c.Model == model {
			return c.Precision == recipe.BF16
		}
	}
	return m.Ours.BF16
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
		if err == nil && !s.Plain && slices.ContainsFunc(b.only, func(section string) bool {
			return slices.Contains(tellsPrecisions, section)
		}) {
			var a reply
			a, err = w.Ask(request{Do: "auto", N: b.threads})
			m.Auto = a.Auto
		}
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
	if m.Newer.Torch != "" {
		lines[1] += fmt.Sprintf("; newer: PyTorch %s, %d threads", m.Newer.Torch, m.Newer.Threads)
	}
	for i, c := range m.Auto {
		if c.FP32 == 0 { // for one reason in all models
			lines = append(lines, fmt.Sprintf(`precision = "auto" is %s: %s`, c.Precision, c.Why))
			break
		}
		lines = append(lines, fmt.Sprintf(`%s%s is %s: %s`, map[bool]string{true: `precision = "auto": `}[i == 0],
			c.Model, c.Precision, c.Why))
	}
	if m.Plain.Torch == "" {
		return lines
	}
	if m.Ours.Torch != m.Plain.Torch || m.Ours.Threads != m.Plain.Threads {
		lines = append(lines, "The two sides differ in version or threads: the ratios compare that as well.")
	}
	return lines
}

// precisionChoice is what precision = "auto" comes to for a model of the paper's size.
type precisionChoice struct {
	Model string `json:"model"`
	precision.Choice
}

// auto finds those of all models; 0 threads are libtorch's own number.
func auto(threads int) (all []precisionChoice, err error) {
	err = torch.Run(func() error {
		if threads > 0 {
			torch.SetThreads(threads)
		}
		clock := precision.New()
		for _, m := range precision.Paper() {
			choice, err := clock.Choose(m.Parts...)
			if err != nil {
				return err
			}
			all = append(all, precisionChoice{m.Name, choice})
		}
		return nil
	})
	return all, err
}
