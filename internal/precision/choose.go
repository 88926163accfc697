package precision

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Clock measures parts, and keeps what it found in a folder.
type Clock struct {
	Dir     string // "" = nothing outlives the process
	Machine func() Machine
	Measure func(Part) (Timing, error)

	known map[string]storedTiming // by file
}

// New returns the clock of this machine.
func New() *Clock { return &Clock{Dir: folder(), Machine: here, Measure: Measure} }

// Choice is what "auto" comes to, and why.
type Choice struct {
	Precision recipe.Precision `json:"precision"`
	recipe.Measured
}

// gain is how much less time bfloat16 must take to be chosen: a step has more in it than what was
// measured, and where both are alike float32 is the finer one.
const gain = 1.05

// hopeless is how much longer than in float32 the probe takes in bfloat16 where no layer can be
// faster in it, whatever a call of a library costs beside its product.
const hopeless = 5

// Choose returns the precision in which a step of these parts takes less time on the current
// device. A CUDA device is asked what it has. Call it on the torch thread.
func (c *Clock) Choose(parts ...Part) (Choice, error) {
	if torch.OnCUDA() {
		if torch.HasBF16() {
			return because(recipe.BF16, torch.Device()+" multiplies bfloat16 in hardware"), nil
		}
		return because(recipe.FP32, torch.Device()+" does not multiply bfloat16 in hardware"), nil
	}
	if why := torch.WhyNoBF16(); why != "" {
		return because(recipe.FP32, why), nil
	}
	return c.onCPU(parts)
}

func because(p recipe.Precision, why string) Choice {
	return Choice{p, recipe.Measured{Why: why}}
}

// onCPU goes by measured times.
func (c *Clock) onCPU(parts []Part) (Choice, error) {
	m := c.Machine()
	t, err := c.timing(m, probe)
	if err != nil {
		return Choice{}, err
	}
	if t.BF16 > hopeless*t.FP32 {
		return because(recipe.FP32, fmt.Sprintf(
			"a small bfloat16 product takes %.2g times as long as in float32 (measured %s)", t.ratio(),
			t.When.Format(time.DateOnly),
		)), nil
	}
	sum := recipe.Measured{}
	var when time.Time
	for _, p := range parts {
		t, err := c.timing(m, p)
		if err != nil {
			return Choice{}, err
		}
		sum.FP32, sum.BF16 = sum.FP32+p.Times*t.FP32, sum.BF16+p.Times*t.BF16
		if t.When.After(when) {
			when = t.When
		}
	}
	choice := Choice{recipe.FP32, sum}
	if sum.BF16*gain < sum.FP32 {
		choice.Precision = recipe.BF16
	}
	choice.Why = fmt.Sprintf("its layers take %s in float32 and %s in bfloat16 (measured %s)",
		milliseconds(sum.FP32), milliseconds(sum.BF16), when.Format(time.DateOnly))
	return choice, nil
}

// milliseconds words a number of seconds with three digits, and with all before the point: "92.5
// ms", "1012 ms".
func milliseconds(seconds float64) string {
	if ms := 1e3 * seconds; ms < 1000 {
		return fmt.Sprintf("%.3g ms", ms)
	}
	return fmt.Sprintf("%.0f ms", 1e3*seconds)
}

// storedTiming is the content of a file of the cache: one part's timing on one machine.
type storedTiming struct {
	Machine Machine `json:"machine"`
	Part    Part    `json:"part"`
	Timing
	When time.Time `json:"when"`
}

// folder is where timings are kept: the folder precision of SMLM_EXP_CACHE, or of smlm-exp in the
// user's cache folder; "" where there is none.
func folder() string {
	if dir := os.Getenv("SMLM_EXP_CACHE"); dir != "" {
		return filepath.Join(dir, "precision")
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "smlm-exp", "precision")
}

// file is the name of a part's file.
func (c *Clock) file(m Machine, p Part) string {
	key, _ := json.Marshal([]any{m, p}) // strings and numbers
	return filepath.Join(c.Dir, files.Sum(key)[:16]+".json")
}

// read returns what is kept of a part; ok is false where nothing is, or something else, or what no
// measurement can have found.
func (c *Clock) read(m Machine, p Part) (t storedTiming, ok bool) {
	text, err := files.ReadSmall(c.file(m, p))
	if err != nil || json.Unmarshal(text, &t) != nil {
		return storedTiming{}, false
	}
	return t, t.good() && c.file(t.Machine, t.Part) == c.file(m, p)
}

// write keeps a timing. Where that fails other processes measure for themselves.
func (c *Clock) write(t storedTiming) error {
	return files.Write(c.file(t.Machine, t.Part), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(t)
	})
}

// alone calls f while no other process measures: two that measure at once would slow each other,
// and might decide differently. Where the folder cannot be locked it calls f all the same.
func (c *Clock) alone(f func() error) error {
	if c.Dir == "" || os.MkdirAll(c.Dir, 0o755) != nil {
		return f()
	}
	lock, err := os.OpenFile(filepath.Join(c.Dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return f()
	}
	defer lock.Close() // which unlocks
	_ = files.WaitLock(lock, files.Alone)
	return f()
}

// timing returns a part's timing: the one that is kept, or one that is measured now.
func (c *Clock) timing(m Machine, p Part) (storedTiming, error) {
	if t, ok := c.known[c.file(m, p)]; ok {
		return t, nil
	}
	t, ok := c.read(m, p)
	if !ok {
		if err := c.alone(func() (err error) {
			if t, ok = c.read(m, p); ok { // by the process that was waited for
				return nil
			}
			t = storedTiming{Machine: m, Part: p, When: time.Now().UTC().Truncate(time.Second)}
			t.Part.Times = 0
			if t.Timing, err = c.Measure(p); err == nil && !t.good() {
				err = fmt.Errorf("it took %v seconds in float32 and %v in bfloat16", t.FP32, t.BF16)
			}
			if err == nil && c.Dir != "" {
				_ = c.write(t)
			}
			return err
		}); err != nil {
			return t, fmt.Errorf("measuring which precision is faster (%s): %w", p, err)
		}
	}
	if c.known == nil {
		c.known = map[string]storedTiming{}
	}
	c.known[c.file(m, p)] = t
	return t, nil
}

// Machine is what a timing depends on beside the part: on another one it is measured anew.
type Machine struct {
	CPU          string `json:"cpu"`
	Flags        string `json:"flags"` // a digest of family, model, stepping and instructions
	Instructions string `json:"instructions"`
	Libtorch     string `json:"libtorch"`
	Threads      int    `json:"threads"`
	// Switches are the environment variables that hold a library back, by name.
	Switches map[string]string `json:"switches,omitempty"`
}

// switches are the variables that docs/cpus.md lists, and what chooses among libraries.
var switches = []string{
	"ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR",
	"ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE",
}

// here is this machine, as the process sees it. Call it on the torch thread.
func here() Machine {
	m := Machine{
		CPU: runtime.GOARCH, Instructions: torch.CPUCapability(), Libtorch: torch.Version(), Threads: torch.Threads(),
		Switches: switched(os.Getenv),
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU, m.Flags = described(string(text))
	}
	return m
}

// switched returns the switches that are set.
func switched(env func(string) string) map[string]string {
	set := map[string]string{}
	for _, name := range switches {
		if v := env(name); v != "" {
			set[name] = v
		}
	}
	return set
}

// described returns the model of the first processor of /proc/cpuinfo, and a digest of what else
// tells CPUs apart: virtual machines call different ones by the same name.
func described(cpuinfo string) (model, flags string) {
	first, _, _ := strings.Cut(cpuinfo, "\n\n")
	h := sha256.New()
	for line := range strings.Lines(first) {
		name, value, _ := strings.Cut(line, ":")
		switch name = strings.TrimSpace(name); name {
		case "model name":
			model = strings.TrimSpace(value)
		case "vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU implementer", "CPU part":
			h.Write([]byte(line))
		}
	}
	return model, hex.EncodeToString(h.Sum(nil))[:16]
}
