package data

import (
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// UnseenText is text of a data set that only judges read. Judges are classifiers that measure the
// style of outputs (metric TST% unseen).
type UnseenText struct {
	From   UnseenFrom
	Hashes []string // sha256 of the files that no model reads
	Folder string   // folder of another corpus, or ""
}

// LeastUnseen is the smallest number of sentences per style in an unseen text that is chosen
// automatically. A judge that is trained on fewer sentences is not reliable.
const LeastUnseen = 500

// findUnseen finds the unseen text that the data set asks for.
func (d *Set) findUnseen(of *experiment.Dataset) (err error) {
	switch {
	case of.Unseen == experiment.UnseenNone:
	case of.Unseen == experiment.UnseenAuto && of.Builtin != "":
		sums := corpus.DemoSums()
		d.Unseen = &UnseenText{From: UnseenGenerated}
		for style := range d.Labels {
			d.Unseen.Hashes = append(d.Unseen.Hashes, sums[corpus.MoreName(style)])
		}
	case of.Unseen == experiment.UnseenAuto:
		d.Unseen, err = d.chooseUnseen(of)
	default:
		if err := checkUnseen(of, of.Unseen, d.Labels); err != nil {
			return err
		}
		d.Unseen = &UnseenText{From: UnseenFolder, Folder: of.Unseen}
		for style := range d.Labels {
			hash, _, err := d.hashText(filepath.Join(of.Unseen, corpus.FileName(corpus.Train, style)))
			if err != nil {
				return err
			}
			d.Unseen.Hashes = append(d.Unseen.Hashes, hash)
		}
	}
	return err
}

// chooseUnseen chooses the unseen text. It tries three texts in this order: train_extra, the
// training sentences that max_train leaves out, and a share of the training text. It takes the
// first text that has at least LeastUnseen lines in every style. If no text has, it chooses none.
// Lines that the models also read are left out later, so the text may shrink below LeastUnseen.
func (d *Set) chooseUnseen(of *experiment.Dataset) (*UnseenText, error) {
	if !of.TrainExtra && len(lacking(of.Dir, d.Labels, corpus.ExtraName)) == 0 {
		if extra, fewest, err := d.extra(of); err != nil || fewest >= LeastUnseen {
			return extra, err
		}
	}
	fewestLeft, fewestAside := math.MaxInt, math.MaxFloat64
	for style := range d.Labels {
		lines := d.lines[corpus.FileName(corpus.Train, style)] + d.lines[corpus.ExtraName(style)]
		used := lines
		if of.MaxTrain > 0 {
			used = min(lines, of.MaxTrain)
		}
		fewestLeft = min(fewestLeft, lines-used)
		fewestAside = min(fewestAside, corpus.AsideShare*float64(used))
	}
	switch {
	case fewestLeft >= LeastUnseen:
		return &UnseenText{From: UnseenLeft}, nil
	case fewestAside >= LeastUnseen:
		return &UnseenText{From: UnseenShare}, nil
	}
	return nil, nil
}

// extra returns train_extra.{0,1}.txt as unseen text. The result "fewest" is the smallest number of
// lines of any style.
func (d *Set) extra(of *experiment.Dataset) (u *UnseenText, fewest int, err error) {
	u, fewest = &UnseenText{From: UnseenExtra}, math.MaxInt
	for style := range d.Labels {
		hash, lines, err := d.hashText(filepath.Join(of.Dir, corpus.ExtraName(style)))
		if err != nil {
			return nil, 0, err
		}
		u.Hashes, fewest = append(u.Hashes, hash), min(fewest, lines)
	}
	return u, fewest, nil
}

// lacking lists the files that are missing in a folder, which should have one file per style. The
// parameter "name" is a function that returns the name of a style's file.
func lacking(dir string, styles corpus.Styles, name func(style int) string) (files []string) {
	for style := range styles {
		if _, err := os.Stat(filepath.Join(dir, name(style))); err != nil {
			files = append(files, name(style))
		}
	}
	return files
}

// checkUnseen returns an error if a folder does not have training sentences of the same styles.
func checkUnseen(of *experiment.Dataset, dir string, styles corpus.Styles) error {
	train := func(style int) string { return corpus.FileName(corpus.Train, style) }
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
	return nil
}

// UnseenFrom says where an unseen text comes from.
type UnseenFrom string

// Values of UnseenFrom.
const (
	UnseenGenerated UnseenFrom = "generated"   // more sentences of the demo's grammar
	UnseenExtra     UnseenFrom = "train_extra" // train_extra.{0,1}.txt in the data set's folder
	UnseenLeft      UnseenFrom = "max_train"   // training sentences that max_train leaves out
	UnseenShare     UnseenFrom = "share"       // a share of the training text
	UnseenFolder    UnseenFrom = "folders"     // train.{0,1}.txt of another corpus
)

// SampleSeed is the seed with which max_train draws training sentences. It does not depend on the
// seeds of the models.
const SampleSeed = 1
