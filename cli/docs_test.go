package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/urfave/cli/v2"
)

// TestCommandsDoc keeps docs/commands.md, which holds the help text of every command, equal to the
// program. -update writes it.
func TestCommandsDoc(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Commands\n\nThe help text of every command. " +
		"Written by `go test ./cli -run TestCommandsDoc -update`; do not edit.\n")
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		doc.WriteString(
			"\n## " + strings.Join(append([]string{"smlm-exp"}, path...), " ") + "\n\n```\n" + help(t, path) + "```\n",
		)
		for _, c := range commands {
			walk(append(path[:len(path):len(path)], c.Name), c.Subcommands)
		}
	}
	walk(nil, app(&env{}).Commands)
	path := filepath.Join("..", "docs", "commands.md")
	testkit.Golden(t, path, doc.String())
}

// help returns what `smlm-exp PATH --help` prints, and checks that it says the exit statuses and
// gives an example.
func help(t *testing.T, path []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args := append(append([]string{"smlm-exp"}, path...), "--help")
	if status := Main(context.Background(), args, nil, strings.NewReader(""), &out, &errs); status != 0 ||
		errs.Len() > 0 {
		t.Fatalf("%v: status %d, %s", args, status, errs.String())
	}
	leaf := len(path) > 0 && !strings.Contains(out.String(), "\nCommands:")
	for _, must := range []string{"\nExample:\n", "\nExit status: 0 done, "} {
		if leaf && !strings.Contains(out.String(), must) {
			t.Errorf("the help of %v lacks %q", path, must)
		}
	}
	return out.String()
}
