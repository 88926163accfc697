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

// maxPort is the largest port number.
const maxPort = 65535

// servedOptions holds the flags of `serve`.
type servedOptions struct {
	file runs.File // the path in it is not used
	computing
	port int
}

func serveCommand(e *env) *cli.Command {
	o := &servedOptions{}
	return leaf(&cli.Command{
		Name: "serve",
		Usage: "show an experiment or a packed model as a local web page: results, examples, your own " +
			"sentences",
		ArgsUsage: "FILE",
		Description: describe("Prints an address to open in a browser on this machine. It contains a secret "+
			"word, so nobody else gets in. The pages show tables, figures and examples, which words of your "+
			"sentences carry the style, and your sentences in another style. The command trains nothing and "+
			"writes nothing. Press Ctrl-C to end it.\n\nFILE is an experiment file, or a file "+
			"that `smlm-exp pack` wrote. For a packed model, there are only the two pages for your own "+
			"sentences.",
			"smlm-exp serve experiments.toml", userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(&o.file, append([]cli.Flag{
			&cli.IntFlag{
				Name: "port", Usage: "`N` of the port on 127.0.0.1", DefaultText: "a free one", Destination: &o.port,
				Action: func(_ *cli.Context, n int) error {
					if n < 0 || n > maxPort {
						return userr.New(userr.BadInput, "--port is %d, but must be from 0 to %d", n, maxPort)
					}
					return nil
				},
			},
		}, o.computing.flags()...)...),
		Action: action(func(ctx context.Context, args []string) error { return servePage(ctx, e, o, args[0]) }),
	})
}

// servePage serves an experiment or a packed model until ctx ends.
func servePage(ctx context.Context, e *env, o *servedOptions, file string) error {
	shown, err := o.shown(file)
	if err != nil {
		return err
	}
	if shown.Packed != nil {
		defer shown.Packed.Close()
		if err := shown.Packed.Temporary(func(string) error { return nil }); err != nil { // refuse a damaged file now
			return err
		}
	}
	shown.Backend, shown.Log = e.backend, e.rawStderr
	s := serve.New(shown)
	defer s.Close()
	at, err := serve.Listen(o.port)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "open %s\n", s.Address(at.Addr()))
	if err := e.stdout.Flush(); err != nil {
		_ = at.Close() // nobody can open the page, because its address could not be printed
		return err
	}
	fmt.Fprintln(e.stderr, "smlm-exp: press Ctrl-C to end it")
	if err := s.Serve(ctx, at); err != nil {
		return err
	}
	return userr.New(userr.Interrupted, "ended: the page is no longer served")
}

// The method shown returns the options of the server. The parameter "file" names an experiment or a
// packed model.
func (o *servedOptions) shown(file string) (page serve.Options, err error) {
	if rewrite.Is(file) {
		return o.packed(file)
	}
	s, err := openExperiment(file, o.file)
	if err != nil {
		return page, err
	}
	page = serve.Options{Plan: s.Plan, WS: s.Workspace, Name: s.Experiment.Name}
	page.Threads, page.Devices = o.computing.of(s.Experiment)
	return page, nil
}

// The method packed returns the options of the server for a packed model.
func (o *servedOptions) packed(file string) (page serve.Options, err error) {
	if given := givenOf(&o.file); len(given) > 0 {
		return page, userr.New(userr.BadInput, "%s is a packed model, which does not take --%s: leave it out", file, given[0])
	}
	page.Name = filepath.Base(file)
	page.Threads, page.Devices = o.computing.of(nil)
	page.Packed, err = rewrite.Open(file)
	return page, err
}
