package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// plain holds the Python programs, which use plain PyTorch. They are embedded, so that the
// benchmark can run without the repository.
//
//go:embed plain/*.py
var plain embed.FS

// bench is one run of the program.
type bench struct {
	options
	out  io.Writer
	self string // path of this program
	dir  string // temporary folder for the Python programs, sentences and weights
	bf16 bool   // set if precision = "auto" chooses bfloat16 on this device
}

var sections = []string{"step", "epoch", "transfer"}

// run runs the requested sections.
func run(ctx context.Context, o options, out io.Writer) error {
	only := strings.Split(o.only, ",")
	for _, name := range only {
		if !slices.Contains(sections, name) {
			return fmt.Errorf("--only does not know the section %q; the sections are %s", name, strings.Join(sections, ", "))
		}
	}
	if o.alternations < 1 || o.sentences < 2 || o.words < 1 {
		return errors.New("--alternations and --words must be at least 1, --sentences at least 2")
	}
	b := &bench{options: o, out: out}
	if b.quick {
		b.sentences, b.words = min(200, b.sentences), min(60, b.words)
	}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "smlm-exp-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := os.CopyFS(b.dir, plain); err != nil {
		return err
	}
	if err := b.describe(ctx); err != nil {
		return err
	}
	for _, name := range sections {
		if !slices.Contains(only, name) {
			continue
		}
		section := map[string]func(context.Context) error{
			"step": b.step, "epoch": b.epoch, "transfer": b.transfer,
		}[name]
		if err := section(ctx); err != nil {
			return err
		}
	}
	return nil
}

// describe prints the versions of libtorch and of PyTorch, their threads and the device. It fails
// if the Python lacks a package.
func (b *bench) describe(ctx context.Context) error {
	err := torch.Run(func() error {
		if err := torch.SetDevice(b.device); err != nil {
			return err
		}
		b.bf16 = torch.FasterInBF16()
		fmt.Fprintf(b.out, "Ours: libtorch %s, %d threads, %s. ", torch.Version(), torch.Threads(), torch.CPUCapability())
		return nil
	})
	if err != nil {
		return err
	}
	const ask = "import safetensors, torch; print(f'PyTorch {torch.__version__}, {torch.get_num_threads()} threads')"
	said, err := exec.CommandContext(ctx, b.python, "-c", ask).CombinedOutput()
	if err != nil {
		return fmt.Errorf("--python names %q, which does not import torch and safetensors (make bench makes one that does): %w\n%s",
			b.python, err, said)
	}
	fmt.Fprintf(b.out, "Plain: %s. Both compute on %s.\n", strings.TrimSpace(string(said)), b.device)
	return nil
}

// The method sized returns a case for the device of this run, with tiny models if --quick is set.
func (b *bench) sized(c benchCase) benchCase {
	if b.quick {
		c = tiny(c)
	}
	c.Device = b.device
	return c
}

// stepWords is the number of words of the sentences in the section "step".
const stepWords = 12

// step compares training steps on sentences of one length. This is plain PyTorch's best case,
// because it needs no padding, masks or packing.
func (b *bench) step(ctx context.Context) error {
	b.title("A training step, sentences of %d words, %d words a batch", stepWords, b.words)
	for _, model := range models {
		c := b.sized(paperSizes(model)).batched(b.words, stepWords)
		steps := (b.sentences + c.BatchSize - 1) / c.BatchSize
		if err := b.compare(ctx, model, c, synthetic(b.sentences, fixed(stepWords), c.Vocab, 1), steps); err != nil {
			return err
		}
	}
	return nil
}

// epoch compares epochs over sentences of different lengths, which plain PyTorch has to pad, mask
// and pack.
func (b *bench) epoch(ctx context.Context) error {
	b.title("A training epoch, %d sentences of 1 to 15 words, %d words a batch", b.sentences, b.words)
	for _, model := range models {
		c := b.sized(paperSizes(model))
		c.Padded = true
		s := synthetic(b.sentences, reviews, c.Vocab, 2)
		if err := b.compare(ctx, model, c.batched(b.words, meanLength(s)), s, 1); err != nil {
			return err
		}
	}
	return nil
}

// transfer compares how fast sentences are rewritten. Plain PyTorch uses batches of 64. The weights
// are untrained, so SMLM-G rarely predicts the end of a sentence: its outputs are as long as the
// sources.
func (b *bench) transfer(ctx context.Context) error {
	n := b.sentences / 2
	b.title("A transfer of %d sentences of 1 to 15 words", n)
	for _, k := range []struct {
		title, model string
		copies       bool
	}{
		{"smlm, copied", "smlm", true},
		{"smlm, predicted", "smlm", false},
		{"smlm-g, greedy", "smlm-g", false},
	} {
		c := b.sized(paperSizes(k.model))
		c.Task, c.Copy, c.Padded, c.BatchSize = "transfer", k.copies, true, 64
		if err := b.compare(ctx, k.title, c, synthetic(n, reviews, c.Vocab, 3), 1); err != nil {
			return err
		}
	}
	return nil
}

// side is one of the workers that are compared, with its measurements.
type side struct {
	*process
	seconds []float64
	peak    int64
}

// compare runs several workers in turn, with the same sentences and initial weights: ours and plain
// PyTorch's, in float32 and, if b.bf16 is set, in bfloat16. It prints a row for each worker. The
// times in the row are divided by the parameter "units": the number of training steps in a run, or
// 1.
func (b *bench) compare(ctx context.Context, title string, c benchCase, s corpus.Encoded, units int) error {
	c.Data = filepath.Join(b.dir, "sentences.json")
	if err := write(c.Data, s); err != nil {
		return err
	}
	ours, err := b.start(ctx, "ours fp32", c)
	if err != nil {
		return err
	}
	defer ours.stop()
	saved, err := ours.ask(request{Do: "save", Folder: b.dir})
	if err != nil {
		return err
	}
	c.Weights = saved.Weights
	theirs, err := b.start(ctx, "plain fp32", c)
	if err != nil {
		return err
	}
	defer theirs.stop()
	sides := []*side{theirs, ours}
	if c.BF16 = b.bf16; c.BF16 {
		names := []string{"plain bf16", "ours bf16"}
		if c.Padded && b.device == "cpu" {
			names = names[1:] // on CPUs, PyTorch 2.1.2 has no bfloat16 attention with a padding mask
		}
		for _, name := range names {
			s, err := b.start(ctx, name, c)
			if err != nil {
				return err
			}
			defer s.stop()
			sides = append(sides, s)
		}
	}
	for i := range 1 + b.alternations { // the first run does not count: it warms up caches and threads
		for _, s := range sides {
			a, err := s.ask(request{Do: "run", N: 1})
			if err != nil {
				return err
			}
			if i > 0 {
				s.seconds = append(s.seconds, a.Seconds/float64(units))
			}
			s.peak = a.Peak
		}
	}
	for _, s := range sides {
		b.row(title+": "+s.name, spread("%.3g", s.seconds), spread("%.2f", ratios(theirs.seconds, s.seconds)),
			fmt.Sprintf("%d MB", s.peak/1_000_000))
	}
	return nil
}

// start starts a worker, and waits until the worker has read the sentences and made its model. It
// starts plain PyTorch's worker if name begins with "plain".
func (b *bench) start(ctx context.Context, name string, c benchCase) (*side, error) {
	program, args := b.self, []string{"worker"}
	if strings.HasPrefix(name, "plain") {
		program, args = b.python, []string{filepath.Join(b.dir, "plain", "worker.py")}
	}
	p, err := startProcess(ctx, name, program, args...)
	if err != nil {
		return nil, err
	}
	if _, err := p.ask(request{Do: "prepare", Case: &c}); err != nil {
		p.stop()
		return nil, err
	}
	return &side{process: p}, nil
}

// title prints a title and the header of a table in Markdown.
func (b *bench) title(format string, args ...any) {
	fmt.Fprintf(b.out, "\n"+format+":\n\n", args...)
	b.row("", "seconds", "times as fast", "peak memory")
	b.row(":---", "---:", "---:", "---:")
}

func (b *bench) row(name, seconds, faster, memory string) {
	fmt.Fprintf(b.out, "| %-27s | %24s | %18s | %11s |\n", name, seconds, faster, memory)
}

// spread formats the median of xs, followed by the lowest and the highest value.
func spread(format string, xs []float64) string {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	return fmt.Sprintf(format+" ("+format+"–"+format+")", (s[(n-1)/2]+s[n/2])/2, s[0], s[n-1])
}

// ratios divides each time in "above" by the time in "below" with the same index. Both times are
// measured shortly after each other, so a machine that is slow for a while hardly changes their
// ratio.
func ratios(above, below []float64) []float64 {
	out := make([]float64, len(above))
	for i := range out {
		out[i] = above[i] / below[i]
	}
	return out
}
