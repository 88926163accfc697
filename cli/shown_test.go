package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
)

// escapes has control characters that a terminal would obey. They clear the screen, set a title,
// set a colour with an 8-bit code, go back one character and reverse the writing direction.
const escapes = "\x1b[2J\x1b]0;owned\a\u009b31m\b\u202e"

// The function on runs a command. The parameter "terminal" says whether the command's standard
// output counts as a terminal.
func on(t *testing.T, terminal bool, stdin string, args ...string) (status int, out, wrong string) {
	t.Helper()
	var said bytes.Buffer
	status, wrong = onTo(t, &said, terminal, stdin, args...)
	return status, said.String(), wrong
}

// onTo does the same as the function on, but standard output goes to the writer out.
func onTo(t *testing.T, out io.Writer, terminal bool, stdin string, args ...string) (status int, wrong string) {
	t.Helper()
	was := os.Args
	defer func() { os.Args = was }()
	os.Args = append([]string{"smlm-exp"}, args...)
	ctx, caught := catchSignals(t.Context())
	defer caught.stop()
	var warned bytes.Buffer
	status = mainOn(ctx, os.Args, &env{
		stdin: strings.NewReader(stdin), rawStdout: out, rawStderr: &warned,
		backend: fakebackend.Backend{Varied: true}, terminal: terminal, signals: caught,
	})
	return status, warned.String()
}

// TestEscapesAreShown checks that control characters in other people's files become visible text
// and are never printed. This holds for pipes too, because most pipes end at a terminal. In
// sentences to rewrite, control characters are dropped.
func TestEscapesAreShown(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "mine.toml", attackedFile)
	if status, _, wrong := on(t, false, "", "run", "mine.toml", "--quiet"); status != 0 {
		t.Fatal(wrong)
	}
	// Pretend that another user's run is using the workspace. The file about it contains control
	// characters.
	running := fmt.Sprintf(`{"pid":1,"host":%q,"stage":%q,"id":"0","label":%q,"note":%[1]q,"command":["smlm-exp",%[1]q]}`,
		"x\\u001b[2J", "score", "y\\u009b31m")
	running = strings.ReplaceAll(running, `\\u`, `\u`)
	testkit.WriteFile(t, filepath.Join("workspace", "running", "x-1.json"), running)
	testkit.WriteFile(t, "outputs.0.txt", strings.Repeat("the soup was "+escapes+" .\n", 40))
	testkit.WriteFile(t, "m.toml", fmt.Sprintf("name = \"d\\u001b[2J\"\nlicence = \"free\\u001b]0;x\\u0007\\u202e\"\nsource = \"me\\u009b\"\n"+
		"[[file]]\npath = \"a\"\nurl = \"http://127.0.0.1:1/\"\nsha256 = \"%064d\"\n", 0))
	line := "the soup " + escapes + " was cold ."
	for _, args := range [][]string{
		{"transfer", "--experiment", "mine.toml", "--to", "cheerful"},
		{"transfer", "--experiment", "mine.toml", "--to", "cheerful", "--tokens"},
		{"transfer", "--experiment", "mine.toml", "--to", "cheerful", "--explain"},
		{"transfer", "--experiment", "mine.toml", "--to", "cheerful", "--explain", "--candidates", "2"},
		{"transfer", "--experiment", "mine.toml", "--to", "cheerful", "--json"},
		{"transfer", "--experiment", "mine.toml", "--to", "cheerful", "--candidates", "2"},
		{"mask", "explain", "--experiment", "mine.toml"},
		{"mask", "explain", "--experiment", "mine.toml", "--format", "json"},
		{"status", "--workspace", "workspace"},
		{"plan", "mine.toml"},
		{"data", "fetch", "m.toml", "d"},
	} {
		for _, terminal := range []bool{true, false} {
			_, out, wrong := on(t, terminal, line+"\n", args...)
			if out+wrong == "" {
				t.Errorf("%q says nothing", args)
			}
			if strings.ContainsAny(out, "\x1b\a\b\u009b\u202e") {
				t.Errorf("%q, on a terminal %t, sends %q", args, terminal, out)
			}
			if strings.ContainsAny(wrong, "\x1b\a\b\u009b\u202e") {
				t.Errorf("%q sends %q to standard error", args, wrong)
			}
			if shows := strings.Contains(out+wrong, `\x1b[2J`); shows != slices.Contains([]string{"status", "data"}, args[0]) {
				t.Errorf("%q says %q %q", args, out, wrong)
			}
		}
	}
	// Text that is written to e.data() is made Visible only on a terminal.
	for terminal, want := range map[bool]string{true: `\u202e`, false: "\u202e"} {
		var to bytes.Buffer
		e := &env{rawStdout: &to, rawStderr: &to, terminal: terminal}
		e.makeWriters()
		_, _ = e.stdout.WriteString("\u202e")
		_, _ = e.data().WriteString("\u202e")
		if err := e.stdout.Flush(); err != nil || to.String() != `\u202e`+want {
			t.Errorf("on a terminal %t: %q, %v", terminal, to.String(), err)
		}
	}
}
