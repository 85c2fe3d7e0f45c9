package wire

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"openclaw/runtime/model"
)

// maxRetryAfter bounds what a provider can ask for: more is a mistake.
const maxRetryAfter = 24 * time.Hour

// refused is the error of a response that is none of success.
func (c *client) refused(response *http.Response) error {
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		return &model.Error{Kind: model.KindInvalid, Status: response.StatusCode, Message: "the server redirects to " + target(response) + ": if that is right, make it the base URL"}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if err != nil && len(body) == 0 {
		body = []byte(http.StatusText(response.StatusCode))
	}
	f := parseFault(body)
	after := retryAfter(response.Header, time.Now())
	if after == 0 {
		after = f.retryAfter
	}
	status := response.StatusCode
	if status < 300 { // a success that is no stream
		status = f.status
	}
	return &model.Error{Kind: kindOf(status, f), Status: response.StatusCode, RetryAfter: after, Message: f.message}
}

func target(response *http.Response) string {
	u, err := response.Location()
	if err != nil {
		return "nowhere"
	}
	return u.Scheme + "://" + u.Host
}

// failure makes an error the kind that leaves the package.
func (c *client) failure(r *model.Request, err error) *model.Error {
	e := &model.Error{}
	if already := (*model.Error)(nil); errors.As(err, &already) {
		*e = *already
	} else {
		e.Kind, e.Err = causeKind(err), withoutURL(err)
	}
	e.Provider, e.Model = c.o.Provider, r.Model
	e.Message = cut(c.secrets.scrub(e.Message))
	if e.Err != nil {
		e.Err = c.secrets.scrubError(e.Err)
	}
	return e
}

// causeKind is the kind of an error that no provider has given.
func causeKind(err error) model.Kind {
	switch {
	case errors.Is(err, ErrSilent):
		return model.KindTimeout
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrFormat):
		return model.KindUnknown
	case isWrongServer(err):
		return model.KindInvalid
	}
	return model.KindNetwork
}

// isWrongServer tells failures that another attempt would meet again: the server is not who it should be, or speaks no TLS.
func isWrongServer(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch)
}

// withoutURL takes away what net/http puts around an error: the URL is known, and may be long.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func cut(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= model.MaxErrorText {
		return s
	}
	return strings.ToValidUTF8(s[:model.MaxErrorText], "")
}

// fault is what providers say of a failure. They all have a message and some words for the kind, each in other places.
type fault struct {
	message    string
	codes      []string // type, code, status, reason: lower case
	status     int      // where the code is a status of HTTP
	retryAfter time.Duration
}

// errorBody takes in the shapes of all five protocols, and of servers that are like them.
type errorBody struct {
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
	Status  json.RawMessage `json:"status"`
	Details []struct {
		Reason     string `json:"reason"`
		RetryDelay string `json:"retryDelay"`
	} `json:"details"`
	Metadata struct {
		Raw json.RawMessage `json:"raw"`
	} `json:"metadata"`
}

// parseFault reads the body of an error. What it does not understand becomes the message.
func parseFault(body []byte) fault {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 { // Google's, when the stream is one of JSON
		body = list[0]
	}
	var f fault
	f.take(body, 0)
	if f.message == "" {
		f.message = plain(body)
	}
	return f
}

// maxFaultDepth bounds how far errors are within errors.
const maxFaultDepth = 3

func (f *fault) take(raw []byte, depth int) {
	var b errorBody
	if depth > maxFaultDepth || json.Unmarshal(raw, &b) != nil {
		return
	}
	if b.Type != "error" {
		f.code(b.Type)
	}
	f.code(word(b.Code))
	f.code(word(b.Status))
	for _, d := range b.Details {
		f.code(d.Reason)
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			f.retryAfter = min(wait, maxRetryAfter)
		}
	}
	for _, raw := range []json.RawMessage{b.Message, b.Detail} {
		if m := word(raw); m != "" && f.message == "" {
			f.message = m
		}
	}
	if text := word(b.Error); text != "" { // Ollama's are no objects
		f.message = text
		return
	}
	if len(b.Error) > 0 {
		f.take(b.Error, depth+1)
	}
	if raw := word(b.Metadata.Raw); raw != "" {
		f.message += ": " + raw
	}
}

func (f *fault) code(word string) {
	if word == "" {
		return
	}
	if n, err := strconv.Atoi(word); err == nil {
		if n >= 400 && n < 600 {
			f.status = n
		}
		return
	}
	f.codes = append(f.codes, strings.ToLower(word))
}

// word is a JSON string or number as a text.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// plain is a body that is no JSON as a message: pages of proxies are said in one word.
func plain(body []byte) string {
	if bytes.HasPrefix(bytes.ToLower(body), []byte("<!doctype")) || bytes.HasPrefix(bytes.ToLower(body), []byte("<html")) {
		return "the server answers with a page of HTML"
	}
	return string(body)
}

// streamFault is the error of an event in a stream.
func streamFault(data []byte) error {
	f := parseFault(data)
	return &model.Error{Kind: kindOf(f.status, f), Status: f.status, RetryAfter: f.retryAfter, Message: f.message}
}

// malformed is the error of an event that is not what the protocol says.
func malformed(err error) error { return fmt.Errorf("%w: %w", ErrFormat, err) }

// retryAfter is what a response asks for.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return bounded(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return bounded(seconds)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil { // by the server's clock, whatever ours says
		now = sent
	}
	return bounded(at.Sub(now).Seconds())
}

func bounded(seconds float64) time.Duration {
	if !(seconds > 0) { // not a number, too
		return 0
	}
	if seconds > maxRetryAfter.Seconds() {
		return maxRetryAfter
	}
	return time.Duration(seconds * float64(time.Second))
}
