package stages

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Unseen is the stage that writes the unseen text, on which the judges of the metric TST% unseen
// are trained (docs/decisions/034). No model, no other judge, and nothing that guides or selects
// reads this text. The stage has no inputs, so the graph of stages shows that its judges depend
// only on the unseen text and on the vocabulary, which has words but no styles. The stage reads the
// text of the models only to leave out sentences that are in both texts.
const Unseen stage.Name = "unseen"

var unseenStage = stage.Definition{
	Name: Unseen, Version: 1,
	Settings: func(p stage.Point) any {
		u := p.Data().Unseen
		return unseenSettings{PrepareSettings: prepareSettings(p), From: u.From, UnseenHashes: u.Hashes}
	},
	Sources: func(p stage.Point) map[string]string {
		sources := union(folderOf(p))
		if dir := p.Data().Unseen.Folder; dir != "" {
			sources[unseenSource] = dir
		}
		return sources
	},
	Files: "`train.{0,1}.txt`; `dev.{0,1}.txt`, which chooses the epoch; `counts.json`, also with `left_out`: how many " +
		"sentences of each style were left out because the models read them too",
	Run: of(writeUnseen),
}

// unseenSettings has the origin of the unseen text. It also has the settings of Prepare, which
// determine the sentences that the models read.
type unseenSettings struct {
	PrepareSettings
	From data.UnseenFrom `json:"from"`
	// UnseenHashes are the sha256 of the files that no model reads, one per style. A builtin corpus
	// has the hashes of its generated text.
	UnseenHashes []string `json:"unseen_hashes,omitempty"`
}

// unseenSource is the key in Job.Sources of the folder with another corpus.
const unseenSource = "unseen"

// writeUnseen writes the unseen text of a data set.
func writeUnseen(_ context.Context, job *stage.Job, s unseenSettings) error {
	d, text, err := s.read(job)
	if err != nil {
		return err
	}
	switch s.From {
	case data.UnseenGenerated:
		text = d.MoreOfDemo()
	case data.UnseenExtra:
		text, err = corpus.ReadExtra(job.Sources["dir"], d.Labels)
	case data.UnseenFolder:
		var other *corpus.Dataset
		if other, err = corpus.Load(job.Sources[unseenSource], d.Name, d.Labels, corpus.Train); err == nil {
			text = other.Text[corpus.Train]
		}
	case data.UnseenLeft, data.UnseenShare: // s.read has returned this text
	default:
		err = fmt.Errorf("a bug in smlm-exp: an unseen text is from %q", s.From)
	}
	if err != nil {
		return err
	}
	unseen, leftOut := d.Unseen(text)
	for style, dev := range unseen.Text[corpus.Dev] {
		if len(dev) == 0 {
			return userr.New(userr.BadInput, "datasets.%s.unseen: of the %s in the style %s, fewer than two different ones "+
				`are neither training nor dev sentences: name a text that the models do not read, or "none"`, s.Name,
				wording.Count(len(text[style]), "sentence"), d.Labels[style])
		}
	}
	return copyData(job, unseen, leftOut, corpus.Train, corpus.Dev)
}
