package stages_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// wordNetStudy is an experiment whose tables show METEOR for two models, a published system and the
// references.
const wordNetStudy = `name = "w"
vectors = "v.txt"
[datasets.tiny]
dir = "data"
outputs = "systems"
[smlm]
models = ["smlm", "smlm-g"]
decoding = ["copied"]
[metrics]
perplexity = false
[report]
tables = ["results", "content", "intervals"]
figures = []
`

// machineState is a study on a machine that may lack WordNet, word vectors or an encoder. Most
// stages write made-up results. Only the stages of the data, of METEOR and of the embedding metrics
// run their real code.
type machineState struct {
	t     *testing.T
	dir   string
	funcs fakebackend.Funcs
	ran   []stage.Name
}

func newMachine(t *testing.T) *machineState {
	m := &machineState{t: t, dir: t.TempDir(), funcs: fakebackend.Funcs{}}
	testkit.WriteData(t, filepath.Join(m.dir, "data"), 6)
	testkit.WriteFile(t, filepath.Join(m.dir, "e.toml"), wordNetStudy)
	testkit.WriteFile(t, filepath.Join(m.dir, "v.txt"),
		"words 1 0\nbig 0 1\ndog 0.5 1\nsystem 1 1\ntest 1 2\nof 2 1\nstyle 0 3\n")
	for style := range 2 {
		testkit.WriteLines(t, filepath.Join(m.dir, "systems", fmt.Sprintf("S.%d.txt", style)), 6, "words of a system")
	}
	own := fakebackend.Funcs{
		stages.Score: m.count, stages.Published: m.count, stages.Transfer: m.transfer,
	}
	for _, name := range []stage.Name{
		stages.Prepare, stages.TestSet, stages.Vocab, stages.Vectors, stages.METEOR, stages.Embedding,
	} {
		own[name] = stages.Run
	}
	for _, name := range stages.Names() {
		m.funcs[name] = func(ctx context.Context, job *stage.Job) error {
			m.ran = append(m.ran, name)
			if own[name] != nil {
				return own[name](ctx, job)
			}
			return stages.WriteJSON(job.Dir, "result.json", map[string]int{})
		}
	}
	return m
}

// rewritten returns the sentences that a job rewrites or scores: the folder of the stage that has
// them, and their split.
func rewritten(job *stage.Job) (folder string, split corpus.Split) {
	if folder, dev := job.Inputs["prepare"]; dev {
		return folder, corpus.Dev
	}
	return job.Inputs["test"], corpus.Test
}

// transfer writes each source with one word replaced. The replacement depends on the model.
func (m *machineState) transfer(_ context.Context, job *stage.Job) error {
	for style := range 2 {
		folder, split := rewritten(job)
		text, err := os.ReadFile(filepath.Join(folder, corpus.FileName(split, style)))
		if err != nil {
			return err
		}
		words := strings.ReplaceAll(string(text), "words", filepath.Base(job.Inputs["model"])[:1]+" big dog")
		testkit.WriteFile(m.t, filepath.Join(job.Dir, fmt.Sprintf("output.%d.txt", style)), words)
		testkit.WriteFile(m.t, filepath.Join(job.Dir, fmt.Sprintf("masked.%d.txt", style)), string(text))
	}
	return nil
}

// The method "count" scores the source sentences as if they were outputs, with no classifier or
// other model.
func (m *machineState) count(_ context.Context, job *stage.Job) error {
	_, split := rewritten(job)
	d, err := stages.ReadDataset(job, split)
	if err != nil {
		return err
	}
	dirs := make([]metrics.Input, 2)
	for k := range dirs {
		dirs[k] = metrics.Input{
			From: d.Labels[k], To: d.Labels[1-k], Target: 1 - k,
			Source: d.Text[split][k], Output: d.Text[split][k],
		}
	}
	s, err := metrics.Score(dirs, metrics.Instruments{})
	if err != nil {
		return err
	}
	return stages.KeepScores(job, s)
}

// state has the plan, the results and the tables for the machine as it is now.
type state struct {
	plan   *plan.Plan
	ws     *workspace.Workspace
	found  *results.Results
	tables string
	meteor []string // "SYSTEM VALUE", with "-" as the value if there is none
}

func (m *machineState) look(set ...string) state {
	m.t.Helper()
	e, err := experiment.Load(filepath.Join(m.dir, "e.toml"), set)
	if err != nil {
		m.t.Fatal(err)
	}
	s := state{}
	if s.plan, err = plan.New(e); err != nil {
		m.t.Fatal(err)
	}
	if s.ws, err = workspace.Open(e.Workspace); err != nil {
		m.t.Fatal(err)
	}
	if s.found, err = results.Collect(s.plan, s.ws); err != nil {
		m.t.Fatal(err)
	}
	for _, system := range s.found.Systems {
		value := "-"
		if v, has := system.Values["meteor"]; has {
			value = fmt.Sprintf("%.4f", v)
		}
		s.meteor = append(s.meteor, system.System()+" "+value)
	}
	var b bytes.Buffer
	for _, t := range s.found.Tables() {
		if err := t.Write(&b, "text"); err != nil {
			m.t.Fatal(err)
		}
	}
	s.tables = b.String()
	return s
}

// run runs the missing stages and returns the names of the stages that ran, each name once.
func (m *machineState) run(set ...string) []stage.Name {
	m.t.Helper()
	s := m.look(set...)
	m.ran = nil
	err := runs.Run(m.t.Context(), s.plan, s.ws, m.funcs.Run, runs.Options{Out: io.Discard, Quiet: true})
	if err != nil {
		m.t.Fatal(err)
	}
	slices.Sort(m.ran)
	return slices.Compact(m.ran)
}

// install copies the invented WordNet of the tests to a folder, and appends the text in more to one
// of its files.
func install(t *testing.T, to, more string) {
	t.Helper()
	from := filepath.FromSlash("../../metrics/meteor/testdata/wordnet")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(to, "noun.exc"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(more); err != nil {
		t.Fatal(err)
	}
}

// TestWordNetComesAndGoes: the test makes WordNet appear, disappear, come back and change. All rows
// stay in the tables. METEOR is computed and shown if WordNet is there. No other stage runs because
// of WordNet.
func TestWordNetComesAndGoes(t *testing.T) {
	m := newMachine(t)
	for _, name := range []string{"WNSEARCHDIR", "WNHOME", "NLTK_DATA"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	if dir, found := meteor.Find(""); found {
		t.Skipf("this machine has a WordNet in %s, which cannot be taken away", dir)
	}
	m.run()
	without := m.look()
	if d := cmp.Diff([]string{"SMLM -", "SMLM-G -", "S -", "references -"}, without.meteor); d != "" {
		t.Errorf("rows without WordNet (-want +got):\n%s", d)
	}
	if without.found.Missing+without.found.Unscored > 0 || !strings.Contains(without.tables,
		"METEOR is left out: WordNet is not on this machine. Install it") {
		t.Errorf("without WordNet %d points are missing:\n%s", without.found.Missing, without.tables)
	}

	first := filepath.Join(t.TempDir(), "wordnet")
	install(t, first, "")
	t.Setenv("WNSEARCHDIR", first)
	if s := m.look(); !slices.Equal(s.meteor, without.meteor) ||
		!strings.Contains(s.tables, "METEOR is not computed yet. Run the experiment") {
		t.Errorf("WordNet is there and nothing ran: %v\n%s", s.meteor, s.tables)
	}
	half := m.look()
	if err := runs.Run(t.Context(), half.plan, half.ws, m.funcs.Run, runs.Options{
		Out: io.Discard, Quiet: true, Only: []string{half.plan.Named(stages.METEOR)[0].ID},
	}); err != nil {
		t.Fatal(err)
	}
	half = m.look()
	lacks := func(row string) bool { return strings.HasSuffix(row, " -") }
	if len(lists.Filter(half.meteor, lacks)) != 3 {
		t.Errorf("METEOR of one row: %v\n%s", half.meteor, half.tables)
	}
	if ran := m.run(); !slices.Equal(ran, []stage.Name{stages.METEOR}) {
		t.Errorf("for WordNet ran %v", ran)
	}
	with := m.look()
	if len(with.meteor) != 4 || strings.Contains(strings.Join(with.meteor, ""), " -") ||
		slices.Compact(slices.Clone(with.meteor))[0] == with.meteor[1] {
		t.Fatalf("with WordNet %v", with.meteor)
	}
	m.compared(with, "meteor", "embedding_average", "s_bleu")

	t.Setenv("WNSEARCHDIR", "")
	gone := m.look()
	if d := cmp.Diff(without.tables, gone.tables); d != "" {
		t.Errorf("tables before WordNet came and after it is gone (-before +after):\n%s", d)
	}
	if ran := m.run(); len(ran) > 0 {
		t.Errorf("ran without WordNet: %v", ran)
	}
	m.compared(gone, "embedding_average", "s_bleu")

	t.Setenv("WNSEARCHDIR", first)
	if back := m.look(); back.tables != with.tables || len(m.run()) > 0 {
		t.Errorf("WordNet is back:\n%s", cmp.Diff(with.tables, back.tables))
	}

	second := filepath.Join(t.TempDir(), "wordnet")
	install(t, second, "dogges dog\n")
	t.Setenv("WNSEARCHDIR", second)
	if ran := m.run(); !slices.Equal(ran, []stage.Name{stages.METEOR}) {
		t.Errorf("for another WordNet ran %v", ran)
	}
	signature := func(s state) string { return s.found.Systems[0].Scores.Signatures["meteor"] }
	if after := m.look(); signature(after) == signature(with) {
		t.Errorf("signature %s, before %s", signature(after), signature(with))
	}
}

// The method compared checks that Compare returns the metrics in "want", for SMLM and the published
// system, and returns METEOR only if it is among them. The values must be the same as in the
// tables.
func (m *machineState) compared(s state, want ...string) {
	m.t.Helper()
	rows, err := s.found.Compare(m.t.Context(), s.found.Systems[:1], s.found.Systems[2:3])
	if err != nil {
		m.t.Fatal(err)
	}
	got := map[string]float64{}
	for _, r := range rows {
		got[r.Comparison.Metric] = r.Comparison.A
	}
	for _, metric := range want {
		if a, has := got[metric]; !has || a != s.found.Systems[0].Values[metric] {
			m.t.Errorf("%s: compared %t, %g, in the table %g", metric, has, a, s.found.Systems[0].Values[metric])
		}
	}
	if _, has := got["meteor"]; has != slices.Contains(want, "meteor") {
		m.t.Errorf("compared in %v", slices.Sorted(maps.Keys(got)))
	}
	for _, system := range s.found.Systems {
		v, has := system.Scores.Intervals["embedding_average"]
		if !has || v.Value != system.Values["embedding_average"] {
			m.t.Errorf("%s: interval %+v of the embedding average", system.Name(), v)
		}
	}
}

// TestNamedInstrumentsGone: if a WordNet or a file of vectors that the experiment names is missing,
// a run stops with an error of one sentence. Tables can still be made.
func TestNamedInstrumentsGone(t *testing.T) {
	m := newMachine(t)
	wordNet, vectors := filepath.Join(m.dir, "wordnet"), filepath.Join(m.dir, "v.txt")
	install(t, wordNet, "")
	named := []string{"wordnet=wordnet"}
	m.run(named...)
	with := m.look(named...)
	for _, c := range []struct{ name, path, hint string }{
		{"wordnet: there is no WordNet in", wordNet, "METEOR is left out"},
		{"datasets.tiny.vectors: there is no", vectors, "The embedding metrics are missing"},
	} {
		name, path := c.name, c.path
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		s := m.look(named...)
		if len(s.found.Systems) != len(with.found.Systems) || !strings.Contains(s.tables, c.hint) {
			t.Errorf("%s:\n%s", name, s.tables)
		}
		err := runs.Run(t.Context(), s.plan, s.ws, m.funcs.Run, runs.Options{Out: io.Discard})
		testkit.WantError(t, err, userr.BadInput, name)
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
	// Without the key "vectors", there are no embedding metrics.
	testkit.WriteFile(t, filepath.Join(m.dir, "e.toml"), strings.Replace(wordNetStudy, "vectors = ", "# ", 1))
	s := m.look(named...)
	if _, has := s.found.Systems[0].Values["embedding_average"]; has || s.found.Missing > 0 ||
		len(s.found.Systems) != len(with.found.Systems) ||
		!strings.Contains(s.tables, "The embedding metrics are left out: name a file of word vectors with the key vectors.") {
		t.Errorf("without the key vectors:\n%s", s.tables)
	}
}
