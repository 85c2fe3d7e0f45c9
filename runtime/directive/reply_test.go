package directive_test

import (
	"strings"
	"testing"

	"openclaw/runtime/directive"
	"pgregory.net/rapid"
)

func TestSilentAnswersAreNotDelivered(t *testing.T) {
	for _, answer := range []string{
		"NO_REPLY", " NO_REPLY\n", "no_reply", "No_Reply.", "NO_REPLY NO_REPLY", "NO_REPLY\n\nNO_REPLY", "NO_REPLYNO_REPLY", "**NO_REPLY**", "`NO_REPLY`", "_NO_REPLY_",
		`"NO_REPLY"`, `'NO_REPLY'`, "「NO_REPLY」", "...NO_REPLY!!", `{"action":"NO_REPLY"}`, " { \"action\" : \"no_reply\" }\n",
		"<think>They said hi.\nNO.</think>NO_REPLY", "<thinking>a</thinking>\n<thought>b</thought>\n\nNO_REPLY.", "Reasoning:\n_It is not for me._\n\nNO_REPLY", "<THINK>x</Think>{\"action\":\"NO_REPLY\"}",
	} {
		if !directive.Silent(answer) || directive.Clean(answer) != "" {
			t.Errorf("%q is delivered", answer)
		}
	}
	for answer, want := range map[string]string{
		"":                                     "",
		"Hello":                                "Hello",
		"It is done.\n\nNO_REPLY":              "It is done.",
		"It is done. **NO_REPLY**\n":           "It is done.",
		"It is done.NO_REPLY":                  "It is done.",
		"Done NO_REPLY NO_REPLY":               "Done",
		"NO_REPLYHello":                        "Hello",
		"NO_REPLYNO_REPLYHello there":          "Hello there",
		"NO_REPLY日本":                           "日本",
		"NO_REPLY is what I would answer.":     "NO_REPLY is what I would answer.",
		"Answer `NO_REPLY`":                    "Answer `NO_REPLY`",
		"The constant XNO_REPLY":               "The constant XNO_REPLY",
		"The constant MY_NO_REPLY":             "The constant MY_NO_REPLY",
		"NO_REPL":                              "NO_REPL",
		"NO_REPLY_TOKEN":                       "NO_REPLY_TOKEN",
		"done no_reply":                        "done no_reply",
		`{"action":"NO_REPLY","why":"x"}`:      `{"action":"NO_REPLY","why":"x"}`,
		`{"action":"send"}`:                    `{"action":"send"}`,
		"<think>x</think>Hello NO_REPLY":       "<think>x</think>Hello",
		"Reasoning:\nx\n\nHello":               "Reasoning:\nx\n\nHello",
		"    code\n":                           "    code",
		"**bold** ":                            "**bold**",
		"NO_REPLY 👍":                           "NO_REPLY 👍",
		"Use NO_REPLY, or NO_REPLY at the end": "Use NO_REPLY, or NO_REPLY at the end",
	} {
		if got := directive.Clean(answer); got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}

func TestHeartbeatTokens(t *testing.T) {
	short, long := strings.Repeat("x", 300), strings.Repeat("x", 301)
	for _, c := range []struct{ answer, ordinary, heartbeat string }{
		{"HEARTBEAT_OK", "", ""},
		{" **HEARTBEAT_OK** ", "", ""},
		{"<b>HEARTBEAT_OK</b>", "", ""},
		{"`HEARTBEAT_OK`...", "", ""},
		{"HEARTBEAT_OK!!!!", "", ""},
		{"<p class=\"x\">&nbsp;~~HEARTBEAT_OK~~</p>", "", ""},
		{"HEARTBEAT_OK HEARTBEAT_OK", "", ""},
		{"All is well. HEARTBEAT_OK", "All is well.", ""},
		{"HEARTBEAT_OK\n\nAll is well.", "All is well.", ""},
		{"HEARTBEAT_OK: all is well.", "all is well.", ""},
		{"HEARTBEAT_OK fine **HEARTBEAT_OK**.", "fine", ""},
		{"HEARTBEAT_OK " + short, short, ""},
		{"HEARTBEAT_OK " + long, long, long},
		{long + "\nHEARTBEAT_OK", long, long},
		{strings.Repeat("👍", 151) + "\nHEARTBEAT_OK", strings.Repeat("👍", 151), strings.Repeat("👍", 151)},
		{"The disk is full.", "The disk is full.", "The disk is full."},
		{"The token HEARTBEAT_OK in the middle.", "The token HEARTBEAT_OK in the middle.", "The token HEARTBEAT_OK in the middle."},
		{"HEARTBEAT_OKAY", "HEARTBEAT_OKAY", "HEARTBEAT_OKAY"},
		{"MY_HEARTBEAT_OK", "MY_HEARTBEAT_OK", "MY_HEARTBEAT_OK"},
		{"heartbeat_ok", "heartbeat_ok", "heartbeat_ok"},
		{"HEARTBEAT_OK!!!!!", "!", ""},
		{"done HEARTBEAT_OK!!!!!", "done HEARTBEAT_OK!!!!!", "done HEARTBEAT_OK!!!!!"},
		{"<b>Bold</b> text", "<b>Bold</b> text", "<b>Bold</b> text"},
		{"", "", ""},
	} {
		if got := directive.CleanHeartbeat(c.answer, false); got != c.ordinary {
			t.Errorf("%q: %q, want %q", c.answer, got, c.ordinary)
		}
		if got := directive.CleanHeartbeat(c.answer, true); got != c.heartbeat {
			t.Errorf("%q after a heartbeat: %q, want %q", c.answer, got, c.heartbeat)
		}
	}
}

func TestTokensBetweenAgents(t *testing.T) {
	if !directive.Skips(" REPLY_SKIP\n", directive.ReplySkip) || directive.Skips("REPLY_SKIP now", directive.ReplySkip) || directive.Skips("REPLY_SKIP", directive.AnnounceSkip) {
		t.Error("answers are ended wrongly")
	}
}

func TestFilterHoldsBackOnlyWhatMayBeAToken(t *testing.T) {
	for _, c := range []struct {
		heartbeat bool
		pieces    []string
		want      []string // what each piece lets through, and the end
	}{
		{false, []string{"NO", "_RE", "PLY"}, []string{"", "", "", ""}},
		{false, []string{"NO", "W"}, []string{"", "NOW", ""}},
		{false, []string{"HE", "llo", " ", "you"}, []string{"", "HEllo", "", " you", ""}},
		{false, []string{"Done.", " NO_", "REPLY", "\n"}, []string{"Done.", "", "", "", ""}},
		{false, []string{"Done.", " NO_", "TICE"}, []string{"Done.", "", " NO_TICE", ""}},
		{false, []string{"Done. NO_REPLY", " or not"}, []string{"Done.", " NO_REPLY or not", ""}},
		{false, []string{"NO_REPLY", "Hello"}, []string{"", "Hello", ""}},
		{false, []string{"<think>", "a", "</think>", "NO_REPLY"}, []string{"", "", "", "", ""}},
		{false, []string{"<think>", "a", "</think>", "Well"}, []string{"", "", "", "<think>a</think>Well", ""}},
		{false, []string{"HEART", "BEAT_OK", " fine"}, []string{"", "", "fine", ""}},
		{false, []string{"fine <b", ">HEARTBEAT", "_OK</", "b>."}, []string{"fine", "", "", "", ""}},
		{false, []string{"a < b"}, []string{"a", " < b"}},
		{true, []string{"All is ", "well."}, []string{"", "", "All is well."}},
		{true, []string{"All is ", "well.", " HEARTBEAT_OK"}, []string{"", "", "", ""}},
		{true, []string{strings.Repeat("x", 300), "y", "z"}, []string{"", strings.Repeat("x", 300) + "y", "z", ""}},
	} {
		f := directive.NewFilter(c.heartbeat)
		for i, piece := range c.pieces {
			if got := f.Write(piece); got != c.want[i] {
				t.Errorf("%q, piece %d: %q, want %q", c.pieces, i, got, c.want[i])
			}
		}
		if got := f.Close(); got != c.want[len(c.pieces)] {
			t.Errorf("%q at the end: %q, want %q", c.pieces, got, c.want[len(c.pieces)])
		}
	}
}

var replyParts = []string{
	"NO_REPLY", "HEARTBEAT_OK", "NO_", "REPLY", "HEART", "BEAT_OK", "_", "*", "**", "`", "~", " ", "\n", "\n\n", ".", "!!", "-", "<b>", "</b>", "<", ">", "&nbsp;", "&nb", "word", "N", "H", "日本",
	"👍", "\"", "{\"action\":", "\"NO_REPLY\"", "}", "<think>", "</think>", "Reasoning:", "no_reply", "\u00a0", "1",
}

func TestFilterShowsInPiecesWhatIsShownOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(replyParts), 0, 12).Draw(t, "parts")
		if rapid.Bool().Draw(t, "long") {
			parts = append(parts, strings.Repeat("x", rapid.IntRange(280, 310).Draw(t, "length")))
			parts = append(parts, rapid.SliceOfN(rapid.SampledFrom(replyParts), 0, 6).Draw(t, "more")...)
		}
		answer := strings.Join(parts, "")
		heartbeat := rapid.Bool().Draw(t, "heartbeat")
		want := directive.CleanHeartbeat(directive.Clean(answer), heartbeat)
		f := directive.NewFilter(heartbeat)
		got := ""
		for runes := []rune(answer); len(runes) > 0; {
			n := rapid.IntRange(1, min(len(runes), 12)).Draw(t, "piece")
			got += f.Write(string(runes[:n]))
			if !strings.HasPrefix(want, strings.TrimSpace(got)) && !strings.HasPrefix(want, got) {
				t.Fatalf("%q shows %q of %q", answer, got, want)
			}
			runes = runes[n:]
		}
		if got += f.Close(); got != want {
			t.Errorf("%q shows %q, want %q", answer, got, want)
		}
	})
}
