package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// noWordNet is the value of --wordnet that leaves METEOR out.
const noWordNet = "none"

// instruments reads what needs no network; of the word vectors only those of the words that occur.
func (o *options) instruments(systems ...*[2]metrics.Input) (metrics.Instruments, error) {
	var with metrics.Instruments
	for _, path := range o.naturalness {
		nat, err := naturalness.Load(path)
		if err != nil {
			return with, err
		}
		with.Naturalness = append(with.Naturalness, nat)
	}
	if o.vectors != "" {
		v, err := embedding.LoadOnly(o.vectors, wordsOf(systems))
		if err != nil {
			return with, err
		}
		with.Embedding = embedding.NewJudge(v, filepath.Base(o.vectors))
	}
	if o.wordnet == noWordNet {
		return with, nil
	}
	dir, ok := meteor.Find(o.wordnet)
	if !ok && o.wordnet == "" {
		return with, nil
	}
	if !ok {
		return with, userr.New(
			userr.BadInput,
			"--wordnet: there is no WordNet in %q: give the folder that has data.noun and index.noun, or none",
			o.wordnet,
		)
	}
	m, err := meteor.New(dir)
	if err != nil {
		return with, err
	}
	with.METEOR = m
	return with, nil
}

// wordsOf tells the words of sources and outputs.
func wordsOf(systems []*[2]metrics.Input) func(string) bool {
	known := map[string]bool{}
	for _, dirs := range systems {
		for k := range dirs {
			for _, sentences := range [][][]string{dirs[k].Source, dirs[k].Output} {
				for _, words := range sentences {
					for _, w := range words {
						known[w] = true
					}
				}
			}
		}
	}
	return func(word string) bool { return known[word] }
}

// judge fills in what the networks say of both directions' outputs, each asked once.
func judge(ctx context.Context, e *Env, o *options, dirs *[2]metrics.Input) error {
	if o.classifier == "" && o.lm == "" {
		return nil
	}
	torch, err := e.NeedTorch()
	if err != nil {
		return err
	}
	n, outputs := len(dirs[0].Output), slices.Concat(dirs[0].Output, dirs[1].Output)
	if o.classifier != "" {
		request, err := o.request(o.classifier, "classifier")
		if err != nil {
			return err
		}
		request.Sentences = outputs
		styles, err := torch.Classify(ctx, request)
		if err != nil {
			return err
		}
		for k, part := range [][]int{styles[:n], styles[n:]} {
			dirs[k].Predicted, dirs[k].Classifier = part, stages.JudgeName("bi-lstm", request.ID)
		}
	}
	if o.lm != "" {
		request, err := o.request(o.lm, "lm")
		if err != nil {
			return err
		}
		request.Sentences = outputs
		f, err := torch.Fluency(ctx, request)
		if err != nil {
			return err
		}
		dirs[0].Fluency = &metrics.Fluency{
			LogProb: f.LogProb[:n], Tokens: f.Tokens[:n], Unknown: f.Unknown[:n], Signature: f.Signature,
		}
		dirs[1].Fluency = &metrics.Fluency{
			LogProb: f.LogProb[n:], Tokens: f.Tokens[n:], Unknown: f.Unknown[n:], Signature: f.Signature,
		}
	}
	return nil
}

// warnOfTokens says on standard error where the files of one direction look tokenised or cased
// differently.
func warnOfTokens(e *Env, o *options, in, against *metrics.Input, k int) {
	say := func(path, warning string) {
		if warning != "" {
			fmt.Fprintf(e.Stderr, "smlm-exp: %s: %s\n", path, warning)
		}
	}
	say(o.outputs[k], metrics.Differ(in.Source, in.Output))
	if o.against != nil {
		say(o.against[k], metrics.Differ(in.Source, against.Output))
	}
	for i, set := range in.References {
		say(o.references[2*i+k], metrics.DifferReferences(in.Source, set))
	}
}
