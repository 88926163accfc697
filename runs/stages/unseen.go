package stages

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Unseen writes text that only a judge reads: no model, nothing that guides or selects and no other
// judge (docs/decisions/034). Its stage has no inputs, so that the graph of stages shows that its
// judges rest on no training text but for the vocabulary, which is words without styles. What the
// models read it looks at only to leave equal sentences out.
const Unseen stage.Name = "unseen"

var unseenStage = stage.Definition{
	Name: Unseen, Version: 1, Inputs: "",
	Files: "`train.{0,1}.txt`; `dev.{0,1}.txt`, which chooses the epoch; `counts.json` with `left_out`: sentences per " +
		"style that the models read too",
	Run: of(writeUnseen),
}

// UnseenFrom says where an unseen text is from.
type UnseenFrom string

// Where it may be from.
const (
	UnseenGenerated UnseenFrom = "generated"   // more sentences of the demo's grammar
	UnseenExtra     UnseenFrom = "train_extra" // train_extra.{0,1}.txt of the data set's folder
	UnseenLeft      UnseenFrom = "max_train"   // what max_train leaves
	UnseenShare     UnseenFrom = "share"       // a share of the training text
	UnseenFolders   UnseenFrom = "folders"     // train.{0,1}.txt of other corpora
)

// UnseenSettings says which sentences the models read, as Prepare has it, and where others are.
type UnseenSettings struct {
	PrepareSettings
	From UnseenFrom `json:"from"`
	// UnseenHashes are the sha256 of the files that no model reads, in the order of reading: of
	// each folder, the source "unseen.K", a file a style. For a builtin they are of the text it
	// generates.
	UnseenHashes []string `json:"unseen_hashes,omitempty"`
}

// UnseenSource is the source of the k-th folder of other corpora.
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
	case UnseenLeft, UnseenShare: // beside the training text
	default:
		err = fmt.Errorf("a bug in smlm-exp: an unseen text is from %q", s.From)
	}
	if err != nil {
		return err
	}
	unseen, leftOut := d.Unseen(text)
	return copyData(job, unseen, leftOut, corpus.Train, corpus.Dev)
}

// ReadOthers reads the training sentences of other corpora, which must have as many styles as a
// data set, one corpus after the other.
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
