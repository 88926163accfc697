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

// small is the folder that tests copy and damage. In withVocabulary, vocab.txt takes the place of
// tokenizer.json.
var (
	small          = filepath.Join("..", "testdata", "bert")
	withVocabulary = filepath.Join("testdata", "bert-cased-vocab")
)

// copyTokens copies a tokenizer's files to a temporary folder and returns the folder.
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

// isSentence reports whether an error is for the user, is one sentence and names the folder.
func isSentence(err error, dir string) bool {
	return err != nil && userr.CodeOf(err) == userr.BadInput && strings.Contains(err.Error(), dir) &&
		!strings.ContainsAny(err.Error(), "\n") && utf8.ValidString(err.Error()) && len(err.Error()) < 500+len(dir) &&
		!strings.Contains(err.Error(), "Go ") && !strings.Contains(err.Error(), "folder.")
}

// TestBadTokenizers checks that invalid tokenizers are refused in one sentence.
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
	for _, c := range []struct {
		name, want string
		of         string
		damage     func(t *testing.T, dir string)
	}{
		{"none", "neither tokenizer.json nor vocab.txt", small, func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, tokenizerName)); err != nil {
				t.Fatal(err)
			}
		}},
		{"folder", "is a directory", small, func(t *testing.T, dir string) {
			path := filepath.Join(dir, tokenizerName)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"huge", "has 1024 MB, but at most 16 are read", small, func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, tokenizerName), 1<<30); err != nil {
				t.Fatal(err)
			}
		}},
		{"huge settings", "has 1024 MB", small, func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, settingsName), 1<<30); err != nil {
				t.Fatal(err)
			}
		}},
		{"empty", "not JSON", small, written(tokenizerName, "")},
		{"text", "not JSON from byte 1", small, written(tokenizerName, "version https://git-lfs.github.com/spec/v1")},
		{"number", "it is of type number", small, written(tokenizerName, "5")},
		{"wrong kind", "model is of type array", small, written(tokenizerName, `{"model": []}`)},
		{"deep", "not JSON", small, written(tokenizerName, strings.Repeat("[", 100000))},

		{"null", `has a model of the type "" instead of "WordPiece"`, small, written(tokenizerName, "null")},
		{"Unigram", `has a model of the type "Unigram" instead of "WordPiece": only BERT's WordPiece tokenizer is read`, small, written(tokenizerName, `{"normalizer": {"type": "Sequence", "normalizers": []}, "model": {"type": "Unigram", "unk_id": 3, "vocab": [["a", 0.0]]}}`)},
		{"BPE", `has a model of the type "BPE"`, small, written(tokenizerName, `{"added_tokens": [{"id": 4, "content": "<mask>", "lstrip": true}], "normalizer": null, "model": {"type": "BPE", "unk_token": null, "vocab": {"a": 0}, "merges": ["a a"]}}`)},
		{"no type", `has a model of the type ""`, small, written(tokenizerName, `{"model": {"vocab": {"a": 0}}}`)},
		{"normaliser", `has a normalizer of the type "Nmt" instead of "BertNormalizer"`, small, replaced(tokenizerName, `"BertNormalizer"`, `"Nmt"`)},
		{"no normaliser", `has a normalizer of the type "" instead of`, small, replaced(tokenizerName, `"normalizer": {`, `"normalizer": null, "other": {`)},
		{"unclean", "has a normalizer without clean_text", small, replaced(tokenizerName, `"clean_text": true`, `"clean_text": false`)},
		{"pre-tokenizer", `has a pre_tokenizer of the type "Split" instead of "BertPreTokenizer"`, small, replaced(tokenizerName, `"BertPreTokenizer"`, `"Split"`)},
		{"post-processor", `has a post_processor of the type "Other"`, small, replaced(tokenizerName, `"TemplateProcessing"`, `"Other"`)},
		{"no text", "that does not write a text between [CLS] and [SEP]", small, replaced(tokenizerName, `"single": [`, `"single": [], "other": [`)},
		{"another around", "that does not write a text between [CLS] and [SEP]", small, replaced(tokenizerName, `"id": "[CLS]",`, `"id": "<s>",`)},
		{"unknown piece", `lacks the piece "[unk]" for unknown words`, small, replaced(tokenizerName, `"unk_token": "[UNK]"`, `"unk_token": "[unk]"`)},
		{"prefix", `continuing_subword_prefix "@@"`, small, replaced(tokenizerName, `"continuing_subword_prefix": "##"`, `"continuing_subword_prefix": "@@"`)},
		{"long words", "max_input_chars_per_word 1000000000", small, replaced(tokenizerName, `"max_input_chars_per_word": 100`, `"max_input_chars_per_word": 1000000000`)},

		{"added tokens of a text", "added_tokens is not a short list", small, replaced(tokenizerName, `"added_tokens": [`, `"added_tokens": "a", "other": [`)},
		{"no vocabulary", "vocab is not a table", small, replaced(tokenizerName, `"vocab": {`, `"other": {`)},
		{"vocabulary of a text", "vocab is not a table", small, replaced(tokenizerName, `"vocab": {`, `"vocab": "a", "other": {`)},
		{"null vocabulary", `lacks the piece "[UNK]"`, small, replaced(tokenizerName, `"vocab": {`, `"vocab": null, "other": {`)},
		{"id with a fraction", "vocab is not a table", small, replaced(tokenizerName, `"[PAD]": 0`, `"[PAD]": 0.5`)},
		{"negative", `its piece "[PAD]" has the id -1`, small, replaced(tokenizerName, `"[PAD]": 0`, `"[PAD]": -1`)},

		{"another special token", "that does not write a text between [CLS] and [sep]", small, replaced(settingsName, `"sep_token": "[SEP]"`, `"sep_token": "[sep]"`)},
		{"added token of a word", `have the added token "the" with single_word`, filepath.Join("testdata", "bert-added"), replaced(tokenizerName, `"the","single_word":false`, `"the","single_word":true`)},
		{"another in the map", "between <s> and [SEP]", small, func(t *testing.T, dir string) {
			written(settingsName, "{}")(t, dir)
			written(specialName, `{"cls_token": {"content": "<s>"}}`)(t, dir)
		}},
		{"older processor", "of the type \"BertProcessing\" that does not write a text between", small, replaced(tokenizerName, `"TemplateProcessing"`, `"BertProcessing"`)},
		{"damaged added tokens", "added_tokens.json is damaged", withVocabulary, func(t *testing.T, dir string) {
			written(settingsName, "{}")(t, dir)
			written(addedName, `{"a": "b"}`)(t, dir)
		}},
		{"no room", "model_max_length is 2, which leaves no room for a text", small, replaced(settingsName, `"model_max_length": `, `"model_max_length": 2, "other": `)},
		{"settings of a text", "do_lower_case is of type string", small, replaced(settingsName, `"do_lower_case": true`, `"do_lower_case": "yes"`)},
		{"another class", `has the tokenizer "BertJapaneseTokenizer"`, withVocabulary, replaced(settingsName, `"BertTokenizer"`, `"BertJapaneseTokenizer"`)},
		{"vocabulary of any class", "is the vocabulary of a PreTrainedTokenizer without its tokenizer.json", withVocabulary, replaced(settingsName, `"BertTokenizer"`, `"PreTrainedTokenizerFast"`)},

		{"vocabulary without", `lacks the piece "[UNK]"`, withVocabulary, written(vocabularyName, "[PAD]\n[SEP]\n[CLS]\n")},
		{"empty vocabulary", "lacks the piece", withVocabulary, written(vocabularyName, "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyTokens(t, c.of)
			c.damage(t, dir)
			_, err := openTokenizer(dir, "")
			if !isSentence(err, dir) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %q", err, c.want)
			}
		})
	}
}

// TestCutTokenizers truncates each file at 60 places. Every truncated file must be refused. Only a
// truncated vocab.txt may be accepted, because it can look like a shorter list of pieces.
func TestCutTokenizers(t *testing.T) {
	for _, from := range []string{small, withVocabulary} {
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
				_, err := openTokenizer(dir, "")
				if !isSentence(err, dir) && (err != nil || name != vocabularyName) {
					t.Errorf("%s of %s, the first %d bytes: %v", name, from, len(cut), err)
				}
			}
		}
	}
}

// TestHostileTokenizers checks that reading a file of maximum size allocates less than 1 GB, even
// if the file consists of empty elements.
func TestHostileTokenizers(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(small, tokenizerName))
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.TrimSuffix(string(whole), "}") // the keys added below override the same keys in the file
	for name, filler := range map[string][3]string{
		"list":       {`, "model": {"vocab": [`, `[],`, `[]]}}`},
		"added":      {`, "added_tokens": [`, `{},`, `{}]}`},
		"around":     {`, "post_processor": {"single": [`, `{"Sequence":{"id":"B"}},`, `{}]}}`},
		"vocabulary": {`, "model": {"vocab": {`, `"":0,`, `"":0}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			n := (maxTokenizer - len(begin) - 100) / len(filler[1])
			text := begin + filler[0] + strings.Repeat(filler[1], n) + filler[2]
			if err := os.WriteFile(filepath.Join(dir, tokenizerName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := openTokenizer(dir, "")
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

// FuzzEncode checks that Encode puts the pieces of any text between [CLS] and [SEP], and that all
// pieces are in the vocabulary.
func FuzzEncode(f *testing.F) {
	r := readRecorded(f)
	var all []*Tokenizer
	for _, of := range r.Folders {
		tokens, err := openTokenizer(filepath.Join("testdata", of.Folder), "")
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
			ids := tokens.Encode(text)
			if len(ids) < 2 || ids[0] != tokens.CLS || ids[len(ids)-1] != tokens.SEP {
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

// BenchmarkTokens measures Encode on invented sentences.
func BenchmarkTokens(b *testing.B) {
	r := readRecorded(b)
	for name, of := range r.Folders {
		b.Run(name, func(b *testing.B) {
			tokens, err := openTokenizer(filepath.Join("testdata", of.Folder), "")
			if err != nil {
				b.Fatal(err)
			}
			for i := range b.N {
				tokens.Encode(r.Texts[i%len(of.IDs)])
			}
		})
	}
}
