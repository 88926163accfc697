package cli

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// check refuses flags that do not go together, and fills in the styles' names.
func (o *options) check() error {
	if len(o.labels) == 0 {
		o.labels = []string{"0", "1"}
	}
	for _, f := range []struct {
		name  string
		files []string
	}{{"source", o.sources}, {"output", o.outputs}, {"label", o.labels}} {
		if len(f.files) != 2 {
			return userr.New(
				userr.BadInput, "--%s is needed twice, for style 0 and then for style 1, and is given %s", f.name,
				wording.Count(len(f.files), "time"),
			)
		}
	}
	if o.labels[0] == o.labels[1] {
		return userr.New(userr.BadInput, "--label gives %q to both styles: name them differently", o.labels[0])
	}
	for _, label := range o.labels {
		if c := wording.Control(label); c >= 0 {
			return userr.New(
				userr.BadInput, "--label is %q, with the control character %U, which no table can show: take it out", label, c,
			)
		}
	}
	if len(o.references)%2 != 0 {
		return userr.New(
			userr.BadInput,
			"--reference is needed twice a reference set, for style 0 and then for style 1, and is given %s",
			wording.Count(len(o.references), "time"),
		)
	}
	if len(o.against) != 0 && len(o.against) != 2 {
		return userr.New(
			userr.BadInput, "--against is needed twice, for style 0 and then for style 1, and is given %s",
			wording.Count(len(o.against), "time"),
		)
	}
	if o.vocab != "" && o.classifier == "" && o.lm == "" {
		return userr.New(
			userr.BadInput, "--vocab means nothing without --classifier or --lm: give one of them or leave it out",
		)
	}
	if err := checkResamples(o.resamples); err != nil {
		return err
	}
	return Known("--format", append(slices.Clone(table.Formats), "json"), o.format)
}

// read fills the direction from style k.
func (o *options) read(in *metrics.Input, k int) (err error) {
	in.From, in.To, in.Target = o.labels[k], o.labels[1-k], 1-k
	if in.Source, err = corpus.ReadLines(o.sources[k]); err != nil {
		return err
	}
	if in.Output, err = readAligned(corpus.ReadOutputs, o.outputs[k], o.sources[k], len(in.Source)); err != nil {
		return err
	}
	for i := k; i < len(o.references); i += 2 {
		set, err := readAligned(corpus.ReadLines, o.references[i], o.sources[k], len(in.Source))
		if err != nil {
			return err
		}
		in.References = append(in.References, set)
	}
	return nil
}

// readAligned reads a file whose line i belongs to line i of the sources.
func readAligned(
	read func(path string) ([]corpus.Sentence, error), path, sources string, n int,
) ([]corpus.Sentence, error) {
	lines, err := read(path)
	if err != nil {
		return nil, err
	}
	if len(lines) != n {
		return nil, userr.New(
			userr.BadInput, "%q has %d lines and %q has %d: line i of one must belong to line i of the other", path,
			len(lines), sources, n,
		)
	}
	return lines, nil
}
