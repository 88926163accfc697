package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/urfave/cli/v2"
)

func planCommand(e *env) *cli.Command {
	var f runs.File
	return leaf(&cli.Command{
		Name:      "plan",
		Usage:     "list the stages of an experiment file: which are done, and which will run",
		ArgsUsage: "FILE",
		Description: describe("Checks the file, and that the files of the data are there. It reads no sentences, trains "+
			"nothing and writes nothing. A stage that is done has its time. Any other has the mean time of the finished stages of "+
			"its name, if there are any.",
			"smlm-exp plan experiments.toml", userr.OK, userr.BadInput),
		Flags: experimentFlags(&f),
		Action: e.onStudy(&f, func(_ context.Context, s *runs.Study, _ []string) error {
			if s.Plan.Lacks != nil {
				return s.Plan.Lacks
			}
			s.Warn(e.stderr)
			printSizes(e, s)
			return s.Workspace.WriteListing(e.stdout, s.Plan)
		}),
	})
}

// printSizes prints, for each data set, the sizes of models that the profile "fitted" chose for its
// amount of data.
func printSizes(e *env, s *runs.Study) {
	shown := map[string]bool{}
	for _, p := range s.Plan.Points {
		if s.Experiment.Profile != experiment.Fitted || shown[p.Dataset] {
			continue
		}
		shown[p.Dataset] = true
		m, d := &p.Settings.SMLM, &p.Settings.DivLSTM
		shape := fmt.Sprintf("%d wide", m.Dim)
		if m.Pretrained != "" {
			shape = "from the pretrained encoder"
		}
		fmt.Fprintf(e.stdout, "%s: SMLM %s, %s, %d words a batch; Diversity-LSTM %d wide, %s, %d words a batch\n",
			p.Dataset, shape, wording.Count(m.Epochs, "epoch"), m.BatchTokens,
			d.Hidden, wording.Count(d.Epochs, "epoch"), d.BatchTokens)
	}
}
