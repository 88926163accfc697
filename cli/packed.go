package cli

import (
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/urfave/cli/v2"
)

// choiceFlags choose the trained models of an experiment.
func choiceFlags() []cli.Flag {
	return []cli.Flag{
		experimentFlag(),
		&cli.StringFlag{
			Name:  "model",
			Usage: "`NAME`: smlm, smlm-g or smlm-ft, in any letter case (default: smlm-ft where the experiment has it)",
		},
		&cli.StringFlag{
			Name:  "decoding",
			Usage: "`WAY` of smlm.decoding: copied, predicted or guided (default: guided where the experiment has it)",
		},
		variantFlag(),
	}
}

// chooses are the flags that mean nothing to a packed model.
var chooses = []string{"experiment", "set", "dataset", "workspace", "model", "decoding", "variant", "method", "test"}

func packedFlag() cli.Flag {
	return &cli.StringFlag{Name: "packed", Usage: "`FILE` of a packed model to use, in place of an experiment"}
}

// openPacked opens the packed model that a command names, and refuses flags that choose another.
func openPacked(c *cli.Context) (*rewrite.Pack, error) {
	for _, name := range chooses {
		if name == "test" && c.IsSet(name) {
			return nil, userr.New(userr.BadInput, "--packed and --test do not go together, as a packed model has no test "+
				"sentences: give sentences with --text or in a FILE")
		}
		if c.IsSet(name) {
			return nil, userr.New(userr.BadInput, "--packed and --%s do not go together: a packed model is one already", name)
		}
	}
	return rewrite.Open(c.String("packed"))
}

// usable is trained models and how to open them.
type usable struct {
	request stages.TransferRequest
	labels  [2]string
	open    func(r stages.TransferRequest) (stages.TransferSession, error)
	close   func()
}

// find finds the models of a packed file or of an experiment.
func find(e *Env, c *cli.Context) (*usable, error) {
	if c.String("packed") == "" {
		s, found, err := chosen(e, c)
		if err != nil {
			return nil, err
		}
		u := &usable{request: found.Request, labels: found.Labels, close: func() {}}
		u.request.Threads, u.request.Devices = Machine(c, s.Exp)
		u.open = func(r stages.TransferRequest) (stages.TransferSession, error) {
			return e.Torch.OpenTransfer(c.Context, r)
		}
		return u, nil
	}
	p, err := openPacked(c)
	if err != nil {
		return nil, err
	}
	u := &usable{labels: p.Manifest.Labels, close: func() { _ = p.Close() }} // read only
	to, err := rewrite.Style("--to", c.String("to"), p.Manifest.Name, u.labels)
	if err != nil {
		u.close()
		return nil, err
	}
	u.request = p.Request("")
	u.request.From, u.request.To = 1-to, to
	u.request.Threads, u.request.Devices = Machine(c, nil)
	u.open = func(r stages.TransferRequest) (stages.TransferSession, error) {
		return p.Within(e.Torch).OpenTransfer(c.Context, r)
	}
	return u, nil
}
