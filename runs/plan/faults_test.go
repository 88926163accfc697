package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// fault is a change to a sound data set. The field "keys" has lines to add to the data set's table
// in the experiment file. The field "files" maps the name of each file to write to its content. The
// field "do" makes any other change.
type fault struct {
	name  string
	keys  string
	files map[string]string
	do    func(t *testing.T)
}

func one(name, file, text string) fault {
	return fault{name: name, files: map[string]string{file: text}}
}

// sound is the content of a file that has no faults.
const sound = "words of one\nwords of two too\nand words of three\n"

// systems returns a fault in published outputs or in references. The parameter "keys" is the key of
// the data set, "outputs" or "references". The parameters "zero" and "first" are the contents of
// Mine.0.txt and Mine.1.txt.
func systems(name, keys, zero, first string) fault {
	return fault{
		name: name, keys: keys + ` = "more"`, files: map[string]string{"more/Mine.0.txt": zero, "more/Mine.1.txt": first},
	}
}

func remove(names ...string) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		for _, name := range names {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// inPlace returns a function that removes a file and calls the function make to create something
// else with the same name.
func inPlace(name string, make func(name string) error) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		remove(name)(t)
		if err := make(name); err != nil {
			t.Skip("this cannot be made here: ", err)
		}
	}
}

func makeFolder(name string) error { return os.Mkdir(name, 0o755) }
func pipe(name string) error       { return syscall.Mkfifo(name, 0o644) }
func loop(name string) error       { return os.Symlink(filepath.Base(name), name) }

var faults = []fault{
	{name: "no folder", do: remove("data")},
	{name: "file for the folder", do: inPlace("data", func(n string) error { return os.WriteFile(n, []byte("x"), 0o644) })},
	{name: "folder that links to itself", do: inPlace("data", loop)},
	{name: "empty folder", do: inPlace("data", makeFolder)},
	{name: "two files missing, a third empty", files: map[string]string{"data/test.1.txt": ""}, do: remove("data/dev.0.txt", "data/dev.1.txt")},
	one("third style", "data/train.2.txt", sound),
	one("empty file", "data/train.0.txt", ""),
	one("only blanks", "data/train.0.txt", "\n \n\t\n"),
	one("only a byte order mark", "data/train.0.txt", "\xef\xbb\xbf"),
	one("empty line", "data/dev.1.txt", "one\n\ntwo\n"),
	one("line of blanks", "data/dev.1.txt", "one\n \t \ntwo\n"),
	one("empty lines, CRLF", "data/dev.1.txt", "one\r\n\r\ntwo\r\n"),
	one("not UTF-8", "data/test.0.txt", "one\ncaf\xe9\n"),
	one("UTF-16", "data/test.0.txt", "\xff\xfeo\x00n\x00e\x00\n\x00"),
	one("NUL", "data/train.1.txt", "one\ntwo\x00\n"),
	one("ESC", "data/train.1.txt", "one \x1b[31mred\n"),
	one("DEL after a mark and CRLF", "data/train.1.txt", "\xef\xbb\xbfone\r\ntwo \x7f\r\n"),
	one("mask token", "data/train.0.txt", "one\nthe <mask> was good\n"),
	one("end token", "data/dev.0.txt", "one <eos>\n"),
	one("control code", "data/test.1.txt", "<dst:0> one\n"),
	one("line of too many words", "data/train.0.txt", "one\n"+strings.Repeat("word ", 1001)+"\n"),
	one("line of one huge word", "data/train.0.txt", "one\n"+strings.Repeat("x", 200_000)+"\n"),
	{name: "several files at once", files: map[string]string{
		"data/train.0.txt": "one\n\n", "data/dev.1.txt": "\xff\n", "data/reference.0.txt": "one\n",
	}},
	{name: "folder for a file", do: inPlace("data/train.0.txt", makeFolder)},
	{name: "pipe for a file", do: inPlace("data/train.0.txt", pipe)},
	{name: "link to a device without end for a file", do: inPlace("data/dev.1.txt", func(n string) error { return os.Symlink("/dev/zero", n) })},
	{name: "link to itself for a file", do: inPlace("data/train.0.txt", loop)},
	{name: "link to nothing for a file", do: inPlace("data/train.0.txt", func(n string) error { return os.Symlink("gone", n) })},
	one("fewer references", "data/reference.0.txt", "one\ntwo\n"),
	one("empty reference", "data/reference.1.txt", "one\n\nthree\n"),
	{name: "references of one style", do: remove("data/reference.1.txt")},
	{name: "folder for references", do: inPlace("data/reference.1.txt", makeFolder)},
	{name: "train_extra of which one file is missing and one wrong", keys: "train_extra = true", files: map[string]string{
		"data/dev.0.txt": "\xff\n", "data/train_extra.1.txt": "one\n\n",
	}},
	{name: "train_extra of the same text in both styles (warning)", keys: "train_extra = true\nnaturalness = \"n.tsv\"", files: map[string]string{
		"n.tsv": "__intercept__\t0\ngood\t1\n", "data/train_extra.0.txt": sound, "data/train_extra.1.txt": sound,
	}},
	{name: "no folder for unseen", keys: `unseen = "more"`},
	{name: "file for unseen", keys: `unseen = "data/train.0.txt"`},
	{name: "unseen of one style", keys: `unseen = "more"`, files: map[string]string{"more/train.1.txt": sound}},
	{name: "unseen of three styles", keys: `unseen = "more"`, files: map[string]string{
		"more/train.0.txt": sound, "more/train.1.txt": sound, "more/train.2.txt": sound,
	}},
	{name: "unseen with an empty line", keys: `unseen = "more"`, files: map[string]string{
		"more/train.0.txt": sound, "more/train.1.txt": "one\n\n",
	}},
	{name: "unseen that is the training text", keys: `unseen = "data"`},
	{name: "train_extra that nobody asks for, with an empty line", files: map[string]string{
		"data/train_extra.0.txt": "one\n\n", "data/train_extra.1.txt": sound,
	}},
	{name: "no outputs", keys: `outputs = "more"`},
	{name: "file for outputs", keys: `outputs = "data/train.0.txt"`},
	{name: "outputs without a pair", keys: `outputs = "more"`, files: map[string]string{"more/readme.txt": "x\n"}},
	{name: "outputs of one style", keys: `outputs = "more"`, files: map[string]string{
		"more/Mine.0.txt": sound, "more/Theirs.1.txt": sound,
	}},
	systems("outputs of other length, not UTF-8", "outputs", "one\ntwo\n", "one\ncaf\xe9\nthree\n"),
	systems("outputs with ESC, all empty", "outputs", "one\n\x1b[2J\nthree\n", ""),
	{name: "pipe for outputs", keys: `outputs = "more"`, files: map[string]string{"more/A.0.txt": "", "more/A.1.txt": sound}, do: inPlace("more/A.0.txt", pipe)},
	{name: "pipe for naturalness", keys: `naturalness = "n.tsv"`, do: inPlace("n.tsv", pipe)},
	{name: "pipe for vectors", keys: `vectors = "v.txt"`, do: inPlace("v.txt", pipe)},
	{name: "outputs named like ours", keys: `outputs = "more"`, files: map[string]string{
		"more/SMLM.0.txt": sound, "more/SMLM.1.txt": sound, "more/smlm-g (guided).0.txt": sound, "more/smlm-g (guided).1.txt": sound,
		"more/SMLM-FT.0.txt": sound, "more/SMLM-FT.1.txt": sound,
		"more/references.0.txt": sound, "more/references.1.txt": sound,
	}},
	{name: "outputs twice", keys: `outputs = ["more", "again"]`, files: map[string]string{
		"more/A.0.txt": sound, "more/A.1.txt": sound, "again/A.0.txt": sound, "again/A.1.txt": sound,
	}},
	{name: "outputs beside a wrong corpus", keys: `outputs = "more"`, files: map[string]string{
		"data/test.0.txt": "", "more/A.0.txt": "\xff\n", "more/A.1.txt": sound,
	}},
	systems("references with an empty line", "references", "one\n\nthree\n", "one\n"),
	{name: "no references", keys: `references = "more"`},
	{name: "no naturalness, no vectors", keys: "naturalness = \"n.tsv\"\nvectors = \"v.txt\""},
	{name: "naturalness: empty", keys: `naturalness = "n.tsv"`, files: map[string]string{"n.tsv": ""}},
	{name: "naturalness: no intercept", keys: `naturalness = "n.tsv"`, files: map[string]string{"n.tsv": "good\t1\n"}},
	{name: "naturalness: no number", keys: `naturalness = "n.tsv"`, files: map[string]string{"n.tsv": "__intercept__\t0\ngood\tvery\n"}},
	{name: "naturalness: a folder", keys: `naturalness = "data"`},
	{name: "vectors: a folder", keys: `vectors = "data"`},
	{name: "vectors: empty", keys: `vectors = "v.txt"`, files: map[string]string{"v.txt": ""}},
	{name: "vectors: a sentence", keys: `vectors = "v.txt"`, files: map[string]string{"v.txt": sound}},
	{name: "vectors: other lengths", keys: `vectors = "v.txt"`, files: map[string]string{"v.txt": "a 1 2 3\nb 1 2\n"}},
	{name: "vectors: one huge line", keys: `vectors = "v.txt"`, files: map[string]string{"v.txt": strings.Repeat("x", 2<<20)}},
	{name: "WordNet that is none", do: func(t *testing.T) {
		t.Helper()
		text, err := os.ReadFile("e.toml")
		if err != nil {
			t.Fatal(err)
		}
		testkit.WriteFile(t, "e.toml", strings.Replace(string(text), `"none"`, `"data"`, 1))
	}},
	{name: "compared with nobody", keys: "[report]\nagainst = \"nobody\""},
	{name: "too little text for the instruments"},
	{name: "too few for naturalness, and a sample of them", keys: "max_train = 1"},

	// Probable mistakes are only warnings.
	{name: "test sentences that are trained on (warning)", keys: "naturalness = \"n.tsv\"", files: map[string]string{
		"n.tsv": "__intercept__\t0\ngood\t1\n", "data/train.0.txt": "a b\nc d\na b c\n", "data/train.1.txt": "h a\nj\na b c d\n",
		"data/test.0.txt": "j\nc d\nx\n", "data/test.1.txt": "h a\nx\ny\n", "data/reference.0.txt": sound, "data/reference.1.txt": sound,
	}},
	{name: "references tokenised otherwise (warning)", keys: "naturalness = \"n.tsv\"", files: map[string]string{
		"n.tsv": "__intercept__\t0\ngood\t1\n", "data/test.0.txt": strings.Repeat("nice place , good !\n", 20),
		"data/reference.0.txt": strings.Repeat("Nice place, good!\n", 20),
	}},
}

// fileOrKey matches the place that each message must name: a file or a key.
var fileOrKey = regexp.MustCompile(`DIR/|datasets\.d\.?[a-z_]*: |wordnet: |report\.against `)

// TestFaultyData compares the messages about faulty data sets with testdata/faults.txt.
func TestFaultyData(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "faults.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	n := 0
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			said := f.said(t)
			n++
			fmt.Fprintf(&all, "# %s\n%s\n\n", f.name, said)
			for line := range strings.Lines(said) {
				if !fileOrKey.MatchString(line) || len(line) > 700 || strings.ContainsAny(line, "\x00\x1b") {
					t.Errorf("no file or key, too long or no text: %q", line)
				}
			}
		})
	}
	switch {
	case n < len(faults):
		t.Skip("links or pipes cannot be made here: the golden file is not compared")
	case n < 48:
		t.Errorf("only %d cases", n)
	}
	testkit.Golden(t, golden, all.String())
}

// The method said makes the faulty data set in a new folder and returns the errors or warnings
// about it, with DIR in place of the folder's path.
func (f *fault) said(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for _, part := range []string{"train", "dev", "test", "reference"} {
		testkit.WriteFile(t, "data/"+part+".0.txt", sound)
		testkit.WriteFile(t, "data/"+part+".1.txt", strings.ReplaceAll(sound, "words", "terms"))
	}
	for name, text := range f.files {
		testkit.WriteFile(t, name, text)
	}
	testkit.WriteFile(t, "e.toml", "wordnet = \"none\"\n[datasets.d]\ndir = \"data\"\n"+f.keys+"\n")
	if f.do != nil {
		f.do(t)
	}
	e, err := experiment.Load("e.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(e)
	if err == nil {
		err = p.Lacks
	}
	var warnings []string
	if err == nil {
		warnings, err = readText(t, p)
	}
	said := ""
	switch warned := strings.HasSuffix(f.name, "(warning)"); {
	case warned && err == nil:
		said = strings.Join(warnings, "\n")
	case warned:
		t.Fatal(err)
	default:
		testkit.WantError(t, err, userr.BadInput)
		said = err.Error()
	}
	return strings.ReplaceAll(said, dir, "DIR")
}

// readText runs those stages of a plan that read text and need no model: first the stages that
// check the text, then, if nothing is wrong, the stages Naturalness and Vectors. It returns the
// warnings of all these stages.
func readText(t *testing.T, p *Plan) (warnings []string, err error) {
	t.Helper()
	dirs := map[*Stage]string{}
	run := func(s *Stage) error {
		settings := Canonical(s.Settings)
		job := &stage.Job{
			Name: s.Name, Dir: t.TempDir(), Sources: s.Sources, Settings: settings, Inputs: map[string]string{},
		}
		for name, in := range s.Inputs {
			if job.Inputs[name] = dirs[in]; dirs[in] == "" {
				return nil // this input failed, so the stage cannot run
			}
		}
		err := stages.Definition(s.Name).Run(t.Context(), job)
		if warnings = append(warnings, job.Warnings...); err == nil {
			dirs[s] = job.Dir
		}
		return err
	}
	for _, names := range [][]stage.Name{
		{stages.Prepare, stages.TestSet, stages.Unseen}, {stages.Naturalness, stages.Vectors},
	} {
		for _, s := range p.Named(names...) {
			err = errors.Join(err, run(s))
		}
		if err != nil {
			break
		}
	}
	return warnings, err
}

// TestPlanReadsNoText checks that planning reads no text of a corpus, only the hashes of its files.
// Planning succeeds even if the text is invalid.
func TestPlanReadsNoText(t *testing.T) {
	dir := t.TempDir()
	for _, split := range corpus.Splits {
		for style := range 2 {
			testkit.WriteFile(t, filepath.Join(dir, "data", corpus.FileName(split, style)), "\xff\x00\n\n")
		}
	}
	p := newPlan(t, loadIn(t, dir, testkit.SmallStudy))
	if _, err := readText(t, p); err == nil {
		t.Error("the stages accept text that is not UTF-8")
	}
}

// TestUnreadable checks the error for a file that the user may not read.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	f := fault{do: func(t *testing.T) {
		t.Helper()
		if err := os.Chmod("data/train.0.txt", 0); err != nil {
			t.Fatal(err)
		}
	}}
	if said, want := f.said(t), `"DIR/data/train.0.txt" cannot be read (permission denied)`; !strings.Contains(said, want) {
		t.Errorf("%q does not say %q", said, want)
	}
}
