// Package serve has the command that shows an experiment as a local page.
package cli

import (
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/serve"
	"github.com/urfave/cli/v2"
)

// mostPort is the last port there is.
const mostPort = 65535

// serveCommand is the command serve.
func serveCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "serve",
		Usage:     "show an experiment or a packed model as a local page: runs, tables, plots, your own sentences",
		ArgsUsage: "[FILE]",
		Description: describe("Prints an address to open in a browser of this machine; the token in it lets nobody else "+
			"in. The page shows\n"+
			"runs as they go on, tables that sort, the trade-off of two metrics, training curves, a sentence with the\n"+
			"scores of its words, transfer of your own sentences, and two systems sentence by sentence. It trains nothing\n"+
			"and writes nothing. FILE is an experiment file, the name of an experiment that was run in the workspace, or\n"+
			"what `smlm-exp pack` wrote, of which it shows the two pages for your own sentences. With --forms it shows\n"+
			"the blind forms of a human evaluation and nothing else, and writes the answers into them. It goes on until\n"+
			"Ctrl-C.",
			"smlm-exp serve experiments.toml", userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: experimentFlags(
			&cli.IntFlag{
				Name: "port", Usage: "`N` of the port on 127.0.0.1", DefaultText: "a free one",
				Action: func(_ *cli.Context, n int) error {
					if n < 0 || n > mostPort {
						return userr.New(userr.BadInput, "--port is %d and must be 0 to %d", n, mostPort)
					}
					return nil
				},
			},
			&cli.StringFlag{Name: "forms", Usage: "`FOLDER` of `smlm-exp human export`, in place of FILE"},
			threadsFlag(),
			devicesFlag("the file's, or auto"),
		),
		Action: func(c *cli.Context) error { return start(e, c) },
	})
}

func start(e *Env, c *cli.Context) error {
	o, err := serveOptions(e, c)
	if err != nil {
		return err
	}
	if o.Packed != nil {
		defer o.Packed.Close()
	}
	s, err := serve.New(o)
	if err != nil {
		return err
	}
	defer s.Close()
	at, err := serve.Listen(c.Int("port"))
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "open %s\n", s.Address(at.Addr()))
	if err := e.Stdout.Flush(); err != nil {
		_ = at.Close() // nobody can read the address
		return err
	}
	fmt.Fprintln(e.Stderr, "smlm-exp: Ctrl-C ends it")
	if err := s.Serve(c.Context, at); err != nil {
		return err
	}
	return userr.New(userr.Interrupted, "ended: the page is gone")
}

// options are those of an experiment, of a packed model or of forms.
func serveOptions(e *Env, c *cli.Context) (o serve.Options, err error) {
	if dir := c.String("forms"); dir != "" {
		if c.NArg() > 0 {
			return o, userr.New(userr.BadInput, "--forms shows forms alone, so that nobody sees who wrote what: leave out %s",
				c.Args().First())
		}
		return serve.Options{Forms: dir}, nil
	}
	args, err := Arguments(c, "FILE")
	if err != nil {
		return o, err
	}
	if rewrite.Is(args[0]) {
		o, err = packedOptions(c, args[0])
	} else {
		o, err = studyOptions(e, c, args[0])
	}
	if err != nil {
		return o, err
	}
	if torch, err := e.NeedTorch(); err != nil {
		o.NoTorch = err.Error()
	} else {
		o.Torch = torch
	}
	return o, nil
}

// studyOptions are those of an experiment.
func studyOptions(e *Env, c *cli.Context, name string) (o serve.Options, err error) {
	s, err := e.OpenNamed(c, name)
	if err != nil {
		return o, err
	}
	explain, err := s.With(rewrite.ToExplain(rewrite.Explained())...)
	if err != nil {
		return o, err
	}
	o = serve.Options{Plan: s.Plan, WS: s.WS, Explain: explain}
	o.Threads, o.Devices = Machine(c, s.Exp)
	return o, nil
}

// packedOptions are those of a packed model.
func packedOptions(c *cli.Context, file string) (o serve.Options, err error) {
	for _, name := range []string{"set", "dataset", "workspace"} {
		if c.IsSet(name) {
			return o, userr.New(userr.BadInput, "%s is a packed model, which needs no --%s: leave it out", file, name)
		}
	}
	o.File = filepath.Base(file)
	o.Threads, o.Devices = Machine(c, nil)
	o.Packed, err = rewrite.Open(file)
	return o, err
}
