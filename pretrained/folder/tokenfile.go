package folder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// tokenizerFiles are what a tokenizer is made of, beside the config.
var tokenizerFiles = []string{tokenizerName, vocabularyName, settingsName, specialName}

const (
	tokenizerName  = "tokenizer.json"
	vocabularyName = "vocab.txt"
	settingsName   = "tokenizer_config.json"
	specialName    = "special_tokens_map.json"

	mostTokenizer = 64 << 20 // bytes of tokenizer.json; that of XLM-R has 9 to 17 MB
	mostPart      = 4 << 20  // bytes of other files, and of its parts but the model: a list may take 50 times that
)

// notRead is an error that names what a tokenizer may have, and is not read.
type notRead string

func (e notRead) Error() string { return string(e) }

// openTokenizer reads the tokenizer of a folder: tokenizer.json, or else the vocab.txt of BERT,
// with what tokenizer_config.json and special_tokens_map.json say.
func openTokenizer(dir string, family Family) (*Tokenizer, error) {
	s, err := readSettings(dir, family)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, tokenizerName)
	f := tokenizerFile{}
	err = readJSON(path, mostTokenizer, &f)
	if errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(dir, vocabularyName)
		f, err = readVocabulary(path, s)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, userr.New(userr.BadInput, "%s has neither tokenizer.json nor the vocab.txt of a BERT: "+
				"write one with save_pretrained of transformers' AutoTokenizer", dir)
		}
	}
	if err != nil {
		return nil, err
	}
	t, err := f.open(s)
	if what := notRead(""); errors.As(err, &what) {
		return nil, userr.New(userr.BadInput, "%s has %s, which cannot be read: use a folder with the "+
			"tokenizer of BERT, RoBERTa, XLM-R, DistilBERT or ELECTRA", path, what)
	} else if err != nil {
		return nil, damaged(path, err)
	}
	return t, nil
}

// damaged is the sentence for a file that nobody wrote so.
func damaged(path string, what error) error {
	return userr.New(userr.BadInput, "%s is damaged: %w; download the file again", path, what)
}

// readJSON reads a file of a bounded size; the error is fs.ErrNotExist where there is none.
func readJSON(path string, most int64, into any) error {
	raw, err := readBounded(path, most)
	if err != nil {
		return err
	}
	err = json.Unmarshal(raw, into)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return damaged(path, fmt.Errorf("it is not JSON from byte %d on", syntax.Offset))
	} else if of := (*json.UnmarshalTypeError)(nil); errors.As(err, &of) {
		if of.Field == "" {
			return damaged(path, fmt.Errorf("it is of type %s", of.Value))
		}
		if number, ok := strings.CutPrefix(of.Value, "number "); ok {
			return damaged(path, fmt.Errorf("%s is %.40s, which is not possible", of.Field, number))
		}
		return damaged(path, fmt.Errorf("%s is of type %s", of.Field, of.Value))
	} else if err != nil {
		return damaged(path, err)
	}
	return nil
}

// settings is what stands beside the tokenizer: in tokenizer_config.json, whose values transformers
// put before those of tokenizer.json.
type settings struct {
	class string // the tokenizer's, as BertTokenizer

	ClassName      string               `json:"tokenizer_class"`
	DoLowerCase    *bool                `json:"do_lower_case"`
	StripAccents   *bool                `json:"strip_accents"`
	ChineseChars   *bool                `json:"tokenize_chinese_chars"`
	AddPrefixSpace bool                 `json:"add_prefix_space"`
	Added          map[int64]addedToken `json:"added_tokens_decoder"`
	names
}

// names are the special tokens.
type names struct {
	CLS  *addedToken `json:"cls_token"`
	SEP  *addedToken `json:"sep_token"`
	Mask *addedToken `json:"mask_token"`
	Unk  *addedToken `json:"unk_token"`
	Pad  *addedToken `json:"pad_token"`
}

// classes are the tokenizers that transformers take for a family.
var classes = map[Family]string{
	BERT: "BertTokenizer", DistilBERT: "DistilBertTokenizer", ELECTRA: "ElectraTokenizer", RoBERTa: "RobertaTokenizer",
	XLMR: "XLMRobertaTokenizer",
}

// likeBERT are those whose settings are put before the normaliser of tokenizer.json.
var likeBERT = []string{classes[BERT], classes[DistilBERT], classes[ELECTRA]}

func readSettings(dir string, family Family) (s settings, err error) {
	var config struct {
		ClassName string `json:"tokenizer_class"`
	}
	var special names
	for name, into := range map[string]any{
		settingsName: &s, configFile: &config, specialName: &special,
	} {
		if err := readJSON(filepath.Join(dir, name), mostPart, into); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	s.class = strings.TrimSuffix(cmp.Or(s.ClassName, config.ClassName, classes[family]), "Fast")
	if s.Added != nil { // written by a release that does not read the map
		special = names{}
	}
	mine := names{
		&addedToken{Content: "[CLS]"}, &addedToken{Content: "[SEP]"}, &addedToken{Content: "[MASK]"},
		&addedToken{Content: "[UNK]"}, &addedToken{Content: "[PAD]"},
	}
	if family == RoBERTa || family == XLMR {
		mine = names{
			&addedToken{Content: "<s>"}, &addedToken{Content: "</s>"}, &addedToken{Content: "<mask>", LStrip: true},
			&addedToken{Content: "<unk>"}, &addedToken{Content: "<pad>"},
		}
	}
	s.names = names{
		cmp.Or(special.CLS, s.CLS, mine.CLS), cmp.Or(special.SEP, s.SEP, mine.SEP),
		cmp.Or(special.Mask, s.Mask, mine.Mask),
		cmp.Or(special.Unk, s.Unk, mine.Unk), cmp.Or(special.Pad, s.Pad, mine.Pad),
	}
	if s.Mask.bare {
		s.Mask.LStrip = mine.Mask.LStrip
	}
	return s, nil
}

// over returns a normaliser with the settings in place of its own.
func (s settings) over(n normalizerFile) *normalizerFile {
	if n.Type == "BertNormalizer" && slices.Contains(likeBERT, s.class) {
		n.Lowercase = s.DoLowerCase == nil || *s.DoLowerCase
		n.ChineseChars = s.ChineseChars == nil || *s.ChineseChars
		n.StripAccents = s.StripAccents
	}
	return &n
}

// tokenizerFile is tokenizer.json.
type tokenizerFile struct {
	Added      part[[]addedToken]    `json:"added_tokens"`
	Normalizer part[*normalizerFile] `json:"normalizer"`
	Cutter     part[*cutterFile]     `json:"pre_tokenizer"`
	Around     part[*aroundFile]     `json:"post_processor"`
	Model      modelFile             `json:"model"`
}

// part is a part of tokenizer.json that is short whoever wrote it.
type part[T any] struct{ of T }

// UnmarshalJSON reads it where it is short.
func (p *part[T]) UnmarshalJSON(raw []byte) error {
	if len(raw) > mostPart {
		return fmt.Errorf("a part of it that is not the model has over %d MB", mostPart>>20)
	}
	return json.Unmarshal(raw, &p.of)
}

// readVocabulary returns what tokenizer.json would be of BERT's vocab.txt, one piece a line.
func readVocabulary(path string, s settings) (f tokenizerFile, err error) {
	raw, err := readBounded(path, mostTokenizer)
	if err != nil {
		return f, err
	}
	if !slices.Contains(likeBERT, s.class) {
		return f, userr.New(userr.BadInput, "%s is the vocabulary of a %s, which cannot be read without "+
			"tokenizer.json: write one with save_pretrained of transformers' AutoTokenizer", path, s.class)
	}
	v := &f.Model.Vocabulary
	v.ids = map[string]int{}
	for line := range bytes.Lines(raw) {
		if err := v.add(strings.TrimRight(string(line), "\r\n"), len(v.pieces)); err != nil {
			return f, damaged(path, err)
		}
	}
	f.Model.Type, f.Model.UnkToken = "WordPiece", &s.Unk.Content
	f.Normalizer.of = s.over(normalizerFile{Type: "BertNormalizer", CleanText: true})
	f.Cutter.of = &cutterFile{Type: "BertPreTokenizer"}
	f.Around.of = &aroundFile{Type: "BertProcessing"}
	for token, into := range map[string]*tokenID{s.CLS.Content: &f.Around.of.CLS, s.SEP.Content: &f.Around.of.SEP} {
		id, ok := v.ids[token]
		if !ok {
			return f, damaged(path, fmt.Errorf("it lacks the piece %.40q", token))
		}
		*into = tokenID(id)
	}
	return f, nil
}

// open makes the tokenizer of its parts.
func (f *tokenizerFile) open(s settings) (*Tokenizer, error) {
	t := &Tokenizer{
		vocabulary: f.Model.Vocabulary.ids, more: map[string]int{}, known: map[string][]int64{},
		normalize: func(s string) string { return s },
		cut:       func(parts []string, _ bool) []string { return parts },
	}
	var err error
	if t.model, err = f.Model.open(); err != nil {
		return nil, err
	}
	own := t.normalize
	if n := f.Normalizer.of; n != nil {
		if own, err = n.open(); err != nil {
			return nil, err
		}
		if t.normalize, err = s.over(*n).open(); err != nil {
			return nil, err
		}
	}
	if c := f.Cutter.of; c != nil {
		if c.Type == "ByteLevel" {
			c.AddPrefixSpace = &s.AddPrefixSpace
		}
		if t.cut, err = c.open(); err != nil {
			return nil, err
		}
	}
	if err = t.add(f.Added.of, own, s); err != nil {
		return nil, err
	}
	if f.Around.of != nil {
		if t.before, t.after, err = f.Around.of.around(t.Len()); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add finds out which tokens are looked for in a text, and the ids of the special ones. Those that
// are normalised are so as tokenizer.json has it, whatever the settings say: transformers look for
// "Ferry" in a text in lower case where the settings alone ask for lower case.
func (t *Tokenizer) add(tokens []addedToken, own normalizer, s settings) error {
	place := map[string]int{}
	for i, a := range tokens {
		if _, twice := place[a.Content]; twice {
			return fmt.Errorf("the token %.40q is added twice", a.Content)
		}
		if err := t.addID(a.Content, a.ID); err != nil {
			return err
		}
		place[a.Content] = i
	}
	put := func(a addedToken) { // in place of one that tokenizer.json has
		if i, ok := place[a.Content]; ok {
			tokens[i] = a
			return
		}
		place[a.Content] = len(tokens)
		tokens = append(tokens, a)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Added)) {
		a := s.Added[id]
		if a.ID = id; t.addID(a.Content, id) != nil {
			return fmt.Errorf("tokenizer_config.json gives the token %.40q the id %d, which is not its id here", a.Content, id)
		}
		put(a)
	}
	for _, of := range []struct {
		name *addedToken
		into *int64
		must bool
	}{
		{s.CLS, &t.special.CLS, true},
		{s.SEP, &t.special.SEP, true},
		{s.Unk, &t.special.Unk, true},
		{s.Mask, &t.special.Mask, false},
		{s.Pad, &t.special.Pad, false},
	} {
		a := *of.name
		id, ok := t.id(a.Content)
		if !ok && of.must {
			return fmt.Errorf("it lacks the piece %.40q", a.Content)
		} else if !ok {
			*of.into = -1
			continue
		}
		*of.into, a.ID = int64(id), int64(id)
		if _, known := place[a.Content]; !known {
			put(a)
		}
	}
	raw := slices.DeleteFunc(slices.Clone(tokens), func(a addedToken) bool { return a.Normalized })
	tokens = slices.DeleteFunc(tokens, func(a addedToken) bool { return !a.Normalized })
	for i := range tokens {
		tokens[i].Content = own(tokens[i].Content)
	}
	t.added, t.normalized = newFinder(raw), newFinder(tokens)
	return nil
}

// addID sees that a token has the id of its piece, or the next free one.
func (t *Tokenizer) addID(token string, id int64) error {
	own, ok := t.id(token)
	if !ok {
		own = t.Len()
		t.more[token] = own
	}
	if id != int64(own) {
		return fmt.Errorf("an id is missing or given twice: the added token %.40q has %d instead of %d", token, id, own)
	}
	return nil
}

// aroundFile is a post-processor as tokenizer.json has it: what stands around a text.
type aroundFile struct {
	Type       string       `json:"type"`
	Processors []aroundFile `json:"processors"`

	CLS tokenID `json:"cls"`
	SEP tokenID `json:"sep"`

	Single []struct {
		Token *struct {
			Name string `json:"id"`
		} `json:"SpecialToken"`
		Text *struct{} `json:"Sequence"`
	} `json:"single"`
	Tokens map[string]struct {
		IDs []int64 `json:"ids"`
	} `json:"special_tokens"`
}

// tokenID is the id of a token that is written with its text: ["[CLS]", 101].
type tokenID int64

// UnmarshalJSON reads the id.
func (id *tokenID) UnmarshalJSON(raw []byte) error {
	var both []json.RawMessage
	if err := json.Unmarshal(raw, &both); err != nil || len(both) != 2 {
		return errors.New("sep or cls of its post_processor is not a token with its id")
	}
	return json.Unmarshal(both[1], (*int64)(id))
}

// around returns the ids before and after a text, of a vocabulary of n pieces.
func (f *aroundFile) around(n int) (before, after []int64, err error) {
	switch f.Type {
	case "ByteLevel": // it says where the pieces stood
	case "Sequence":
		for _, one := range f.Processors {
			b, a, err := one.around(n)
			if err != nil {
				return nil, nil, err
			}
			before, after = append(b, before...), append(after, a...)
		}
	case "BertProcessing", "RobertaProcessing":
		before, after = []int64{int64(f.CLS)}, []int64{int64(f.SEP)}
	case "TemplateProcessing":
		texts := 0
		for _, of := range f.Single {
			switch {
			case of.Text != nil:
				texts++
			case of.Token != nil && texts == 0:
				before = append(before, f.Tokens[of.Token.Name].IDs...)
			case of.Token != nil:
				after = append(after, f.Tokens[of.Token.Name].IDs...)
			}
		}
		if texts != 1 {
			return nil, nil, errors.New("its post_processor does not write a text exactly once")
		}
	default:
		return nil, nil, notRead(fmt.Sprintf("the post-processor %q", f.Type))
	}
	for _, id := range slices.Concat(before, after) {
		if id < 0 || id >= int64(n) {
			return nil, nil, fmt.Errorf("its post_processor writes the id %d, but there are only %d pieces", id, n)
		}
	}
	return before, after, nil
}
