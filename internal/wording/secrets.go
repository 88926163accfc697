package wording

import (
	"net/url"
	"regexp"
	"strings"
)

// address matches what may be an address (URL) in a text. A match ends before white space, a
// quotation mark or an angle bracket.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]*`)

// hidden replaces each secret.
const hidden = "***"

// WithoutSecrets hides what may be a password or token in a text's addresses (URLs). It writes ***
// for the user and password before the host, and for everything after ? or #. WithoutSecrets leaves
// its own result unchanged.
func WithoutSecrets(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return address.ReplaceAllStringFunc(text, AddressWithoutSecrets)
}

// AddressWithoutSecrets does the same as WithoutSecrets, for a text that should be a single
// address. If the text is not a valid address, AddressWithoutSecrets hides everything before the
// last @, except the scheme.
func AddressWithoutSecrets(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if ok {
		return scheme + "://" + withoutUser(text, rest)
	}
	return withoutUser(text, text)
}

// withoutUser hides the secrets in rest, the part of an address after the scheme.
func withoutUser(address, rest string) string {
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	at := strings.LastIndex(host, "@")
	if _, err := url.Parse(address); err != nil || host == address { // a password may contain slashes
		at = strings.LastIndex(rest, "@")
	}
	if at >= 0 {
		rest = hidden + rest[at:]
	}
	if end := strings.IndexAny(rest, "?#"); end >= 0 && end+1 < len(rest) {
		rest = rest[:end+1] + hidden
	}
	return rest
}
