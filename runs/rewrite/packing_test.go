package rewrite

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// The function packed packs a made-up model from a made-up workspace. It returns the path of the
// packed file.
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
		Model: stage.Point{Point: &experiment.Point{}, Model: "smlm"}, Stages: map[string]*plan.Stage{},
		Rewriting: Rewriting{Labels: corpus.Styles{"gloomy", "cheerful"}, Request: stages.TransferRequest{
			Attribution: stages.AttributionSettings{
				Method: policy.ExplainableAttention, Splits: []string{"train"},
			},
			Mask: stages.MaskSettings{Policy: policy.Policy{Name: policy.Surplus, LambdaEps: .5}},
			Settings: stages.TransferSettings{
				Decoding: recipe.GuidedDecoding, Guided: experiment.DefaultSettings().Guided.Guided,
			},
		}},
	}
	for name, k := range map[string]stage.Name{
		"vocab": stages.Vocab, "divlstm": stages.DivLSTM, "model": stages.SMLM, "phrases": stages.Phrases,
		"guide": stages.Guide, "fluency": stages.Fluency,
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
		r := workspace.NewRecord(s, 1)
		r.Finish(nil)
		r.Host, r.Sources = "secrethost", map[string]string{"dir": "/home/secret"}
		if err := stage.Seal(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "m.smlm")
	if _, err := Write(path, c, ws); err != nil {
		t.Fatal(err)
	}
	return path, ws
}

// TestCutting: the vocabulary determines how a user's text is cut into words, in a workspace and in
// a packed file.
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

// packedBytes calls the function "packed" and returns the content of the packed file.
func packedBytes(t testing.TB) []byte {
	t.Helper()
	path, _ := packed(t)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestPack: models are unpacked as they were packed. The packed file does not reveal the names of
// the host, of the user's folders or of the program's file.
func TestPack(t *testing.T) {
	path, _ := packed(t)
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := &p.Manifest
	names := slices.Sorted(maps.Keys(m.Stages))
	want := []string{"divlstm", "fluency", "guide", "model", "phrases", "vocab"}
	if !slices.Equal(names, want) {
		t.Errorf("it has %v", names)
	}
	how := experiment.DefaultSettings().Guided.Guided
	if m.Mask.LambdaEps != .5 || m.Labels[1] != "cheerful" || m.Settings.Guided != how {
		t.Errorf("%+v", m)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"secrethost", "/home/secret", filepath.Base(os.Args[0])} {
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
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, member{f.Name, text})
	}
	return all
}

func zipped(t testing.TB, all []member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range all {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: zip.Store})
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

// The function compressed returns a packed file whose files are compressed.
func compressed(t testing.TB, all []member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range all {
		w, err := z.Create(m.name)
		if err == nil {
			_, err = w.Write(m.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claims returns the packed file with a changed ZIP directory, which says that the last file has
// almost 4 GB.
func claims(raw []byte) []byte {
	raw = slices.Clone(raw)
	entry := bytes.LastIndex(raw, []byte("PK\x01\x02"))
	copy(raw[entry+24:], "\xfe\xff\xff\xff")
	return raw
}

// withManifest returns the packed file with a changed manifest.
func withManifest(t testing.TB, raw []byte, change func(m *Manifest)) []byte {
	t.Helper()
	all := members(t, raw)
	var m Manifest
	if err := json.Unmarshal(all[0].text, &m); err != nil {
		t.Fatal(err)
	}
	change(&m)
	var err error
	if all[0].text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	return zipped(t, all)
}

// unpacks opens the bytes of raw as a packed model and extracts it. These bytes need not be a valid
// packed model.
func unpacks(t testing.TB, raw []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.smlm")
	testkit.WriteFile(t, path, string(raw))
	p, err := Open(path)
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Temporary(func(string) error { return nil })
}

// TestBadPacks: each bad file is refused with one sentence that says what is wrong and what to do.
func TestBadPacks(t *testing.T) {
	raw := packedBytes(t)
	if err := unpacks(t, raw); err != nil {
		t.Fatal(err)
	}
	weights := bytes.Index(raw, []byte(strings.Repeat("model", 20)))
	flipped := slices.Clone(raw)
	flipped[weights] ^= 1
	all := members(t, raw)
	weightsOf := slices.IndexFunc(all, func(m member) bool { return strings.HasSuffix(m.name, "/model.safetensors") })
	other := slices.Clone(all)
	other[weightsOf].text = []byte("other weights")
	unknown := slices.Clone(all)
	unknown[0].text = bytes.Replace(all[0].text, []byte(`"labels":`), []byte(`"mask_contrast": 1, "labels":`), 1)
	rater := []byte(`{"stage": "rater", "version": 4}`)
	withRater := append(slices.Clone(all), member{"stages/rater/0f/stage.json", rater})
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"empty":         {nil, "it is not a packed model, or is incomplete"},
		"truncated":     {raw[:len(raw)/2], "it is not a packed model, or is incomplete"},
		"other zip":     {zipped(t, []member{{"a.txt", []byte("hello")}}), "it is not a packed model"},
		"one less":      {zipped(t, slices.Delete(slices.Clone(all), weightsOf, weightsOf+1)), `/model.safetensors" has changed since`},
		"a bit":         {flipped, `/model.safetensors" has changed since it was packed`},
		"other weights": {zipped(t, other), `/model.safetensors" has changed since it was packed`},
		"version": {
			withManifest(t, raw, func(m *Manifest) { m.Version = 2 }),
			"its format has version 2, but this program has version 4; use the smlm-exp that packed it",
		},
		"path":         {withManifest(t, raw, func(m *Manifest) { m.Files["stages/../../evil"] = stage.File{} }), "in a place where packed models have none"},
		"absolute":     {withManifest(t, raw, func(m *Manifest) { m.Files["/etc/passwd"] = stage.File{} }), "in a place where packed models have none"},
		"compressed":   {compressed(t, all), "is compressed or incomplete"},
		"a huge file":  {claims(raw), "is compressed or incomplete"},
		"no guide":     {withManifest(t, raw, func(m *Manifest) { delete(m.Stages, "guide") }), "it lacks the stage guide"},
		"one label":    {withManifest(t, raw, func(m *Manifest) { m.Labels = m.Labels[:1] }), "has 1 label"},
		"equal labels": {withManifest(t, raw, func(m *Manifest) { m.Labels[1] = m.Labels[0] }), "must be different names"},
		"three labels": {
			withManifest(t, raw, func(m *Manifest) { m.Labels = append(m.Labels, "c") }),
			"it has 3 labels, but its Diversity-LSTM knows 2 styles",
		},
		"unknown key": {zipped(t, unknown), `manifest.json: json: unknown field "mask_contrast"`},
		"policy":      {withManifest(t, raw, func(m *Manifest) { m.Mask.Name = "best" }), `masking.policy is "best", but must be "surplus" or "top_share"`},
		"lambda_eps":  {withManifest(t, raw, func(m *Manifest) { m.Mask.LambdaEps = -5 }), "masking.lambda_eps is -5, but must be from 0 to 1000"},
		"top_share": {
			withManifest(t, raw, func(m *Manifest) { m.Mask.Policy = policy.Policy{Name: policy.TopShare} }),
			"masking.top_share is 0, but must be above 0",
		},
		"alike labels": {withManifest(t, raw, func(m *Manifest) { m.Labels[1] = m.Labels[0] + "\u200b" }), "must be different names"},
		"still auto":   {withManifest(t, raw, func(m *Manifest) { m.Mask.LambdaEps = recipe.Chosen }), `a setting of it is "auto", but must be a number`},
		"method":       {withManifest(t, raw, func(m *Manifest) { m.Attribution.Method = "none of it" }), `masking.methods contains "none of it"`},
		"no method":    {withManifest(t, raw, func(m *Manifest) { m.Attribution.Method = policy.Random }), `the method "random" scores no words`},
		"decoding":     {withManifest(t, raw, func(m *Manifest) { m.Settings.Decoding = "best" }), `smlm.decoding contains "best"`},
		"fluency":      {withManifest(t, raw, func(m *Manifest) { m.Settings.Guided.Fluency = -1 }), "guided.fluency is -1, but must be 0 or more"},
		"style":        {withManifest(t, raw, func(m *Manifest) { m.Settings.Guided.Style = 1e300 }), "guided.style is 1e+300, but must be at most"},
		"other model":  {withManifest(t, raw, func(m *Manifest) { m.Stages["model"] = Stage{stages.LM, "0f"} }), `smlm.models contains "lm"`},
		"no model":     {withManifest(t, raw, func(m *Manifest) { delete(m.Stages, "model") }), "it lacks the stage model"},
		"other stage": {
			withManifest(t, raw, func(m *Manifest) { m.Stages["model"] = Stage{Name: stages.SMLM, ID: "0f"} }),
			"the record of its stage model cannot be read",
		},
		"unknown stage": {
			withManifest(t, zipped(t, withRater), func(m *Manifest) {
				m.Stages["rater"] = Stage{"rater", "0f"}
				m.Files["stages/rater/0f/stage.json"] = stage.File{Size: int64(len(rater)), SHA256: files.Sum(rater)}
			}),
			"its stage rater has version 4, but this program has version 0; use the smlm-exp that packed it",
		},
	} {
		err := unpacks(t, c.raw)
		do := "; get it again, or name another file that `smlm-exp pack` wrote"
		if strings.Contains(c.want, "use the smlm-exp that packed it") {
			do = ""
		}
		testkit.WantError(t, err, userr.BadInput, c.want, do)
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "there is no packed model") {
		t.Errorf("a file that is not there: %v", err)
	}
}
