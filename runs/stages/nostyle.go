package stages

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// NoStyle writes the dev or the test sentences of a data set that have none of the styles. Nothing
// trains on them, and they are apart from the other sentences so that these keep their identities.
const NoStyle stage.Name = "no-style"

var noStyleStage = stage.Definition{
	Name: NoStyle, Version: 1, Inputs: "",
	Files: "`dev.none.txt` or `test.none.txt`, `counts.json`; `reference.none-{0,1}.txt` of test sentences with " +
		"references",
	Run: of(noStyle),
}

// The inputs of stages that read sentences of no style, and their masks.
const noStyleInput, noStyleMaskInput = "no-style", "no-style-mask"

// NoStyleSettings has the hashes of the source files; where they lie is the source "dir".
type NoStyleSettings struct {
	Name   string            `json:"name"`
	Labels []string          `json:"labels"` // always there
	Split  string            `json:"split"`  // dev or test
	Hashes map[string]string `json:"hashes"` // name of a file -> sha256 in hex
}

// noStyle copies the sentences, checked, and their references.
func noStyle(_ context.Context, job *stage.Job, s NoStyleSettings) error {
	d := corpus.NewDataset(s.Name, s.Labels)
	split := corpus.Dev
	if s.Split == corpus.Test.String() {
		split = corpus.Test
	}
	if err := d.LoadNoStyle(job.Sources["dir"], split); err != nil {
		return err
	}
	if err := d.SaveNoStyle(job.Dir, split); err != nil {
		return err
	}
	return writeJSON(job.Dir, "counts.json", Counts{
		Name: d.Name, Labels: d.Labels, Sentences: map[string][]int{s.Split: {len(d.NoStyle[split])}},
		References: split == corpus.Test && d.HasRefs(),
	})
}

// eachStyle repeats the sentences of no style of a split, once for each style that they are to
// have.
func eachStyle(d *corpus.Dataset, split corpus.Split) [][]corpus.Sentence {
	return slices.Repeat([][]corpus.Sentence{d.NoStyle[split]}, d.Labels.N())
}

// encodedNoStyle returns the sentences of no style of a split that are to be rewritten: for each
// style in order all of them.
func (t *text) encodedNoStyle(split corpus.Split) (e corpus.Encoded) {
	all := t.NoStyle[split]
	ids, kept := t.vocab.EncodeAll(all), corpus.NeverMasked(all)
	for to := range t.Labels {
		e.IDs, e.Kept = append(e.IDs, ids...), append(e.Kept, kept...)
		e.Styles = append(e.Styles, slices.Repeat([]int{corpus.NoStyle}, len(all))...)
		e.Asked = append(e.Asked, slices.Repeat([]int{to}, len(all))...)
	}
	return e
}

// askedNoStyle is asked of directions from no style.
func (t *text) askedNoStyle(job *stage.Job, split corpus.Split, directions []corpus.Direction) (
	d corpus.Encoded, words [][]string, err error,
) {
	all := t.encodedNoStyle(split)
	all.Masks, err = policy.ReadSplitMasks(job.Inputs[noStyleMaskInput], split, eachStyle(t.Dataset, split))
	if err != nil {
		return d, nil, err
	}
	var rows []int
	for i, to := range all.Asked {
		if slices.Contains(directions, corpus.Direction{From: corpus.NoStyle, To: to}) {
			rows = append(rows, i)
		}
	}
	return all.Pick(rows), slices.Concat(sources(t.Dataset, split, directions)...), nil
}

// againstRest has sentences of no style rewritten against all styles but the one asked for.
func againstRest(s TransferSettings) TransferSettings {
	s.Guided.AgainstRest = s.Decoding == recipe.GuidedDecoding
	return s
}

// readsSource refuses a model, in a folder, and a way to score words that need the style of a
// source.
func readsSource(model string, a AttributionSettings) error {
	var codes recipe.ControlCodes
	if err := readJSON(model, "model.json", &codes); err != nil {
		return err
	}
	why := ""
	switch {
	case codes.SourceToken:
		why = "smlm.source_token"
	case a.Method.ByGradients() && a.AttrTarget == policy.Loss:
		why = "masking.attr_target = loss"
	default:
		return nil
	}
	return userr.New(userr.BadInput, "these models read the style of a source (%s), so every source must have one: name it",
		why)
}

// apart returns the directions from no style behind those between styles, each in order.
func apart(directions []corpus.Direction) (styled, none []corpus.Direction) {
	styled = lists.Where(directions, func(d corpus.Direction) bool { return d.From != corpus.NoStyle })
	none = lists.Where(directions, func(d corpus.Direction) bool { return d.From == corpus.NoStyle })
	return styled, none
}

// loadNoStyleText reads the sentences of no style of a split alone, and the vocabulary.
func loadNoStyleText(job *stage.Job, split corpus.Split) (*text, error) {
	var counts Counts
	if err := readJSON(job.Inputs[noStyleInput], "counts.json", &counts); err != nil {
		return nil, err
	}
	d := corpus.NewDataset(counts.Name, counts.Labels)
	if err := loadNoStyle(job, d, []corpus.Split{split}); err != nil {
		return nil, err
	}
	v, err := corpus.LoadVocab(filepath.Join(job.Inputs["vocab"], "vocab.txt"))
	return &text{d, v}, err
}

// loadNoStyle adds the sentences of no style of some splits, where a stage reads them.
func loadNoStyle(job *stage.Job, d *corpus.Dataset, splits []corpus.Split) error {
	dir := job.Inputs[noStyleInput]
	if dir == "" {
		return nil
	}
	var counts Counts
	if err := readJSON(dir, "counts.json", &counts); err != nil {
		return err
	}
	for _, split := range splits {
		if counts.Sentences[split.String()] == nil {
			continue
		}
		if err := d.LoadNoStyle(dir, split); err != nil {
			return fmt.Errorf("reading the sentences of no style: %w", err)
		}
	}
	return nil
}
