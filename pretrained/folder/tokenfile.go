package folder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
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

	maxTokenizer = 16 << 20 // maximum size of tokenizer.json and vocab.txt; the largest, of LaBSE, has 10 MB
	maxSettings  = 4 << 20  // maximum size of the other tokenizer files
)

// tokenizerFiles are the files of a tokenizer, apart from config.json.
var tokenizerFiles = []string{tokenizerName, vocabularyName, settingsName, specialName}

// Values shared by all BERT tokenizers.
const (
	clsToken, sepToken, unkToken, maskToken, padToken = "[CLS]", "[SEP]", "[UNK]", "[MASK]", "[PAD]"

	continuingPrefix = "##"
	maxRunes         = 100 // maximum length of a word; longer words become [UNK]
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

// settings is the content of tokenizer_config.json. If it contradicts tokenizer.json, transformers
// follows tokenizer_config.json.
type settings struct {
	Class        string               `json:"tokenizer_class"`
	DoLowerCase  *bool                `json:"do_lower_case"`
	StripAccents *bool                `json:"strip_accents"`
	ChineseChars *bool                `json:"tokenize_chinese_chars"`
	Added        map[int64]addedToken `json:"added_tokens_decoder"`
	specialTokens
}

type specialTokens struct {
	CLS  *addedToken `json:"cls_token"`
	SEP  *addedToken `json:"sep_token"`
	Unk  *addedToken `json:"unk_token"`
	Mask *addedToken `json:"mask_token"`
	Pad  *addedToken `json:"pad_token"`
}

// addedToken is a token that is looked up in the text before WordPiece cuts the rest.
type addedToken struct {
	ID      int64  `json:"id"`
	Content string `json:"content"`

	// Matching options that are not supported.
	SingleWord bool `json:"single_word"`
	LStrip     bool `json:"lstrip"`
	RStrip     bool `json:"rstrip"`
	Normalized bool `json:"normalized"`
}

// UnmarshalJSON decodes a token object or a plain string.
func (a *addedToken) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, &a.Content)
	}
	type plain addedToken
	return json.Unmarshal(raw, (*plain)(a))
}

// readSettings reads tokenizer_config.json and special_tokens_map.json. It refuses settings that no
// BERT has.
func readSettings(dir, class string) (s settings, err error) {
	path, specialPath := filepath.Join(dir, settingsName), filepath.Join(dir, specialName)
	if err := readJSON(path, maxSettings, &s); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	var special specialTokens
	if err := readJSON(specialPath, maxSettings, &special); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s.Class = strings.TrimSuffix(cmp.Or(s.Class, class, bertTokenizer), "Fast")
	if s.Class != bertTokenizer && s.Class != anyTokenizer {
		return s, notSupported(dir, "has the tokenizer %.60q", s.Class)
	}
	return s, cmp.Or(s.specialTokens.check(path), special.check(specialPath))
}

// check refuses special tokens with names that BERT does not use.
func (s specialTokens) check(path string) error {
	for _, c := range []struct {
		token *addedToken
		want  string
	}{{s.CLS, clsToken}, {s.SEP, sepToken}, {s.Unk, unkToken}, {s.Mask, maskToken}, {s.Pad, padToken}} {
		if c.token == nil {
			continue
		}
		if c.token.Content != c.want {
			return notSupported(path, "has the token %.40q in place of %q", c.token.Content, c.want)
		}
		if err := c.token.check(path); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a token whose matching options are not supported.
func (a addedToken) check(path string) error {
	if a.SingleWord || a.LStrip || a.RStrip || a.Normalized {
		return notSupported(path, "has the token %.40q with single_word, lstrip, rstrip or normalized", a.Content)
	}
	return nil
}

// added returns the added tokens, ordered by id.
func (s settings) added() (tokens []addedToken) {
	for _, id := range slices.Sorted(maps.Keys(s.Added)) {
		token := s.Added[id]
		token.ID = id
		tokens = append(tokens, token)
	}
	return tokens
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
		// Single is the template for one text. It has room for a fourth part, so that a template
		// that is longer than usualTemplate differs from it.
		Single [4]templatePart `json:"single"`
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

// usualTemplate is [CLS], the text, [SEP].
var usualTemplate = [4]templatePart{
	{Special: templateName{clsToken}}, {Text: templateName{"A"}}, {Special: templateName{sepToken}},
}

// readTokenizer reads tokenizer.json.
func readTokenizer(path string, s settings) (*Tokenizer, error) {
	var f tokenizerFile
	if err := readJSON(path, maxTokenizer, &f); err != nil {
		return nil, err
	}
	if err := f.check(path); err != nil {
		return nil, err
	}
	// A missing list is an error too, because every release of the tokenizers library writes one.
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
	return newTokenizer(path, vocabulary, append(added, s.added()...), n)
}

// check refuses features that BERT's tokenizer does not have.
func (f *tokenizerFile) check(path string) error {
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
	if m.UnkToken != unkToken || m.Prefix != continuingPrefix || m.MaxRunes != maxRunes {
		return notSupported(path, "has a model with unk_token %.40q, continuing_subword_prefix %.40q and "+
			"max_input_chars_per_word %d instead of %q, %q and %d", m.UnkToken, m.Prefix, m.MaxRunes,
			unkToken, continuingPrefix, maxRunes)
	}
	if !f.Normalizer.CleanText {
		return notSupported(path, "has a normalizer without clean_text")
	}
	p := f.PostProcessor
	// BertProcessing, from 2020, always adds [CLS] and [SEP].
	if (p.Type != "TemplateProcessing" || p.Single != usualTemplate) && p.Type != "BertProcessing" {
		return notSupported(path, "has a post_processor of the type %.40q that does not write a text between %s and %s",
			p.Type, clsToken, sepToken)
	}
	return nil
}

// readVocabulary reads vocab.txt, which has a piece on each line.
func readVocabulary(path string, s settings) (*Tokenizer, error) {
	raw, err := readBounded(path, maxTokenizer)
	if err != nil {
		return nil, err
	}
	if s.Class != bertTokenizer {
		return nil, notSupported(path, "is the vocabulary of a %s without its tokenizer.json", s.Class)
	}
	vocabulary := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		piece := strings.TrimRight(line, "\r\n")
		if firstLine, seen := vocabulary[piece]; seen {
			return nil, damaged(path, fmt.Errorf("it has the piece %.40q on lines %d and %d", piece, firstLine+1,
				len(vocabulary)+1))
		}
		vocabulary[piece] = len(vocabulary)
	}
	return newTokenizer(path, vocabulary, s.added(), s.normalizer())
}

// newTokenizer makes a Tokenizer. It refuses piece ids that are not 0, 1 and so on, and tokens that
// are not pieces.
func newTokenizer(path string, vocabulary map[string]int, added []addedToken, n normalizer) (*Tokenizer, error) {
	seen := make([]bool, len(vocabulary))
	for _, id := range vocabulary {
		if id < 0 || id >= len(seen) || seen[id] {
			return nil, damaged(path, fmt.Errorf("the ids of its %d pieces are not 0, 1 and so on", len(seen)))
		}
		seen[id] = true
	}
	tokens := []string{clsToken, sepToken, unkToken, maskToken, padToken}
	for _, token := range tokens {
		if _, known := vocabulary[token]; !known {
			return nil, damaged(path, fmt.Errorf("it lacks the piece %q", token))
		}
	}
	for _, a := range added {
		if id, known := vocabulary[a.Content]; !known || a.Content == "" {
			return nil, notSupported(path, "has the added token %.40q, which is not in its vocabulary", a.Content)
		} else if a.ID != int64(id) {
			return nil, damaged(path, fmt.Errorf("the added token %.40q has the id %d, but its piece has %d", a.Content, a.ID, id))
		}
		if err := a.check(path); err != nil {
			return nil, err
		}
		tokens = append(tokens, a.Content)
	}
	slices.SortFunc(tokens, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for i, token := range tokens {
		tokens[i] = regexp.QuoteMeta(token)
	}
	pieces := model.Vocab(vocabulary)
	id := func(token string) int64 { return int64(vocabulary[token]) }
	return &Tokenizer{
		CLS: id(clsToken), SEP: id(sepToken), Mask: id(maskToken), Unk: id(unkToken),
		vocabulary: vocabulary, normalizer: n,
		added: regexp.MustCompile(strings.Join(tokens, "|")),
		wordPiece: wordpiece.NewWordPieceBuilder().Vocab(&pieces).UnkToken(unkToken).
			ContinuingSubwordPrefix(continuingPrefix).MaxInputCharsPerWord(maxRunes).Build(),
	}, nil
}
