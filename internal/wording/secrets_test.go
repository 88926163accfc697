package wording

import (
	"strings"
	"testing"
)

// TestWithoutSecrets checks that passwords and tokens in addresses are hidden, wherever the
// addresses are in a text, and that nothing else is hidden.
func TestWithoutSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "no address: user@host": "no address: user@host", "http://h:1/a@2/b": "http://h:1/a@2/b",
		"http://me:geheim@h:1/a":                        "http://***@h:1/a",
		"mirror='https://geheim@h'":                     "mirror='https://***@h'",
		`mirror = "http://me:ge@heim@h/"`:               `mirror = "http://***@h/"`,
		"http://me:ge/heim@h:1/a":                       "http://***@h:1/a",
		"Get \"http://h/a.gz?sig=geheim&x=1\": refused": "Get \"http://h/a.gz?***\": refused",
		"http://h/#geheim and s3://k:geheim@b/c":        "http://h/#*** and s3://***@b/c",
		"http://h/a?":                                   "http://h/a?",
	} {
		got := WithoutSecrets(text)
		if got != want || WithoutSecrets(got) != got || strings.Contains(got, "geheim") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"me:geheim@h:1": "***@h:1", "http://me:geheim x@h": "http://***@h", "ftp://h/x": "ftp://h/x", "h": "h",
		"http://me:\"geheim@h": "http://***@h", "http://h/x?t=geheim": "http://h/x?***", "": "",
	} {
		if got := AddressWithoutSecrets(text); got != want || AddressWithoutSecrets(got) != got {
			t.Errorf("the address %q: %q, want %q", text, got, want)
		}
	}
}
