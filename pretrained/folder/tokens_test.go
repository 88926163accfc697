package folder

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// recorded is the content of the file that testdata/parity/tokens.py writes.
type recorded struct {
	Texts   []string
	Words   []string
	Folders map[string]struct {
		Folder  string
		Pieces  int
		Special []int64
		IDs     [][]int64
		Words   [][]int64
	}
}

func readRecorded(t testing.TB) (r recorded) {
	t.Helper()
	raw, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTokensParity checks that texts and words get the same ids as in transformers.
func TestTokensParity(t *testing.T) {
	r := readRecorded(t)
	for name, of := range r.Folders {
		t.Run(name, func(t *testing.T) {
			tokens, err := openTokenizer(filepath.Join("testdata", of.Folder), "")
			if err != nil {
				t.Fatal(err)
			}
			if tokens.Len() != of.Pieces {
				t.Errorf("%d pieces, want %d", tokens.Len(), of.Pieces)
			}
			if got := []int64{tokens.CLS, tokens.SEP, tokens.Mask, tokens.Unk}; !slices.Equal(got, of.Special) {
				t.Errorf("special tokens %v, want %v", got, of.Special)
			}
			for i, want := range of.IDs {
				if got := tokens.Encode(r.Texts[i]); !slices.Equal(got, want) {
					t.Errorf("%q: %v\nwant %v", r.Texts[i], got, want)
				}
			}
			for i, word := range r.Words {
				if got := tokens.Word(word); of.Words[i] != nil && !slices.Equal(got, of.Words[i]) {
					t.Errorf("word %q: %v\nwant %v", word, got, of.Words[i])
				}
			}
		})
	}
}

// TestSettingsParity checks that tokenizers with special settings or unusual vocabularies give the
// same ids as in transformers. testdata/parity/tokensettings.py writes the cases.
func TestSettingsParity(t *testing.T) {
	var r struct {
		Texts []string
		Cases []struct {
			Name    string
			Files   map[string]string
			Special []int64
			IDs     [][]int64
		}
	}
	path := cmp.Or(os.Getenv("SMLM_EXP_TOKEN_SETTINGS"), filepath.Join("testdata", "settings.json"))
	if err := json.Unmarshal(read(t, path), &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cases {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.Files {
				write(t, []byte(text), dir, name)
			}
			tokens, err := openTokenizer(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			if got := []int64{tokens.CLS, tokens.SEP, tokens.Mask, tokens.Unk}; !slices.Equal(got, c.Special) {
				t.Errorf("special tokens %v, want %v", got, c.Special)
			}
			for i, want := range c.IDs {
				if got := tokens.Encode(r.Texts[i]); !slices.Equal(got, want) {
					t.Errorf("%q: %v\nwant %v", r.Texts[i], got, want)
				}
			}
		})
	}
}

// TestLargeTokensParity does the same as TestTokensParity, but with tokenizers of realistic size
// and 10,000 lines from each of six corpora. `tokens.py --large` writes the tokenizers and the
// lines.
func TestLargeTokensParity(t *testing.T) {
	dir := os.Getenv("SMLM_EXP_TOKENS")
	if dir == "" {
		t.Skip("SMLM_EXP_TOKENS names no folder that testdata/parity/tokens.py --large wrote")
	}
	read := func(into any, names ...string) {
		raw, err := os.ReadFile(filepath.Join(append([]string{dir}, names...)...))
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	read(&texts, "texts.json")
	folders, err := filepath.Glob(filepath.Join(dir, "*", "expect.json"))
	if err != nil || len(folders) == 0 || len(texts) < 50000 {
		t.Fatalf("%d folders, %d texts (%v)", len(folders), len(texts), err)
	}
	for _, path := range folders {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			var want struct {
				Pieces int
				IDs    [][]int64
			}
			read(&want, name, "expect.json")
			start := time.Now()
			tokens, err := openTokenizer(filepath.Join(dir, name), "")
			if err != nil {
				t.Fatal(err)
			}
			opened := time.Since(start)
			if tokens.Len() != want.Pieces || len(want.IDs) != len(texts) {
				t.Fatalf("%d pieces, want %d; %d texts", tokens.Len(), want.Pieces, len(want.IDs))
			}
			start = time.Now()
			wrong := 0
			for i, text := range texts {
				if got := tokens.Encode(text); !slices.Equal(got, want.IDs[i]) {
					if wrong++; wrong <= 5 {
						t.Errorf("%q: %v\nwant %v", text, got, want.IDs[i])
					}
				}
			}
			t.Logf("%d pieces, opened in %v; %d of %d texts differ, %v", tokens.Len(), opened, wrong, len(texts),
				time.Since(start))
		})
	}
}
