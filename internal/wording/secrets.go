package wording

import (
	"net/url"
	"regexp"
	"strings"
)

// address matches a possible address in a text, up to white space or a quotation mark.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]*`)

// hidden replaces secrets.
const hidden = "***"

// WithoutSecrets replaces possible passwords and tokens in a text's addresses by ***: the user and
// password before the host, and what follows a question mark or a number sign. Applying it twice
// changes nothing more.
func WithoutSecrets(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return address.ReplaceAllStringFunc(text, AddressWithoutSecrets)
}

// AddressWithoutSecrets is WithoutSecrets for a text that should be one address. If it is not one,
// everything before an @ is hidden too.
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
	if _, err := url.Parse(address); err != nil || host == address { // a password may contain a slash
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
