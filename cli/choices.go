package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"github.com/urfave/cli/v2"
)

// ratedFile is what human tally writes of sheets of human choices.
const ratedFile = "rated.csv"

// choicesOptions are the flags of human choices.
type choicesOptions struct {
	computing
	file           runs.File
	model, variant string
	readers, items int
	seed           uint64
	skip           []string
}

func choicesCommand(e *env) *cli.Command {
	o := &choicesOptions{}
	return leaf(&cli.Command{
		Name:      "choices",
		Usage:     "write blind sheets on which readers rate all outputs among which the ranker chooses",
		ArgsUsage: "FOLDER FILE",
		Description: describe("The shipped ranker of guided.ranked learned from readers of Yelp. These sheets collect "+
			"ratings for other data. FILE must have guided.ranked on and guided outputs of SMLM or SMLM-FT, whose "+
			"models are trained. The command draws dev sentences and writes each in all ways of guided.ranked. It "+
			"leaves out sentences that no way changes.\n\nFOLDER must be new or empty. It gets the files of `smlm-exp "+
			"human sheets`, for readers of the same rules; key.json also has the changed words and the numbers that the "+
			"ranker reads. When the sheets are filled in, run: smlm-exp human tally FOLDER; it writes "+ratedFile+
			", from which `smlm-exp human learn` fits a ranker and, named by ratings of the data set, a rater learns.",
			"smlm-exp human choices ../choices experiments.toml \\\n    --set guided.ranked=true --items 100",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: experimentFlags(&o.file, append([]cli.Flag{
			&cli.StringFlag{
				Name: "model", Usage: "`NAME`: smlm or smlm-ft, in any letter case (default: smlm-ft if the experiment has it)",
				Destination: &o.model,
			},
			&cli.StringFlag{
				Name: "variant", Usage: "`NAME` of the variant (default: the first one with guided.ranked)", Destination: &o.variant,
			},
			&cli.IntFlag{Name: "readers", Usage: "number `N` of sheets", Value: 2, Action: readersWithin, Destination: &o.readers},
			&cli.IntFlag{
				Name: "items", Usage: "number `N` of sentences for each direction", Value: 30, Action: atLeastOne("items"),
				Destination: &o.items,
			},
			&cli.Uint64Flag{
				Name: "seed", Usage: "seed `N` of the draw of sentences, orders and letters", Value: 1, Destination: &o.seed,
			},
			&cli.StringSliceFlag{
				Name: "skip", Action: into(&o.skip),
				Usage: "leave out the sentences in `FILE`, " + ratedFile + " or key.json of earlier sheets; may be repeated",
			},
		}, o.computing.flags()...)...),
		Action: action(func(ctx context.Context, args []string) error {
			return interrupted(exportChoices(ctx, e, o, args), nothing)
		}),
	})
}

// choiceNote is what the key of sheets says of an output.
type choiceNote struct {
	Source   uint32        `json:"source"` // guided.Checksum of its words
	Edits    []guided.Edit `json:"edits"`
	Features []float64     `json:"features"` // in the order of guided.FeatureNames
}

func exportChoices(ctx context.Context, e *env, o *choicesOptions, args []string) error {
	dir := args[0]
	s, set, err := e.openForReaders(dir, args[1], &o.file)
	if err != nil {
		return err
	}
	chosen, err := rewrite.Choice{Plan: s.Plan, WS: s.Workspace, Variant: o.variant, Model: o.model}.Ranked()
	if err != nil {
		return err
	}
	if !chosen.Only {
		fmt.Fprintf(e.stderr, "smlm-exp: using %s\n", chosen)
	}
	drawn, err := o.draw(chosen, s.Plan.Data[set].Directions)
	if err != nil {
		return err
	}
	request := stages.ChoicesRequest{Inputs: chosen.Request.Inputs, Settings: chosen.Request.Settings}
	request.Threads, request.Devices = o.computing.of(s.Experiment)
	for i := range drawn {
		request.Sentences = append(request.Sentences, drawn[i].dev)
	}
	found, err := e.backend.Choices(ctx, request)
	if err != nil {
		return err
	}
	var all []human.Outputs
	written := 0
	for i, of := range found {
		if len(of) == 0 {
			continue
		}
		out := drawn[i].Outputs
		for _, c := range of {
			note, err := json.Marshal(choiceNote{guided.Checksum(drawn[i].words), c.Edits, c.Features[:]})
			if err != nil {
				return err
			}
			out.Of, out.Notes = append(out.Of, strings.Join(c.Words, " ")), append(out.Notes, note)
		}
		all, written = append(all, out), written+len(of)
	}
	switch left := len(drawn) - len(all); {
	case len(all) == 0:
		return userr.New(userr.BadInput, "no way changes any of %s: draw others with --seed, or more with --items",
			wording.Count(len(drawn), "dev sentence"))
	case left > 0:
		fmt.Fprintf(e.stderr, "smlm-exp: left out %s of %d, because no way changes them\n", wording.Count(left, "sentence"), len(drawn))
	}
	if err := human.ExportSheets(ctx, dir, human.Reading{Dataset: set, Seed: o.seed}, all, o.readers); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s of %s with %s to %s; send each reader a sheet and %s, and keep key.json; when all "+
		"are filled in, run: smlm-exp human tally %s\n", wording.Count(o.readers, "sheet"), wording.Count(len(all), "sentence"),
		wording.Count(written, "output"), dir, human.SheetGuide, dir)
	return nil
}

// drawnSentence is a dev sentence that readers are to see.
type drawnSentence struct {
	human.Outputs // without outputs
	dev           stages.DevSentence
	words         []string
}

// draw draws dev sentences in the directions that have a source style.
func (o *choicesOptions) draw(c *rewrite.Chosen, directions []corpus.Direction) ([]drawnSentence, error) {
	directions = lists.Where(directions, func(d corpus.Direction) bool { return d.From != corpus.NoStyle })
	if len(directions) == 0 {
		return nil, userr.New(userr.BadInput, "human choices draws sentences that have a style, but all of "+
			"datasets.%s.directions are from none: add one from a style", c.Point.Point.Dataset)
	}
	skip, rated, err := o.skipped(fromEach(c.Labels, directions))
	if err != nil {
		return nil, err
	}
	var all []human.Outputs
	of := map[human.Sentence]drawnSentence{}
	for _, d := range directions {
		name := c.Labels.Name(d)
		file := corpus.FileName(corpus.Dev, d.From)
		sources, err := corpus.ReadLines(filepath.Join(c.Request.Inputs["prepare"], file))
		if err != nil {
			return nil, err
		}
		left := 0
		for i, words := range sources {
			s := human.Outputs{
				Sentence: human.SentenceOf(corpus.Dev.String(), name, i+1, words), Source: strings.Join(words, " "),
			}
			if rated.Has(name, words) {
				skip[s.Key()] = true
			}
			if all = append(all, s); !skip[s.Key()] {
				left++
			}
			of[s.Key()] = drawnSentence{s, stages.DevSentence{Direction: d, Line: i + 1}, words}
		}
		if left == 0 {
			return nil, userr.New(userr.BadInput, "--skip leaves no dev sentence from %s: skip fewer files", name)
		} else if left < o.items {
			return nil, userr.New(userr.BadInput, "--items is %d, but only %s from %s can be drawn: ask for fewer", o.items,
				wording.Count(left, "dev sentence"), name)
		}
	}
	return lists.Map(human.DrawOutputs(all, o.items, o.seed, skip), func(s human.Outputs) drawnSentence {
		return of[s.Key()]
	}), nil
}

// skipped reads which sentences readers had before.
func (o *choicesOptions) skipped(from [][]string) (map[human.Sentence]bool, guided.RatedSentences, error) {
	skip, read := map[human.Sentence]bool{}, guided.RatedSentences{}
	for _, path := range o.skip {
		if filepath.Ext(path) == ".json" {
			some, err := human.Skip(path, corpus.Dev.String(), from)
			if err != nil {
				return nil, nil, err
			}
			maps.Copy(skip, some)
			continue
		}
		rated, err := guided.ReadRated(path)
		if err != nil {
			return nil, nil, err
		}
		read.Add(rated)
	}
	return skip, read, nil
}

// tallyChoices writes what the sheets of human choices in a folder say of each output.
func tallyChoices(e *env, dir string) error {
	all, err := human.TallyChoices(dir)
	if err != nil {
		return err
	}
	var rated []guided.Rated
	for _, of := range all {
		var note choiceNote
		if err := json.Unmarshal(of.Note, &note); err != nil || len(note.Features) != len(guided.FeatureNames) {
			return userr.New(userr.BadInput, "the sheets in %q are of another version of smlm-exp, whose ranker reads other "+
				"numbers: write new ones with `smlm-exp human choices`", dir)
		}
		r := guided.Rated{Direction: of.Direction, Line: of.Line, Source: note.Source, Edits: note.Edits}
		copy(r.Features[:], note.Features)
		for s, given := range of.Scores {
			r.Scores[s] = lists.Map(given, func(score int) float64 { return float64(score) })
		}
		rated = append(rated, r)
	}
	path := filepath.Join(dir, ratedFile)
	if err := files.Update(path, func(w io.Writer) error { return guided.WriteRated(w, rated) }); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s to %s; for a rater, set ratings of the data set to this file, and guided.rated; to see how well "+
		"a ranker would choose, run: smlm-exp human learn %s\n",
		wording.Count(len(rated), "rated output"), path, path)
	return nil
}
