package wording

import (
	"net/url"
	"regexp"
	"strings"
)

// address matches what may be an address in a text: to the next white space or quotation mark.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]*`)

// hidden stands in a text for what is not shown.
const hidden = "***"

// WithoutSecrets is a text in whose addresses *** stands for what may be a password or a token: the
// user and password before the host, and what follows a question mark or a number sign. It leaves
// its own results as they are.
func WithoutSecrets(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return address.ReplaceAllStringFunc(text, AddressWithoutSecrets)
}

// AddressWithoutSecrets is WithoutSecrets of a text that should be one address: where it is none,
// whatever stands before an @ is hidden too.
func AddressWithoutSecrets(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if ok {
		return scheme + "://" + withoutUser(text, rest)
	}
	return withoutUser(text, text)
}

// withoutUser hides the secrets of what follows the scheme of an address.
func withoutUser(whole, rest string) string {
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	at := strings.LastIndex(host, "@")
	if _, err := url.Parse(whole); err != nil || host == whole { // a password may have a slash in it
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
