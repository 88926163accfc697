package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

func versionCommand(e *env) *cli.Command {
	return leaf(&cli.Command{
		Name:  "version",
		Usage: "print the version, the commit and the Go release it was built with",
		Description: describe("Prints one line, to quote when you report a problem.",
			"smlm-exp version", userr.OK, userr.BadInput),
		Action: action(func(context.Context, []string) error {
			fmt.Fprintln(e.stdout, version())
			return nil
		}),
	})
}

// version describes the build: "smlm-exp 0.1.0, commit 0123abc, go1.26.8 linux/amd64".
func version() string {
	info, _ := machine.ReadBuild()
	modified := ""
	if info.Modified {
		modified = " with changes"
	}
	return fmt.Sprintf("smlm-exp %s, commit %s%s, %s %s/%s", machine.Release, cmp.Or(info.Commit[:min(12, len(info.Commit))], "unknown"), modified,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
