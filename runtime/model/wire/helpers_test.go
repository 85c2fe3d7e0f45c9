package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"openclaw/runtime/model"
	"openclaw/runtime/model/wire"
	"openclaw/runtime/model/wire/wiretest"
)

const (
	testModel = "m-1"
	patience  = 30 * time.Second // a test that takes this long hangs
)

// talk is a client and the server that it asks.
type talk struct {
	t      *testing.T
	api    string
	server *wiretest.Server
	client model.Client
	deltas []model.Delta
}

// open starts a server and a client for it. Afterwards nothing may be left running.
func open(t *testing.T, api string, change func(*wire.Options), turns ...wiretest.Turn) *talk {
	t.Helper()
	before := goleak.IgnoreCurrent()
	server := wiretest.New(api, turns...)
	transport := wire.NewTransport()
	o := wire.Options{API: api, Provider: "p", BaseURL: server.URL, Key: wiretest.Key, Transport: transport}
	if change != nil {
		change(&o)
	}
	client, err := wire.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		goleak.VerifyNone(t, before)
	})
	return &talk{t: t, api: api, server: server, client: client}
}

func (k *talk) ask(r *model.Request) (*model.Message, error) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	k.deltas = nil
	answer, err := k.client.Stream(ctx, r, func(d model.Delta) { k.deltas = append(k.deltas, d) })
	if answer == nil {
		k.t.Fatal("there is no answer, not even an empty one")
	}
	if ctx.Err() != nil {
		k.t.Fatal("the request hangs")
	}
	k.checkDeltas(answer, err == nil)
	return answer, err
}

// checkDeltas compares the pieces with the answer that they make up.
func (k *talk) checkDeltas(answer *model.Message, whole bool) {
	k.t.Helper()
	texts := make([]strings.Builder, len(answer.Content))
	ended := make([]bool, len(answer.Content))
	for _, d := range k.deltas {
		if d.Index >= len(texts) {
			k.t.Fatalf("the piece %+v belongs to no block of %+v", d, answer.Content)
		}
		if ended[d.Index] {
			k.t.Errorf("the piece %+v comes after the end of its block", d)
		}
		texts[d.Index].WriteString(d.Text)
		b := answer.Content[d.Index]
		switch d.Type {
		case model.DeltaCallStart:
			if b.Type != model.BlockToolCall || d.ID != b.ID || d.Name != b.Name {
				k.t.Errorf("the piece %+v begins the block %+v", d, b)
			}
		case model.DeltaBlockEnd:
			ended[d.Index] = true
		}
	}
	for i, b := range answer.Content {
		if whole && !ended[i] {
			k.t.Errorf("block %d has no end", i)
		}
		got := texts[i].String()
		switch b.Type {
		case model.BlockText:
			if got != b.Text {
				k.t.Errorf("the pieces of block %d are %q, it is %q", i, got, b.Text)
			}
		case model.BlockThinking:
			if got != b.Thinking {
				k.t.Errorf("the pieces of block %d are %q, it is %q", i, got, b.Thinking)
			}
		case model.BlockToolCall:
			if b.Malformed != "" && got != b.Malformed {
				k.t.Errorf("the pieces of block %d are %q, it is %q", i, got, b.Malformed)
			}
		}
	}
}

// failure is the *model.Error of a request that must fail.
func (k *talk) failure(r *model.Request) (*model.Message, *model.Error) {
	k.t.Helper()
	answer, err := k.ask(r)
	var e *model.Error
	if !errors.As(err, &e) {
		k.t.Fatalf("the error is %v (%T), not a *model.Error", err, err)
	}
	if answer.StopReason != model.StopError || answer.Error != err.Error() {
		k.t.Errorf("the answer says %q %q", answer.StopReason, answer.Error)
	}
	if e.Provider != "p" || e.Model != r.Model {
		k.t.Errorf("the error is of %s/%s", e.Provider, e.Model)
	}
	return answer, e
}

func request(messages ...model.Message) *model.Request {
	if len(messages) == 0 {
		messages = []model.Message{model.User("Hi.")}
	}
	return &model.Request{Model: testModel, Messages: messages}
}

func thinkingOf(m *model.Message) string {
	var b strings.Builder
	for _, block := range m.Content {
		b.WriteString(block.Thinking)
	}
	return b.String()
}

// eachAPI runs a test once in each protocol.
func eachAPI(t *testing.T, test func(t *testing.T, api string)) {
	t.Helper()
	for _, api := range wiretest.APIs {
		t.Run(api, func(t *testing.T) { test(t, api) })
	}
}

// canned is a transport that answers each request with the same stream.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(c)), Request: r}, nil
}

func textTurn(text string) wiretest.Turn { return wiretest.Turn{Text: text} }

func rawTurn(raw string) wiretest.Turn { return wiretest.Turn{Raw: raw} }

func thinkingTurn() wiretest.Turn {
	return wiretest.Turn{Thinking: "Hm.", Redacted: "eA==", Text: "Yes."}
}
