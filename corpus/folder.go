package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// LicenceFile is the file in a data set's folder whose first line states the terms of use.
const LicenceFile = "LICENCE.txt"

// FileName returns the name of the file of one style of a split: "train.0.txt".
func FileName(s Split, style int) string { return fmt.Sprintf("%s.%d.txt", s, style) }

// RefName returns the name of the file with a direction's references: "reference.0.txt" for the
// direction from style 0 if there are two styles, and "reference.0-2.txt" for the direction from
// style 0 to style 2 if there are more styles.
func RefName(styles Styles, d Direction) string {
	return fmt.Sprintf("reference.%s.txt", styles.Mark(d))
}

// Files returns the styles of the data set in dir and the names of its files:
// {train,dev,test}.{0,1}.txt, with more styles also .2.txt and so on, and the files of references
// that exist. It reads no file. If splits are given, Files lists only the files of these splits,
// and references only if Test is among the splits. The argument labels has the names of the styles.
// If it is empty, the styles are called "0", "1" and so on, and the files of the first split show
// how many styles there are. Errors are of kind userr.BadInput. If only some files are missing,
// Files returns an error and also the names of the other files.
func Files(dir, name string, labels []string, splits ...Split) (styles Styles, names []string, err error) {
	if len(splits) == 0 {
		splits = Splits[:]
	}
	if len(labels) == 0 {
		labels = numbered(dir, splits[0])
	}
	styles, wrongLabels := CheckLabels(name, labels)
	missing, err := checkFolder(dir, name, styles, splits)
	err = errors.Join(wrongLabels, folderError(err))
	if err != nil && missing == nil {
		return styles, nil, err
	}
	for _, s := range splits {
		for style := range styles {
			if file := FileName(s, style); !slices.Contains(missing, file) {
				names = append(names, file)
			}
		}
	}
	if slices.Contains(splits, Test) {
		for _, direction := range styles.Directions() {
			file := RefName(styles, direction)
			if _, err := os.Stat(filepath.Join(dir, file)); !errors.Is(err, fs.ErrNotExist) {
				names = append(names, file)
			}
		}
	}
	return styles, names, err
}

// Load reads the files that Files lists, as strictly as ReadLines. Line i of reference.0.txt
// belongs to line i of test.0.txt, so unequal numbers of lines are an error. Special tokens are an
// error too, except in references. The error is of kind userr.BadInput, with one line per faulty
// file.
func Load(dir, name string, labels []string, splits ...Split) (*Dataset, error) {
	styles, names, err := Files(dir, name, labels, splits...)
	d := NewDataset(name, styles)
	d.Refs = make([][]Sentence, len(styles.Directions()))
	targets := map[string]*[]Sentence{}
	for s := range d.Text {
		for style := range styles {
			targets[FileName(Split(s), style)] = &d.Text[s][style]
		}
	}
	references := map[string]bool{}
	for k, direction := range styles.Directions() {
		file := RefName(styles, direction)
		targets[file], references[file] = &d.Refs[k], true
	}
	errs := make([]error, len(names)) // in the order of the files, so that the same folder gives the same message
	var wg sync.WaitGroup
	for i, file := range names {
		path, text := filepath.Join(dir, file), targets[file]
		wg.Go(func() {
			if *text, errs[i] = (&reading{Rewrites: references[file]}).read(path); errs[i] == nil && !references[file] {
				errs[i] = checkWords(path, *text)
			}
		})
	}
	wg.Wait()
	if !slices.ContainsFunc(names, func(file string) bool { return references[file] }) {
		d.Refs = nil
	}
	errs = append([]error{err}, errs...)
	for direction, references := range d.References() {
		refs, test := len(references), len(d.Text[Test][direction.From])
		if refs != test && refs > 0 && test > 0 { // a count is 0 if its file could not be read
			errs = append(errs, userr.New(
				userr.BadInput,
				"%q has %s, but %q has %d: make line i of one the rewrite of line i of the other",
				filepath.Join(dir, RefName(styles, direction)), wording.Count(refs, "line"),
				filepath.Join(dir, FileName(Test, direction.From)), test,
			))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return d, nil
}

// FolderError is an error of a data set's folder as a whole, such as a missing file. Errors in the
// content of a file are of other types.
type FolderError struct{ Err error }

func (e *FolderError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *FolderError) Unwrap() error { return e.Err }

func folderError(err error) error {
	if err == nil {
		return nil
	}
	return &FolderError{err}
}

// CheckLabels returns the styles with these labels. For invalid labels, it returns an error and the
// default styles, so that the files can still be checked.
func CheckLabels(name string, labels []string) (Styles, error) {
	unnamed := StylesOf(nil)
	switch {
	case len(labels) == 0:
		return unnamed, nil
	case len(labels) < 2:
		return unnamed, userr.New(
			userr.BadInput, "the data set %q has 1 label: give at least two names, for style 0, style 1 and "+
				"so on", name,
		)
	}
	if len(labels) > MaxStyles {
		return unnamed, userr.New(userr.BadInput, "the data set %q has %d labels: at most %d styles are possible", name,
			len(labels), MaxStyles)
	}
	shown := lists.Map(labels, func(label string) string { return strings.TrimSpace(wording.Normal(label)) })
	for k, label := range shown {
		if label == "" || slices.Contains(shown[:k], label) {
			return unnamed, userr.New(
				userr.BadInput, "the labels %q of the data set %q must be different names, none of them empty", labels, name,
			)
		}
	}
	for _, label := range labels {
		if c := wording.Control(label); c >= 0 {
			return unnamed, userr.New(
				userr.BadInput, "the label %q of the data set %q contains the control character %U, which no "+
					"table can show: remove it",
				label, name, c,
			)
		}
	}
	return StylesOf(labels), nil
}

// numbered returns the labels "0", "1" and so on for the styles that have a file of split s. It
// stops at the first style without a file. It returns nil if there are fewer than two styles or the
// folder cannot be read.
func numbered(dir string, s Split) (labels []string) {
	for style := range MaxStyles + 1 {
		if _, err := os.Stat(filepath.Join(dir, FileName(s, style))); err != nil {
			break
		}
		labels = append(labels, strconv.Itoa(style))
	}
	if len(labels) < 2 {
		return nil
	}
	return labels
}

// checkFolder returns an error if the folder is missing, lacks files, or has files of more styles
// than the data set. It also returns the names of the missing files.
func checkFolder(dir, name string, styles Styles, splits []Split) (missing []string, err error) {
	if dir == "" {
		return nil, userr.New(
			userr.BadInput, "the data set %q has no folder: set dir to the folder that contains train.0.txt "+
				"and the others",
			name,
		)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(
			userr.BadInput,
			"the folder %q of the data set %q does not exist: correct dir, or put {train,dev,test}.{0,1}.txt there",
			dir, name,
		)
	case err != nil:
		return nil, userr.New(
			userr.BadInput, "the folder %q of the data set %q cannot be read (%w): correct dir or its permissions", dir,
			name, files.Cause(err),
		)
	case !info.IsDir():
		return nil, userr.New(
			userr.BadInput, "%q of the data set %q is a file: dir must name the folder that contains "+
				"{train,dev,test}.{0,1}.txt",
			dir, name,
		)
	}
	for _, s := range splits {
		for style := range styles {
			if _, err := os.Stat(filepath.Join(dir, FileName(s, style))); errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, FileName(s, style))
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, FileName(Train, styles.N()))); err == nil {
		return nil, userr.New(
			userr.BadInput,
			"the folder %q of the data set %q contains %s, but the data set has only %s: name that style too, "+
				"or remove its files",
			dir, name, FileName(Train, styles.N()), wording.Count(styles.N(), "label"),
		)
	}
	if len(missing) > 0 {
		return missing, userr.New(
			userr.BadInput, "the folder %q of the data set %q lacks %s: add each with one sentence per line",
			dir, name, strings.Join(missing, ", "),
		)
	}
	return nil, nil
}

// Save writes the data set to dir in the layout that Load reads, and creates dir if needed. If
// splits are given, Save writes only the files of these splits, and references only if Test is
// among the splits. Each file is complete or absent.
func (d *Dataset) Save(dir string, splits ...Split) error {
	if len(splits) == 0 {
		splits = Splits[:]
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making %q: %w", dir, err)
	}
	for _, s := range splits {
		for style, sentences := range d.Text[s] {
			if err := WriteLines(filepath.Join(dir, FileName(s, style)), sentences); err != nil {
				return err
			}
		}
	}
	if !d.HasRefs() || !slices.Contains(splits, Test) {
		return nil
	}
	for direction, refs := range d.References() {
		if err := WriteLines(filepath.Join(dir, RefName(d.Labels, direction)), refs); err != nil {
			return err
		}
	}
	return nil
}

// WriteLines writes one sentence per line, words joined by one space, as ReadLines reads them. The
// file is complete or absent. An empty sentence becomes an empty line, which ReadLines refuses.
func WriteLines(path string, sentences []Sentence) error {
	return files.Write(path, func(w io.Writer) error {
		for _, words := range sentences {
			if _, err := io.WriteString(w, strings.Join(words, " ")+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

// ExtraName returns the name of the file with further training sentences of a style:
// "train_extra.0.txt".
func ExtraName(style int) string { return fmt.Sprintf("train_extra.%d.txt", style) }

// ReadExtra reads train_extra.0.txt, train_extra.1.txt, ... from dir, as strictly as Load reads
// train.0.txt. Every style must have such a file. The error has one line per faulty or missing
// file. The text is returned by style.
func ReadExtra(dir string, styles Styles) (text [][]Sentence, err error) {
	text = make([][]Sentence, styles.N())
	errs := make([]error, styles.N())
	for style := range styles {
		path := filepath.Join(dir, ExtraName(style))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			errs[style] = userr.New(
				userr.BadInput, "train_extra needs %s, which the folder %q lacks: add it with one sentence "+
					"per line, or remove train_extra", ExtraName(style), dir,
			)
			continue
		}
		if text[style], errs[style] = ReadLines(path); errs[style] == nil {
			errs[style] = checkWords(path, text[style])
		}
	}
	return text, errors.Join(errs...)
}

// AddExtra appends training sentences, given by style, to those of the data set.
func (d *Dataset) AddExtra(text [][]Sentence) {
	for style, sentences := range text {
		d.Text[Train][style] = append(d.Text[Train][style], sentences...)
	}
}
