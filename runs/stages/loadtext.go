package stages

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// inputsOf returns the names of the two inputs with the sentences of a split and with their masks.
// Test sentences have an input of their own, so a stage without this input cannot read them.
func inputsOf(split corpus.Split) (text, masks string) {
	if split == corpus.Test {
		return "test", "test-mask"
	}
	return "prepare", "mask"
}

// dataset reads one or more splits of the data set.
func dataset(job *stage.Job, splits ...corpus.Split) (*corpus.Dataset, error) {
	of := map[string][]corpus.Split{}
	for _, split := range splits {
		input, _ := inputsOf(split)
		of[input] = append(of[input], split)
	}
	var all *corpus.Dataset
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
		d, err := corpus.Load(dir, counts.Name, counts.Labels, splits...)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = corpus.NewDataset(d.Name, d.Labels)
		}
		for _, split := range splits {
			all.Text[split] = d.Text[split]
		}
		if d.HasRefs() {
			all.Refs = d.Refs
		}
	}
	return all, nil
}

// text is a data set with its vocabulary.
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

// The method encoded returns the ids of the sentences of a split: style 0 in the order of its file,
// then style 1, and so on.
func (t *text) encoded(s corpus.Split) corpus.Encoded {
	return t.Encode(s, t.vocab)
}

// sentences returns the words of the sentences of a split, in the same order as the method
// "encoded".
func sentences(d *corpus.Dataset, s corpus.Split) [][]string {
	return slices.Concat(d.Text[s]...)
}

// sources returns, for each direction, the sentences of a split that are to be rewritten.
func sources(d *corpus.Dataset, s corpus.Split, directions []corpus.Direction) [][]corpus.Sentence {
	return lists.Map(directions, func(of corpus.Direction) []corpus.Sentence { return d.Text[s][of.From] })
}

// directionsOr returns the chosen directions, or all if none is chosen.
func directionsOr(chosen []corpus.Direction, styles corpus.Styles) []corpus.Direction {
	if len(chosen) > 0 {
		return chosen
	}
	return styles.Directions()
}

// classes returns the number of classes of a classifier, which is the number of styles. For two
// styles it returns 0, the default.
func (t *text) classes() int {
	if n := t.Labels.N(); n > 2 {
		return n
	}
	return 0
}

// encodeOutputs returns the ids of outputs. An empty output becomes one unknown word, so that the
// networks have an input.
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

// byStyle splits a list by style. The list must have one entry for each sentence from the method
// "encoded", in the same order.
func byStyle[T any](t *text, s corpus.Split, all []T) [][]T { return cutLike(t.Text[s], all) }

// byDirection splits a list by direction. The list must have one entry for each sentence from the
// function "sources", in the same order.
func byDirection[T any](t *text, s corpus.Split, directions []corpus.Direction, all []T) [][]T {
	return cutLike(sources(t.Dataset, s, directions), all)
}

// cutLike splits a list into consecutive parts, which are as long as the given parts.
func cutLike[T any](parts [][]corpus.Sentence, all []T) [][]T {
	return lists.Map(parts, func(part []corpus.Sentence) []T {
		n := len(part)
		first := all[:n:n]
		all = all[n:]
		return first
	})
}

func progress(job *stage.Job, what string) func(done, total int, note string) {
	return func(done, total int, note string) {
		job.Progress(done, total, cmp.Or(note, what))
	}
}

// OutputName returns the name of the file, in a transfer's folder, with the outputs of a direction.
func OutputName(styles corpus.Styles, d corpus.Direction) string {
	return "output." + styles.Mark(d) + ".txt"
}

// MaskedName returns the name of the file, in a transfer's folder, with the masked sources of a
// direction.
func MaskedName(styles corpus.Styles, d corpus.Direction) string {
	return "masked." + styles.Mark(d) + ".txt"
}
