package rewrite

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// packed packs a made-up model of a made-up workspace and returns the file's path.
func packed(t testing.TB) (string, *workspace.Workspace) {
	t.Helper()
	ws, err := workspace.Open(filepath.Join(t.TempDir(), "ws"))
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.Create(); err != nil {
		t.Fatal(err)
	}
	c := &Chosen{
		Point: &plan.PointStages{}, Model: &plan.ModelStages{Model: "smlm"}, Stages: map[string]*plan.Stage{},
		Rewriting: Rewriting{Labels: corpus.Styles{"gloomy", "cheerful"}, Request: stages.TransferRequest{
			// more words and steps than anybody needs, but as many as a file may ask for
			Attribution: stages.AttributionSettings{
				Method: policy.ExplainableAttention, Splits: []string{"train"},
				Scoring: policy.Scoring{IGSteps: 10_000},
			},
			Mask:     stages.MaskSettings{Policy: policy.Policy{Name: policy.Surplus, LambdaEps: .5, TopK: 1e8}},
			Settings: stages.TransferSettings{Decoding: recipe.Copied},
			Draw:     experiment.DefaultSettings().Guided.Guided,
		}},
	}
	for name, k := range map[string]stage.Name{
		"vocab": stages.Vocab, "divlstm": stages.DivLSTM, "model": stages.SMLM, "prepare": stages.Prepare,
	} {
		s := &plan.Stage{Name: k, ID: strings.Repeat("0f", 31) + "a" + name[:1]}
		s.ID = strings.Map(func(r rune) rune {
			if r > 'f' {
				return 'e'
			}
			return r
		}, s.ID)
		c.Stages[name] = s
		dir := ws.StageDir(s)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			"model.json": `{"vocab": 10, "dim": 4, "dropout": 0.1}`, "model.safetensors": strings.Repeat(name, 100),
			"more.txt": "of a model to come", "vocab.txt": "<pad>\n茶\n凉\nada\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := workspace.NewRecord(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish(nil)
		r.Host, r.Sources = "secrethost", map[string]string{"dir": "/home/secret"}
		if err := stage.Seal(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "m.smlm")
	if _, err := Write(path, c, ws, "# A card\n"); err != nil {
		t.Fatal(err)
	}
	return path, ws
}

// TestCutting: how a user's text is to be cut is known by the vocabulary, in a workspace and in a
// packed file.
func TestCutting(t *testing.T) {
	path, ws := packed(t)
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	study := &Rewriting{}
	if study.Cutting().Characters {
		t.Error("without a vocabulary text is cut into characters")
	}
	study.Request.Inputs = map[string]string{}
	for _, s := range p.Manifest.Stages {
		if s.Name == stages.Vocab {
			study.Request.Inputs["vocab"] = ws.StageDir(&plan.Stage{Name: s.Name, ID: s.ID})
		}
	}
	x := &Explaining{}
	x.Request.VocabDir = study.Request.Inputs["vocab"]
	for of, c := range map[string]corpus.Cutting{
		"a study": study.Cutting(), "a study's masks": x.Cutting(),
		"a pack": p.Rewriting(corpus.Direction{From: 0, To: 1}).Cutting(), "a pack's masks": p.Explaining().Cutting(),
	} {
		if !c.Characters {
			t.Errorf("by the vocabulary of %s, text is not cut into characters", of)
		}
	}
}

// packedBytes is the file of packed.
func packedBytes(t testing.TB) []byte {
	t.Helper()
	path, _ := packed(t)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestPack: models are read as they were packed, without the training text and the names of the
// machine.
func TestPack(t *testing.T) {
	path, _ := packed(t)
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := &p.Manifest
	if names := slices.Sorted(maps.Keys(m.Stages)); !slices.Equal(names, []string{"divlstm", "model", "vocab"}) {
		t.Errorf("it has %v", names)
	}
	if m.Mask.LambdaEps != .5 || m.Labels[1] != "cheerful" || m.Draw != experiment.DefaultSettings().Guided.Guided {
		t.Errorf("%+v", m)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"secrethost", "/home/secret", "prepareprepare", filepath.Base(os.Args[0])} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("it holds %q", secret)
		}
	}
	if first := members(t, raw)[0].name; first != manifestName {
		t.Errorf("it begins with %q", first)
	}
	dir := ""
	err = p.Temporary(func(d string) error {
		dir = d
		for name, folder := range p.Request(d).Inputs {
			got, err := os.ReadFile(filepath.Join(folder, "model.safetensors"))
			if err != nil || string(got) != strings.Repeat(name, 100) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			if _, err := os.Stat(filepath.Join(folder, "more.txt")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		return nil
	})
	if _, gone := os.Stat(dir); err != nil || gone == nil {
		t.Errorf("%v, and the folder %q is left", err, dir)
	}
}

type member struct {
	name string
	text []byte
}

func members(t testing.TB, raw []byte) (all []member) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		text, err := contentOf(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, member{f.Name, text})
	}
	return all
}

func zipped(t testing.TB, all []member, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range all {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withManifest changes the manifest and signs it again.
func withManifest(t testing.TB, raw []byte, change func(m *Manifest)) []byte {
	t.Helper()
	all := members(t, raw)
	var m Manifest
	if err := json.Unmarshal(all[0].text, &m); err != nil {
		t.Fatal(err)
	}
	change(&m)
	var err error
	if m.Sum, err = sumOf(m); err != nil {
		t.Fatal(err)
	}
	if all[0].text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	return zipped(t, all, zip.Store)
}

// unpacks opens and extracts what may be anything.
func unpacks(t testing.TB, raw []byte) error {
	t.Helper()
	p, err := read("m.smlm", bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return err
	}
	p.file = io.NopCloser(nil)
	return p.Temporary(func(string) error { return nil })
}

// TestBadPacks: each is refused with one sentence that says what is wrong, whatever was done to it.
func TestBadPacks(t *testing.T) {
	raw := packedBytes(t)
	if err := unpacks(t, raw); err != nil {
		t.Fatal(err)
	}
	weights := bytes.Index(raw, []byte(strings.Repeat("model", 20)))
	flipped := slices.Clone(raw)
	flipped[weights] ^= 1
	all := members(t, raw)
	file := func(suffix string) string {
		i := slices.IndexFunc(all, func(m member) bool { return strings.HasSuffix(m.name, suffix) })
		return all[i].name
	}
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"empty":      {nil, "it is not a packed model, or is incomplete"},
		"truncated":  {raw[:len(raw)/2], "it is not a packed model, or is incomplete"},
		"other zip":  {zipped(t, []member{{"a.txt", []byte("hello")}}, zip.Store), "it is not a packed model"},
		"compressed": {zipped(t, all, zip.Deflate), "is compressed"},
		"twice":      {zipped(t, append(all, all[1]), zip.Store), "twice"},
		"one more":   {zipped(t, append(all, member{"../evil", nil}), zip.Store), `does not list its file "../evil"`},
		"one less":   {zipped(t, all[:len(all)-1], zip.Store), "it lacks the file"},
		"a bit":      {flipped, `/model.safetensors" has changed since it was packed; get the model again`},
		"unsigned":   {bytes.Replace(raw, []byte(`"lambda_eps": 0.5`), []byte(`"lambda_eps": 0.9`), 1), "manifest has been changed"},
		"version": {
			withManifest(t, raw, func(m *Manifest) { m.Version = 1 }),
			"it has format 1, but this program knows format 2: use the smlm-exp that packed it",
		},
		"path":     {withManifest(t, raw, func(m *Manifest) { m.Files["stages/../../evil"] = stage.File{} }), "in a place where packed models have none"},
		"absolute": {withManifest(t, raw, func(m *Manifest) { m.Files["/etc/passwd"] = stage.File{} }), "in a place where packed models have none"},
		"stage": {withManifest(t, raw, func(m *Manifest) {
			m.Stages["model"] = Stage{Name: "../..", ID: m.Stages["model"].ID}
		}), `its stage "model", "../..", is not one that rewriting needs`},
		"score": {withManifest(t, raw, func(m *Manifest) {
			m.Stages["score"] = Stage{Name: stages.Score, ID: strings.Repeat("ab", 32)}
		}), `its stage "score", "score", is not one that rewriting needs`},
		"other role": {withManifest(t, raw, func(m *Manifest) {
			m.Stages["guide"] = Stage{Name: stages.Classifier, ID: strings.Repeat("ab", 32)}
		}), `its stage "guide", "classifier", is not one that rewriting needs`},
		"label": {
			withManifest(t, raw, func(m *Manifest) { m.Labels = corpus.Styles{"grim", "a\x1b[31mb"} }),
			`its style "a\x1b[31mb" contains a control character`,
		},
		"overlap": {overlapped(t, raw), "overlap"},
		"beyond":  {beyond(t, raw), "lies beyond its end"},
		"many": {
			zipped(t, slices.Concat(all, make([]member, 1001)), zip.Store), "files, but a packed model has only a few",
		},
		"no model": {withManifest(t, raw, func(m *Manifest) { delete(m.Stages, "model") }), "it lacks the stage model"},
		"huge": {withManifest(t, raw, func(m *Manifest) {
			m.Files[file("model.safetensors")] = stage.File{Size: 1 << 50}
		}), "is given as 1125899906842624 bytes"},
		"beam": {withManifest(t, raw, func(m *Manifest) { m.Settings.Beam = 1 << 30 }), "its setting beam is 1073741824"},
		"steps": {
			withManifest(t, raw, func(m *Manifest) { m.Attribution.IGSteps = 10_001 }), "its setting ig_steps is 10001",
		},
		"policy":   {withManifest(t, raw, func(m *Manifest) { m.Mask.Name = "best" }), `policy "best" is unknown`},
		"method":   {withManifest(t, raw, func(m *Manifest) { m.Attribution.Method = "random" }), `method "random" is unknown`},
		"decoding": {withManifest(t, raw, func(m *Manifest) { m.Settings.Decoding = "best" }), `decoding "best" is unknown`},
		"length": {
			withManifest(t, raw, func(m *Manifest) {
				m.Settings.Lengths = []stages.LengthOf{{Direction: corpus.Direction{From: 0, To: 2}, Length: 1}}
			}), "it has the length of a direction that its styles do not have",
		},
		"copied": {
			withManifest(t, raw, func(m *Manifest) { m.Settings.Guided = experiment.DefaultSettings().Guided.Guided }),
			`decoding "copied" does not fit its settings of guided refill`,
		},
		"guide": {withManifest(t, raw, func(m *Manifest) {
			m.Settings.Decoding, m.Settings.Guided = recipe.GuidedDecoding, experiment.DefaultSettings().Guided.Guided
		}), "lacks what its settings need"},
	} {
		err := unpacks(t, c.raw)
		if err == nil || !strings.Contains(err.Error(), c.want) || userr.CodeOf(err) != userr.BadInput ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "there is no packed model") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// overlapped is an archive whose directory lists its first file once more, by another name: both
// are the same bytes.
func overlapped(t testing.TB, raw []byte) []byte {
	t.Helper()
	return redirected(t, raw, func(entries []int, raw []byte) {
		copy(raw[entries[1]+42:entries[1]+46], raw[entries[0]+42:entries[0]+46])
	})
}

// beyond is an archive whose second file is said to be longer than all.
func beyond(t testing.TB, raw []byte) []byte {
	t.Helper()
	return redirected(t, raw, func(entries []int, raw []byte) {
		for _, size := range []int{20, 24} {
			binary.LittleEndian.PutUint32(raw[entries[1]+size:], 1<<30)
		}
	})
}

// redirected changes the directory at the end of an archive, whose entries begin at places.
func redirected(t testing.TB, raw []byte, change func(entries []int, raw []byte)) []byte {
	t.Helper()
	raw = slices.Clone(raw)
	var entries []int
	for at := 0; ; at++ {
		next := bytes.Index(raw[at:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += next
		entries = append(entries, at)
	}
	if len(entries) < 2 {
		t.Fatal("the archive has no directory")
	}
	change(entries, raw)
	return raw
}

// TestShownNames: what a pack says of itself reaches a terminal as text, and nothing else.
func TestShownNames(t *testing.T) {
	raw := packedBytes(t)
	raw = withManifest(t, raw, func(m *Manifest) {
		m.Name, m.Program, m.Commit = "a\x1b[2Jb\nc", "\x1b]0;x\a", strings.Repeat("d", 1000)
	})
	p, err := read("m.smlm", bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	m := &p.Manifest
	if m.Name != `a\x1b[2Jb\nc` || m.Program != `\x1b]0;x\x07` || len(m.Commit) > 410 {
		t.Errorf("%q, %q, %q", m.Name, m.Program, m.Commit)
	}
}

// panicking is models that cannot be computed with.
type panicking struct{}

func (panicking) OpenTransfer(context.Context, stages.TransferRequest) (stages.TransferSession, error) {
	return panicking{}, nil
}

func (panicking) OpenExplain(_ context.Context, r stages.ExplainRequest) (stages.ExplainSession, error) {
	return nil, fmt.Errorf("reading %q: it has no tensor", filepath.Join(r.VocabDir, "model.safetensors"))
}

func (panicking) Rewrite(context.Context, [][]string) ([]stages.Rewritten, error) {
	panic("runtime error: integer divide by zero")
}

func (panicking) Close() {}

// TestGuarded: what goes wrong within somebody's models is said of the pack, in one sentence.
func TestGuarded(t *testing.T) {
	path, _ := packed(t)
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.Rewriting(corpus.Direction{From: 0, To: 1}).Open(t.Context(), panicking{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Rewrite(t.Context(), nil)
	testkit.WantError(t, err, userr.BadInput, "cannot be used: its models cannot be used here")
	_, err = p.Explaining().Open(t.Context(), panicking{})
	testkit.WantError(t, err, userr.BadInput, `cannot be used: reading "stages/vocab/`)
}

// TestEveryPolicyIsRead: what an experiment may mask by may be packed.
func TestEveryPolicyIsRead(t *testing.T) {
	raw := packedBytes(t)
	for _, name := range append(policy.Surplus.Choices(), string(policy.None)) {
		if err := unpacks(t, withManifest(t, raw, func(m *Manifest) { m.Mask.Name = policy.Name(name) })); err != nil {
			t.Errorf("policy %s: %v", name, err)
		}
	}
}

// TestShapes: a model.json that asks for more than its weights hold is refused before memory is
// asked for.
func TestShapes(t *testing.T) {
	for shape, bad := range map[string]bool{
		`{"vocab": 100, "dim": 8, "ff": 16, "layers": 2}`: false,
		`{"vocab": 1e9, "dim": 8}`:                        true,
		`{"vocab": 1000, "dim": 8}`:                       true,
		`{"vocab": 100, "dim": 8, "ff": 900000}`:          true,
		`{"vocab": 100, "dim": 8, "layers": 900}`:         true,
		`{"vocab": -1}`:                                   true,
		`{"vocab": 100, "dim": 8, "heads": 0}`:            true,
		`{"vocab": 100, "dim": 8, "heads": 3}`:            true,
		`{"vocab": 100, "dim": 8, "heads": 100}`:          true,
		`{"vocab": 100, "dim": 8, "heads": 4}`:            false,
		`{"vocab": 100, "dim": 8, "layers": 0}`:           true,
		`{`:                                               true,
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"model.json": shape, "model.safetensors": strings.Repeat("x", 8000)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if what := misshaped(dir); (what != "") != bad {
			t.Errorf("%s: %q", shape, what)
		}
	}
}

// FuzzShape: a model.json is refused in words, or asks for no more than its weights can be.
func FuzzShape(f *testing.F) {
	for _, shape := range []string{
		`{"vocab": 100, "dim": 8, "ff": 16, "layers": 2, "heads": 4}`, `{"vocab": 1e9}`, `{"heads": 0.5, "dim": 1e-300}`, `[]`,
		`{"vocab": 1, "embedding": 8, "hidden": 3, "latent": 1, "filters": 2, "widths": [1, 2]}`, `{"dim": null, "heads": "4"}`,
		"{\"\x7f\": 1e30}",
	} {
		f.Add([]byte(shape))
	}
	dir := f.TempDir()
	const weights = 8000
	f.Fuzz(func(t *testing.T, shape []byte) {
		dir := filepath.Join(dir, strconv.Itoa(os.Getpid()))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{"model.json": shape, "model.safetensors": make([]byte, weights)} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if what := misshaped(dir); what != "" {
			if len(what) > 200 || wording.VisibleLine(what) != what {
				t.Errorf("it says %q", what)
			}
			return
		}
		var of struct {
			Vocab, Dim, Embedding, Hidden, FF, Layers, Heads *float64
		}
		if json.Unmarshal(shape, &of) != nil {
			return // refused where models are read
		}
		for _, n := range []*float64{of.Vocab, of.Dim, of.Embedding, of.Hidden, of.FF, of.Layers, of.Heads} {
			if n != nil && (*n <= 0 || *n > weights/4) {
				t.Errorf("%s is taken", shape)
			}
		}
		if of.Dim != nil && of.Heads != nil && math.Mod(*of.Dim, *of.Heads) != 0 {
			t.Errorf("%s is taken", shape)
		}
	})
}

// FuzzRead: no bytes make the reader panic, or write outside of its folder.
func FuzzRead(f *testing.F) {
	raw := packedBytes(f)
	f.Add(raw)
	f.Add(raw[:len(raw)/2])
	f.Add(zipped(f, members(f, raw)[:2], zip.Store))
	f.Fuzz(func(t *testing.T, raw []byte) {
		root := t.TempDir()
		dir := filepath.Join(root, "in", "side")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		p, err := read("fuzz", bytes.NewReader(raw), int64(len(raw)))
		if err == nil {
			err = p.extract(dir)
		}
		if err != nil && (userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n")) {
			t.Errorf("no sentence: %v", err)
		}
		for _, outside := range []string{root, filepath.Dir(dir)} {
			if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
				t.Errorf("%v lie in %q (%v)", entries, outside, err)
			}
		}
	})
}

// FuzzManifest: nor do manifests that are signed.
func FuzzManifest(f *testing.F) {
	raw := packedBytes(f)
	all := members(f, raw)
	f.Add(all[0].text)
	f.Fuzz(func(t *testing.T, text []byte) {
		var m Manifest
		if json.Unmarshal(text, &m) != nil {
			return
		}
		sum, err := sumOf(m)
		if err != nil {
			return
		}
		m.Sum = sum
		signed, err := json.Marshal(m)
		if err != nil {
			return
		}
		if err := unpacks(t, zipped(t, append([]member{{manifestName, signed}}, all[1:]...), zip.Store)); err != nil &&
			userr.CodeOf(err) != userr.BadInput {
			t.Errorf("no sentence: %v", err)
		}
	})
}
