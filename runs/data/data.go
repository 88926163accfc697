// Package data reads the data sets of an experiment as strictly as training does, hashes their
// files and reports what is wrong with them, before anything runs.
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
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Set is a data set as the planner has read it.
type Set struct {
	Name       string
	Labels     corpus.Styles
	Directions []corpus.Direction // in which sentences are rewritten and measured
	HasRefs    bool               // in at least one of Directions
	Ordered    bool               // the styles are in an order
	Sizes      [3][]int           // sentences used, by corpus.Split and style
	Hashes     map[string]string  // file name -> sha256
	Systems    []*System          // published outputs, in the order of the folders, then by name
	People     *System            // the human references as a system; nil if there are none
	References []*System          // sets of references, as Systems
	Weights    []string           // sha256 of each naturalness file
	Vectors    string             // sha256 of the file of word vectors; "" without one or if it is missing
	Lacks      error              // the file of word vectors is missing; nothing can run, but results can be read
	// Rated are the dev sentences whose outputs readers rated. A rater is trained on them.
	Rated guided.RatedSentences

	Ratings  []RatingsFile
	outside  map[string]outside // path -> file; see Unchanged
	refsFrom []int              // styles whose test sentences have references
	Warnings []string           // probable mistakes in the data
	Unseen   *UnseenText        // nil: none
	Unfit    map[string]error   // instruments for which there is too little training text, by the names of their stages
	set      *corpus.Dataset    // only while the data are read; nil if the corpus is not readable
}

// read reads a data set as strictly as training does, and hashes it. So errors in the data are
// reported before anything runs, one line per file, and changed data lead to other stages.
func read(d *experiment.Dataset) (*Set, error) {
	out := &Set{
		Name: d.Name, Hashes: map[string]string{}, Rated: guided.RatedSentences{}, outside: map[string]outside{},
	}
	var errs []error
	if set, err := out.loadCorpus(d); err != nil {
		errs = append(errs, err)
	} else {
		out.suspectReferences(set)
		out.Directions, err = directionsOf(d, set.Labels)
		if out.Ordered = d.Ordered; d.Ordered && set.Labels.N() < minOrdered {
			errs = append(errs, wrong(d, "ordered", "there are two styles, and both are next to each other: remove the key"))
		}
		errs = append(errs, err, out.sample(d, set))
		out.suspectUnseen(set)
		out.take(set)
	}
	var found error
	out.Systems, found = out.findSystems(d, outputsKey, d.Outputs)
	errs = append(errs, found)
	out.References, found = out.findSystems(d, "references", d.References)
	errs = append(errs, found)
	errs = append(errs, out.readJudges(d)...)
	for _, path := range d.Ratings {
		errs = append(errs, out.readRatings(d, path))
	}
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
	if out.set = nil; out.HasRefs {
		out.People = &System{Name: HumanReferences}
	}
	return out, errors.Join(errs...)
}

// LacksVectors reports whether the experiment names a file of word vectors that is missing.
func (d *Set) LacksVectors() bool { return d.Lacks != nil }

// minOrdered is the smallest number of ordered styles. With two, all styles are adjacent.
const minOrdered = 3

// Count returns the number of sentences of a split, and the share of its largest style in percent.
func (d *Set) Count(split corpus.Split) (n int, majority float64) {
	largest := 0
	for _, size := range d.Sizes[split] {
		n, largest = n+size, max(largest, size)
	}
	return n, 100 * float64(largest) / float64(max(n, 1))
}

// HasRefsFrom reports whether test sentences of a style have references in one of the directions.
func (d *Set) HasRefsFrom(style int) bool { return slices.Contains(d.refsFrom, style) }

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

// Chosen returns the directions for a stage's settings, where nil means all.
func (d *Set) Chosen() []corpus.Direction {
	if len(d.Directions) == len(d.Labels.Directions()) {
		return nil
	}
	return d.Directions
}

// take keeps what a plan needs of a corpus. The corpus must already be reduced to the training
// sentences that are used.
func (d *Set) take(set *corpus.Dataset) {
	d.suspectTest(set)
	d.Labels, d.set = set.Labels, set
	for way := range set.References() {
		if d.Asks(way) {
			d.HasRefs, d.refsFrom = true, lists.AddOnce(d.refsFrom, way.From)
		}
	}
	for _, split := range corpus.Splits {
		for _, text := range set.Text[split] {
			d.Sizes[split] = append(d.Sizes[split], len(text))
		}
	}
	train := slices.Concat(set.Text[corpus.Train]...)
	d.Unfit = map[string]error{
		"naturalness": naturalness.Trainable(train),
		"vectors":     embedding.Trainable(train, embedding.TrainOptions{}),
	}
}

// readJudges reads the naturalness files as strictly as a score does, so that errors are found
// before anything is trained.
func (d *Set) readJudges(set *experiment.Dataset) (errs []error) {
	names := map[string]string{}
	for _, path := range set.Naturalness {
		hash, err := d.hash(path, hashFile)
		if err != nil {
			errs = append(errs, missingFile(err, set, "naturalness", path))
			continue
		}
		judge, err := naturalness.Load(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, twice := names[judge.Name()]; twice {
			errs = append(errs, wrong(set, "naturalness", "%q and %q would both be named %q in tables: give "+
				"each file once, and rename one of two files with the same name", other, path, judge.Name()))
		}
		names[judge.Name()] = path
		d.Weights = append(d.Weights, hash)
	}
	return errs
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

// HashTexts returns a hash of all text of a data set and of published outputs. Only the vectors of
// the words in these texts are read from a file of vectors.
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

// testFiles lists the files that no training may read.
func testFiles(styles corpus.Styles) (names []string) {
	for style := range styles {
		names = append(names, corpus.FileName(corpus.Test, style))
	}
	for _, direction := range styles.Directions() {
		names = append(names, corpus.RefName(styles, direction))
	}
	return names
}

// HashesOf returns the hashes of the test sentences and their references, or of all other files.
func (d *Set) HashesOf(test bool) map[string]string {
	out, ofTest := maps.Clone(d.Hashes), testFiles(d.Labels)
	maps.DeleteFunc(out, func(name, _ string) bool { return slices.Contains(ofTest, name) != test })
	return out
}

func style(k int) string { return strconv.Itoa(k) }

// loadCorpus reads the corpus and hashes its files.
func (d *Set) loadCorpus(of *experiment.Dataset) (*corpus.Dataset, error) {
	if of.Builtin != "" {
		set := corpus.Demo()
		if n := len(of.Labels); n == set.Labels.N() {
			set.Labels = of.Labels
		} else if n > 0 {
			return nil, wrong(of, "labels", "%s, but the builtin corpus %q has %d styles: name each "+
				"style, or remove the key",
				wording.Count(n, "name"), of.Builtin, set.Labels.N())
		}
		for _, split := range corpus.Splits {
			for style, sentences := range set.Text[split] {
				d.Hashes[corpus.FileName(split, style)] = hashSentences(sentences)
			}
		}
		for way, refs := range set.References() {
			d.Hashes[corpus.RefName(set.Labels, way)] = hashSentences(refs)
		}
		return set, nil
	}
	set, err := corpus.Load(of.Dir, of.Name, of.Labels)
	err = placed(of, "dir", err)
	var extra [][]corpus.Sentence
	if of.TrainExtra {
		styles := corpus.StylesOf(of.Labels)
		if set != nil {
			styles = set.Labels
		}
		var wrong error
		extra, wrong = corpus.ReadExtra(of.Dir, styles)
		err = errors.Join(err, placed(of, "train_extra", wrong))
	}
	if err != nil {
		return nil, err
	}
	set.AddExtra(extra)
	var names []string
	for style := range set.Labels {
		for _, split := range corpus.Splits {
			names = append(names, corpus.FileName(split, style))
		}
		if of.TrainExtra {
			names = append(names, corpus.ExtraName(style))
		}
	}
	for way := range set.References() {
		names = append(names, corpus.RefName(set.Labels, way))
	}
	for _, name := range names {
		if d.Hashes[name], err = d.hash(filepath.Join(of.Dir, name), hashFile); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// placed adds the key's place in the experiment file to errors about a folder. Errors in a file of
// that folder have a place in that file already.
func placed(d *experiment.Dataset, key string, err error) error {
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for i, part := range parts {
		if of := (*corpus.FolderError)(nil); errors.As(part, &of) {
			parts[i] = userr.New(userr.BadInput, "%s: %w", d.Place(key), part)
		}
	}
	return errors.Join(parts...)
}

// RatingsFile is a file of rated outputs with its sha256.
type RatingsFile struct{ Path, Hash string }

// readRatings reads a file of rated outputs, and keeps its hash.
func (d *Set) readRatings(set *experiment.Dataset, path string) error {
	hash, err := d.hash(path, hashFile)
	if err != nil {
		return missingFile(err, set, "ratings", path)
	}
	rated, err := guided.ReadRated(path)
	if err != nil {
		return userr.New(userr.BadInput, "%s: %w", set.Place("ratings"), err)
	}
	directions := lists.Map(d.Labels.Directions(), d.Labels.Name)
	for _, r := range rated {
		if len(directions) > 0 && !slices.Contains(directions, r.Direction) {
			return wrong(set, "ratings", "%q contains outputs of the direction %q, which must be %s", path, r.Direction,
				wording.Choice(directions))
		}
	}
	d.Ratings = append(d.Ratings, RatingsFile{path, hash})
	d.Rated.Add(rated)
	if d.set == nil {
		return nil
	}
	known := map[uint32]bool{}
	for _, words := range slices.Concat(d.set.Text[corpus.Dev]...) {
		known[guided.Checksum(words)] = true
	}
	unknown := lists.Filter(rated, func(r guided.Rated) bool { return !known[r.Source] })
	switch {
	case len(unknown) == len(rated):
		return wrong(set, "ratings", "%q has no rated output of a dev sentence of this data set: give ratings of outputs of "+
			"its own dev sentences, or leave out the file", path)
	case len(unknown) > 0:
		d.warnOf(path, fmt.Sprintf("%d of %d rated outputs are of no dev sentence of this data set and teach nothing: the "+
			"data are others than those that were rated", len(unknown), len(rated)))
	}
	return nil
}

// outside is a file outside the workspace, as it was when the plan was made.
type outside struct {
	hash string
	by   func(path string) (string, error)
}

// hash hashes a file outside the workspace, and keeps what Unchanged needs.
func (d *Set) hash(path string, by func(string) (string, error)) (string, error) {
	sum, err := by(path)
	d.outside[path] = outside{sum, by}
	return sum, err
}

// Unchanged returns an error if one of these files, or a file in one of these folders, has changed
// since the data were read. A stage may run days later.
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
