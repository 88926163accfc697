// Command smlm-exp-lean is smlm-exp without libtorch, which takes a third of a second to load: the
// launcher starts it for the commands that compute nothing with tensors, so that these work where
// libtorch is missing too.
package main

import (
	"context"
	"os"

	"github.com/smlm-exp/smlm-exp/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args, nil, os.Stdin, os.Stdout, os.Stderr))
}
