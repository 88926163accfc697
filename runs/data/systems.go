package data

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// System is a published system or a set of references. Files and Hashes have one entry per
// direction. The entry is "" if the system has no file for the direction.
type System struct {
	Name   string
	Files  []string // absolute paths
	Hashes []string
}

// outputsKey is the key that names the folders of published systems. The key "references" names the
// folders with sets of references.
const outputsKey = "outputs"

// findSystems reads the published systems or the sets of references in the given folders. The
// parameter "key" says which: it is the key that names the folders, "outputs" or "references". A
// system NAME has the files NAME.0.txt and NAME.1.txt, one per direction. Other files are ignored,
// and so are hidden files, which file managers and editors create. Line i of a file must belong to
// test sentence i, so a file must have as many lines as the test file.
func (d *Set) findSystems(set *experiment.Dataset, key string, folders []string) ([]*System, error) {
	var out []*System
	var errs []error
	for _, folder := range folders {
		systems, err := d.systemsIn(folder, set, key)
		errs = append(errs, err)
		for _, s := range systems {
			if i := slices.IndexFunc(out, func(o *System) bool { return o.Name == s.Name }); i >= 0 {
				errs = append(errs, wrong(set, key, "%q and %q both belong to a system %q: rename the files "+
					"of one",
					out[i].Files[0], s.Files[0], s.Name))
			}
			base, _, _ := strings.Cut(s.Name, " (") // SMLM of "SMLM (guided)"
			ours := func(name string) bool { return strings.EqualFold(name, base) }
			if key == outputsKey && slices.ContainsFunc(ownNames(), ours) {
				errs = append(errs, wrong(set, key, "%q belongs to a system %q, a name that tables use for a "+
					"row of their own: rename the files", s.Files[0], s.Name))
			}
			errs = append(errs, d.readSystem(s, set, key)...)
			out = append(out, s)
		}
	}
	return out, errors.Join(errs...)
}

// styles returns the data set's styles. If they are unknown because files are missing, it returns
// two styles, so that the other files can be checked anyway.
func (d *Set) styles() corpus.Styles {
	if d.Labels == nil {
		return corpus.StylesOf(nil)
	}
	return d.Labels
}

// ByDirection maps the numbers of directions, "0", "1" and so on, to files or their hashes. These
// numbers are the keys in stages.Outputs and in a stage's sources.
func ByDirection(all []string) map[string]string {
	out := map[string]string{}
	for k, s := range all {
		if s != "" {
			out[strconv.Itoa(k)] = s
		}
	}
	return out
}

// ownNames are names that a published system cannot have, because other rows have them. One of them
// is an old name of the references.
func ownNames() []string {
	return append(lists.Map(experiment.TransferModels, SystemName), References, "human "+References)
}

// systemsIn finds the systems in one folder, sorted by name. Each system has a file for at least
// one of the wanted directions.
func (d *Set) systemsIn(folder string, set *experiment.Dataset, key string) ([]*System, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, missingFile(err, set, key, folder)
	}
	styles := d.styles()
	all := styles.Directions()
	files := map[string][]string{}
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		for k, way := range all {
			name, of := strings.CutSuffix(e.Name(), "."+styles.Mark(way)+".txt")
			if !of || name == "" || d.Labels != nil && !d.Asks(way) {
				continue
			}
			if files[name] == nil {
				files[name] = make([]string, len(all))
			}
			files[name][k] = filepath.Join(folder, e.Name())
		}
	}
	if len(files) == 0 {
		first := all[0]
		if len(d.Directions) > 0 {
			first = d.Directions[0]
		}
		return nil, wrong(set, key, "the folder %q has no file NAME.%s.txt: correct the path, or remove the "+
			"key", folder,
			styles.Mark(first))
	}
	var out []*System
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, &System{Name: name, Files: files[name], Hashes: make([]string, len(all))})
	}
	return out, nil
}

// readSystem reads the files of a system or of a set of references.
func (d *Set) readSystem(s *System, set *experiment.Dataset, key string) (errs []error) {
	read := corpus.ReadOutputs
	if key != outputsKey { // references must not have empty lines
		read = corpus.ReadReferences
	}
	for k, of := range d.styles().Directions() {
		file := s.Files[k]
		if file == "" {
			continue
		}
		lines, err := read(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if s.Hashes[k], err = d.hash(file, files.SHA256); err != nil {
			errs = append(errs, err)
		}
		name := corpus.FileName(corpus.Test, of.From)
		if test, known := d.lines[name]; known && len(lines) != test {
			source := fmt.Sprintf("the built-in test sentences of style %d", of.From)
			if set.Dir != "" {
				source = filepath.Join(set.Dir, name)
			}
			errs = append(errs, userr.New(
				userr.BadInput,
				"%q has %s, but %q has %d: both need one line per sentence, in the same order", file,
				wording.Count(len(lines), "line"), source, test,
			))
		}
	}
	return errs
}

// SystemName returns the name of a transfer model in tables: "SMLM-G" for "smlm-g".
func SystemName(model string) string { return strings.ToUpper(model) }

// References is the name of the row with the data set's own references. Nothing says who wrote
// them.
const References = "references"
