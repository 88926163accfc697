package folder

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// familyFolder is the folder that a test copies and damages.
func familyFolder(of Family) string { return filepath.Join("..", "testdata", string(of)) }

// copyTokens copies the files of a tokenizer.
func copyTokens(t testing.TB, from string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range tokenizerFiles {
		raw, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// isSentence says whether an error is one sentence for the user that names the folder.
func isSentence(err error, dir string) bool {
	return err != nil && userr.CodeOf(err) == userr.BadInput && strings.Contains(err.Error(), dir) &&
		!strings.ContainsAny(err.Error(), "\n") && utf8.ValidString(err.Error()) && len(err.Error()) < 500+len(dir) &&
		!strings.Contains(err.Error(), "Go ") && !strings.Contains(err.Error(), "folder.")
}

// TestBadTokenizers: what is no tokenizer is refused in one sentence.
func TestBadTokenizers(t *testing.T) {
	replaced := func(name, old, with string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			raw, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(raw, []byte(old)) {
				t.Fatalf("%s has no %s (%v)", name, old, err)
			}
			if err := os.WriteFile(path, bytes.Replace(raw, []byte(old), []byte(with), 1), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	written := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	of := func(parts string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, settingsName)); err != nil {
				t.Fatal(err)
			}
			written(tokenizerName, "{"+parts+`"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": `+
				`{"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3}}}`)(t, dir)
		}
	}
	for _, c := range []struct {
		name, want string
		family     Family
		damage     func(t *testing.T, dir string)
	}{
		{"none", "neither tokenizer.json nor the vocab.txt", BERT, func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, tokenizerName)); err != nil {
				t.Fatal(err)
			}
		}},
		{"folder", "is a directory", BERT, func(t *testing.T, dir string) {
			path := filepath.Join(dir, tokenizerName)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"huge", "has 1024 MB, but at most 64 are read", BERT, func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, tokenizerName), 1<<30); err != nil {
				t.Fatal(err)
			}
		}},
		{"huge settings", "has 1024 MB", BERT, func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, settingsName), 1<<30); err != nil {
				t.Fatal(err)
			}
		}},
		{"empty", "not JSON", BERT, written(tokenizerName, "")},
		{"text", "not JSON from byte 1", BERT, written(tokenizerName, "version https://git-lfs.github.com/spec/v1")},
		{"number", "it is of type number", BERT, written(tokenizerName, "5")},
		{"wrong kind", "model is of type array", BERT, written(tokenizerName, `{"model": []}`)},
		{"null", "it has no vocabulary", BERT, written(tokenizerName, "null")},
		{"no vocabulary", "it has no vocabulary", BERT, written(tokenizerName, `{"model": {"type": "WordPiece"}}`)},
		{"vocabulary of a text", "not a list", BERT, written(tokenizerName, `{"model": {"vocab": "a"}}`)},
		{"deep", "not JSON", BERT, written(tokenizerName, strings.Repeat("[", 100000))},
		{"unknown model", `the model "WordLevel", which cannot be read`, BERT, replaced(tokenizerName, "\"type\": \"WordPiece\",\n    \"unk", "\"type\": \"WordLevel\",\n    \"unk")},
		{"another model", `the model "Unigram", which cannot be read`, BERT, replaced(tokenizerName, "\"type\": \"WordPiece\",\n    \"unk", "\"type\": \"Unigram\",\n    \"unk")},
		{"dropout", "dropout", RoBERTa, replaced(tokenizerName, `"dropout": null`, `"dropout": 0.1`)},
		{"hole", "holes", BERT, replaced(tokenizerName, `"[PAD]": 0`, `"[PAD]": 900`)},
		{"negative", "holes", BERT, replaced(tokenizerName, `"[PAD]": 0`, `"[PAD]": -1`)},
		{"one id twice", "two pieces have the id 1", BERT, replaced(tokenizerName, `"[PAD]": 0`, `"[PAD]": 1`)},
		{"one piece twice", `the piece "[UNK]" is in its vocabulary twice`, BERT, replaced(tokenizerName, `"[PAD]": 0`, `"[UNK]": 0`)},
		{"id with a fraction", "not a whole number", BERT, replaced(tokenizerName, `"[PAD]": 0`, `"[PAD]": 0.5`)},
		{"no special piece", `lacks the piece "[sep]"`, BERT, replaced(settingsName, `"sep_token": "[SEP]"`, `"sep_token": "[sep]"`)},
		{"no unknown piece", `lacks the unknown piece "[unk]"`, BERT, replaced(tokenizerName, `"unk_token": "[UNK]"`, `"unk_token": "[unk]"`)},
		{"added at a hole", "is missing or given twice", BERT, replaced(tokenizerName, `"id": 0`, `"id": 7000`)},
		{"long words", "max_input_chars_per_word 1000000000", BERT, replaced(tokenizerName, `"max_input_chars_per_word": 100`, `"max_input_chars_per_word": 1000000000`)},
		{"settings of a text", "do_lower_case is of type string", BERT, replaced(settingsName, `"do_lower_case": true`, `"do_lower_case": "yes"`)},
		{"unigram without unknown", "unk_id", XLMR, replaced(tokenizerName, `"unk_id": 3`, `"unk_id": 3000`)},
		{"score of a text", "not a piece with its score", XLMR, replaced(tokenizerName, "\"<s>\",\n        0.0", `"<s>", "0"`)},
		{"three in an entry", "not a piece with its score", XLMR, replaced(tokenizerName, "\"<s>\",\n        0.0", `"<s>", 0.0, 1`)},
		{"unigram twice", `"<s>" is in its vocabulary twice`, XLMR, replaced(tokenizerName, "\"<pad>\",\n        0.0", `"<s>", 0.0`)},
		{"cut table", "Precompiled is cut", XLMR, replaced(tokenizerName, `"precompiled_charsmap": "`, `"precompiled_charsmap": "////////`)},
		{"merge of no pieces", "uses pieces that are not in the vocabulary", RoBERTa, replaced(tokenizerName, `"merges": [`, `"merges": ["zz zz", `)},
		{"merge of three", "merge 1 is not a pair", RoBERTa, replaced(tokenizerName, `"merges": [`, `"merges": ["a b c", `)},
		{"merge of one", "merge 1 is not a pair", RoBERTa, replaced(tokenizerName, `"merges": [`, `"merges": [["a"], `)},
		{"merges of a text", "in the place of a list", RoBERTa, of(`"model": {"merges": "a b"}, `)},
		{"normaliser", `the normaliser "Nmt", which cannot be read`, BERT, of(`"normalizer": {"type": "Nmt"}, `)},
		{"pattern", "the pattern of its normaliser Replace, which cannot be read", BERT, of(`"normalizer": {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": ""}, `)},
		{"pre-tokenizer", `the pre-tokenizer "Split", which cannot be read`, BERT, of(`"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split"}]}, `)},
		{"metaspace", "Metaspace", BERT, of(`"pre_tokenizer": {"type": "Metaspace", "replacement": ""}, `)},
		{"post-processor", `the post-processor "Other", which cannot be read`, BERT, of(`"post_processor": {"type": "Other"}, `)},
		{"no text", "does not write a text exactly once", BERT, of(`"post_processor": {"type": "TemplateProcessing", "single": []}, `)},
		{"around of no piece", "writes the id 99", BERT, of(`"post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 99]}, `)},
		{"around of no token", "not a token with its id", BERT, of(`"post_processor": {"type": "BertProcessing", "cls": 5, "sep": ["[SEP]", 99]}, `)},
		{"long part", "a part of it that is not the model has over 4 MB", BERT, of(`"added_tokens": [` + strings.Repeat("{},", 1500000) + `{}], `)},
		{"added twice", "is added twice", BERT, of(`"added_tokens": [{"id": 3, "content": "a"}, {"id": 3, "content": "a"}], `)},
		{"piece twice", `the piece "a" is in its vocabulary twice`, DistilBERT, written(vocabularyName, "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na\n")},
		{"vocabulary without", `lacks the piece "[SEP]"`, DistilBERT, written(vocabularyName, "[PAD]\n[UNK]\n[CLS]\n")},
		{"empty vocabulary", "lacks the piece", DistilBERT, written(vocabularyName, "")},
		{"vocabulary of another", "BertJapaneseTokenizer, which cannot be read without tokenizer.json", DistilBERT, replaced(settingsName, `"DistilBertTokenizer"`, `"BertJapaneseTokenizer"`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyTokens(t, familyFolder(c.family))
			c.damage(t, dir)
			_, err := openTokenizer(dir, c.family)
			if !isSentence(err, dir) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %q", err, c.want)
			}
		})
	}
}

// TestCutTokenizers: files that end early at 60 places each are refused or, as a list of pieces can
// be, are shorter.
func TestCutTokenizers(t *testing.T) {
	for _, family := range families {
		from := familyFolder(family)
		for _, name := range []string{tokenizerName, vocabularyName, settingsName} {
			raw, err := os.ReadFile(filepath.Join(from, name))
			if os.IsNotExist(err) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			dir := copyTokens(t, from)
			for i := range 60 {
				cut := bytes.TrimRight(raw, "\n")
				cut = cut[:len(cut)*i/60]
				if err := os.WriteFile(filepath.Join(dir, name), cut, 0o600); err != nil {
					t.Fatal(err)
				}
				_, err := openTokenizer(dir, family)
				if !isSentence(err, dir) && (err != nil || name != vocabularyName) {
					t.Errorf("%s of %s, the first %d bytes: %v", name, family, len(cut), err)
				}
			}
		}
	}
}

// TestHostileTokenizers: lists of nothing that fill what may be read stay under 1 GB.
func TestHostileTokenizers(t *testing.T) {
	for name, filler := range map[string][3]string{
		"scores":      {`{"model": {"vocab": [`, `[],`, `[]]}}`},
		"merges":      {`{"model": {"merges": [`, `"",`, `""]}}`},
		"added":       {`{"added_tokens": [`, `{},`, `{}]}`},
		"normalisers": {`{"normalizer": {"type": "Sequence", "normalizers": [`, `{},`, `{}]}}`},
		"numbers":     {`{"model": {"vocab": [["a",1`, `,1`, `]]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := filler[0] + strings.Repeat(filler[1], (mostTokenizer-100)/len(filler[1])) + filler[2]
			if err := os.WriteFile(filepath.Join(dir, tokenizerName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := openTokenizer(dir, BERT)
			runtime.ReadMemStats(&after)
			if !isSentence(err, dir) {
				t.Errorf("%v", err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 900<<20 {
				t.Errorf("%d MB were taken (%v)", grown>>20, err)
			}
		})
	}
}

// TestDamagedTables: a table of what becomes what with another byte anywhere is refused or read;
// what it makes of a text stays text.
func TestDamagedTables(t *testing.T) {
	tokens, err := openTokenizer(familyFolder(XLMR), XLMR)
	if err != nil {
		t.Fatal(err)
	}
	var f tokenizerFile
	if err := readJSON(filepath.Join(familyFolder(XLMR), tokenizerName), mostTokenizer, &f); err != nil {
		t.Fatal(err)
	}
	table := f.Normalizer.of.Normalizers[0].Charsmap
	read, changed := 0, 0
	texts := readRecorded(t).Texts
	for i := 0; i < len(table); i += 1 + len(table)/400 {
		bad := bytes.Clone(table)
		bad[i] ^= 0x55
		n, err := openCharsmap(bad)
		if err != nil {
			continue
		}
		read++
		differs := false
		for _, text := range texts {
			got := n(text)
			if !utf8.ValidString(got) {
				t.Fatalf("byte %d: %q became %q", i, text, got)
			}
			differs = differs || got != tokens.normalize(text)
		}
		if differs {
			changed++
		}
	}
	if read == 0 || changed == 0 {
		t.Errorf("%d tables were read, %d make other texts", read, changed)
	}
}

// FuzzEncode: whatever a text is, its pieces are pieces, and it has what stands around it.
func FuzzEncode(f *testing.F) {
	r := readRecorded(f)
	var all []*Tokenizer
	for _, of := range r.Folders {
		tokens, err := openTokenizer(filepath.Join("testdata", of.Folder), of.Family)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, tokens)
	}
	for _, text := range append(r.Texts, "\xff", "a\xe2\x96", strings.Repeat("ab", 5000)) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tokens := range all {
			ids, err := tokens.Encode(text)
			if valid := utf8.ValidString(text); (err == nil) != valid {
				t.Fatalf("%q: %v", text, err)
			} else if valid && len(ids) < len(tokens.before)+len(tokens.after) {
				t.Fatalf("%q: %v", text, ids)
			}
			word := tokens.Word(text)
			if len(word) == 0 {
				t.Fatalf("no piece of %q", text)
			}
			for _, id := range append(ids, word...) {
				if id < 0 || id >= int64(tokens.Len()) {
					t.Fatalf("%q has the id %d of %d", text, id, tokens.Len())
				}
			}
		}
	})
}

// BenchmarkTokens encodes invented sentences.
func BenchmarkTokens(b *testing.B) {
	r := readRecorded(b)
	for name, of := range r.Folders {
		b.Run(name, func(b *testing.B) {
			tokens, err := openTokenizer(filepath.Join("testdata", of.Folder), of.Family)
			if err != nil {
				b.Fatal(err)
			}
			for i := range b.N {
				if _, err := tokens.Encode(r.Texts[i%len(of.IDs)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
