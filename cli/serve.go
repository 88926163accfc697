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
		Name:      "serve",
		Usage:     "show an experiment or a packed model as a local page: runs, tables, plots, your own sentences",
		ArgsUsage: "[FILE]",
		Description: describe("Prints an address to open in a browser of this machine; the token in it lets nobody else "+
			"in. The page shows "+
			"runs as they go on, tables that sort, the trade-off of two metrics, training curves, a sentence with the "+
			"scores of its words, transfer of your own sentences, and two systems sentence by sentence. It trains nothing "+
			"and writes nothing. FILE is an experiment file, the name of an experiment that was run in the workspace, or "+
			"what `smlm-exp pack` wrote, of which it shows the two pages for your own sentences. With --forms it shows "+
			"the blind forms or sheets of a human evaluation and nothing else, and writes the answers into them. It goes on "+
			"until Ctrl-C.",
			"smlm-exp serve experiments.toml", userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(&o.file, append([]cli.Flag{
			&cli.IntFlag{
				Name: "port", Usage: "`N` of the port on 127.0.0.1", DefaultText: "a free one", Destination: &o.port,
				Action: func(_ *cli.Context, n int) error {
					if n < 0 || n > mostPort {
						return userr.New(userr.BadInput, "--port is %d and must be 0 to %d", n, mostPort)
					}
					return nil
				},
			},
			&cli.StringFlag{
				Name: "forms", Destination: &o.forms,
				Usage: "`FOLDER` of `smlm-exp human export` or `sheets`, in place of FILE",
			},
			&cli.StringSliceFlag{
				Name: "reader", Action: into(&o.readers),
				Usage: "with --forms: `WHO` fills in sheet-1; again for sheet-2 and so on, as human tally has it",
			},
		}, o.computing.flags()...)...),
		Action: anyArguments(func(ctx context.Context, command *cli.Command, args []string) error {
			if o.forms == "" && len(o.readers) > 0 {
				return userr.New(userr.BadInput, "--reader is for sheets: give their folder with --forms")
			}
			if o.forms == "" {
				if err := checkArguments(command, args, "FILE"); err != nil {
					return err
				}
			} else if len(args) > 0 {
				return userr.New(userr.BadInput, "--forms shows forms alone, so that nobody sees who wrote what: leave out %s",
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
	fmt.Fprintln(e.stderr, "smlm-exp: Ctrl-C ends it")
	if err := s.Serve(ctx, at); err != nil {
		return err
	}
	return userr.New(userr.Interrupted, "ended: the page is gone")
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
		return page, userr.New(userr.BadInput, "%s is a packed model, which needs no --%s: leave it out", file, given[0])
	}
	page.File, page.Models = filepath.Base(file), e.backend
	page.Threads, page.Devices = o.computing.of(nil)
	page.Packed, err = rewrite.Open(file)
	return page, err
}
