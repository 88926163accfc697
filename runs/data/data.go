// Package data describes the data sets of an experiment: styles, directions, files and their
// hashes. It hashes the files of the corpus, but only the stages "prepare" and "test-set" read
// their sentences. The package also reads the smaller files that an experiment names beside the
// corpus, and reports what is wrong with them before anything runs.
package data

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// Set is a data set as the planner knows it.
type Set struct {
	Name       string
	Labels     corpus.Styles
	Directions []corpus.Direction // the directions in which sentences are rewritten and measured
	Hashes     map[string]string  // file name -> sha256
	Systems    []*System          // published outputs, in the order of the folders, then by name
	People     *System            // the references as a system; nil if there are none
	References []*System          // further sets of human references, each in the form of a system
	Weights    string             // sha256 of the naturalness file; "" if no file is named
	Vectors    string             // sha256 of the file of word vectors; "" if no file is named or the file is missing
	Lacks      error              // set if the file of word vectors is missing; then no stage can run
	Unseen     *UnseenText        // the unseen text; nil if there is none

	outside map[string]outside // the files that were hashed, by path; see Unchanged
	lines   map[string]int     // number of lines of each file of the corpus, by name
}

// read finds and hashes the files of a data set. The identities of stages contain the hashes, so
// changed data lead to new stages. The error has one line per file.
func read(d *experiment.Dataset) (*Set, error) {
	out := &Set{Name: d.Name, Hashes: map[string]string{}, lines: map[string]int{}, outside: map[string]outside{}}
	var errs []error
	if err := out.layOut(d); err != nil {
		errs = append(errs, err)
		out.Labels = nil // the styles are unknown
	} else {
		out.Directions, err = directionsOf(d, out.Labels)
		if slices.ContainsFunc(out.Directions, out.HasRefs) {
			out.People = &System{Name: References}
		}
		errs = append(errs, err, out.findUnseen(d))
	}
	var found error
	out.Systems, found = out.findSystems(d, outputsKey, d.Outputs)
	errs = append(errs, found)
	out.References, found = out.findSystems(d, "references", d.References)
	errs = append(errs, found)
	errs = append(errs, out.readNaturalness(d))
	if d.Vectors != "" {
		var err error
		switch out.Vectors, err = out.hash(d.Vectors, hashLarge); {
		case errors.Is(err, fs.ErrNotExist):
			out.Lacks = missingFile(err, d, "vectors", d.Vectors)
		case err != nil:
			errs = append(errs, missingFile(err, d, "vectors", d.Vectors))
		default:
			errs = append(errs, embedding.CheckHead(d.Vectors))
		}
	}
	return out, errors.Join(errs...)
}

// HasRefs reports whether the test sentences of a direction have references.
func (d *Set) HasRefs(way corpus.Direction) bool {
	_, has := d.Hashes[corpus.RefName(d.Labels, way)]
	return has
}

// directionsOf reads the directions of the experiment file and sorts them.
func directionsOf(of *experiment.Dataset, styles corpus.Styles) (asked []corpus.Direction, err error) {
	all := styles.Directions()
	if len(of.Directions) == 0 {
		return all, nil
	}
	for _, text := range of.Directions {
		from, to, arrow := corpus.CutDirection(text)
		d := corpus.Direction{From: styles.Index(from), To: styles.Index(to)}
		switch {
		case !arrow || !slices.Contains(all, d):
			return all, wrong(of, "directions", "%q is not a direction between styles: write one like %q, "+
				"with the styles %s",
				text, styles[all[0].From]+" -> "+styles[all[0].To], wording.Choice(styles))
		case slices.Contains(asked, d):
			return all, wrong(of, "directions", "%q is there twice: name each direction once", text)
		}
		asked = append(asked, d)
	}
	slices.SortFunc(asked, func(a, b corpus.Direction) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return asked, nil
}

// Asks reports whether sentences are rewritten in a direction.
func (d *Set) Asks(way corpus.Direction) bool { return slices.Contains(d.Directions, way) }

// Chosen returns the directions in the form that a stage's settings have: nil means all.
func (d *Set) Chosen() []corpus.Direction {
	if len(d.Directions) == len(d.Labels.Directions()) {
		return nil
	}
	return d.Directions
}

// readNaturalness loads the naturalness file as a scoring stage would, so that errors in it are
// found before anything is trained.
func (d *Set) readNaturalness(set *experiment.Dataset) (err error) {
	if set.Naturalness == "" {
		return nil
	}
	if d.Weights, err = d.hash(set.Naturalness, files.SHA256); err != nil {
		return missingFile(err, set, "naturalness", set.Naturalness)
	}
	_, err = naturalness.Load(set.Naturalness)
	return err
}

// wrong returns an error about a key of a data set, with the key's place in the file.
func wrong(d *experiment.Dataset, key, sentence string, args ...any) error {
	return userr.New(userr.BadInput, "%s: datasets.%s.%s: %w", d.Place(key), d.Name, key, fmt.Errorf(sentence, args...))
}

// missingFile returns an error about a file or folder that the experiment file names but that
// cannot be read.
func missingFile(err error, d *experiment.Dataset, key, path string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return wrong(d, key, "there is no %q: correct the path (relative to the experiment file), or remove "+
			"the key", path)
	}
	return wrong(d, key, "%q cannot be read (%w): correct the path or its permissions", path, files.Cause(err))
}

// HashTexts returns a hash of all texts of a data set and of the outputs of the given systems. It
// identifies what is read from a file of word vectors: only the vectors of the words in these
// texts.
func (d *Set) HashTexts(systems ...*System) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(d.Hashes)) {
		fmt.Fprintln(h, name, d.Hashes[name])
	}
	for _, s := range systems {
		fmt.Fprintln(h, strings.Join(s.Hashes, " "))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// testFiles lists the files with test sentences and their references, which no training may read.
func testFiles(styles corpus.Styles) (names []string) {
	for style := range styles {
		names = append(names, corpus.FileName(corpus.Test, style))
	}
	for _, direction := range styles.Directions() {
		names = append(names, corpus.RefName(styles, direction))
	}
	return names
}

// HashesOf returns the hashes of the test sentences and their references if the parameter "test" is
// true, else the hashes of all other files.
func (d *Set) HashesOf(test bool) map[string]string {
	out, ofTest := maps.Clone(d.Hashes), testFiles(d.Labels)
	maps.DeleteFunc(out, func(name, _ string) bool { return slices.Contains(ofTest, name) != test })
	return out
}

// ImportRecord is the name of the file in which the command "data import" records what it read.
const ImportRecord = "import.json"

// ImportedLabels returns the labels of an imported data set, or nil for other data sets.
func ImportedLabels(dir string) []string {
	var record struct {
		Labels []string `json:"labels"`
	}
	if files.ReadJSON(filepath.Join(dir, ImportRecord), &record) != nil {
		return nil
	}
	return record.Labels
}

// reordered reports whether two lists have the same labels in another order.
func reordered(a, b []string) bool {
	sorted := func(labels []string) []string { return slices.Sorted(slices.Values(labels)) }
	return !slices.Equal(a, b) && slices.Equal(sorted(a), sorted(b))
}

// layOut finds the styles and the files of the corpus and hashes the files.
func (d *Set) layOut(of *experiment.Dataset) error {
	if of.Builtin != "" {
		return d.layOutDemo(of)
	}
	styles, names, err := corpus.Files(of.Dir, of.Name, of.Labels)
	if err = placed(of, err); err != nil {
		return err
	}
	d.Labels = styles
	if imported := ImportedLabels(of.Dir); reordered(styles, imported) {
		return wrong(of, "labels", "%s, but %s in %q says %s: give the labels in this order",
			strings.Join(styles, ", "), ImportRecord, of.Dir, strings.Join(imported, ", "))
	}
	if of.TrainExtra {
		if lacks := lacking(of.Dir, styles, corpus.ExtraName); len(lacks) > 0 {
			return wrong(of, "train_extra", "the folder %q lacks %s: add each with one sentence per line, or remove the key",
				of.Dir, strings.Join(lacks, ", "))
		}
		for style := range styles {
			names = append(names, corpus.ExtraName(style))
		}
	}
	var errs []error
	for _, name := range names {
		sum, lines, err := d.hashText(filepath.Join(of.Dir, name))
		d.Hashes[name], d.lines[name] = sum, lines
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// layOutDemo is layOut for the builtin corpus.
func (d *Set) layOutDemo(of *experiment.Dataset) error {
	d.Labels = corpus.DemoLabels()
	if n := len(of.Labels); n == d.Labels.N() {
		d.Labels = corpus.StylesOf(of.Labels)
	} else if n > 0 {
		return wrong(of, "labels", "%s, but the builtin corpus %q has %d styles: name each "+
			"style, or remove the key",
			wording.Count(n, "name"), of.Builtin, d.Labels.N())
	}
	d.Hashes = corpus.DemoSums()
	for style := range d.Labels {
		delete(d.Hashes, corpus.MoreName(style)) // the unseen text is no part of the corpus (see findUnseen)
		d.lines[corpus.FileName(corpus.Test, style)] = corpus.DemoTests
	}
	return nil
}

// The function placed adds the place of the key "dir" in the experiment file to each error about a
// whole folder. It does not change an error about a single file, which already says where in that
// file the problem is.
func placed(d *experiment.Dataset, err error) error {
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for i, part := range parts {
		if of := (*corpus.FolderError)(nil); errors.As(part, &of) {
			parts[i] = userr.New(userr.BadInput, "%s: %w", d.Place("dir"), part)
		}
	}
	return errors.Join(parts...)
}

// The type outside describes a file outside the workspace: its hash when the plan was made, and the
// function that computed the hash.
type outside struct {
	hash string
	by   func(path string) (string, error)
}

// hash hashes a file outside the workspace with the given function. It keeps the hash and the
// function for Unchanged.
func (d *Set) hash(path string, by func(string) (string, error)) (string, error) {
	sum, err := by(path)
	d.outside[path] = outside{sum, by}
	return sum, err
}

// hashText hashes a text file of the corpus and counts its lines.
func (d *Set) hashText(path string) (sum string, lines int, err error) {
	sum, lines, err = files.SHA256AndLines(path)
	d.outside[path] = outside{sum, files.SHA256}
	if err != nil {
		return "", 0, userr.New(
			userr.BadInput, "the file %q cannot be read (%w): it must be a readable text file", path, files.Cause(err),
		)
	}
	return sum, lines, nil
}

// Unchanged returns an error if one of the sources (files or folders) has changed since the plan
// was made. A stage may run days later. If a source is a folder, Unchanged compares only the files
// directly in it.
func (d *Set) Unchanged(sources []string) error {
	for _, source := range sources {
		for path, then := range d.outside {
			if path != source && filepath.Dir(path) != source {
				continue
			}
			switch now, err := then.by(path); {
			case err != nil:
				return userr.New(
					userr.BadInput, "%q cannot be read again (%w): put it back and run again", path, files.Cause(err),
				)
			case now != then.hash:
				return userr.New(
					userr.BadInput, "%q has changed since the run began: run again, so that everything "+
						"that reads it is made again",
					path,
				)
			}
		}
	}
	return nil
}
