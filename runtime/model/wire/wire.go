// Package wire asks language models over the network. It speaks five protocols, streaming each, and promises the same of all:
//
//   - What a provider marks as its own (signatures of thinking, encrypted reasoning, ids) is kept in the answer's blocks and goes back as it
//     came, to the same model through the same protocol only.
//   - An answer is whole or it is an error. A stream that just stops is an error, whatever came before.
//   - Each failure is a *model.Error or the context's error. Nothing is tried again: that is for whoever knows what else could be asked.
//   - A key is sent to the configured server alone. It is in no error, and redirects are not followed.
//   - Sizes and silences are bounded, whatever the server does.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"openclaw/runtime/model"
)

// The protocols.
const (
	APICompletions = "openai-completions"
	APIResponses   = "openai-responses"
	APIMessages    = "anthropic-messages"
	APIGoogle      = "google-generative-ai"
	APIOllama      = "ollama"
)

// Limits of an answer, whatever a server sends.
const (
	MaxEventBytes  = 8 << 20   // of one event or line
	MaxStreamBytes = 512 << 20 // of a whole stream, with what is around the text
	MaxAnswerBytes = 16 << 20  // of text, thinking, arguments and signatures together
	MaxBlocks      = 2048      // of an answer
	MaxCalls       = 256       // among them
	MaxDepth       = 200       // of the arguments of a call
	maxErrorBody   = 64 << 10  // of an answer that is an error; the rest is not read
)

// Causes of errors.
var (
	ErrTooLarge   = errors.New("the answer is larger than allowed")
	ErrIncomplete = errors.New("the stream ended before the answer did")
	ErrSilent     = errors.New("the provider has been silent for too long")
	ErrFormat     = errors.New("the stream is not what the protocol says")
)

// Options say where a provider is and how it is asked.
type Options struct {
	API      string // one of the protocols
	Provider string // the name in errors and answers
	// BaseURL is where the protocol's paths begin. Empty: the protocol's first provider.
	BaseURL string
	Key     string // empty: none is sent
	// Headers go with each request. One that carries the key in the protocol takes the place of Key.
	Headers map[string]string
	// FirstEvent bounds the time from the request to the first event, Idle the time between two. 0: no bound.
	FirstEvent, Idle time.Duration
	// MaxTokens bounds answers where the request does not and the protocol demands a bound. 0: DefaultMaxTokens.
	MaxTokens int64
	// Transport sends requests. Nil: one that all clients share, see NewTransport.
	Transport http.RoundTripper
}

// DefaultMaxTokens is the bound of an answer where one is demanded and nobody has another.
const DefaultMaxTokens = 8192

// String hides the key and the headers.
func (o Options) String() string { return fmt.Sprintf("%s (%s %s)", o.Provider, o.API, o.BaseURL) }

// GoString hides the key and the headers, too.
func (o Options) GoString() string { return "wire.Options{" + o.String() + "}" }

// protocol is what differs between the APIs.
type protocol interface {
	// path is what follows the base URL.
	path(base *url.URL, r *model.Request) string
	// authorize adds the key.
	authorize(h http.Header, key string)
	// body is a request in the protocol's words.
	body(c *client, r *model.Request) (object, error)
	// decoder reads the events of an answer.
	decoder(a *answer) decoder
}

// decoder reads the events of one answer.
type decoder interface {
	// event takes the data of one event. done tells that the answer is complete and nothing more needs to be read.
	event(data []byte) (done bool, err error)
	// end tells whether the answer is complete if nothing more comes: ErrIncomplete when not. It may be called often.
	end() error
}

var protocols = map[string]struct {
	protocol
	base   string
	ndjson bool // one JSON text on each line instead of server-sent events
}{
	APICompletions: {protocol: completions{}, base: "https://api.openai.com/v1"},
	APIResponses:   {protocol: responses{}, base: "https://api.openai.com/v1"},
	APIMessages:    {protocol: messages{}, base: "https://api.anthropic.com"},
	APIGoogle:      {protocol: google{}, base: "https://generativelanguage.googleapis.com/v1beta"},
	APIOllama:      {protocol: ollama{}, base: "http://127.0.0.1:11434", ndjson: true},
}

// object is a JSON object that is written with sorted keys: the same request has the same bytes, which providers' caches need.
type object = map[string]any

// client implements model.Client.
type client struct {
	o       Options
	base    *url.URL
	speak   protocol
	ndjson  bool
	http    *http.Client
	secrets secrets
}

// New makes the client of a provider. It does not reach for the network.
func New(o Options) (model.Client, error) {
	p, ok := protocols[o.API]
	if !ok {
		return nil, fmt.Errorf("wire: %s: there is no protocol %q", o.Provider, o.API)
	}
	if o.BaseURL == "" {
		o.BaseURL = p.base
	}
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("wire: %s: %w", o.Provider, err)
	}
	if err := checkHeaders(o); err != nil {
		return nil, fmt.Errorf("wire: %s: %w", o.Provider, err)
	}
	if o.Transport == nil {
		o.Transport = shared()
	}
	return &client{
		o: o, base: base, speak: p.protocol, ndjson: p.ndjson, secrets: secretsOf(o),
		http: &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the base URL is not an http or https URL")
	case u.User != nil:
		return nil, errors.New("the base URL must not hold a user or a password")
	case u.Fragment != "":
		return nil, errors.New("the base URL must not have a fragment")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

// String hides what the client holds.
func (c *client) String() string { return "wire: " + c.o.String() }

// GoString hides it, too.
func (c *client) GoString() string { return c.String() }

// Stream implements model.Client.
func (c *client) Stream(ctx context.Context, r *model.Request, on func(model.Delta)) (*model.Message, error) {
	a := newAnswer(c, r, on)
	err := c.stream(ctx, r, a)
	if err == nil {
		return a.finish(), nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
		return a.failed(model.StopAborted, err), err
	}
	failure := c.failure(r, err)
	return a.failed(model.StopError, failure), failure
}

func (c *client) stream(ctx context.Context, r *model.Request, a *answer) error {
	body, err := c.encode(r)
	if err != nil {
		return &model.Error{Kind: model.KindInvalid, Err: err}
	}
	watch, stop := newWatch(ctx, c.o.FirstEvent, c.o.Idle)
	defer stop()
	request, err := http.NewRequestWithContext(watch.ctx, http.MethodPost, c.url(r), bytes.NewReader(body))
	if err != nil {
		return &model.Error{Kind: model.KindInvalid, Err: err}
	}
	c.headers(request.Header, r)
	response, err := c.http.Do(request)
	if err != nil {
		return watch.explain(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || !c.streams(response.Header.Get("Content-Type")) {
		return watch.explain(c.refused(response))
	}
	return watch.explain(c.read(response, a, watch))
}

// streams tells whether a response may be a stream. Some servers answer with success and say in JSON or HTML that there was none;
// others do not name the type of their streams.
func (c *client) streams(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return true
	case kind == "text/html":
		return false
	}
	return c.ndjson || kind != "application/json"
}

// read takes an answer from a stream.
func (c *client) read(response *http.Response, a *answer, watch *watch) error {
	events := newEvents(response.Body, c.ndjson)
	events.alive = watch.alive
	d := c.speak.decoder(a)
	for {
		data, err := events.next()
		if err != nil {
			return c.ended(d, err)
		}
		done, err := d.event(data)
		if err != nil {
			return err
		}
		if done {
			drain(response.Body, watch)
			return nil
		}
		if d.end() == nil {
			watch.hurry(endGrace)
		}
	}
}

// endGrace is how long what may follow a complete answer, such as its usage, is waited for.
const endGrace = 5 * time.Second

// What is read after an answer is complete, so that its connection can be used again.
const (
	drainTime  = 100 * time.Millisecond
	drainBytes = 4 << 10
)

func drain(body io.Reader, watch *watch) {
	timer := time.AfterFunc(drainTime, func() { watch.stop(nil) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, drainBytes) // the answer is there, whatever comes of its connection
}

// ended tells what the end of a stream, of the connection or of our patience means: nothing, when the answer is complete.
func (c *client) ended(d decoder, err error) error {
	if errors.Is(err, ErrTooLarge) {
		return err
	}
	switch end := d.end(); {
	case errors.Is(err, errEnd), end == nil:
		return end
	}
	return err
}

func (c *client) url(r *model.Request) string {
	path, query, _ := strings.Cut(c.speak.path(c.base, r), "?")
	u := *c.base
	raw := u.EscapedPath() + path
	u.RawPath = raw
	u.Path, _ = url.PathUnescape(raw) // the path has just been escaped
	if query != "" {
		if u.RawQuery != "" {
			query = "&" + query
		}
		u.RawQuery += query
	}
	return u.String()
}

func (c *client) headers(h http.Header, r *model.Request) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	if c.ndjson {
		h.Set("Accept", "application/x-ndjson")
	}
	h.Set("User-Agent", "openclaw")
	if p, ok := c.speak.(messages); ok {
		p.fixed(h, r)
	}
	if c.o.Key != "" {
		c.speak.authorize(h, c.o.Key)
	}
	for name := range c.o.Headers {
		if carriesKey(name) {
			for _, other := range keyHeaders {
				h.Del(other)
			}
		}
	}
	for name, value := range c.o.Headers {
		h.Set(name, value)
	}
}

// ownParams are keys of a body that parameters do not replace.
var ownParams = []string{"model", "messages", "input", "contents", "system", "systemInstruction", "tools", "stream"}

// encode writes the body of a request.
func (c *client) encode(r *model.Request) ([]byte, error) {
	body, err := c.speak.body(c, r)
	if err != nil {
		return nil, err
	}
	for name := range r.Params {
		if slices.Contains(ownParams, name) {
			return nil, fmt.Errorf("the parameter %q is not for parameters to set", name)
		}
	}
	merge(body, r.Params)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return nil, fmt.Errorf("the request cannot be written as JSON: %w", err)
	}
	return b.Bytes(), nil
}

// merge lays parameters over a body. Objects that both have are merged, so that one option of many can be set.
func merge(into, from object) {
	for name, value := range from {
		if value == nil {
			delete(into, name)
			continue
		}
		below, ok := into[name].(object)
		above, also := value.(object)
		if ok && also {
			merge(below, above)
			continue
		}
		into[name] = value
	}
}
