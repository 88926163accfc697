package stages

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// inputsOf names the inputs that have the sentences of a split, and their masks. The test sentences
// are another stage's, so that what has no such input cannot read them.
func inputsOf(split corpus.Split) (text, masks string) {
	if split == corpus.Test {
		return "test", "test-mask"
	}
	return "prepare", "mask"
}

// dataset reads the splits given, one or more, of the data set.
func dataset(job *stage.Job, splits ...corpus.Split) (*corpus.Dataset, error) {
	of := map[string][]corpus.Split{}
	for _, split := range splits {
		input, _ := inputsOf(split)
		of[input] = append(of[input], split)
	}
	all := &corpus.Dataset{}
	for _, input := range slices.Sorted(maps.Keys(of)) {
		splits, dir := of[input], job.Inputs[input]
		if dir == "" {
			return nil, fmt.Errorf("a bug in smlm-exp: %s asks for %s sentences without the input %q",
				job.Name, splits[0], input)
		}
		var counts Counts
		if err := readJSON(dir, "counts.json", &counts); err != nil {
			return nil, err
		}
		d, err := corpus.Load(dir, counts.Name, counts.Labels[:], splits...)
		if err != nil {
			return nil, err
		}
		all.Name, all.Labels = d.Name, d.Labels
		for _, split := range splits {
			all.Text[split] = d.Text[split]
		}
		if d.HasRefs() {
			all.Refs = d.Refs
		}
	}
	return all, nil
}

// text is a data set and its vocabulary.
type text struct {
	*corpus.Dataset
	vocab *corpus.Vocab
}

func loadText(job *stage.Job, splits ...corpus.Split) (*text, error) {
	d, err := dataset(job, splits...)
	if err != nil {
		return nil, err
	}
	v, err := corpus.LoadVocab(filepath.Join(job.Inputs["vocab"], "vocab.txt"))
	if err != nil {
		return nil, err
	}
	return &text{d, v}, nil
}

// encoded returns the sentences of a split: style 0 in the order of its file, then style 1.
func (t *text) encoded(s corpus.Split) corpus.Encoded {
	return t.Encode(s, t.vocab)
}

// sentences returns the words of a split in the order of encoded's.
func sentences(d *corpus.Dataset, s corpus.Split) [][]string {
	return slices.Concat(d.Text[s][0], d.Text[s][1])
}

// encodeOutputs returns the ids of what a system wrote. To networks an output of no words is one
// unknown word.
func encodeOutputs(v *corpus.Vocab, outputs [][]string) [][]int64 {
	ids := v.EncodeAll(outputs)
	for i, row := range ids {
		if len(row) == 0 {
			ids[i] = []int64{corpus.UnkID}
		}
	}
	return ids
}

func tokens(rows [][]int64) int {
	n := 0
	for _, r := range rows {
		n += len(r)
	}
	return n
}

// byStyle cuts something that lies as labelled's items do back into its two styles.
func byStyle[T any](t *text, s corpus.Split, all []T) [2][]T {
	n := len(t.Text[s][0])
	return [2][]T{all[:n:n], all[n:]}
}

func progress(job *stage.Job, what string) func(done, total int, note string) {
	return func(done, total int, note string) {
		job.Progress(done, total, cmp.Or(note, what))
	}
}

func outputFile(dir, stem string, style int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.txt", stem, style))
}
