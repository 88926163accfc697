// Command smlm-exp trains and evaluates style masked language models. Package cli implements its
// commands.
package main

import (
	"context"
	"os"

	"github.com/smlm-exp/smlm-exp/cli"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

func main() {
	machine.HoldHeap()
	os.Exit(cli.Main(context.Background(), os.Args, stages.Torch{}, os.Stdin, os.Stdout, os.Stderr))
}
