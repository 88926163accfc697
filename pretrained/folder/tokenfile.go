package folder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sugarme/tokenizer/model"
	"github.com/sugarme/tokenizer/model/wordpiece"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

const (
	tokenizerName  = "tokenizer.json"
	vocabularyName = "vocab.txt"
	settingsName   = "tokenizer_config.json"
	specialName    = "special_tokens_map.json"
	addedName      = "added_tokens.json"

	maxTokenizer = 16 << 20 // maximum size of tokenizer.json and vocab.txt; the largest, of LaBSE, has 10 MB
	maxSettings  = 4 << 20  // maximum size of the other tokenizer files
)

// tokenizerFiles are the files of a tokenizer, apart from config.json.
var tokenizerFiles = []string{tokenizerName, vocabularyName, settingsName, specialName, addedName}

// Values shared by all BERT tokenizers.
const (
	continuingPrefix = "##"
	maxRunes         = 100 // maximum length of a word; longer words become unknown
)

// Supported tokenizer classes of transformers, without "Fast" at the end.
const (
	bertTokenizer = "BertTokenizer"
	anyTokenizer  = "PreTrainedTokenizer" // uses the normalizer of tokenizer.json
)

// openTokenizer reads a folder's tokenizer from tokenizer.json, or else from vocab.txt. class is
// the tokenizer class that config.json names, or "".
func openTokenizer(dir, class string) (*Tokenizer, error) {
	s, err := readSettings(dir, class)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, tokenizerName)
	t, err := readTokenizer(path, s)
	if errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(dir, vocabularyName)
		t, err = readVocabulary(path, s)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "%s has neither tokenizer.json nor vocab.txt: write one with "+
			"save_pretrained of transformers' AutoTokenizer", dir)
	}
	return t, err
}

// notSupported returns the error for an unsupported tokenizer.
func notSupported(path, problem string, args ...any) error {
	return userr.New(userr.BadInput, "%s %w: only BERT's WordPiece tokenizer is read, so use another encoder", path,
		fmt.Errorf(problem, args...))
}

// settings is the content of tokenizer_config.json, special_tokens_map.json and added_tokens.json.
// Where they contradict tokenizer.json, transformers follows them and not tokenizer.json.
type settings struct {
	Class        string               `json:"tokenizer_class"`
	DoLowerCase  *bool                `json:"do_lower_case"`
	StripAccents *bool                `json:"strip_accents"`
	ChineseChars *bool                `json:"tokenize_chinese_chars"`
	MaxPieces    *float64             `json:"model_max_length"` // 1e30 if there is no maximum
	Added        map[int64]addedToken `json:"added_tokens_decoder"`
	specialTokens
}

type specialTokens struct {
	BOS        addedToken   `json:"bos_token"`
	EOS        addedToken   `json:"eos_token"`
	Unk        addedToken   `json:"unk_token"`
	SEP        addedToken   `json:"sep_token"`
	Pad        addedToken   `json:"pad_token"`
	CLS        addedToken   `json:"cls_token"`
	Mask       addedToken   `json:"mask_token"`
	Additional []addedToken `json:"additional_special_tokens"`
}

// addedToken is a token that is looked up in the text before WordPiece cuts the rest. The keys
// lstrip and rstrip are ignored, because WordPiece ignores white space.
type addedToken struct {
	Content    string `json:"content"`
	Special    bool   `json:"special"`
	Normalized *bool  `json:"normalized"`  // look it up in the normalised text; nil means true unless Special
	SingleWord bool   `json:"single_word"` // not supported
}

// UnmarshalJSON decodes a token object or a plain string.
func (a *addedToken) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, &a.Content)
	}
	type plain addedToken
	return json.Unmarshal(raw, (*plain)(a))
}

// readSettings reads the settings in a folder. It refuses settings that no BERT has.
func readSettings(dir, class string) (settings, error) {
	s := settings{specialTokens: specialTokens{
		Unk: addedToken{Content: "[UNK]"}, SEP: addedToken{Content: "[SEP]"}, Pad: addedToken{Content: "[PAD]"},
		CLS: addedToken{Content: "[CLS]"}, Mask: addedToken{Content: "[MASK]"},
	}}
	path := filepath.Join(dir, settingsName)
	if err := readOptional(path, &s); err != nil {
		return s, err
	}
	s.Class = strings.TrimSuffix(cmp.Or(s.Class, class, bertTokenizer), "Fast")
	if s.Class != bertTokenizer && s.Class != anyTokenizer {
		return s, notSupported(dir, "has the tokenizer %.60q", s.Class)
	}
	if s.MaxPieces != nil && *s.MaxPieces < 3 {
		return s, damaged(path, fmt.Errorf("model_max_length is %g, which leaves no room for a text", *s.MaxPieces))
	}
	if s.Added != nil {
		return s, nil
	}
	return s, s.readOlder(dir)
}

// readOlder reads special_tokens_map.json and added_tokens.json. Since 2023, tokenizer_config.json
// has all the content of these two files, and transformers no longer reads them.
func (s *settings) readOlder(dir string) error {
	additional := s.Additional
	s.Additional = nil
	if err := readOptional(filepath.Join(dir, specialName), &s.specialTokens); err != nil {
		return err
	}
	s.Additional = append(additional, s.Additional...)
	var ids map[string]int64
	if err := readOptional(filepath.Join(dir, addedName), &ids); err != nil {
		return err
	}
	s.Added = map[int64]addedToken{}
	for content, id := range ids {
		special := slices.ContainsFunc(s.special(), func(a addedToken) bool { return a.Content == content })
		s.Added[id] = addedToken{Content: content, Special: special}
	}
	return nil
}

// readOptional decodes a JSON file, if there is one.
func readOptional(path string, value any) error {
	if err := readJSON(path, maxSettings, value); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// special returns the special tokens.
func (s specialTokens) special() []addedToken {
	tokens := append([]addedToken{s.BOS, s.EOS, s.Unk, s.SEP, s.Pad, s.CLS, s.Mask}, s.Additional...)
	for i := range tokens {
		tokens[i].Special = true
	}
	return tokens
}

// The method added returns the added tokens, ordered by id, and then the special tokens.
func (s settings) added() (tokens []addedToken) {
	for _, id := range slices.Sorted(maps.Keys(s.Added)) {
		tokens = append(tokens, s.Added[id])
	}
	return append(tokens, s.special()...)
}

// normalizer returns the normalizer of a BertTokenizer, which does not depend on tokenizer.json.
func (s settings) normalizer() normalizer {
	lowercase := orElse(s.DoLowerCase, true)
	return normalizer{
		lowercase:       lowercase,
		stripAccents:    orElse(s.StripAccents, lowercase),
		separateChinese: orElse(s.ChineseChars, true),
	}
}

func orElse(b *bool, fallback bool) bool {
	if b == nil {
		return fallback
	}
	return *b
}

// tokenizerFile is the content of tokenizer.json.
type tokenizerFile struct {
	Added json.RawMessage `json:"added_tokens"`

	Normalizer struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		ChineseChars bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`

	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`

	PostProcessor struct {
		Type string `json:"type"`
		// Single is the template of a TemplateProcessing for one text. The usual template has three
		// parts. A fourth is read so that the method check refuses longer templates.
		Single [4]templatePart `json:"single"`
		// CLS and SEP are the tokens that a BertProcessing, from 2020, puts around a text.
		CLS [1]string `json:"cls"`
		SEP [1]string `json:"sep"`
	} `json:"post_processor"`

	Model struct {
		Type       string          `json:"type"`
		UnkToken   string          `json:"unk_token"`
		Prefix     string          `json:"continuing_subword_prefix"`
		MaxRunes   int             `json:"max_input_chars_per_word"`
		Vocabulary json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// templatePart is either a special token or the text.
type templatePart struct {
	Special templateName `json:"SpecialToken"`
	Text    templateName `json:"Sequence"`
}

type templateName struct {
	ID string `json:"id"`
}

// readTokenizer reads tokenizer.json.
func readTokenizer(path string, s settings) (*Tokenizer, error) {
	var f tokenizerFile
	if err := readJSON(path, maxTokenizer, &f); err != nil {
		return nil, err
	}
	if err := f.check(path, s); err != nil {
		return nil, err
	}
	// A missing list is an error too, because the tokenizers library always writes one.
	var added []addedToken
	if len(f.Added) > maxSettings || json.Unmarshal(f.Added, &added) != nil {
		return nil, damaged(path, errors.New("added_tokens is not a short list of tokens"))
	}
	var vocabulary map[string]int
	if err := json.Unmarshal(f.Model.Vocabulary, &vocabulary); err != nil {
		return nil, damaged(path, errors.New("vocab is not a table of pieces and their ids"))
	}
	n := s.normalizer()
	if s.Class == anyTokenizer {
		own := f.Normalizer
		n = normalizer{
			lowercase:       own.Lowercase,
			stripAccents:    orElse(own.StripAccents, own.Lowercase),
			separateChinese: own.ChineseChars,
		}
	}
	return newTokenizer(path, vocabulary, f.Model.UnkToken, append(added, s.added()...), s, n)
}

// check refuses features that BERT's tokenizer does not have.
func (f *tokenizerFile) check(path string, s settings) error {
	m := f.Model
	if m.Type == "" && m.MaxRunes > 0 { // files from 2020 omit the type
		m.Type = "WordPiece"
	}
	for _, part := range []struct{ name, got, want string }{
		{"model", m.Type, "WordPiece"},
		{"normalizer", f.Normalizer.Type, "BertNormalizer"},
		{"pre_tokenizer", f.PreTokenizer.Type, "BertPreTokenizer"},
	} {
		if part.got != part.want {
			return notSupported(path, "has a %s of the type %.40q instead of %q", part.name, part.got, part.want)
		}
	}
	if m.Prefix != continuingPrefix || m.MaxRunes != maxRunes {
		return notSupported(path, "has a model with continuing_subword_prefix %.40q and max_input_chars_per_word %d "+
			"instead of %q and %d", m.Prefix, m.MaxRunes, continuingPrefix, maxRunes)
	}
	if !f.Normalizer.CleanText {
		return notSupported(path, "has a normalizer without clean_text")
	}
	p, cls, sep := f.PostProcessor, s.CLS.Content, s.SEP.Content
	usual := [4]templatePart{{Special: templateName{cls}}, {Text: templateName{"A"}}, {Special: templateName{sep}}}
	if (p.Type != "TemplateProcessing" || p.Single != usual) &&
		(p.Type != "BertProcessing" || p.CLS[0] != cls || p.SEP[0] != sep) {
		return notSupported(path, "has a post_processor of the type %.40q that does not write a text between %.40s and %.40s",
			p.Type, cls, sep)
	}
	return nil
}

// readVocabulary reads vocab.txt, which has a piece on each line. The id of a piece is its line
// number, from 0. If a piece is repeated, its last line counts.
func readVocabulary(path string, s settings) (*Tokenizer, error) {
	raw, err := readBounded(path, maxTokenizer)
	if err != nil {
		return nil, err
	}
	if s.Class != bertTokenizer {
		return nil, notSupported(path, "is the vocabulary of a %s without its tokenizer.json", s.Class)
	}
	vocabulary, id := map[string]int{}, 0
	for line := range strings.Lines(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(raw))) {
		vocabulary[strings.TrimSuffix(line, "\n")] = id
		id++
	}
	return newTokenizer(path, vocabulary, s.Unk.Content, s.added(), s, s.normalizer())
}

// newTokenizer makes a Tokenizer. As in transformers, it ignores the ids that the files give to
// added tokens. An added token that is also a piece has the id of this piece. Any other added token
// gets the next free id. If a token is added twice, the first one counts.
func newTokenizer(
	path string, vocabulary map[string]int, unk string, added []addedToken, s settings, n normalizer,
) (*Tokenizer, error) {
	t := &Tokenizer{maxPieces: math.MaxInt32, normalizer: n}
	for piece, id := range vocabulary {
		if id < 0 {
			return nil, damaged(path, fmt.Errorf("its piece %.40q has the id %d", piece, id))
		}
		if piece != "" { // no text has the empty piece
			t.size = max(t.size, id+1)
		}
	}
	if _, known := vocabulary[unk]; !known {
		return nil, notSupported(path, "lacks the piece %.40q for unknown words", unk)
	}
	if s.MaxPieces != nil {
		t.maxPieces = int(min(*s.MaxPieces, math.MaxInt32))
	}
	ids, next := map[string]int{}, len(vocabulary) // next is the next free id
	exact, normalized := map[string]int64{}, map[string]int64{}
	for _, a := range added {
		if _, seen := ids[a.Content]; seen || a.Content == "" {
			continue
		}
		id, known := vocabulary[a.Content]
		if !known {
			id = next
		}
		if a.SingleWord {
			return nil, notSupported(path, "and its settings have the added token %.40q with single_word", a.Content)
		}
		ids[a.Content], next, t.size = id, max(next, id+1), max(t.size, id+1)
		if !orElse(a.Normalized, !a.Special) {
			exact[a.Content] = int64(id)
		} else if text := n.normalize(a.Content); normalized[text] == 0 {
			normalized[text] = int64(id)
		}
	}
	t.exact, t.normalized = newFinder(exact), newFinder(normalized)
	id := func(a addedToken) int64 { return int64(ids[a.Content]) }
	t.CLS, t.SEP, t.Mask, t.Unk = id(s.CLS), id(s.SEP), id(s.Mask), int64(vocabulary[unk])
	pieces := model.Vocab(vocabulary)
	t.wordPiece = wordpiece.NewWordPieceBuilder().Vocab(&pieces).UnkToken(unk).
		ContinuingSubwordPrefix(continuingPrefix).MaxInputCharsPerWord(maxRunes).Build()
	return t, nil
}
