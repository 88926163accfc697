package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
)

// TestSecretsStayHere: the password of a tracker's address, in an experiment's file or on the
// command line, is in no file of the workspace, no table and nothing that is printed.
func TestSecretsStayHere(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const secret = "geheim77"
	file := "name = \"tracked\"\nseeds = [1]\n[datasets.demo]\nbuiltin = \"demo\"\nmax_train = 60\n[smlm]\nmodels = [\"smlm\"]\n" +
		"[metrics]\nembedding = false\nmeteor = false\nperplexity = false\n[track]\nmlflow = \"http://me:" + secret +
		"@127.0.0.1:1/?token=" + secret + "\"\n"
	testkit.WriteFile(t, "tracked.toml", file)
	set := "track.mlflow=\"http://" + secret + "@127.0.0.1:1\""
	was := os.Args
	defer func() { os.Args = was }()
	var said bytes.Buffer
	for _, c := range []struct {
		status int
		args   []string
	}{
		{0, []string{"run", "tracked.toml", "--set", set}},
		{0, []string{"status", "--workspace", "workspace"}},
		{0, []string{"tables", "tracked.toml", "--set", set, "--into", "results.md"}},
		{0, []string{"report", "tracked.toml", "--set", set, "--output", "page.html"}},
		{2, []string{"transfer", "--to", "cheerful", "--experiment", "tracked.toml", "--set", "seeds=[2]", "--set", set}},
		{2, []string{"run", "tracked.toml", "--set", "track.mlflow=\"ftp://me:" + secret + "@h\""}},
		{2, []string{"run", "tracked.toml", "--set", "track.mlflow=me:" + secret + "@h"}},
		{2, []string{"run", "tracked.toml", "--set", "track.mlflow=http://me:" + secret + " x@h"}},
	} {
		os.Args = append([]string{"smlm-exp"}, c.args...)
		got := Main(t.Context(), os.Args, fakebackend.Backend{}, strings.NewReader(""), &said, &said)
		if got != c.status {
			t.Errorf("%v: status %d, want %d", c.args, got, c.status)
		}
	}
	if strings.Contains(said.String(), secret) || !strings.Contains(said.String(), "does not have everything") {
		t.Errorf("said: %s", said.String())
	}
	hidden := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == "tracked.toml" {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s holds it", path)
		}
		if bytes.Contains(text, []byte("***")) {
			hidden++
		}
		return err
	})
	if err != nil || hidden < 5 {
		t.Errorf("%d files hide it (%v)", hidden, err)
	}
}
