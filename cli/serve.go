package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/serve"
	"github.com/urfave/cli/v2"
)

// mostPort is the last port there is.
const mostPort = 65535

// servedOptions are the flags of serve.
type servedOptions struct {
	file runs.File // but its path
	computing
	port    int
	forms   string // folder
	readers []string
}

func serveCommand(e *env) *cli.Command {
	o := &servedOptions{}
	return leaf(&cli.Command{
		Name: "serve",
		Usage: "show an experiment or a packed model as a local web page: runs, tables, plots, your own " +
			"sentences",
		ArgsUsage: "[FILE]",
		Description: describe("Prints an address to open in a browser on this machine. It contains a token, "+
			"so nobody else gets in. The page shows running stages, sortable tables, the trade-off between "+
			"two metrics, training curves, the scores of a sentence's words, two systems side by side, and "+
			"transfer of your own sentences. It trains nothing and writes nothing. Press Ctrl-C to end "+
			"it.\n\nFILE is an experiment file, the name of an experiment that was run in the workspace, or a "+
			"file that `smlm-exp pack` wrote. For a packed model, only the two pages for your own sentences "+
			"are shown. With --forms, the page shows only the blind forms or sheets of a human evaluation, "+
			"and writes the answers into them.",
			"smlm-exp serve experiments.toml", userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(&o.file, append([]cli.Flag{
			&cli.IntFlag{
				Name: "port", Usage: "`N` of the port on 127.0.0.1", DefaultText: "a free one", Destination: &o.port,
				Action: func(_ *cli.Context, n int) error {
					if n < 0 || n > mostPort {
						return userr.New(userr.BadInput, "--port is %d, but must be from 0 to %d", n, mostPort)
					}
					return nil
				},
			},
			&cli.StringFlag{
				Name: "forms", Destination: &o.forms,
				Usage: "`FOLDER` that `smlm-exp human export` or `human sheets` wrote, instead of FILE",
			},
			&cli.StringSliceFlag{
				Name: "reader", Action: into(&o.readers),
				Usage: "with --forms: `WHO` fills in sheet-1; give it again for sheet-2 and so on, as in " +
					"`human tally`",
			},
		}, o.computing.flags()...)...),
		Action: anyArguments(func(ctx context.Context, command *cli.Command, args []string) error {
			if o.forms == "" && len(o.readers) > 0 {
				return userr.New(userr.BadInput, "--reader works only with sheets: name their folder with "+
					"--forms")
			}
			if o.forms == "" {
				if err := checkArguments(command, args, "FILE"); err != nil {
					return err
				}
			} else if len(args) > 0 {
				return userr.New(userr.BadInput, "--forms shows only forms, so that nobody sees which system "+
					"wrote what: leave out %s",
					args[0])
			}
			return servePage(ctx, e, o, args)
		}),
	})
}

// servePage serves forms, sheets, or what the one file is, until ctx ends.
func servePage(ctx context.Context, e *env, o *servedOptions, files []string) error {
	shown, err := o.shown(e, files)
	if err != nil {
		return err
	}
	if shown.Packed != nil {
		defer shown.Packed.Close()
	}
	shown.Log = e.rawStderr
	s, err := serve.New(shown)
	if err != nil {
		return err
	}
	defer s.Close()
	at, err := serve.Listen(o.port)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "open %s\n", s.Address(at.Addr()))
	if err := e.stdout.Flush(); err != nil {
		_ = at.Close() // nobody can read the address
		return err
	}
	fmt.Fprintln(e.stderr, "smlm-exp: press Ctrl-C to end it")
	if err := s.Serve(ctx, at); err != nil {
		return err
	}
	return userr.New(userr.Interrupted, "ended: the page is no longer served")
}

// shown are the options of the page: of an experiment, of a packed model, or of forms or sheets.
func (o *servedOptions) shown(e *env, files []string) (serve.Options, error) {
	switch {
	case o.forms != "":
		return serve.Options{Forms: o.forms, Readers: o.readers}, nil
	case rewrite.Is(files[0]):
		return o.packed(e, files[0])
	default:
		return o.study(e, files[0])
	}
}

// study are those of an experiment.
func (o *servedOptions) study(e *env, name string) (page serve.Options, err error) {
	s, err := e.openNamed(name, o.file)
	if err != nil {
		return page, err
	}
	explain, err := s.PlanWith(rewrite.ToExplain(rewrite.Explained())...)
	if err != nil {
		return page, err
	}
	page = serve.Options{Plan: s.Plan, WS: s.Workspace, Explain: explain, Models: e.backend}
	page.Threads, page.Devices = o.computing.of(s.Experiment)
	return page, nil
}

// packed are those of a packed model.
func (o *servedOptions) packed(e *env, file string) (page serve.Options, err error) {
	if given := givenOf(&o.file); len(given) > 0 {
		return page, userr.New(userr.BadInput, "%s is a packed model, which does not take --%s: leave it out", file, given[0])
	}
	page.File, page.Models = filepath.Base(file), e.backend
	page.Threads, page.Devices = o.computing.of(nil)
	page.Packed, err = rewrite.Open(file)
	return page, err
}
