package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
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

// TestHelpFits: no line of any help is wider than the terminal, but for an example, whose words
// must stay as they are typed; and a narrow one has all that a wide one has.
func TestHelpFits(t *testing.T) {
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		words := map[int][]string{}
		for _, columns := range []int{50, 80, 200} {
			var out strings.Builder
			program := app(&env{})
			program.Writer = helpWriter{&out, columns}
			if err := program.Run(append(append([]string{"smlm-exp"}, path...), "--help")); err != nil {
				t.Fatal(err)
			}
			words[columns] = strings.Fields(out.String())
			_, after, leaf := strings.Cut(out.String(), "\nExample:\n")
			example, _, _ := strings.Cut(after, "\n\n")
			for line := range strings.Lines(out.String()) {
				line = strings.TrimRight(line, "\n")
				if len(line) <= columns || leaf && len(line) <= 80 && strings.Contains(example, line) {
					continue
				}
				if columns >= 80 || len(strings.Fields(line)) > 2 && !strings.HasPrefix(line, "  ") {
					t.Errorf("%v: %d columns in place of %d: %q", path, len(line), columns, line)
				}
			}
		}
		if !slices.Equal(words[50], words[80]) || !slices.Equal(words[80], words[200]) {
			t.Errorf("%v: the help of one width has other words than that of another", path)
		}
		for _, c := range commands {
			walk(append(path[:len(path):len(path)], c.Name), c.Subcommands)
		}
	}
	walk(nil, app(&env{}).Commands)
}
