package wire

import (
	"errors"
	"net/url"
	"strings"
)

// redacted stands for a secret in errors.
const redacted = "***"

// Secrets that are shorter are in any text by chance.
const (
	minKey    = 4
	minHeader = 8
)

// minSpoken is the length of keys that are looked for in answers. Shorter ones may be words, which servers that want no key are given.
const minSpoken = 16

// spoken is the key as answers must not have it; empty when it is none to speak of. No model knows it, but there are servers that
// repeat what they were sent.
func spoken(key string) string {
	if len(key) < minSpoken {
		return ""
	}
	return key
}

// secrets are texts that must not leave a client.
type secrets struct{ replacer *strings.Replacer }

// secretsOf are the key and the values of the headers, as they are and as URLs have them.
func secretsOf(o Options) secrets {
	var pairs []string
	add := func(s string, least int) {
		if len(s) < least {
			return
		}
		pairs = append(pairs, s, redacted)
		if escaped := url.QueryEscape(s); escaped != s {
			pairs = append(pairs, escaped, redacted)
		}
	}
	add(o.Key, minKey)
	for _, value := range o.Headers {
		add(value, minHeader)
		if scheme, rest, ok := strings.Cut(value, " "); ok && !strings.Contains(scheme, "=") { // "Bearer KEY"
			add(strings.TrimSpace(rest), minHeader)
		}
	}
	return secrets{strings.NewReplacer(pairs...)}
}

func (s secrets) scrub(text string) string { return s.replacer.Replace(text) }

// scrubError is the error itself when it holds no secret, so that its causes can still be found.
func (s secrets) scrubError(err error) error {
	text := err.Error()
	if clean := s.scrub(text); clean != text {
		return errors.New(clean)
	}
	return err
}
