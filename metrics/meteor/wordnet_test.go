package meteor

import (
	"archive/zip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// place copies the invented WordNet to dir.
func place(t *testing.T, dir string) string {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(invented)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFind(t *testing.T) {
	none := t.TempDir()
	wordNet := place(t, t.TempDir())
	home := t.TempDir()
	place(t, filepath.Join(home, "dict"))
	nltk := t.TempDir()
	place(t, filepath.Join(nltk, "corpora", "wordnet"))
	for _, c := range []struct {
		name, path, search, home string
		want                     string
		ok                       bool
	}{
		{"given", wordNet, "", "", wordNet, true},
		{"its dict", home, "", "", filepath.Join(home, "dict"), true},
		{"given and absent", none, wordNet, "", "", false},
		{"WNSEARCHDIR", "", wordNet, "", wordNet, true},
		{"WNHOME", "", none, home, filepath.Join(home, "dict"), true},
	} {
		t.Setenv("WNSEARCHDIR", c.search)
		t.Setenv("WNHOME", c.home)
		if dir, ok := Find(c.path); dir != c.want || ok != c.ok {
			t.Errorf("%s: Find(%q) = %q, %v; want %q, %v", c.name, c.path, dir, ok, c.want, c.ok)
		}
	}
	t.Setenv("NLTK_DATA", strings.Join([]string{none, nltk}, string(filepath.ListSeparator)))
	if !slices.Contains(candidates(""), filepath.Join(nltk, "corpora", "wordnet")) {
		t.Error("NLTK's data folder is not searched")
	}
}

// TestArchive checks that WordNet is read from a zip archive, because NLTK does not unpack the
// archive that it downloads.
func TestArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wordnet.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, name := range fileNames() {
		text, err := os.ReadFile(filepath.Join(invented, name))
		if err != nil {
			t.Fatal(err)
		}
		part, err := w.Create("wordnet/" + name)
		if err == nil {
			_, err = part.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if dir, ok := Find(path); dir != path || !ok {
		t.Fatalf("Find(%q) = %q, %v", path, dir, ok)
	}
	packed, err := New(path)
	if err != nil {
		t.Fatal(err)
	}
	folder := openInvented(t)
	if packed.wordNet.version != folder.wordNet.version ||
		!maps.Equal(packed.wordNet.synonyms("brel"), folder.wordNet.synonyms(
			"brel")) {
		t.Error("the archive reads otherwise than the folder")
	}
}

func TestErrors(t *testing.T) {
	damaged := func(name, old, change string) string {
		dir := place(t, t.TempDir())
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), old, change, 1)
		if changed == string(text) {
			t.Fatalf("%s does not hold %q", name, old)
		}
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	partial := place(t, t.TempDir())
	if err := os.Remove(filepath.Join(partial, "verb.exc")); err != nil {
		t.Fatal(err)
	}
	noArchive := filepath.Join(t.TempDir(), "wordnet.zip")
	if err := os.WriteFile(noArchive, []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, want string }{
		{"nowhere", "", "WordNet is not on this machine"},
		{"empty folder", t.TempDir(), "data.noun"},
		{"a file missing", partial, "verb.exc"},
		{"no archive", noArchive, "cannot be read"},
		{"too few columns", damaged("index.adv", "pelli r 1 1 @ 1 0 00000068", "pelli r"), "index.adv, line 2, of"},
		{"wrong count", damaged("index.verb", "triv v 1", "triv v 9"), "index.verb, line 6"},
		{"not a number", damaged("index.verb", "triv v 1", "triv v x"), "wrong number of synsets"},
		{"no such synset", damaged("index.noun", "00000183", "00000184"), "does not have"},
		{"other data", damaged("data.adj", "invented", "shifted by this"), "index.adj"},
	} {
		_, err := New(c.dir)
		if err == nil || userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want a bad input that says %q", c.name, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || strings.HasSuffix(err.Error(), ".")) {
			t.Errorf("%s: %q is not one sentence", c.name, err)
		}
	}
	if _, err := Version(t.TempDir()); err == nil {
		t.Error("Version of an empty folder has no error")
	}
}

// FuzzReadIndex checks that readIndex either refuses a damaged file or gives an index in which
// words can be looked up without a panic.
func FuzzReadIndex(f *testing.F) {
	index, err := os.ReadFile(filepath.Join(invented, "index.noun"))
	if err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(invented, "data.noun"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(index), string(data))
	f.Add("ba n 1 0 1 0 00000000", "00000000 00 n 02 ba 0 ke(p) 0 000 | ")
	f.Add("ba n 1 0 1 0 0\n", "0 00 n ff ba")
	f.Fuzz(func(t *testing.T, index, data string) {
		p := part{data: data, endings: endings["noun"]}
		if line, why := p.readIndex(index); why != "" {
			if line < 1 {
				t.Errorf("line %d %s", line, why)
			}
			return
		}
		w := wordNet{}
		w.parts[0] = p
		for word := range p.synsets {
			w.synonyms(word + "s")
		}
	})
}
