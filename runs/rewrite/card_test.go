package rewrite

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// openBytes opens a packed file in memory.
func openBytes(t *testing.T, raw []byte) *Pack {
	t.Helper()
	p, err := read("m.smlm", bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	p.file = io.NopCloser(nil)
	return p
}

// withCard puts another card into a packed file, under a name, signed again.
func withCard(t *testing.T, raw []byte, name, card string) []byte {
	t.Helper()
	all := members(t, raw)
	i := slices.IndexFunc(all, func(m member) bool { return m.name == CardFile })
	all[i] = member{name, []byte(card)}
	return withManifest(t, zipped(t, all, zip.Store), func(m *Manifest) {
		delete(m.Files, CardFile)
		m.Files[name] = stage.File{Size: int64(len(card)), SHA256: files.Sum([]byte(card))}
	})
}

// TestPackedCard: a card is shown as it was packed, but for what a terminal would obey; one that
// was changed is refused, and a file that was packed without one says what its manifest tells.
func TestPackedCard(t *testing.T) {
	raw := packedBytes(t)
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"as packed":            {raw, "# A card\n"},
		"signs for a terminal": {withCard(t, raw, CardFile, "# A \x1b[2Jcard\n"), "# A \\x1b[2Jcard\n"},
	} {
		if got, err := openBytes(t, c.raw).Card(); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	got, err := openBytes(t, withCard(t, raw, noticeName, "a notice")).Card()
	for _, want := range []string{
		"# smlm on ", "- gloomy to cheerful\n- cheerful to gloomy\n", "transfer --packed FILE --to cheerful\n",
		"\nNot recorded: ",
	} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("without a card %q is missing (%v):\n%s", want, err, got)
		}
	}
	_, err = openBytes(t, bytes.Replace(raw, []byte("# A card"), []byte("# A bard"), 1)).Card()
	testkit.WantError(t, err, userr.BadInput, `its file "README.md" has changed since it was packed; get the model again`)
	_, err = openBytes(t, withCard(t, raw, CardFile, strings.Repeat("x", mostCard+1))).Card()
	testkit.WantError(t, err, userr.BadInput, `its file "README.md" has 1048577 bytes`)
}

// TestFlat: settings stand in a line, without those that are off, and long lists are counted.
func TestFlat(t *testing.T) {
	type inner struct {
		On  bool      `json:"on"`
		Few []int     `json:"few"`
		All []float64 `json:"all"`
	}
	got := flat(map[string]any{"lr": 0.0005, "clip": 0, "name": "", "loss": "all", "of": inner{true, []int{1, 2}, make([]float64, 9)}},
		map[string]any{"seed": 1, "off": false, "none": nil})
	if want := "loss all, lr 0.0005, of.all: 9 values, of.few 1 2, of.on, seed 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCardLimits: a card says where attention does not lie on words that carry style, and where
// there are no such words.
func TestCardLimits(t *testing.T) {
	ws, err := workspace.Open(t.TempDir())
	if err == nil {
		err = ws.Create()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		health  *stages.AttentionHealth
		want    []string
		without string
	}{
		"healthy": {&stages.AttentionHealth{Found: []float64{.5, .75}}, []string{"gloomy 50.0 %, cheerful 75.0 %."}, "low"},
		"low": {&stages.AttentionHealth{Found: []float64{.12, .75}}, []string{
			"gloomy 12.0 %, cheerful 75.0 %. That is low: attention lies on words that say little of the style",
		}, "no words of its own"},
		"one-sided": {&stages.AttentionHealth{Found: []float64{0, .75}, Silent: []int{0}}, []string{
			"can carry: cheerful 75.0 %.", "The style gloomy has no words of its own in the data",
		}, "low"},
		"not known": {nil, []string{"It is not recorded whether attention lies on words"}, "low"},
		"not asked": {&stages.AttentionHealth{}, []string{"It is not recorded whether attention lies on words"}, "low"},
	} {
		s := &plan.Stage{Name: stages.DivLSTM, ID: files.Sum([]byte(name))}
		r, err := workspace.NewRecord(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish(nil)
		result, err := json.Marshal(stages.TrainResult{Attention: c.health})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(ws.StageDir(s), 0o755); err != nil {
			t.Fatal(err)
		}
		testkit.WriteFile(t, filepath.Join(ws.StageDir(s), "result.json"), string(result))
		if err := stage.Seal(ws.StageDir(s), r); err != nil {
			t.Fatal(err)
		}
		chosen := &Chosen{
			Rewriting: Rewriting{Labels: corpus.Styles{"gloomy", "cheerful"}}, Stages: map[string]*plan.Stage{"divlstm": s},
		}
		if got := strings.Join(chosen.limits(ws), "\n"); strings.Contains(got, "ttention") {
			t.Errorf("%s: attention masks nothing, and it is said:\n%s", name, got)
		}
		chosen.Request.Attribution.Method = policy.ExplainableAttention
		got := strings.Join(chosen.limits(ws), "\n")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing:\n%s", name, want, got)
			}
		}
		if strings.Contains(got, c.without) {
			t.Errorf("%s: %q is said:\n%s", name, c.without, got)
		}
	}
}
