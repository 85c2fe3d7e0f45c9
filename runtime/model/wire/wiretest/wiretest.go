// Package wiretest has servers for tests that speak the protocols of language models' providers as the real ones do: what they stream,
// how they cut it, how they fail, and which requests they refuse.
//
// A Server plays turns, one for each request. The same turns can be played in each protocol:
//
//	s := wiretest.New(wire.APIMessages, wiretest.Turn{Text: "Hello."})
//	defer s.Close()
//	client, err := wire.New(wire.Options{API: wire.APIMessages, BaseURL: s.URL, Key: wiretest.Key})
//
// It is for tests only.
package wiretest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	"openclaw/runtime/model/wire"
)

// Key is the key that a server takes.
const Key = "sk-wiretest-7Jq0pX2vN8"

// APIs are the protocols.
var APIs = []string{wire.APICompletions, wire.APIResponses, wire.APIMessages, wire.APIGoogle, wire.APIOllama}

// Turn is what the server answers to one request.
type Turn struct {
	Thinking  string
	Signature string // of the thinking, in protocols that sign; empty: made up
	Redacted  string // thinking that cannot be read (anthropic-messages, else left out)
	Text      string
	Calls     []Call
	Usage     Usage
	Stop      Stop

	// Fragment is how many characters a piece has; 0 is all.
	Fragment int
	// Interleave sends pieces of parallel calls in turn, where the protocol can.
	Interleave bool
	// Write is how many bytes are written and flushed at once; 0 is an event.
	Write int
	// KeepAlive sends what keeps connections open, before each event.
	KeepAlive bool
	// CRLF ends lines as some servers do.
	CRLF bool

	// Break ends the stream otherwise than with the answer's end.
	Break Break
	// Message is the text of an error.
	Message string

	// Status makes the answer an error of HTTP, with Header, and Body or the protocol's own with Message.
	Status int
	Header map[string]string
	Body   string

	// Raw is the stream itself, written as it is in place of events. Break may follow.
	Raw string
}

// Call is a call of a tool.
type Call struct {
	ID, Name  string // without an ID the protocol's own habit
	Arguments string
	Signature string // google-generative-ai
}

// Usage counts as model.Usage does.
type Usage struct{ Input, CacheRead, CacheWrite, Output int64 }

// Stop is why the answer ends.
type Stop string

// The reasons. Empty is the usual one.
const (
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)

// Break is how a stream ends before the answer does.
type Break string

// The ways, after the answer's content.
const (
	BreakHalf    Break = "half"    // the response ends
	BreakReset   Break = "reset"   // the connection ends
	BreakHold    Break = "hold"    // nothing comes any more, until the client goes
	BreakDrip    Break = "drip"    // a line begins and does not end, until the client goes
	BreakError   Break = "error"   // an event of an error: the provider is overloaded
	BreakHuge    Break = "huge"    // a line that does not end, as fast as it is read
	BreakGarbage Break = "garbage" // an event that is no JSON
)

// Request is a request that came.
type Request struct {
	Path   string // with the query
	Peer   string // the address of the connection
	Header http.Header
	Body   []byte
}

// Server plays turns.
type Server struct {
	URL string

	api     string
	http    *httptest.Server
	closing chan struct{}

	mu       sync.Mutex
	turns    []Turn
	requests []Request
	issued   map[string]string // what was signed, by signature
}

// New starts a server that plays turns in a protocol. Its URL is the base URL for clients.
func New(api string, turns ...Turn) *Server {
	s := &Server{api: api, turns: turns, closing: make(chan struct{}), issued: map[string]string{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL + bases[api]
	return s
}

// bases are the paths of base URLs.
var bases = map[string]string{
	wire.APICompletions: "/v1", wire.APIResponses: "/v1", wire.APIMessages: "", wire.APIGoogle: "/v1beta", wire.APIOllama: "",
}

// Close ends the server and the streams that are held.
func (s *Server) Close() {
	close(s.closing)
	s.http.Close()
}

// Requests are those that came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Add appends turns.
func (s *Server) Add(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, turns...)
}

// Left is how many turns have not been played.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	turn, number, ok := s.next(Request{Path: r.URL.RequestURI(), Peer: r.RemoteAddr, Header: r.Header.Clone(), Body: body})
	if !ok {
		s.fail(w, Turn{Status: http.StatusTeapot, Message: "the server has no further turn"})
		return
	}
	if status, err := s.check(r, body); err != nil {
		s.fail(w, Turn{Status: status, Message: err.Error()})
		return
	}
	if turn.Status != 0 {
		s.fail(w, turn)
		return
	}
	s.play(w, r, turn, number)
}

func (s *Server) next(r Request) (Turn, int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.turns) == 0 {
		return Turn{}, 0, false
	}
	turn := s.turns[0]
	s.turns = s.turns[1:]
	return turn, len(s.requests), true
}

// fail answers with an error of HTTP.
func (s *Server) fail(w http.ResponseWriter, t Turn) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range t.Header {
		w.Header().Set(name, value)
	}
	if t.Body == "" {
		t.Body = ErrorBody(s.api, t.Status, t.Message)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(t.Body)))
	w.WriteHeader(t.Status)
	_, _ = io.WriteString(w, t.Body) // a client that is gone does not want it
}

// play streams an answer.
func (s *Server) play(w http.ResponseWriter, r *http.Request, t Turn, number int) {
	kind := "text/event-stream"
	if s.api == wire.APIOllama {
		kind = "application/x-ndjson"
	}
	w.Header().Set("Content-Type", kind)
	out := &stream{w: w, turn: t, ndjson: s.api == wire.APIOllama, named: s.api == wire.APIMessages || s.api == wire.APIResponses}
	content, end := s.events(t, number)
	if t.Raw != "" {
		out.write([]byte(t.Raw))
		content, end = nil, nil
	}
	for _, e := range content {
		out.event(e)
	}
	switch t.Break {
	case BreakHalf:
		return
	case BreakReset:
		panic(http.ErrAbortHandler)
	case BreakHold:
		out.flush()
		s.hold(r)
		return
	case BreakDrip:
		out.write([]byte("data"))
		s.hold(r)
		return
	case BreakHuge:
		out.endless(r, s.closing)
		return
	case BreakGarbage:
		out.event(event{data: `{"half": `})
		return
	case BreakError:
		end = []event{s.errorEvent(t.Message)}
	}
	for _, e := range end {
		out.event(e)
	}
}

func (s *Server) hold(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closing:
	}
}

// event is one event of a stream.
type event struct{ name, data string }

// stream writes events as the turn wants them written.
type stream struct {
	w      http.ResponseWriter
	turn   Turn
	ndjson bool
	named  bool // events have names
}

func (o *stream) event(e event) {
	if o.turn.KeepAlive {
		o.write([]byte(o.lines(o.keepAlive())))
	}
	text := "data: " + e.data + "\n\n"
	if o.named && e.name != "" {
		text = "event: " + e.name + "\n" + text
	}
	if o.ndjson {
		text = e.data + "\n"
	}
	o.write([]byte(o.lines(text)))
}

func (o *stream) keepAlive() string {
	if o.ndjson {
		return "\n"
	}
	return ": keep-alive\n\nretry: 3000\nid: 7\n\n"
}

func (o *stream) lines(text string) string {
	if o.turn.CRLF {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func (o *stream) write(text []byte) {
	size := o.turn.Write
	if size <= 0 {
		size = len(text)
	}
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := o.w.Write(text[:n]); err != nil {
			return
		}
		o.flush()
		text = text[n:]
	}
}

func (o *stream) flush() {
	if f, ok := o.w.(http.Flusher); ok {
		f.Flush()
	}
}

// endless writes a line without end.
func (o *stream) endless(r *http.Request, closing <-chan struct{}) {
	chunk := []byte(strings.Repeat("x", 64<<10))
	_, _ = o.w.Write([]byte("data: "))
	for r.Context().Err() == nil {
		select {
		case <-closing:
			return
		default:
		}
		if _, err := o.w.Write(chunk); err != nil {
			return
		}
	}
}

// ErrorBody is the body of an error of HTTP as the providers of a protocol write it.
func ErrorBody(api string, status int, message string) string {
	switch api {
	case wire.APIMessages:
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, messagesErrors[status], message)
	case wire.APIGoogle:
		return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q}}`, status, message, googleErrors[status])
	case wire.APIOllama:
		return fmt.Sprintf(`{"error":%q}`, message)
	}
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":null}}`, message, openAIErrors[status])
}

var messagesErrors = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
	413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 503: "api_error", 504: "timeout_error", 529: "overloaded_error",
}

var googleErrors = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
	500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

var openAIErrors = map[int]string{
	400: "invalid_request_error", 401: "invalid_request_error", 403: "invalid_request_error", 404: "invalid_request_error",
	429: "requests", 500: "server_error", 503: "server_error",
}
