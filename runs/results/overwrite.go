package results

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
)

// A Fewer is the error of writing over files that were made of more than is finished now: rows
// would be lost. Nothing was written.
type Fewer struct {
	What        string // "the page"
	Path        string
	Before, Now int // finished points, and published systems scored
}

func (f *Fewer) Error() string {
	return fmt.Sprintf("%s %q stays as it was: it shows more finished points and published systems (%d) than it "+
		"would now (%d); run the experiment, or overwrite it with --force", f.What, f.Path, f.Before, f.Now)
}

// finished counts the points and published systems that are shown.
func (r *Results) finished() int {
	return len(r.plan.Points) + len(r.plan.Published) - r.Missing - r.Unscored
}

// keep returns a *Fewer where something made of so many points would be written over with less,
// and more is to come. With fewer points in the experiment itself nothing is missing.
func (r *Results) keep(what, path string, before int) error {
	if now := r.finished(); r.Missing+r.Unscored > 0 && now < before && !r.Force {
		return &Fewer{what, path, before, now}
	}
	return nil
}

// finishedFile is beside tables and figures: of how many points they are.
const finishedFile = ".finished"

// keepFolder is keep for a folder of tables or figures.
func (r *Results) keepFolder(what, dir string) error {
	text, err := files.ReadSmall(filepath.Join(dir, finishedFile))
	if err != nil {
		return nil //nolint:nilerr // there is nothing to keep
	}
	before, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return r.keep(what, dir, before)
}

func (r *Results) writeFinished(write writeFile) error {
	return write(finishedFile, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, r.finished())
		return err
	})
}

var finishedMeta = regexp.MustCompile(`<meta name="finished" content="([0-9]+)">`)

// keepPage is keep for a page.
func (r *Results) keepPage(path string) error {
	f, err := files.Open(path)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to keep
	}
	defer f.Close()
	m := finishedMeta.FindReaderSubmatchIndex(bufio.NewReader(io.LimitReader(f, 4096)))
	if m == nil {
		return nil
	}
	digits := make([]byte, m[3]-m[2])
	if _, err := f.ReadAt(digits, int64(m[2])); err != nil {
		return nil //nolint:nilerr // no page of ours
	}
	before, _ := strconv.Atoi(string(digits))
	return r.keep("the page", path, before)
}
