package cli

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/urfave/cli/v2"
)

// modelChoice says which trained models to use: those of an experiment that was run, or those in a
// packed file.
type modelChoice struct {
	file       runs.File // the path in it is not used
	experiment string    // file or name of an experiment
	model      string
	decoding   string
	variant    string
	to, from   string // labels of the target and source style; "" means the default of rewrite.Choice
	packed     string // path of a packed file; "" means an experiment
}

// flags returns the flags that choose the trained models of an experiment, followed by those in the
// list "more".
func (o *modelChoice) flags(more ...cli.Flag) []cli.Flag {
	return experimentFlags(&o.file, append([]cli.Flag{
		experimentFlag(&o.experiment, defaultFile),
		&cli.StringFlag{
			Name: "model", Destination: &o.model,
			Usage: "`NAME`: " + strings.Join(experiment.TransferModels, ", ") +
				", in any letter case (default: the one with the best dev outputs)",
		},
		&cli.StringFlag{
			Name: "decoding", Destination: &o.decoding,
			Usage: "decoding, `NAME`: copied, predicted or guided (default: the one with the best dev outputs)",
		},
		variantFlag(&o.variant),
	}, more...)...)
}

func variantFlag(name *string) cli.Flag {
	return &cli.StringFlag{Name: "variant", Usage: "`NAME` of the variant (default: the one with the best dev outputs)", Destination: name}
}

func packedFlag(file *string) cli.Flag {
	return &cli.StringFlag{
		Name: "packed", Usage: "`FILE` of a packed model to use instead of an experiment", Destination: file,
	}
}

// The method given returns the names of the flags that the user gave and that do not apply to a
// packed model.
func (o *modelChoice) given() []string {
	flags := givenOf(&o.file)
	if o.experiment != "" {
		flags = append([]string{"experiment"}, flags...)
	}
	for _, f := range []struct{ name, value string }{
		{"model", o.model}, {"decoding", o.decoding}, {"variant", o.variant},
	} {
		if f.value != "" {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// openPacked opens a packed model. given has the names of flags that do not apply to a packed model
// but were used. If there are any, openPacked returns an error.
func openPacked(file string, given []string) (*rewrite.Pack, error) {
	if len(given) > 0 {
		return nil, userr.New(userr.BadInput, "--packed and --%s cannot be combined, because a packed model "+
			"holds one choice already: leave one of them out",
			given[0])
	}
	return rewrite.Open(file)
}

// choose finds the models that the flags name. If the experiment has other models too, choose
// prints which ones are used.
func (o *modelChoice) choose(e *env) (*runs.Study, *rewrite.Chosen, error) {
	s, err := openExperiment(o.experiment, o.file)
	if err != nil {
		return nil, nil, err
	}
	found, onDev, err := o.chosen(s)
	if err != nil {
		return nil, nil, err
	}
	if !found.Only {
		why := ", which dev outputs have not chosen"
		if onDev {
			why = ""
		}
		fmt.Fprintf(e.stderr, "smlm-exp: using %s%s\n", found, why)
	}
	return s, found, nil
}

// The method chosen returns the model with the best dev outputs among those that the flags allow,
// and true. If dev outputs have chosen none, it returns the default model, and false.
func (o *modelChoice) chosen(s *runs.Study) (found *rewrite.Chosen, onDev bool, err error) {
	choice := rewrite.Choice{
		Plan: s.Plan, WS: s.Workspace, Variant: o.variant, Model: o.model, To: o.to, From: o.from, Decoding: o.decoding,
	}
	model, onDev, err := results.ChosenModel(s.Plan, s.Workspace, choice.Fits)
	if err == nil && !onDev {
		model, err = choice.Default()
	}
	if err != nil {
		return nil, false, err
	}
	asked, err := choice.Asked(model)
	if err != nil {
		return nil, false, err
	}
	found, err = choice.At(model, asked)
	return found, onDev, err
}

// find returns the chosen models of a packed file or of an experiment.
func (o *modelChoice) find(e *env, with computing) (*rewrite.Rewriting, error) {
	if o.packed == "" {
		s, found, err := o.choose(e)
		if err != nil {
			return nil, err
		}
		found.Request.Threads, found.Request.Devices = with.of(s.Experiment)
		verdict, err := results.VerdictOf(s.Plan, s.Workspace, found.Model)
		if err == nil && verdict != nil && !verdict.Works {
			fmt.Fprintf(e.stderr, "smlm-exp: %s\n", verdict.Text)
		}
		return &found.Rewriting, err
	}
	p, err := openPacked(o.packed, o.given())
	if err != nil {
		return nil, err
	}
	asked, err := rewrite.DirectionOf(o.from, o.to, p.Manifest.Name, p.Manifest.Labels)
	if err != nil {
		_ = p.Close() // nothing can be lost, because the file was only read
		return nil, err
	}
	m := p.Rewriting(asked)
	m.Request.Threads, m.Request.Devices = with.of(nil)
	return m, nil
}
