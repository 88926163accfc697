package precision

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// kept is the content of a file of the cache: one part's timing on one machine.
type kept struct {
	Machine Machine `json:"machine"`
	Part    Part    `json:"part"`
	Timing
	When time.Time `json:"when"`
}

// Folder is where timings are kept: the folder precision of SMLM_EXP_CACHE, or of smlm-exp in the
// user's cache folder; "" where there is none.
func Folder() string {
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
func (c *Clock) read(m Machine, p Part) (t kept, ok bool) {
	text, err := os.ReadFile(c.file(m, p))
	if err != nil || json.Unmarshal(text, &t) != nil {
		return kept{}, false
	}
	return t, t.good() && c.file(t.Machine, t.Part) == c.file(m, p)
}

// write keeps a timing. Where that fails other processes measure for themselves.
func (c *Clock) write(t kept) error {
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
func (c *Clock) timing(m Machine, p Part) (kept, error) {
	if t, ok := c.known[c.file(m, p)]; ok {
		return t, nil
	}
	t, ok := c.read(m, p)
	if !ok {
		if err := c.alone(func() (err error) {
			if t, ok = c.read(m, p); ok { // by the process that was waited for
				return nil
			}
			t = kept{Machine: m, Part: p, When: time.Now().UTC().Truncate(time.Second)}
			t.Part.Times = 0
			if t.Timing, err = c.Measure(p); err == nil && !t.good() {
				err = fmt.Errorf("it took %v seconds in float32 and %v in bfloat16", t.FP32, t.BF16)
			}
			if err == nil && c.Dir != "" {
				_ = c.write(t)
			}
			return err
		}); err != nil {
			return t, fmt.Errorf("measuring what precision pays (%s): %w", p, err)
		}
	}
	if c.known == nil {
		c.known = map[string]kept{}
	}
	c.known[c.file(m, p)] = t
	return t, nil
}
