package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	want := small()
	if err := want.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir, want.Name, want.Labels)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v, %v; saved %+v", got, err, want)
	}
	test := NewDataset(want.Name, want.Labels)
	test.Refs = want.Refs
	test.Text[Test] = want.Text[Test]
	if got, err = Load(dir, want.Name, want.Labels, Test); err != nil || !reflect.DeepEqual(got, test) {
		t.Errorf("of the test split alone: loaded %+v, %v; want %+v", got, err, test)
	}
	if got, err = Load(dir, want.Name, want.Labels, Dev); err != nil || got.HasRefs() ||
		!reflect.DeepEqual(got.Text[Dev], want.Text[Dev]) ||
		got.Size(Test) > 0 {
		t.Errorf("of the dev split alone: loaded %+v, %v", got, err)
	}
	// A folder with the test split alone is complete for a caller that requests only this split.
	apart := filepath.Join(dir, "apart")
	if err := want.Save(apart, Test); err != nil {
		t.Fatal(err)
	}
	if got, err = Load(apart, want.Name, want.Labels, Test); err != nil || !reflect.DeepEqual(got, test) {
		t.Errorf("of a folder with the test split alone: loaded %+v, %v; want %+v", got, err, test)
	}
	_, err = Load(apart, want.Name, want.Labels, Dev, Test)
	testkit.WantError(t, err, userr.BadInput, "lacks dev.0.txt, dev.1.txt:")
	if err := want.Save(filepath.Join(dir, "rest"), Train, Dev); err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "rest", "*")); len(found) != 4 {
		t.Errorf("train and dev alone are %v", found)
	}
	if got, err = Load(dir, "x", nil); err != nil || !slices.Equal(got.Labels, Styles{"0", "1"}) {
		t.Errorf("labels %q, %v", got.Labels, err)
	}
}

func TestLoadWithoutReferences(t *testing.T) {
	d := small()
	d.Refs = nil
	dir := filepath.Join(t.TempDir(), "made", "by", "save")
	if err := d.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir, d.Name, d.Labels)
	if err != nil || got.HasRefs() || !reflect.DeepEqual(got, d) {
		t.Errorf("loaded %+v, %v", got, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	write := func(name, text string) func(string) {
		return func(dir string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	}
	remove := func(names ...string) func(string) {
		return func(dir string) {
			for _, n := range names {
				must(t, os.Remove(filepath.Join(dir, n)))
			}
		}
	}
	for _, c := range []struct {
		name   string
		spoil  func(dir string)
		labels []string
		want   string // the test replaces DIR by the directory
	}{
		{
			"no folder", func(dir string) { must(t, os.RemoveAll(dir)) }, nil,
			`the folder "DIR" of the data set "toy" does not exist`,
		},
		{"a file", func(dir string) { must(t, os.RemoveAll(dir)); must(t, os.WriteFile(dir, nil, 0o644)) }, nil, `"DIR" of the data set "toy" is a file`},
		{
			"third style", write("train.2.txt", "x\n"), nil,
			`the folder "DIR" of the data set "toy" lacks dev.2.txt, test.2.txt`,
		},
		{
			"missing files", remove("train.1.txt", "test.0.txt"), nil,
			`the folder "DIR" of the data set "toy" lacks train.1.txt, test.0.txt`,
		},
		{
			"short reference", write("reference.1.txt", "a .\n"), nil,
			`"DIR/reference.1.txt" has 1 line, but "DIR/test.1.txt" has 2`,
		},
		{
			"long reference", write("reference.0.txt", "a\nb\nc\n"), nil,
			`"DIR/reference.0.txt" has 3 lines, but "DIR/test.0.txt" has 2`,
		},
		{"empty file", write("dev.1.txt", ""), nil, `the file "DIR/dev.1.txt" is empty`},
		{"empty line", write("dev.1.txt", "a\n\nb\n"), nil, `DIR/dev.1.txt:2: the line is empty`},
		{"not UTF-8", write("reference.0.txt", "a\n\xe9\n"), nil, `DIR/reference.0.txt:2: the line is not UTF-8`},
		{
			"long line", write("train.0.txt", strings.Repeat("w ", 100_000)), nil,
			`DIR/train.0.txt:1: the line has 100000 words`,
		},
		{"one label", func(string) {}, []string{"a"}, `the data set "toy" has 1 label: give at least two names`},
		{
			"a label with a tab", func(string) {},
			[]string{"a", "b\tc"},
			`the label "b\tc" of the data set "toy" contains the control character U+0009`,
		},
		{
			"equal labels", func(string) {},
			[]string{"a", "a"},
			`the labels ["a" "a"] of the data set "toy" must be different names`,
		},
		{
			"labels that look equal", func(string) {},
			[]string{"a", "a\u200b "},
			`the labels ["a" "a\u200b "] of the data set "toy" must be different names`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			must(t, small().Save(dir))
			c.spoil(dir)
			_, err := Load(dir, "toy", c.labels)
			want := strings.ReplaceAll(c.want, "DIR", dir)
			if err == nil || !strings.HasPrefix(err.Error(), want) || userr.CodeOf(err) != userr.BadInput {
				t.Errorf("error %v (code %d), want %q...", err, userr.CodeOf(err), want)
			}
		})
	}
	if _, err := Load("", "toy", nil); err == nil || !strings.Contains(err.Error(), "has no folder") {
		t.Errorf("no dir: %v", err)
	}
}

func TestSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, keep, seed := rapid.IntRange(1, 60).
			Draw(t, "n"),
			rapid.IntRange(0, 70).
				Draw(t, "keep"),
			rapid.Uint64().
				Draw(t,
					"seed")
		make := func() *Dataset {
			d := small()
			d.Text[Train] = [][]Sentence{nil, nil}
			for i := range n {
				d.Text[Train][0] = append(d.Text[Train][0], Sentence{fmt.Sprintf("%03d", i)})
				d.Text[Train][1] = append(d.Text[Train][1], Sentence{fmt.Sprintf("%03d", i)})
			}
			return d
		}
		d, again, all := make(), make(), make()
		d.Sample(keep, seed)
		again.Sample(keep, seed)
		if !reflect.DeepEqual(d, again) {
			t.Fatal("the same seed draws another sample")
		}
		if !reflect.DeepEqual(d.Text[Dev], all.Text[Dev]) || !reflect.DeepEqual(d.Text[Test], all.Text[Test]) {
			t.Fatal("dev or test changed")
		}
		want := n
		if keep > 0 && keep < n {
			want = keep
		}
		for style, sample := range d.Text[Train] {
			if len(sample) != want {
				t.Fatalf("style %d: %d of %d kept, want %d", style, len(sample), n, want)
			}
			for i := 1; i < len(sample); i++ {
				if sample[i-1][0] >= sample[i][0] {
					t.Fatalf("order changed or drawn twice: %v", sample)
				}
			}
		}
	})
	// Another seed draws another sample. Two samples of 20 from 30,000 sentences are equal by
	// chance less than once in a million cases.
	a, b := Demo(), Demo()
	a.Sample(20, 1)
	b.Sample(20, 2)
	if reflect.DeepEqual(a.Text[Train], b.Text[Train]) {
		t.Error("seeds 1 and 2 draw the same sample")
	}
}

// TestLoadYelp reads all of the real Yelp text; the expected counts are those of the data's README.
func TestLoadYelp(t *testing.T) {
	dir := testkit.Shared(t, "yelp")
	start := time.Now()
	d, err := Load(dir, "yelp", []string{"negative", "positive"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded in %v", time.Since(start))
	var got [3][2]int
	for _, s := range Splits {
		for style := range 2 {
			got[s][style] = len(d.Text[s][style])
		}
	}
	if want := [3][2]int{{107384, 158574}, {2000, 2000}, {500, 500}}; got != want {
		t.Errorf("sizes %v, want %v", got, want)
	}
	if len(d.Refs[0]) != 500 || len(d.Refs[1]) != 500 {
		t.Errorf("references %d, %d", len(d.Refs[0]), len(d.Refs[1]))
	}
}

func BenchmarkLoadYelp(b *testing.B) {
	dir := testkit.Shared(b, "yelp")
	for b.Loop() {
		if _, err := Load(dir, "yelp", nil); err != nil {
			b.Fatal(err)
		}
	}
}

// small returns a data set of a few sentences written for these tests.
func small() *Dataset {
	s := func(lines ...string) (out []Sentence) {
		for _, l := range lines {
			out = append(out, strings.Fields(l))
		}
		return out
	}
	return &Dataset{
		Name: "toy", Labels: Styles{"wet", "dry"},
		Text: [3][][]Sentence{
			{s("it rains .", "it rains again .", "it rains ."), s("the sun is out .", "no clouds .", "it rains .")},
			{s("it rains .", "drizzle !"), s("no clouds .")},
			{s("more drizzle .", "fog ."), s("the sun is out .", "blue sky .")},
		},
		Refs: [][]Sentence{s("More sun .", "no fog ."), s("the rain is out .", "Grey sky .")},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadExtra checks that AddExtra appends the extra sentences to the training sentences and
// changes nothing else. The report must also count dev sentences that are extra sentences.
func TestReadExtra(t *testing.T) {
	dir := t.TempDir()
	want := small()
	must(t, want.Save(dir))
	leaked := want.Text[Dev][0][1]
	testkit.WriteFile(t, filepath.Join(dir, ExtraName(0)), "one more\nand one\n")
	testkit.WriteFile(t, filepath.Join(dir, ExtraName(1)), strings.Join(leaked, " ")+"\n")
	got, err := Load(dir, want.Name, want.Labels)
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Error("the files are read without being asked for")
	}
	before := got.Overlaps()[0].Equal
	extra, err := ReadExtra(dir, want.Labels)
	must(t, err)
	got.AddExtra(extra)
	want.Text[Train][0] = append(want.Text[Train][0], Sentence{"one", "more"}, Sentence{"and", "one"})
	want.Text[Train][1] = append(want.Text[Train][1], leaked)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with them the data set is %+v, want %+v", got, want)
	}
	if n := got.Overlaps()[0].Equal; n != before+1 {
		t.Errorf("%d dev sentences are also training sentences, and %d with one that is in train_extra", before, n)
	}
}

// TestReadExtraRefuses checks that the error names every file that is wrong or missing. For a wrong
// line, it must name the line's number.
func TestReadExtraRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(style int) string { return filepath.Join(dir, ExtraName(style)) }
	testkit.WriteFile(t, path(0), "one\n\nthree\n")
	_, err := ReadExtra(dir, small().Labels)
	testkit.WantError(t, err, userr.BadInput, path(0)+":2: the line is empty", "needs train_extra.1.txt,")
	testkit.WriteFile(t, path(1), "one\ntwo\nthe <mask>\n")
	must(t, os.Remove(path(0)))
	_, err = ReadExtra(dir, small().Labels)
	testkit.WantError(t, err, userr.BadInput, "needs train_extra.0.txt,", path(1)+":3: ")
}

// TestReferencesOfOneDirection checks that a data set stays the same when it is saved and loaded,
// if only one direction has references.
func TestReferencesOfOneDirection(t *testing.T) {
	dir := t.TempDir()
	d := small()
	d.Refs[1] = nil
	must(t, d.Save(dir))
	got, err := Load(dir, d.Name, d.Labels)
	if err != nil || !reflect.DeepEqual(got, d) || !got.HasRefs() {
		t.Errorf("read %+v, %v, want %+v", got, err, d)
	}
}

// TestSaveThreeStyles checks that a saved directory has one file per style and split, and one file
// of references per direction.
func TestSaveThreeStyles(t *testing.T) {
	d := NewDataset("toy", Styles{"a", "b", "c"})
	text := func(word string) []Sentence { return []Sentence{{word}} }
	for style, label := range d.Labels {
		for _, split := range Splits {
			d.Text[split][style] = text(label)
		}
	}
	for _, to := range d.Labels.Directions() {
		d.Refs = append(d.Refs, text(d.Labels[to.To]))
	}
	dir := t.TempDir()
	must(t, d.Save(dir))
	if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) != 3*3+6 {
		t.Errorf("the folder has %v", found)
	}
	for file, want := range map[string]string{"dev.2.txt": "c", "reference.0-2.txt": "c", "reference.2-0.txt": "a"} {
		if got, err := ReadLines(filepath.Join(dir, file)); err != nil || !reflect.DeepEqual(got, text(want)) {
			t.Errorf("%s has %v, %v, want %q", file, got, err, want)
		}
	}
	r := d.Report(0)
	if n := r.Parts[Test][2].References; n != 2 || r.BothLabels != 0 || d.Size(Dev) != 3 {
		t.Errorf("%d references of style 2, %d sentences of several styles, %d of dev", n, r.BothLabels, d.Size(Dev))
	}
	got, err := Load(dir, "toy", nil)
	if err != nil || !slices.Equal(got.Labels, Styles{"0", "1", "2"}) || !reflect.DeepEqual(got.Refs, d.Refs) {
		t.Errorf("without labels read %+v, %v", got, err)
	}
	_, err = Load(dir, "toy", []string{"a", "b"})
	testkit.WantError(t, err, userr.BadInput, "contains train.2.txt, but the data set has only 2 labels: name that style too, or remove its files")
}
