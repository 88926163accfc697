package plan

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// System is a published system: its outputs, or a set of references, by direction.
type System struct {
	Name   string
	Files  []string // absolute
	Hashes []string
}

// outputName is the name of a system and the place of a direction among the data set's.
var outputName = regexp.MustCompile(`^(.+)\.(0|[1-9][0-9]*)\.txt$`)

// outputsKey names the folders of published systems; the other key with such folders is of sets of
// references.
const outputsKey = "outputs"

// findSystems reads all of NAME.0.txt, NAME.1.txt and so on, a file a direction, of the folders of
// a data set's key, "outputs" or "references", folder after folder; other files are left alone, and
// so are hidden ones, which file managers and editors leave beside what they show.
// Line i must be of test sentence i, so files of other length than the test files are refused.
func (d *Data) findSystems(set *experiment.Dataset, key string, folders []string) ([]System, error) {
	var out []System
	var errs []error
	for _, folder := range folders {
		systems, err := systemsIn(folder, len(d.directions()), set, key)
		errs = append(errs, err)
		for _, s := range systems {
			if i := slices.IndexFunc(out, func(o System) bool { return o.Name == s.Name }); i >= 0 {
				errs = append(errs, wrong(set, key, "%q and %q are both of a system %q: rename the files of one",
					out[i].Files[0], s.Files[0], s.Name))
			}
			ours := func(name string) bool { return strings.EqualFold(name, s.Name) }
			if key == outputsKey && slices.ContainsFunc(ownNames(), ours) {
				errs = append(errs, wrong(set, key, "%q is of a system %q, which is what tables call rows of our own: rename "+
					"the files", s.Files[0], s.Name))
			}
			errs = append(errs, d.readSystem(&s, set, key)...)
			out = append(out, s)
		}
	}
	return out, errors.Join(errs...)
}

// directions are those between the data set's styles. Of one that cannot be read they are those of
// two styles, so that its other files can be looked at all the same.
func (d *Data) directions() []corpus.Direction {
	if d.test == nil {
		return corpus.Styles{"0", "1"}.Directions()
	}
	return corpus.Styles(d.Labels).Directions()
}

// byDirection are files or their hashes as stages.Outputs and the sources of a stage have them.
func byDirection(all []string) map[string]string {
	out := map[string]string{}
	for k, s := range all {
		out[strconv.Itoa(k)] = s
	}
	return out
}

// ownNames are the names of rows that are no published system's.
func ownNames() []string {
	return append(slices.Collect(maps.Values(SystemNames)), stages.HumanReferences)
}

// systemsIn finds the systems of one folder, by name, which have a file for each of so many
// directions.
func systemsIn(folder string, directions int, set *experiment.Dataset, key string) ([]System, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, missingFile(err, set, key, folder)
	}
	files := map[string][]string{}
	for _, e := range entries {
		m := outputName.FindStringSubmatch(e.Name())
		if m == nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := m[1]
		k, err := strconv.Atoi(m[2])
		if err != nil || k >= directions {
			continue
		}
		if files[name] == nil {
			files[name] = make([]string, directions)
		}
		files[name][k] = filepath.Join(folder, e.Name())
	}
	if len(files) == 0 {
		return nil, wrong(set, key, "the folder %q has no pair of files NAME.0.txt and NAME.1.txt: correct the path or "+
			"take the key out", folder)
	}
	var out []System
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if slices.Contains(files[name], "") {
			errs = append(errs, wrong(set, key, "%q has files of one style only: both %s.0.txt and %s.1.txt are needed",
				folder, name, name))
			continue
		}
		out = append(out, System{Name: name, Files: files[name], Hashes: make([]string, directions)})
	}
	return out, errors.Join(errs...)
}

// readSystem reads the files of a system, or of a set of references.
func (d *Data) readSystem(s *System, set *experiment.Dataset, key string) (errs []error) {
	read, differ := corpus.ReadOutputs, metrics.Warnings
	if key != outputsKey { // people write something
		read, differ = corpus.ReadReferences, metrics.ReferenceWarnings
	}
	for k, of := range d.directions() {
		file := s.Files[k]
		lines, err := read(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if s.Hashes[k], err = d.hash(file, hashFile); err != nil {
			errs = append(errs, err)
		}
		if d.test == nil {
			continue // nothing to compare with
		}
		if test := d.test[of.From]; len(lines) != len(test) {
			source := "the built-in test sentences of style " + style(of.From)
			if set.Dir != "" {
				source = filepath.Join(set.Dir, corpus.FileName(corpus.Test, of.From))
			}
			errs = append(errs, userr.New(
				userr.BadInput,
				"%q has %d lines and %q has %d: line i of the first must belong to line i of the sources", file,
				len(lines), source, len(test),
			))
		} else {
			d.warnOf(file, differ(test, lines)...)
		}
	}
	return errs
}
