package stages

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Unseen is the stage that writes text for judges alone: no model, no other judge, and nothing that
// guides or selects reads it (docs/decisions/034). It has no inputs, so the graph of stages shows
// that its judges depend on no training text except the vocabulary, which is words without styles.
// It reads the models' text only to leave out equal sentences.
const Unseen stage.Name = "unseen"

var unseenStage = stage.Definition{
	Name: Unseen, Version: 1, Inputs: "",
	Files: "`train.{0,1}.txt`; `dev.{0,1}.txt`, which chooses the epoch; `counts.json` with `left_out`: sentences per " +
		"style that the models read too",
	Run: of(writeUnseen),
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

// UnseenSettings has the settings of Prepare, for the sentences that the models read, and the
// origin of the unseen ones.
type UnseenSettings struct {
	PrepareSettings
	From UnseenFrom `json:"from"`
	// UnseenHashes are the sha256 of the files that no model reads, in order: for each folder, the
	// source "unseen.K", one file per style. Those of a builtin corpus are of its generated text.
	UnseenHashes []string `json:"unseen_hashes,omitempty"`
}

// UnseenSource is the source with the k-th folder of other corpora.
func UnseenSource(k int) string { return fmt.Sprintf("unseen.%d", k) }

// writeUnseen writes the unseen text of a data set.
func writeUnseen(_ context.Context, job *stage.Job, s UnseenSettings) error {
	d, text, err := s.read(job)
	if err != nil {
		return err
	}
	switch s.From {
	case UnseenGenerated:
		text = d.MoreOfDemo()
	case UnseenExtra:
		text, err = corpus.ReadExtra(job.Sources["dir"], d.Labels)
	case UnseenFolders:
		var dirs []string
		for k := 0; job.Sources[UnseenSource(k)] != ""; k++ {
			dirs = append(dirs, job.Sources[UnseenSource(k)])
		}
		text, err = ReadOthers(dirs, d.Name, d.Labels)
	case UnseenLeft, UnseenShare: // returned by read
	default:
		err = fmt.Errorf("a bug in smlm-exp: an unseen text is from %q", s.From)
	}
	if err != nil {
		return err
	}
	unseen, leftOut := d.Unseen(text)
	return copyData(job, unseen, leftOut, corpus.Train, corpus.Dev)
}

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
