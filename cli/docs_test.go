package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/urfave/cli/v2"
)

// TestCommandsDoc checks that docs/commands.md contains the program's present help texts. With
// -update it writes the file.
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

// help returns what `smlm-exp PATH --help` prints. For a command without subcommands, it checks
// that the text has an example and the exit statuses.
func help(t *testing.T, path []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args := append(append([]string{"smlm-exp"}, path...), "--help")
	if status := Main(context.Background(), args, nil, strings.NewReader(""), &out, &errs); status != 0 ||
		errs.Len() > 0 {
		t.Fatalf("%v: status %d, %s", args, status, errs.String())
	}
	leaf := len(path) > 0 && !strings.Contains(out.String(), "\nCOMMANDS:")
	for _, must := range []string{"\n   Example:\n", "\n   Exit status: 0 done, "} {
		if leaf && !strings.Contains(out.String(), must) {
			t.Errorf("the help of %v lacks %q", path, must)
		}
	}
	return out.String()
}

// TestHelpFits checks that no line of help is wider than 80 columns.
func TestHelpFits(t *testing.T) {
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		for line := range strings.Lines(help(t, path)) {
			if line = strings.TrimRight(line, "\n"); len(line) > columns {
				t.Errorf("%v: %d columns: %q", path, len(line), line)
			}
		}
		for _, c := range commands {
			walk(append(path[:len(path):len(path)], c.Name), c.Subcommands)
		}
	}
	walk(nil, app(&env{}).Commands)
}

// TestReadByPeopleDoc compares the example of a human evaluation in docs/human.md with the script
// human.txtar. The example must contain the script's commands in the same order, the rating that
// the script fills in, and the first rows of the script's first table.
func TestReadByPeopleDoc(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "human.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile(filepath.Join("testdata", "script", "human.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	file := map[string]string{}
	for _, f := range script.Files {
		file[f.Name] = string(f.Data)
	}
	// block returns the lines of all code blocks in the document that are in the given language.
	block := func(language string) (lines []string) {
		for _, b := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```").FindAllStringSubmatch(string(doc), -1) {
			lines = append(lines, strings.Split(strings.TrimSpace(b[1]), "\n")...)
		}
		return lines
	}

	var commands []string
	for line := range strings.Lines(string(script.Comment)) {
		command, runs := strings.CutPrefix(strings.TrimSpace(line), "exits 0 ")
		if runs && slices.Contains(block("sh"), command) {
			commands = append(commands, command)
		}
	}
	if diff := cmp.Diff(commands, block("sh")); diff != "" || len(commands) < 2 {
		t.Errorf("the script's commands and those of the example (-script +doc):\n%s", diff)
	}
	if got := strings.Join(block("csv"), "\n") + "\n"; got != file["filled.csv"] {
		t.Errorf("the filled-in item of the example is not the script's:\n%s", cmp.Diff(file["filled.csv"], got))
	}
	_, table, _ := strings.Cut(file["tables.md"], "## Human evaluation: ratings of the outputs.\n\n")
	rows := strings.SplitAfterN(table, "\n", 5)
	if first := strings.Join(rows[:min(4, len(rows))], ""); first == "" || !strings.Contains(string(doc), "\n\n"+first+"\n") {
		t.Errorf("the example does not have the first rows of the script's table:\n%s", first)
	}
}
