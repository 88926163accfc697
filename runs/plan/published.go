package plan

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// System is a published system: its outputs for the test sentences of style 0 and of style 1.
type System struct {
	Name   string
	Files  [2]string // absolute
	Hashes [2]string
}

var outputName = regexp.MustCompile(`^(.+)\.([01])\.txt$`)

// findSystems reads every pair NAME.0.txt, NAME.1.txt of the folders of a data set's key, "outputs"
// or "references", folder after folder; other files are left alone. Line i must be of test sentence
// i, so a pair of other length than the test files is refused.
func findSystems(d *experiment.Dataset, key string, folders []string, testSizes [2]int) ([]System, error) {
	var out []System
	for _, folder := range folders {
		systems, err := systemsIn(folder, d.Name, key)
		if err != nil {
			return nil, err
		}
		for _, s := range systems {
			if i := slices.IndexFunc(out, func(o System) bool { return o.Name == s.Name }); i >= 0 {
				return nil, userr.New(userr.BadInput, "datasets.%s.%s: %q and %q are both of a system %q: rename the files of one",
					d.Name, key, out[i].Files[0], s.Files[0], s.Name)
			}
			if err := s.read(d, key, testSizes); err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// systemsIn finds the pairs of one folder, by name.
func systemsIn(folder, dataset, key string) ([]System, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, missingFile(err, dataset, key, folder)
	}
	pairs := map[string]*System{}
	for _, e := range entries {
		m := outputName.FindStringSubmatch(e.Name())
		if m == nil || e.IsDir() {
			continue
		}
		if pairs[m[1]] == nil {
			pairs[m[1]] = &System{Name: m[1]}
		}
		pairs[m[1]].Files[m[2][0]-'0'] = filepath.Join(folder, e.Name())
	}
	if len(pairs) == 0 {
		return nil, userr.New(
			userr.BadInput,
			"datasets.%s.%s: the folder %q has no pair of files NAME.0.txt and NAME.1.txt: correct the path or "+
				"take the key out",
			dataset, key, folder,
		)
	}
	var out []System
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		s := pairs[name]
		if s.Files[0] == "" || s.Files[1] == "" {
			return nil, userr.New(
				userr.BadInput,
				"datasets.%s.%s: %q has files of one style only: both %s.0.txt and %s.1.txt are needed", dataset,
				key, folder, name, name,
			)
		}
		out = append(out, *s)
	}
	return out, nil
}

func (s *System) read(d *experiment.Dataset, key string, testSizes [2]int) error {
	read := corpus.ReadOutputs
	if key == "references" { // people write something
		read = corpus.ReadLines
	}
	for k, file := range s.Files {
		lines, err := read(file)
		if err != nil {
			return err
		}
		if len(lines) != testSizes[k] {
			source := "the built-in test sentences of style " + style(k)
			if d.Dir != "" {
				source = filepath.Join(d.Dir, corpus.FileName(corpus.Test, k))
			}
			return userr.New(
				userr.BadInput,
				"%q has %d lines and %q has %d: line i of the first must belong to line i of the sources", file,
				len(lines), source, testSizes[k],
			)
		}
		if s.Hashes[k], err = hashFile(file); err != nil {
			return err
		}
	}
	return nil
}
