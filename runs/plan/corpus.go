package plan

import (
	"errors"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// loadCorpus reads the corpus and hashes its files.
func (d *Data) loadCorpus(of *experiment.Dataset) (*corpus.Dataset, error) {
	if of.Builtin != "" {
		set := corpus.Demo()
		if len(of.Labels) == 2 {
			set.Labels = [2]string{of.Labels[0], of.Labels[1]}
		}
		for style := range 2 {
			for _, split := range corpus.Splits {
				d.Hashes[corpus.FileName(split, style)] = hashSentences(set.Text[split][style])
			}
			if set.HasRefs() {
				d.Hashes[corpus.RefName(style)] = hashSentences(set.Refs[style])
			}
		}
		return set, nil
	}
	set, err := corpus.Load(of.Dir, of.Name, of.Labels)
	err = placed(of, "dir", err)
	var extra [2][]corpus.Sentence
	if of.TrainExtra {
		var wrong error
		extra, wrong = corpus.ReadExtra(of.Dir)
		err = errors.Join(err, placed(of, "train_extra", wrong))
	}
	if err != nil {
		return nil, err
	}
	set.AddExtra(extra)
	for style := range 2 {
		names := []string{
			corpus.FileName(corpus.Train, style), corpus.FileName(corpus.Dev, style),
			corpus.FileName(corpus.Test, style),
		}
		if set.HasRefs() {
			names = append(names, corpus.RefName(style))
		}
		if of.TrainExtra {
			names = append(names, corpus.ExtraName(style))
		}
		for _, name := range names {
			if d.Hashes[name], err = d.hash(filepath.Join(of.Dir, name), hashFile); err != nil {
				return nil, err
			}
		}
	}
	return set, nil
}

// placed says where the experiment file has the key for which a folder cannot be taken; what is
// wrong in a file there has the place in that file.
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
