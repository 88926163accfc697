package wording

import "testing"

func TestNormal(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":                   "plain text",
		"e\u0301te\u0301":              "\u00e9t\u00e9", // decomposed letters are composed
		"\ufeffa\u00adb\u200b c\u200e": "ab c",
		// Persian: the word consists of two parts with a non-joiner between them.
		"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
		"\u0dc1\u0dca\u200d\u0dbb\u0dd3":                   "\u0dc1\u0dca\u200d\u0dbb\u0dd3",           // Sinhala
		"\u0915\u094d\u200d\u0937":                         "\u0915\u094d\u200d\u0937",                 // Hindi: half a letter
		"\U0001f469\u200d\U0001f52c":                       "\U0001f469\u200d\U0001f52c",               // two joined pictures
		"\U0001f3f4\U000e0067\U000e0062\U000e007f":         "\U0001f3f4\U000e0067\U000e0062\U000e007f", // a flag
		"\u2764\ufe0f 1\ufe0f\u20e3 \u2194\ufe0f":          "\u2764\ufe0f 1\ufe0f\u20e3 \u2194\ufe0f",  // a heart, a keycap, an arrow
		"\u845b\U000e0100":                                 "\u845b\U000e0100",                         // a variant of a Chinese character
		"\u1798\u17b6\u1793\u200b\u1791":                   "\u1798\u17b6\u1793\u200b\u1791",           // Khmer
		"\u182c\u1820\u180e\u1820":                         "\u182c\u1820\u180e\u1820",                 // Mongolian
		"fo\u200dur fi\u200cve si\ufe0fx s\u034fe\u3164ven 1\ufe0f2 \u4e00\u200b\u4e8c": "four five six seven 12 \u4e00\u4e8c",
		"\u200dword\u200c \u200d":                          "word ",                                // joiners that join nothing
		"\u10d3\u0430\u0306\u0e01\u0e33\uac00\u1112\u1161": "\u10d3\u04d1\u0e01\u0e33\uac00\ud558", // Georgian, Cyrillic, Thai, Korean
	} {
		if got := Normal(in); got != want {
			t.Errorf("%+q became %+q, want %+q", in, got, want)
		}
		if got := Normal(want); got != want {
			t.Errorf("%+q is not stable: %+q", want, got)
		}
	}
}
