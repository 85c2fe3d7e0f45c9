package wire

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// maxResponseHeader bounds the header of a response.
const maxResponseHeader = 256 << 10

// NewTransport is a transport for clients. It follows the proxy of the environment for https only, where a proxy is given no more than
// the name of the server: over http it would be given the key and the conversation.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = proxyForTLS
	t.DisableCompression = true // a compressed stream comes in lumps
	t.MaxResponseHeaderBytes = maxResponseHeader
	return t
}

func proxyForTLS(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

var shared = sync.OnceValue(func() http.RoundTripper { return NewTransport() })

// keyHeaders are the headers that carry keys in the protocols.
var keyHeaders = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"}

func carriesKey(name string) bool {
	return slices.ContainsFunc(keyHeaders, func(h string) bool { return strings.EqualFold(h, name) })
}

// reservedHeaders would change what a request is.
var reservedHeaders = []string{"Content-Length", "Transfer-Encoding", "Connection", "Host", "Upgrade", "Trailer"}

// checkHeaders finds what no request can carry. It does not say values: they may be keys.
func checkHeaders(o Options) error {
	if !isHeaderValue(o.Key) {
		return errors.New("the key has characters that no header can carry")
	}
	for name, value := range o.Headers {
		switch {
		case !isHeaderName(name):
			return fmt.Errorf("%q is not the name of a header", name)
		case slices.ContainsFunc(reservedHeaders, func(h string) bool { return strings.EqualFold(h, name) }):
			return fmt.Errorf("the header %s cannot be set", name)
		case !isHeaderValue(value):
			return fmt.Errorf("the header %s has characters that no header can carry", name)
		}
	}
	return nil
}

func isHeaderName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	})
}

func isHeaderValue(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}
