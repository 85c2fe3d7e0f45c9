package wire_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"openclaw/runtime/model"
	"openclaw/runtime/model/wire"
	"openclaw/runtime/model/wire/wiretest"
)

// planted is a key that URLs write in another way.
const planted = "sk-planted/Key+0123456789=="

// everything is all that can be seen of a value, and of the errors that are in it.
func everything(values ...any) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "%v %+v %#v %s\n", v, v, v, v)
		err, ok := v.(error)
		for ok && err != nil {
			fmt.Fprintf(&b, "%v %+v %#v\n", err, err, err)
			err = errors.Unwrap(err)
		}
	}
	return b.String()
}

// TestKeysAreNowhere asks servers that repeat the key wherever they can, and looks for it in everything that comes out.
func TestKeysAreNowhere(t *testing.T) {
	echoes := map[string]http.HandlerFunc{
		"in an error": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"wrong key %s in %s, not %s","type":"authentication_error"}}`, planted, url.QueryEscape(planted), r.Header.Get("X-Extra"))
		},
		"in an error that is no JSON": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "%v", r.Header)
		},
		"in the stream": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "data: {\"error\":{\"message\":%q,\"code\":500},\"type\":\"error\"}\n\n", "key "+planted)
		},
		"in a stream that is no JSON": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "data: %s\n\n", planted)
		},
		"in a redirection": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://"+url.QueryEscape(planted)+".example/"+planted)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"in a broken connection": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "data: {}\n\n")
			panic(http.ErrAbortHandler)
		},
	}
	eachAPI(t, func(t *testing.T, api string) {
		for name, echo := range echoes {
			t.Run(name, func(t *testing.T) {
				server := httptest.NewServer(echo)
				defer server.Close()
				transport := wire.NewTransport()
				defer transport.CloseIdleConnections()
				o := wire.Options{
					API: api, Provider: "p", BaseURL: server.URL, Key: planted, Transport: transport,
					Headers: map[string]string{"X-Extra": "extra-" + planted},
				}
				client, err := wire.New(o)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := client.Stream(t.Context(), request(), nil)
				if err == nil {
					t.Fatal("there is no error")
				}
				seen := everything(client, o, &o, err, answer, answer.Error)
				for _, secret := range []string{planted, url.QueryEscape(planted), base64.StdEncoding.EncodeToString([]byte(planted))} {
					if strings.Contains(seen, secret) {
						t.Errorf("the key is in %s", seen)
					}
				}
			})
		}
	})
}

func TestKeysThatNoHeaderCarries(t *testing.T) {
	for _, o := range []wire.Options{
		{API: wire.APIMessages, Key: planted + "\n"},
		{API: wire.APICompletions, Headers: map[string]string{"X-A": planted + "\r\nX-B: c"}},
		{API: wire.APIGoogle, Headers: map[string]string{"X A": planted}},
		{API: wire.APIGoogle, Headers: map[string]string{"Host": planted}},
		{API: wire.APIGoogle, BaseURL: "https://user:" + url.QueryEscape(planted) + "@example.com"},
		{API: wire.APIGoogle, BaseURL: "https://exa mple.com/" + planted},
		{API: wire.APIGoogle, BaseURL: "ftp://example.com/"},
		{API: "smoke-signals", Key: planted},
	} {
		client, err := wire.New(o)
		if err == nil || client != nil {
			t.Errorf("%v has a client", o)
			continue
		}
		if strings.Contains(everything(err), "sk-planted") {
			t.Errorf("the key is in %v", err)
		}
	}
}

// TestRedirectsAreNotFollowed keeps keys from servers that nobody has configured.
func TestRedirectsAreNotFollowed(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other server was asked") }))
		defer other.Close()
		for _, status := range []int{301, 302, 303, 307, 308} {
			server := httptest.NewServer(http.RedirectHandler(other.URL, status))
			client, err := wire.New(wire.Options{API: api, BaseURL: server.URL, Key: planted})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Stream(t.Context(), request(), nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != model.KindInvalid || e.Status != status || !strings.Contains(e.Message, other.URL) {
				t.Errorf("the error is %v", err)
			}
			server.Close()
		}
	})
}

func TestProxiesAreForTLSOnly(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.example:3128")
	t.Setenv("http_proxy", "http://proxy.example:3128")
	r, err := http.NewRequest(http.MethodPost, "http://models.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if proxy, err := wire.NewTransport().Proxy(r); proxy != nil || err != nil {
		t.Errorf("the proxy is %v (%v)", proxy, err)
	}
}

func TestHeadersOfTheConfiguration(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		var got http.Header
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header
			w.WriteHeader(http.StatusBadRequest)
		}))
		defer server.Close()
		client, err := wire.New(wire.Options{
			API: api, BaseURL: server.URL, Key: planted, Headers: map[string]string{"authorization": "Bearer another", "X-Team": "7"},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = client.Stream(t.Context(), request(), nil)
		if got.Get("Authorization") != "Bearer another" || got.Get("X-Team") != "7" {
			t.Errorf("the headers are %v", got)
		}
		if strings.Contains(fmt.Sprint(got), planted) {
			t.Errorf("the key goes with the one that was configured in its place: %v", got)
		}
	})
}

// TestAnswersDoNotRepeatTheKey has servers that put the key, and beginnings of it, into answers, in pieces of any size.
func TestAnswersDoNotRepeatTheKey(t *testing.T) {
	const key = wiretest.Key
	eachAPI(t, func(t *testing.T, api string) {
		for _, size := range []int{0, 1, 7} {
			k := open(t, api, nil, wiretest.Turn{
				Thinking: "the key is " + key + "!", Text: key + key + " and " + key[:5] + " and " + key + key[:9], Fragment: size,
				Calls: []wiretest.Call{{Name: "exec", Arguments: `{"command":"echo ` + key + `"}`}},
			}, wiretest.Turn{Text: key[:1]})
			r := request()
			r.Thinking = model.LevelLow
			answer, err := k.ask(r)
			if err != nil {
				t.Fatal(err)
			}
			if want := "****** and " + key[:5] + " and ***" + key[:9]; answer.Text() != want {
				t.Errorf("pieces of %d: the text is %q, want %q", size, answer.Text(), want)
			}
			if got := string(answer.Calls()[0].Arguments); got != `{"command":"echo ***"}` {
				t.Errorf("pieces of %d: the arguments are %s", size, got)
			}
			if strings.Contains(everything(answer.Content, k.deltas), key) {
				t.Errorf("pieces of %d: the key is in %+v", size, answer)
			}
			r.Messages = append(r.Messages, *answer, model.Message{
				Role: model.RoleToolResult, ToolCallID: answer.Calls()[0].ID, ToolName: "exec", Content: []model.Block{{Type: model.BlockText, Text: "ok"}},
			})
			if answer, err = k.ask(r); err != nil || answer.Text() != key[:1] {
				t.Errorf("pieces of %d: the next answer is %q, %v; want %q", size, answer.Text(), err, key[:1])
			}
		}
	})
}
