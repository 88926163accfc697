package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// exampleSeed is the random seed for drawing the test sentences of examples. It is the same for
// every system and every run.
const exampleSeed = 1

// examples adds, for each data set and direction, the outputs of every system at the chosen sweep
// point. All systems have the same random sentences.
func (c *collector) examples() {
	if !c.out.wants("examples") {
		return
	}
	for _, set := range c.plan.Experiment.Datasets {
		p, which, ok := c.out.chosen.Example(set.Name, func(p stage.Point) bool {
			return slices.ContainsFunc(p.Models(), func(m stage.Point) bool {
				return c.done(c.plan.Get(stages.Transfer, m))
			})
		})
		if !ok {
			continue
		}
		rule := fmt.Sprintf("The sentences are drawn at random; the outputs on %s are those of %s.", set.Name, which)
		c.out.note([]string{onPage}, rule)
		c.out.exampleRules = append(c.out.exampleRules, rule)
		for k, d := range p.Data().Labels.Directions() {
			if p.Data().Asks(d) {
				c.direction(p, k, d)
			}
		}
	}
}

// direction adds the examples of a direction. The parameter k is the index of the direction among
// all directions between the styles.
func (c *collector) direction(p stage.Point, k int, asked corpus.Direction) {
	labels := p.Data().Labels
	sources := c.lines(c.plan.Get(stages.TestSet, p), corpus.FileName(corpus.Test, asked.From))
	rng := rand.New(rand.NewPCG(exampleSeed, uint64(k)))
	drawn := rng.Perm(len(sources))[:min(len(sources), c.plan.Experiment.Report.Examples)]
	slices.Sort(drawn)
	type system struct {
		name           string
		mask, transfer *plan.Stage
		masked, output []string
	}
	var systems []system
	for _, m := range p.Models() {
		transfer := c.plan.Get(stages.Transfer, m)
		if !c.done(transfer) {
			continue
		}
		s := system{
			name: c.plan.Get(stages.Score, m).Record().SystemName(),
			mask: transfer.Inputs["test-mask"], transfer: transfer,
		}
		s.output = c.lines(transfer, stages.OutputName(labels, asked))
		s.masked = c.lines(transfer, stages.MaskedName(labels, asked))
		if c.err != nil {
			return
		}
		if len(s.output) != len(sources) || len(s.masked) != len(sources) {
			c.err = fmt.Errorf("the files of %s do not have a line for each of the %d test sentences: run it again "+
				"with --force %s", transfer.Title(), len(sources), transfer.ID[:12])
			return
		}
		systems = append(systems, s)
	}
	for _, i := range drawn {
		for _, s := range systems {
			c.out.Examples = append(c.out.Examples, report.Example{
				Dataset: p.Dataset, From: labels[asked.From], To: labels[asked.To], System: s.name,
				Source: sources[i], Masked: s.masked[i], Output: s.output[i],
			})
			c.out.shown = append(c.out.shown, shownExample{
				row: len(c.out.Examples) - 1, mask: s.mask, transfer: s.transfer, direction: k, from: asked.From,
				line: i,
			})
		}
	}
}

// lines reads a text file of a finished stage. After an error it returns nil. A line may be empty,
// because a model may write nothing.
func (c *collector) lines(s *plan.Stage, name string) []string {
	if c.err != nil {
		return nil
	}
	path, err := c.ws.File(s, name)
	if err != nil {
		c.err = err
		return nil
	}
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%q is empty", path)
	}
	if err != nil {
		c.err = fmt.Errorf("reading the result of %s: %w", s.Title(), err)
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// originsOf caches where the words of outputs come from (their origins). For each transfer stage,
// it has the origins of every direction.
type originsOf map[*plan.Stage][][]*stages.Origins

// read returns the origins of the words in a finished transfer's outputs, by direction. It returns
// nil if the decoding is not guided.
func (o originsOf) read(ws *workspace.Workspace, transfer *plan.Stage, styles corpus.Styles) (
	[][]*stages.Origins, error,
) {
	if known, ok := o[transfer]; ok {
		return known, nil
	}
	if err := ws.Whole(transfer); err != nil {
		return nil, err
	}
	dir := ws.StageDir(transfer)
	outputs, err := stages.ReadTransfer(dir, styles)
	if err != nil {
		return nil, err
	}
	all, err := stages.ReadOrigins(dir, outputs)
	if err != nil {
		return nil, err
	}
	o[transfer] = all
	return all, nil
}

// Marks returns the origins of an output's words and of the deleted words, each with the source
// word at the same place.
func Marks(o *stages.Origins, source []string) []page.Origin {
	out := make([]page.Origin, len(o.Words))
	for k, w := range o.Words {
		out[k] = page.Origin{How: page.How(w.Origin), P: w.P}
		if w.Place >= 0 && w.Place < len(source) {
			out[k].Source = source[w.Place]
		}
	}
	return out
}

// Outputs returns the outputs of systems for every sentence of a split, dev or test, in all
// directions of the data set, so that readers can rate them.
func (r *Results) Outputs(systems []*System, split corpus.Split, data *data.Set) ([]human.Item, error) {
	var out []human.Item
	styles := data.Labels
	for _, asked := range data.Directions {
		written := make([][]corpus.Sentence, len(systems))
		var sources []corpus.Sentence
		for i, system := range systems {
			of, from, err := r.outputsOf(system, split, styles, asked)
			if err != nil {
				return nil, err
			}
			if written[i], sources = of, from; len(of) != len(from) {
				return nil, fmt.Errorf("%d outputs of %s for %d %s sentences", len(of), r.title([]*System{system}), len(from), split)
			}
		}
		for i, words := range sources {
			item := human.Item{
				Sentence: human.Sentence{Split: split.String(), Direction: styles.Name(asked), Line: i + 1},
				Source:   strings.Join(words, " "),
			}
			for _, of := range written {
				item.Outputs = append(item.Outputs, strings.Join(of[i], " "))
			}
			out = append(out, item)
		}
	}
	return out, nil
}

// outputsOf reads the outputs of a system in a direction, and the sources. Dev outputs exist only
// for trained models.
func (r *Results) outputsOf(of *System, split corpus.Split, styles corpus.Styles, asked corpus.Direction) (
	outputs, sources []corpus.Sentence, err error,
) {
	holds, transfer := of.score.Inputs["test"], (*plan.Stage)(nil)
	if split == corpus.Dev {
		if transfer = r.devTransfer(of); transfer == nil || !r.ws.Done(transfer) {
			return nil, nil, userr.New(userr.BadInput, "%s has no dev outputs: name systems that this experiment trains, "+
				"and run it", r.title([]*System{of}))
		}
		holds = transfer.Inputs["prepare"]
		var path string
		if path, err = r.ws.File(transfer, stages.OutputName(styles, asked)); err != nil {
			return nil, nil, err
		}
		outputs, err = corpus.ReadOutputs(path)
	} else {
		outputs, err = r.testOutputs(of, styles, asked)
	}
	if err != nil {
		return nil, nil, err
	}
	path, err := r.ws.File(holds, corpus.FileName(split, asked.From))
	if err != nil {
		return nil, nil, err
	}
	sources, err = corpus.ReadLines(path)
	return outputs, sources, err
}

// devTransfer returns the stage that writes the dev outputs of a system, or nil.
func (r *Results) devTransfer(of *System) *plan.Stage {
	return r.plan.Get(stages.Transfer, of.score.Points[0].With(corpus.Dev.String()))
}

// testOutputs reads the test outputs of a system in a direction.
func (r *Results) testOutputs(of *System, styles corpus.Styles, asked corpus.Direction) ([]corpus.Sentence, error) {
	path := of.score.Sources[strconv.Itoa(slices.Index(styles.Directions(), asked))]
	if transfer := of.score.Inputs["transfer"]; transfer != nil {
		var err error
		if path, err = r.ws.File(transfer, stages.OutputName(styles, asked)); err != nil {
			return nil, err
		}
	}
	if of.Kind == report.People {
		var err error
		if path, err = r.ws.File(of.score.Inputs["test"], corpus.RefName(styles, asked)); err != nil {
			return nil, err
		}
	}
	if path == "" {
		return nil, userr.New(userr.BadInput, "%s has no outputs of a system from %s: name a system that has "+
			"them", r.title([]*System{of}), styles.Name(asked))
	}
	return corpus.ReadOutputs(path)
}
