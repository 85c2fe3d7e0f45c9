package directive_test

import (
	"reflect"
	"strings"
	"testing"

	"openclaw/runtime/directive"
	"pgregory.net/rapid"
)

func TestDirectivesAreTakenOutOfMessages(t *testing.T) {
	set := func(kind directive.Kind, value string) directive.Directive {
		return directive.Directive{Kind: kind, Value: value}
	}
	think, verbose, reasoning, usage := directive.Think, directive.Verbose, directive.Reasoning, directive.Usage
	for _, c := range []struct {
		text, left string
		want       []directive.Directive
	}{
		{"/think high", "", []directive.Directive{set(think, "high")}},
		{"/think:high", "", []directive.Directive{set(think, "high")}},
		{"  /T  :  Extra-High ", "", []directive.Directive{set(think, "xhigh")}},
		{"/thinking highest", "", []directive.Directive{set(think, "high")}},
		{"/think unpin", "", []directive.Directive{set(think, directive.Inherit)}},
		{"/think", "", []directive.Directive{{Kind: think}}},
		{"/think hihg", "", []directive.Directive{{Kind: think, Wrong: "hihg"}}},
		{"/verbose full", "", []directive.Directive{set(verbose, "full")}},
		{"/reasoning stream", "", []directive.Directive{set(reasoning, "stream")}},
		{"/usage reset", "", []directive.Directive{set(usage, directive.Inherit)}},
		{"/usage cost", "", []directive.Directive{set(usage, "cost")}},
		{"/think high /verbose on", "", []directive.Directive{set(think, "high"), set(verbose, "on")}},
		{"/think low\n/reasoning off", "", []directive.Directive{set(think, "low"), set(reasoning, "off")}},

		{"Please /think high look at it", "Please look at it", []directive.Directive{set(think, "high")}},
		{"/t max why?", "why?", []directive.Directive{set(think, "max")}},
		{"Look at it /verbose on", "Look at it", []directive.Directive{set(verbose, "on")}},
		{"One.\n/think high\nTwo.", "One.\nTwo.", []directive.Directive{set(think, "high")}},
		{"One.\n/think high two\nthree", "One.\ntwo\nthree", []directive.Directive{set(think, "high")}},
		{"Do it, /think high, now", "Do it,, now", []directive.Directive{set(think, "high")}},
		{"a /think:off b /usage tokens c", "a b c", []directive.Directive{set(think, "off"), set(usage, "tokens")}},

		{"", "", nil},
		{"hello", "hello", nil},
		{"/think about it", "/think about it", nil},
		{"please /think about it", "please /think about it", nil},
		{"/thinkhigh", "/thinkhigh", nil},
		{"see /think high/low", "see /think high/low", nil},
		{"see /usr/think high", "see /usr/think high", nil},
		{"x/think high", "x/think high", nil},
		{"/verbose maybe not", "/verbose maybe not", nil},
		{"/unknown on", "/unknown on", nil},
		{"what does `/think high` do?", "what does `/think high` do?", nil},
		{"``a ` /think high`` b", "``a ` /think high`` b", nil},
		{"a ` b /think high", "a ` b", []directive.Directive{set(think, "high")}},
		{"Run:\n```\n/think high\n```\n", "Run:\n```\n/think high\n```\n", nil},
		{"Run:\n~~~~\n```\n /think high\n~~~~\n/verbose on\nend", "Run:\n~~~~\n```\n /think high\n~~~~\nend", []directive.Directive{set(verbose, "on")}},
		{" indented  text \n", " indented  text \n", nil},
	} {
		got := directive.Parse(c.text)
		if got.Text != c.left || !reflect.DeepEqual(got.Directives, c.want) {
			t.Errorf("%q: %+v, want %q and %+v", c.text, got, c.left, c.want)
		}
		if got.Alone() != (c.left == "" && c.want != nil) {
			t.Errorf("%q: alone is %v", c.text, got.Alone())
		}
	}
}

func TestMessagesWithoutDirectivesStayAsTheyAre(t *testing.T) {
	words := []string{"/think", "/t:", "high", "/verbose", " ", "\n", "`", "```", "on", "text", ":", "/", "~~~", "about", "日本"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 20).Draw(t, "words"), "")
		m := directive.Parse(text)
		if len(m.Directives) == 0 && m.Text != text {
			t.Errorf("%q became %q", text, m.Text)
		}
		plain := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if len(m.Directives) > 0 && len(plain(m.Text)) >= len(plain(text)) {
			t.Errorf("%q with %v became %q", text, m.Directives, m.Text)
		}
	})
}

func TestLevels(t *testing.T) {
	session := directive.Levels{Thinking: "low", Verbose: "on"}
	session = session.With(directive.Parse("/think high /usage full").Directives)
	if want := (directive.Levels{Thinking: "high", Verbose: "on", Usage: "full"}); session != want {
		t.Errorf("%+v", session)
	}
	for _, text := range []string{"/think", "/think wrong", "/usage cost"} {
		if got := session.With(directive.Parse(text).Directives); got != session {
			t.Errorf("%s changes the session: %+v", text, got)
		}
	}
	session = session.With(directive.Parse("/think reset").Directives)
	if session.Thinking != "" {
		t.Errorf("%+v", session)
	}
	agent := directive.Levels{Thinking: "minimal", Reasoning: "off"}
	defaults := directive.Levels{Verbose: "off", Reasoning: "on", Usage: "off"}
	session.Thinking = "low"
	for text, want := range map[string]directive.Levels{
		"go":                    {Thinking: "low", Verbose: "on", Reasoning: "off", Usage: "full"},
		"go /t max /verbose on": {Thinking: "max", Verbose: "on", Reasoning: "off", Usage: "full"},
		"go /t default":         {Thinking: "minimal", Verbose: "on", Reasoning: "off", Usage: "full"},
		"go /usage reset":       {Thinking: "low", Verbose: "on", Reasoning: "off", Usage: "off"},
		"go /usage cost":        {Thinking: "low", Verbose: "on", Reasoning: "off", Usage: "full"},
	} {
		if got := directive.Choose(directive.Parse(text).Hints(), session, agent, defaults); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestAcknowledgements(t *testing.T) {
	for text, want := range map[string]string{
		"/think high":            "/think is high now.",
		"/think":                 "/think is low.",
		"/think reset":           "/think is low again.",
		"/think loww":            `/think knows no "loww": off, minimal, low, medium, high, xhigh, adaptive, max, ultra.`,
		"/verbose on /usage off": "/verbose is on now.\n/usage is off now.",
		"/usage":                 "/usage is default.",
	} {
		list := directive.Parse(text).Directives
		session := directive.Levels{}.With(list)
		if got := directive.Acknowledge(list, session, directive.Choose(directive.Levels{}, session, directive.Levels{Thinking: "low"})); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	session := directive.Levels{Thinking: "max"}
	if got := directive.Acknowledge(directive.Parse("/t").Directives, session, session); got != "/think is max in this session." {
		t.Error(got)
	}
}
