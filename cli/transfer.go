package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// transferOptions are the flags of transfer.
type transferOptions struct {
	choice
	files   []string // "-" is standard input
	json    bool
	threads int
	devices string
}

func (e *env) transferCommand() *cli.Command {
	return leaf(&cli.Command{
		Name:      "transfer",
		Usage:     "rewrite your own sentences in the other style with trained models",
		ArgsUsage: "[FILE...]",
		Description: describe("Reads one text a line from the files or standard input, lower-cases it and cuts it into words, masks the\n"+
			"words that carry its style and fills the places in the style --to. Prints one line for every line read; an\n"+
			"empty line stays empty. The models are those of one point of an experiment that has been run: the first,\n"+
			"unless --dataset, --variant, --model and --set say which.",
			"echo 'The soup was cold.' | smlm-exp transfer --experiment experiments.toml --to cheerful",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: experimentFlags(
			&cli.StringFlag{Name: "experiment", Usage: "the experiment `FILE` whose models to use", Value: "experiments.toml"},
			&cli.StringFlag{Name: "to", Usage: "`LABEL` of the style to write"},
			&cli.StringFlag{Name: "model", Usage: "`NAME`: smlm, smlm-g or smlm-ft (default: smlm-ft where the experiment has it)"},
			&cli.StringFlag{Name: "dataset", Usage: "`NAME` of the data set (default: the first)"},
			&cli.StringFlag{Name: "variant", Usage: "`NAME` of the variant (default: the first)"},
			&cli.IntFlag{Name: "threads", Usage: "`N` threads", DefaultText: "the file's, or all cores"},
			devicesFlag("the file's, or auto"),
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line: source, masked, output, from, to"},
		),
		Action: func(c *cli.Context) error {
			n, err := threads(c)
			if err != nil {
				return err
			}
			where, err := devices(c)
			if err != nil {
				return err
			}
			if c.String("to") == "" {
				return userr.New(userr.BadInput, "--to LABEL is missing: the style to write, see `smlm-exp transfer --help`")
			}
			s, err := openStudy(c, c.String("experiment"))
			if err != nil {
				return err
			}
			return e.transfer(c.Context, s, transferOptions{
				choice: choice{dataset: c.String("dataset"), variant: c.String("variant"), model: c.String("model"), to: c.String("to"), experiment: c.String("experiment")},
				files:  c.Args().Slice(), json: c.Bool("json"), threads: n, devices: where,
			})
		},
	})
}

// rewritten is a line of `transfer --json`.
type rewritten struct {
	Source string `json:"source"` // the words, one space between
	Masked string `json:"masked"`
	Output string `json:"output"`
	From   string `json:"from"`
	To     string `json:"to"`
}

func (e *env) transfer(ctx context.Context, s *study, o transferOptions) error {
	request, labels, err := o.request(s, e.stderr)
	if err != nil {
		return err
	}
	torch, err := e.needTorch()
	if err != nil {
		return err
	}
	lines, err := readRaw(ctx, o.files, e.stdin)
	if err != nil {
		return err
	}
	// Sentence i of the request is line at[i]; the lines between are empty.
	var at []int
	for i, words := range lines {
		if len(words) > 0 {
			at = append(at, i)
			request.Sentences = append(request.Sentences, words)
		}
	}
	printed := 0
	print := func(line int, masked, output []string) error {
		r := rewritten{From: labels[request.From], To: labels[request.To]}
		for ; printed < line; printed++ {
			if err := e.printLine(r, o.json); err != nil {
				return err
			}
		}
		printed++
		r.Source, r.Masked, r.Output = strings.Join(lines[line], " "), strings.Join(masked, " "), strings.Join(output, " ")
		return e.printLine(r, o.json)
	}
	request.Emit = func(i int, masked, output []string) error { return print(at[i], masked, output) }
	if o.threads > 0 {
		request.Threads = o.threads
	}
	request.Devices = cmp.Or(o.devices, s.exp.Devices)
	if len(at) > 0 {
		if err := torch.Transfer(ctx, request); err != nil {
			return err
		}
	}
	if printed < len(lines) { // the file ends in empty lines
		return print(len(lines)-1, nil, nil)
	}
	return nil
}

func (e *env) printLine(r rewritten, asJSON bool) error {
	if asJSON {
		return writeJSONLine(e.stdout, r)
	}
	_, err := fmt.Fprintln(e.stdout, r.Output)
	return err
}
