package folder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// normalizer rewrites a text before it is cut.
type normalizer func(text string) string

// normalizerFile is a normaliser as tokenizer.json has it.
type normalizerFile struct {
	Type        string           `json:"type"`
	Normalizers []normalizerFile `json:"normalizers"`

	CleanText    bool  `json:"clean_text"`
	ChineseChars bool  `json:"handle_chinese_chars"`
	StripAccents *bool `json:"strip_accents"`
	Lowercase    bool  `json:"lowercase"`

	Charsmap []byte `json:"precompiled_charsmap"`

	StripLeft  bool `json:"strip_left"`
	StripRight bool `json:"strip_right"`

	Pattern struct {
		String *string
		Regex  *string
	} `json:"pattern"`
	Content string `json:"content"`
}

// open returns the normaliser, or an error that says what is not read.
func (f *normalizerFile) open() (normalizer, error) {
	switch f.Type {
	case "Sequence":
		var all []normalizer
		for _, one := range f.Normalizers {
			n, err := one.open()
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return func(s string) string {
			for _, n := range all {
				s = n(s)
			}
			return s
		}, nil
	case "BertNormalizer":
		return f.bert(), nil
	case "Precompiled":
		return openCharsmap(f.Charsmap)
	case "Strip":
		return func(s string) string {
			if f.StripLeft {
				s = strings.TrimLeftFunc(s, unicode.IsSpace)
			}
			if f.StripRight {
				s = strings.TrimRightFunc(s, unicode.IsSpace)
			}
			return s
		}, nil
	case "Replace":
		return f.replace()
	case "Lowercase":
		return lower, nil
	case "StripAccents":
		return func(s string) string { return without(s, unicode.M) }, nil
	case "NFC":
		return norm.NFC.String, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	}
	return nil, notRead(fmt.Sprintf("the normaliser %q", f.Type))
}

// replace takes a pattern only where Go's expressions mean the same as those of the tokenizers
// library.
func (f *normalizerFile) replace() (normalizer, error) {
	if of := f.Pattern.String; of != nil && *of != "" {
		return func(s string) string { return strings.ReplaceAll(s, *of, f.Content) }, nil
	}
	if of := f.Pattern.Regex; of != nil && !strings.ContainsAny(*of, `\?*[`) {
		if re, err := regexp.Compile(*of); err == nil && !re.MatchString("") {
			return func(s string) string { return re.ReplaceAllLiteralString(s, f.Content) }, nil
		}
	}
	return nil, notRead("the pattern of its normaliser Replace")
}

// bert is the normaliser of BERT. Accents go before lower case comes: İ is then I and not i̇.
func (f *normalizerFile) bert() normalizer {
	strip := f.Lowercase
	if f.StripAccents != nil {
		strip = *f.StripAccents
	}
	return func(s string) string {
		if f.CleanText {
			s = strings.Map(cleaned, s)
		}
		plain := isASCII(s)
		if f.ChineseChars && !plain {
			s = aroundChinese(s)
		}
		if strip && !plain {
			s = without(norm.NFD.String(s), unicode.Mn)
		}
		if f.Lowercase {
			s = lower(s)
		}
		return s
	}
}

// cleaned drops control characters and makes all white space a space.
func cleaned(r rune) rune {
	switch {
	case r > ' ' && r < 0x7f:
		return r
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// chinese are the blocks of CJK ideographs that BERT sets apart.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2a6df, Stride: 1},
		{Lo: 0x2a700, Hi: 0x2b81f, Stride: 1},
		{Lo: 0x2b920, Hi: 0x2ceaf, Stride: 1},
		{Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1},
	},
}

func aroundChinese(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.Is(chinese, r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func without(s string, class *unicode.RangeTable) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(class, r) {
			return -1
		}
		return r
	}, s)
}

// lower makes lower case rune by rune; İ becomes two, which unicode.ToLower does not know.
func lower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "İ", "i̇")) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// charsmap is SentencePiece's table of what becomes what: a trie in one array, whose leaves point
// into the texts, each of which ends with a zero.
type charsmap struct {
	trie  []byte // of 32-bit numbers
	texts string
	ascii [utf8.RuneSelf]string // what each byte becomes
}

func openCharsmap(raw []byte) (normalizer, error) {
	if len(raw) == 0 {
		return func(s string) string { return s }, nil
	}
	if len(raw) < 4 || uint64(binary.LittleEndian.Uint32(raw)) > uint64(len(raw)-4) {
		return nil, errors.New("the table of its normaliser Precompiled is cut off")
	}
	size := binary.LittleEndian.Uint32(raw)
	m := &charsmap{trie: raw[4 : 4+size], texts: string(raw[4+size:])}
	if !utf8.ValidString(m.texts) {
		return nil, errors.New("the texts in the table of its normaliser Precompiled are not UTF-8")
	}
	for b := range m.ascii {
		m.ascii[b] = string(rune(b))
		if text, ok := m.rule(m.ascii[b]); ok {
			m.ascii[b] = text
		}
	}
	return m.normalize, nil
}

// normalize looks up whole clusters of up to five bytes, then each rune, as the tokenizers library
// does, whose models were trained with SentencePiece's own rule.
func (m *charsmap) normalize(s string) string {
	var b strings.Builder
	if isASCII(s) && !strings.Contains(s, "\r\n") { // each byte is a cluster
		for i := range len(s) {
			b.WriteString(m.ascii[s[i]])
		}
		return b.String()
	}
	cluster, state := "", -1
	for s != "" {
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if len(cluster) < 6 {
			if text, ok := m.rule(cluster); ok {
				b.WriteString(text)
				continue
			}
		}
		for _, r := range cluster {
			if text, ok := m.rule(string(r)); ok {
				b.WriteString(text)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// rule returns what the shortest entry that a text begins with becomes.
func (m *charsmap) rule(text string) (string, bool) {
	unit, ok := m.unit(0)
	pos := offset(unit)
	for i := 0; ok && i < len(text) && text[i] != 0; i++ {
		pos ^= uint32(text[i])
		if unit, ok = m.unit(pos); !ok || unit&(1<<31|0xff) != uint32(text[i]) {
			return "", false
		}
		pos ^= offset(unit)
		if unit>>8&1 == 1 {
			leaf, _ := m.unit(pos)
			leaf &= 1<<31 - 1
			if uint64(leaf) >= uint64(len(m.texts)) || !utf8.RuneStart(m.texts[leaf]) {
				return "", false
			}
			text, _, _ := strings.Cut(m.texts[leaf:], "\x00")
			return text, true
		}
	}
	return "", false
}

func (m *charsmap) unit(at uint32) (uint32, bool) {
	if uint64(at)*4+4 > uint64(len(m.trie)) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(m.trie[4*at:]), true
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
