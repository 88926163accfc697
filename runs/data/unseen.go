package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// UnseenText is text of a data set that only a judge reads.
type UnseenText struct {
	Sizes   []int // number of sentences by style, with the dev part
	From    UnseenFrom
	Hashes  []string        // sha256 of the files that no model reads
	Folders []string        // folders of other corpora
	read    *corpus.Dataset // only while the data set is read
}

// LeastUnseen is the smallest number of sentences per style in an unseen text that is chosen
// automatically. A judge of fewer says little.
const LeastUnseen = 500

// sample reduces the training sentences to max_train and finds the unseen text.
func (d *Set) sample(of *experiment.Dataset, set *corpus.Dataset) error {
	left := set.Sample(of.MaxTrain, SampleSeed)
	switch word, folders := of.UnseenText(); {
	case word == experiment.UnseenNone:
	case word == experiment.UnseenAuto && of.Builtin != "":
		text := set.MoreOfDemo()
		d.takeUnseen(set, text, &UnseenText{From: UnseenGenerated, Hashes: hashesOf(text)})
	case word == experiment.UnseenAuto:
		return d.findUnseen(of, set, left)
	case word == experiment.UnseenExtra:
		if lacks := lacking(of.Dir, set.Labels, corpus.ExtraName); len(lacks) > 0 {
			return wrong(of, "unseen", "the folder %q lacks %s: add it with one sentence per line, or name "+
				"another text",
				of.Dir, strings.Join(lacks, ", "))
		}
		text, hashes, err := d.readExtra(of, set.Labels)
		if err != nil {
			return err
		}
		return d.askUnseen(of, set, text, &UnseenText{From: UnseenExtra, Hashes: hashes})
	default:
		if err := checkOthers(of, folders, set.Labels); err != nil {
			return err
		}
		text, err := ReadOthers(folders, d.Name, set.Labels)
		if err != nil {
			return err
		}
		u := &UnseenText{From: UnseenFolders, Folders: folders}
		for _, dir := range folders {
			for style := range set.Labels {
				hash, err := d.hash(filepath.Join(dir, corpus.FileName(corpus.Train, style)), hashFile)
				if err != nil {
					return err
				}
				u.Hashes = append(u.Hashes, hash)
			}
		}
		return d.askUnseen(of, set, text, u)
	}
	return nil
}

// findUnseen takes the first text that has LeastUnseen sentences in every style: train_extra, what
// max_train leaves over, or a share of the training text. If none has, there is no unseen text.
func (d *Set) findUnseen(of *experiment.Dataset, set *corpus.Dataset, left [][]corpus.Sentence) error {
	if !of.TrainExtra && len(lacking(of.Dir, set.Labels, corpus.ExtraName)) == 0 {
		text, hashes, err := d.readExtra(of, set.Labels)
		if err != nil {
			return err
		}
		if d.takeUnseen(set, text, &UnseenText{From: UnseenExtra, Hashes: hashes}) >= LeastUnseen {
			return nil
		}
	}
	if d.takeUnseen(set, left, &UnseenText{From: UnseenLeft}) >= LeastUnseen {
		return nil
	}
	stay, aside := set.SetAside()
	all := set.Text[corpus.Train]
	set.Text[corpus.Train] = stay
	if d.takeUnseen(set, aside, &UnseenText{From: UnseenShare}) >= LeastUnseen {
		return nil
	}
	set.Text[corpus.Train], d.Unseen = all, nil
	return nil
}

// suspectUnseen warns if many test sentences are in the unseen text. Every corpus has a few.
func (d *Set) suspectUnseen(set *corpus.Dataset) {
	u := d.Unseen
	if u == nil {
		return
	}
	both := corpus.NewDataset(set.Name, set.Labels)
	both.Text[corpus.Test] = set.Text[corpus.Test]
	both.AddExtra(u.read.Text[corpus.Train])
	both.AddExtra(u.read.Text[corpus.Dev])
	if in := testOverlap(both, corpus.Train); in.Suspect() {
		d.warnOf("datasets."+d.Name, fmt.Sprintf("%d of %s are also in the unseen text, so the judge of "+
			"TST%% unseen knows them by heart: name another text with the key unseen, or remove them from it", in.Equal,
			wording.Count(in.Sentences, "test sentence")))
	}
	u.read = nil
}

// takeUnseen makes a text the unseen text if it has enough sentences in every style to train a
// judge. It returns the number of sentences of the style with the fewest.
func (d *Set) takeUnseen(set *corpus.Dataset, text [][]corpus.Sentence, u *UnseenText) int {
	unseen, _ := set.Unseen(text)
	fewest := -1
	for style := range set.Labels {
		n := len(unseen.Text[corpus.Train][style]) + len(unseen.Text[corpus.Dev][style])
		if len(unseen.Text[corpus.Dev][style]) == 0 { // fewer than two different sentences
			n = 0
		}
		u.Sizes = append(u.Sizes, n)
		if fewest < 0 || n < fewest {
			fewest = n
		}
	}
	if fewest > 0 {
		u.read, d.Unseen = unseen, u
	}
	return fewest
}

// askUnseen takes a text that the file names. It must have, for each style, at least two sentences
// that the models do not read.
func (d *Set) askUnseen(of *experiment.Dataset, set *corpus.Dataset, text [][]corpus.Sentence, u *UnseenText) error {
	d.takeUnseen(set, text, u)
	for style, n := range u.Sizes {
		if n == 0 {
			return wrong(of, "unseen", "of the %s in the style %s, fewer than two different ones "+
				`are neither training nor dev sentences: name a text that the models do not read, or "none"`, wording.Count(len(text[style]), "sentence"),
				set.Labels[style])
		}
	}
	return nil
}

// lacking lists the files, one per style, that a folder lacks.
func lacking(dir string, styles corpus.Styles, name func(style int) string) (files []string) {
	for style := range styles {
		if _, err := os.Stat(filepath.Join(dir, name(style))); err != nil {
			files = append(files, name(style))
		}
	}
	return files
}

// checkOthers returns an error if a folder does not have training sentences of the same styles.
func checkOthers(of *experiment.Dataset, folders []string, styles corpus.Styles) error {
	train := func(style int) string { return corpus.FileName(corpus.Train, style) }
	for _, dir := range folders {
		info, err := os.Stat(dir)
		switch lacks := lacking(dir, styles, train); {
		case err != nil:
			return missingFile(err, of, "unseen", dir)
		case !info.IsDir():
			return wrong(of, "unseen", "%q is a file: name a folder with %s, \"auto\" or \"none\"", dir,
				strings.Join(lacks, ", "))
		case len(lacks) > 0:
			return wrong(of, "unseen", "the folder %q lacks %s: add it with one sentence per line, or name "+
				"another folder",
				dir, strings.Join(lacks, ", "))
		}
		if _, err := os.Stat(filepath.Join(dir, train(styles.N()))); err == nil {
			return wrong(of, "unseen", "the folder %q contains %s, but the data set has %d styles: name a "+
				"corpus in the same styles",
				dir, train(styles.N()), styles.N())
		}
	}
	return nil
}

// readExtra reads and hashes train_extra.{0,1}.txt.
func (d *Set) readExtra(of *experiment.Dataset, styles corpus.Styles) (
	text [][]corpus.Sentence, hashes []string, err error,
) {
	if text, err = corpus.ReadExtra(of.Dir, styles); err != nil {
		return nil, nil, err
	}
	for style := range styles {
		hash, err := d.hash(filepath.Join(of.Dir, corpus.ExtraName(style)), hashFile)
		if err != nil {
			return nil, nil, err
		}
		hashes = append(hashes, hash)
	}
	return text, hashes, nil
}

func hashesOf(text [][]corpus.Sentence) (hashes []string) {
	for _, sentences := range text {
		hashes = append(hashes, hashSentences(sentences))
	}
	return hashes
}

// UnseenFrom says where an unseen text comes from.
type UnseenFrom string

// Values of UnseenFrom.
const (
	UnseenGenerated UnseenFrom = "generated"   // more sentences of the demo's grammar
	UnseenExtra     UnseenFrom = "train_extra" // train_extra.{0,1}.txt of the data set's folder
	UnseenLeft      UnseenFrom = "max_train"   // what max_train leaves over
	UnseenShare     UnseenFrom = "share"       // a share of the training text
	UnseenFolders   UnseenFrom = "folders"     // train.{0,1}.txt of other corpora
)

// SampleSeed draws the training sentences of a data set with max_train. It does not depend on the
// seeds of the models.
const SampleSeed = 1

// ReadOthers reads the training sentences of other corpora, one after the other. They must have the
// same styles.
func ReadOthers(dirs []string, name string, styles corpus.Styles) ([][]corpus.Sentence, error) {
	all := corpus.NewDataset(name, styles)
	for _, dir := range dirs {
		d, err := corpus.Load(dir, name, styles, corpus.Train)
		if err != nil {
			return nil, err
		}
		all.AddExtra(d.Text[corpus.Train])
	}
	return all.Text[corpus.Train], nil
}
