package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
)

// The sides that the targets name.
const (
	nlgNew     = "nlg-eval, new: BLEU, METEOR, ROUGE-L, CIDEr"
	nlgKept    = "nlg-eval, kept: BLEU, METEOR, ROUGE-L, CIDEr"
	tstNew     = "ours, new: BLEU, naturalness, TST%"
	tstKept    = "ours, kept: BLEU, naturalness, TST%"
	usualTools = "nltk, sacrebleu, plain LM: METEOR, BLEU with an interval, perplexity"
	oursAll    = "ours: the report, METEOR, perplexity, all intervals"
)

// score compares the scoring of one system against its sources. nlg-eval is installed from its
// repository, not from a package index; its numbers are those of coco-caption's scorers, which the
// package pycocoevalcap has, and these are called as it calls them.
func (b *bench) score(ctx context.Context) error {
	path := filepath.Join(b.dir, "system.json")
	n := max(200, b.sized(transferSentences))
	system := newSyntheticSystem(n, 4)
	if err := system.Write(path); err != nil {
		return err
	}
	c := b.paper("classifier", 0)
	c.Task, c.Data = "score", path
	with := func(scorer string) benchCase { c.Scorer = scorer; return c }
	full, err := b.fullScoring(ctx, system)
	if err != nil {
		return err
	}
	t := b.table("scoring one system", fmt.Sprintf("%d outputs of 1 to 15 words against their sources. nlg-eval: its "+
		"scorers, coco-caption's, from pycocoevalcap, called as it calls them. New: scorers and models are made for the "+
		"system, as by a command line; kept: by a program that has scored another before. Its peak is without METEOR's "+
		"Java program. TST%% is that of the paper's Bi-LSTM. The last two have an LSTM language model, the default of "+
		"[lm], and %d resamples.", n, resamples),
		compareWidths, "", "median", "least-most", "peak memory", "faster than the first")
	for _, r := range []struct {
		key   string
		sides []side
	}{
		{"new", []side{theirs(nlgNew, with("coco_new")), ours(tstNew, with(ownNew))}},
		{"kept", []side{
			theirs(nlgKept, with("coco")), ours(tstKept, with(ownThree)),
			ours("ours, kept: the report of score", with(ownAll)),
		}},
		{"like", []side{
			theirs("nlg-eval, kept: BLEU, ROUGE-L, CIDEr", with("coco_three")),
			ours("ours: BLEU, ROUGE-L, CIDEr", with(ownLike)),
		}},
		{"bleu", []side{
			theirs("sacrebleu: BLEU", with("sacrebleu")), ours("ours: BLEU", with(ownBLEU)),
			theirs("nltk: BLEU", with("nltk")),
		}},
		{"full", []side{theirs(usualTools, full("full")), ours(oursAll, full(ownFull))}},
	} {
		got, err := b.compareRow(ctx, "score/"+r.key, row{Sides: sides(r.sides...)}, always(1))
		if err != nil {
			return err
		}
		t.addRow(got, 1)
		if err := agree(got); err != nil {
			return err
		}
	}
	return nil
}

// fullScoring returns the case of a scorer that has a language model too, and METEOR where there is
// a WordNet, whose words the system then has.
func (b *bench) fullScoring(ctx context.Context, text syntheticSystem) (func(scorer string) benchCase, error) {
	text, wordnet, err := text.InEnglish()
	if err != nil {
		return nil, err
	}
	c := b.paper("lm", len(text.Words))
	c.WordNet = wordnet
	if c.Data, err = b.write("lm", synthetic(1, reviews, c.Vocab, 1)); err != nil {
		return nil, err
	}
	if c, err = b.equal(ctx, c); err != nil {
		return nil, err
	}
	c.Task, c.Data = "score", filepath.Join(b.dir, "english.json")
	return func(scorer string) benchCase { c.Scorer = scorer; return c }, text.Write(c.Data)
}

// agree refuses a row whose sides find different BLEU, or perplexities: they would not have done
// the same work. The report of score has the mean of two directions, and nltk counts a sentence
// without any n-gram as one that misses an n-gram, so these two differ.
func agree(r *row) error {
	for _, s := range r.Sides {
		if s.Case.Scorer == ownAll || s.Case.Scorer == "nltk" {
			continue
		}
		got, want := s.Runs[0].Value, r.Sides[0].Runs[0].Value
		bound := map[bool]float64{false: 1e-3, true: 1e-6 * want}[s.Case.Model == "lm"] // perplexities are thousands
		if math.Abs(got-want) > bound {
			return fmt.Errorf("%s finds %.4f where %s finds %.4f", s.Name, got, r.Sides[0].Name, want)
		}
	}
	return nil
}
