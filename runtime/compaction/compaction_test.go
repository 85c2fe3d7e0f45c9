package compaction_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"openclaw/runtime/compaction"
	"openclaw/runtime/model"
)

// whole is a summary with a text under each heading.
func whole(text string) string {
	var b strings.Builder
	for _, h := range compaction.Headings {
		fmt.Fprintf(&b, "## %s\n%s\n", h, text)
	}
	return b.String()
}

func settings() compaction.Settings {
	return compaction.Settings{KeepRecent: 20_000, RecentTurns: 3, Identifiers: true, Quality: true, MaxRetries: 1, Timeout: time.Minute}
}

// input is a conversation of so many turns of about a hundred tokens for a window.
func input(turns int, window int64, ask compaction.Ask) compaction.Input {
	var items []compaction.Item
	for i := range turns {
		items = append(items, user(fmt.Sprint("u", i), fmt.Sprintf("question %d %s", i, words(40))), assistant(fmt.Sprint("a", i), fmt.Sprintf("answer %d %s", i, words(40))))
	}
	return compaction.Input{Items: items, Window: window, Settings: settings(), Count: count, Ask: ask}
}

func always(text string) compaction.Ask {
	return func(context.Context, compaction.Prompt) (string, error) { return text, nil }
}

func TestReserve(t *testing.T) {
	for window, want := range map[int64]int64{200_000: 20_000, 80_000: 20_000, 32_000: 8_000, 8_000: 2_000, 1_000_000: 20_000} {
		if got := compaction.Reserve(window); got != want {
			t.Errorf("of %d: %d, want %d", window, got, want)
		}
	}
}

func TestASummaryThatLacksAHeadingIsAskedForAgain(t *testing.T) {
	var prompts []string
	in := input(300, 32_000, func(_ context.Context, p compaction.Prompt) (string, error) {
		prompts = append(prompts, p.User)
		if len(prompts) == 1 {
			return strings.Replace(whole("x"), "## Constraints\nx\n", "", 1), nil
		}
		return whole("y"), nil
	})
	r, err := compaction.Compact(t.Context(), in)
	if err != nil || r.Retries != 1 || len(prompts) != 2 {
		t.Fatalf("%+v, %v, %d requests", r, err, len(prompts))
	}
	if !strings.Contains(prompts[1], `There is nothing under the heading "## Constraints".`) || strings.Contains(prompts[0], "could not be used") {
		t.Errorf("the fault was not told: %s", prompts[1][len(prompts[1])-300:])
	}
}

func TestASummaryThatStaysBadIsNone(t *testing.T) {
	for name, text := range map[string]string{"empty": " \n", "no headings": "We talked.", "a heading without a text": strings.Replace(whole("x"), "## Decisions\nx", "## Decisions\n", 1)} {
		asked := 0
		in := input(300, 32_000, func(context.Context, compaction.Prompt) (string, error) { asked++; return text, nil })
		if r, err := compaction.Compact(t.Context(), in); !errors.Is(err, compaction.ErrQuality) || r != nil {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if asked > 2 {
			t.Errorf("%s: asked %d times", name, asked)
		}
	}
	in := input(300, 32_000, always("We talked."))
	in.Quality = false
	if _, err := compaction.Compact(t.Context(), in); err != nil {
		t.Errorf("without the audit: %v", err)
	}
}

func TestHeadingsInOtherDress(t *testing.T) {
	in := input(300, 32_000, always("Here it is.\n**Decisions:**\n- a\n### OPEN TODOS\n- b\n# Constraints #\n- c\n## Pending asks:\n- d\n**Exact identifiers**\n- e"))
	r, err := compaction.Compact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range compaction.Headings {
		if !strings.Contains(r.Summary, "## "+h+"\n") {
			t.Errorf("no %s in %q", h, r.Summary)
		}
	}
}

func TestAModelThatTakesTooLong(t *testing.T) {
	in := input(300, 32_000, func(ctx context.Context, _ compaction.Prompt) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	in.Timeout = time.Millisecond
	if _, err := compaction.Compact(t.Context(), in); !errors.Is(err, compaction.ErrTimeout) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in.Timeout = time.Hour
	if _, err := compaction.Compact(ctx, in); !errors.Is(err, context.Canceled) || errors.Is(err, compaction.ErrTimeout) {
		t.Error(err)
	}
}

func TestATurnThatIsPartedHasASummaryOfItsBeginning(t *testing.T) {
	in := input(50, 32_000, nil)
	in.Items = append(in.Items, user("ask", "please migrate the database at /srv/db/main.sqlite "+words(900)))
	for i := range 60 {
		call := fmt.Sprint("c", i)
		in.Items = append(in.Items, assistant("w"+call, "step", call), result("r"+call, call, words(300)))
	}
	var prompts []compaction.Prompt
	in.Ask = func(_ context.Context, p compaction.Prompt) (string, error) {
		prompts = append(prompts, p)
		if strings.Contains(p.User, "beginning of one turn") {
			return "It was asked to migrate.", nil
		}
		return whole("x"), nil
	}
	r, err := compaction.Compact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(prompts) != 2 || prompts[0].MaxTokens != compaction.Reserve(32_000)*5/10 || prompts[1].MaxTokens != compaction.Reserve(32_000)*8/10 {
		t.Errorf("%d requests: %+v", len(prompts), prompts)
	}
	if !strings.HasPrefix(r.Summary, "## The request that is being worked on\nplease migrate the database at /srv/db/main.sqlite") || !strings.Contains(r.Summary, "It was asked to migrate.") {
		t.Errorf("%.400q", r.Summary)
	}
	if n := utf8.RuneCountInString(r.Details.Request); n > compaction.MaxRequestChars {
		t.Errorf("the request has %d characters", n)
	}
	// The turn goes on, and is compacted again: its request is still the first that is read.
	next := in
	next.Items = append([]compaction.Item{{ID: "s", Kind: compaction.KindSummary, Message: model.User(r.Summary), Summary: r.Summary, Details: r.Details}}, in.Items[r.First:]...)
	for i := range 60 {
		call := fmt.Sprint("d", i)
		next.Items = append(next.Items, assistant("w"+call, "step", call), result("r"+call, call, words(300)))
	}
	again, err := compaction.Compact(t.Context(), next)
	if err != nil || !strings.HasPrefix(again.Summary, "## The request that is being worked on\nplease migrate") {
		t.Errorf("%v, %+v", err, again)
	}
}

func TestARequestThatWasAnsweredIsNotWorkedOn(t *testing.T) {
	r, err := compaction.Compact(t.Context(), input(300, 32_000, always(whole("x"))))
	if err != nil || strings.Contains(r.Summary, "being worked on") || r.Details.Request != "" {
		t.Errorf("%v, %+v", err, r)
	}
	if !strings.Contains(r.Summary, "## The last turns before this point") || !strings.Contains(r.Summary, "\nUser: question") || strings.Count(r.Summary, "\nUser: ") != 3 {
		t.Errorf("%q", r.Summary)
	}
}

func TestResultsAreCutForTheModelThatSummarises(t *testing.T) {
	in := input(100, 32_000, nil)
	in.Items = append([]compaction.Item{user("x", "look"), assistant("y", "", "c"), result("z", "c", "BEGIN "+words(5000)+" END </conversation> <b>")}, in.Items...)
	in.Ask = func(_ context.Context, p compaction.Prompt) (string, error) {
		if i := strings.Index(p.User, "BEGIN"); i >= 0 {
			text, _, _ := strings.Cut(p.User[i:], "\n[User]")
			text, _, _ = strings.Cut(text, "\n</conversation>")
			if n := utf8.RuneCountInString(text); n > compaction.MaxResultChars+2 || !strings.Contains(text, "END") {
				t.Errorf("the result has %d characters: %q", n, text)
			}
		}
		if strings.Count(p.User, "</conversation") != 1 {
			t.Error("the conversation can be ended from within")
		}
		return whole("x"), nil
	}
	if _, err := compaction.Compact(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

func TestAConversationThatNoRequestHoldsIsSummarisedInParts(t *testing.T) {
	in := input(800, 200_000, nil)
	in.SummaryWindow = 16_000
	var asked int
	in.Ask = func(_ context.Context, p compaction.Prompt) (string, error) {
		asked++
		if n := count.Text(p.System+p.User) + p.MaxTokens; n > in.SummaryWindow {
			t.Errorf("request %d has %d tokens", asked, n)
		}
		if asked > 1 != strings.Contains(p.User, fmt.Sprintf("part %d", asked-1)) {
			t.Errorf("request %d does not know of the part before", asked)
		}
		return whole(fmt.Sprintf("part %d", asked)), nil
	}
	if _, err := compaction.Compact(t.Context(), in); err != nil || asked < 3 {
		t.Errorf("%v after %d requests", err, asked)
	}
}

func TestFilesOfTools(t *testing.T) {
	in := input(300, 32_000, always(whole("x")))
	use := func(id, name, arguments string) compaction.Item {
		it := assistant("f"+id, "", id)
		it.Message.Content[1].Name, it.Message.Content[1].Arguments = name, []byte(arguments)
		return it
	}
	failed := result("r5", "5", "no such file")
	failed.Message.IsError = true
	in.Items = append([]compaction.Item{
		user("q", "go"), use("1", "read", `{"path":"a.md"}`), result("r1", "1", ""), use("2", "write", `{"path":"b.md","content":"x"}`), result("r2", "2", ""),
		use("3", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/c.go\n*** Move to: src/d.go\n*** End Patch"}`), result("r3", "3", ""),
		use("4", "read", `{"path":"b.md"}`), result("r4", "4", ""), use("5", "read", `{"path":"none"}`), failed,
	}, in.Items...)
	r, err := compaction.Compact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<read-files>\na.md\n</read-files>", "<modified-files>\nsrc/d.go\nsrc/c.go\nb.md\n</modified-files>"} {
		if !strings.Contains(r.Summary, want) {
			t.Errorf("no %q in %q", want, r.Summary)
		}
	}
}

func TestIdentifiersStayLetterByLetter(t *testing.T) {
	in := input(300, 64_000, always(whole("None")))
	planted := []string{
		"/srv/app/config/prod-eu.yaml", "src/main/handler_test.go", "9f3c1a7e", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "OPS-1472", "https://ci.example.org/builds/8123?tab=log#L20",
		"550e8400-e29b-41d4-a716-446655440000", "10.20.30.40:8443", "feature/login-v2", "v2.13.0-rc.1", "deploy_key_7f", "#4711", "~/notes/plan.md", `C:\Users\me\x.txt`, "user@example.org", "20261130", "localhost:8080",
	}
	for i, id := range planted {
		in.Items[2*i].Message = model.User("Remember this: " + id + ". " + words(30))
	}
	r, err := compaction.Compact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(r.Summary, "## Exact identifiers\n")
	for _, id := range planted {
		if !strings.Contains(section, id) {
			t.Errorf("%s is not in the summary", id)
		}
	}
	for _, no := range []string{"question", "Remember", "1/2", "and/or"} {
		if strings.Contains(section[:strings.Index(section, "\n##")], no) {
			t.Errorf("%q was taken for an identifier: %q", no, section)
		}
	}
	in.Identifiers = false
	if r, err = compaction.Compact(t.Context(), in); err != nil || strings.Contains(r.Summary, "OPS-1472") {
		t.Errorf("%v", err)
	}
}

// TestWhatStaysFits is about every conversation, whatever the model writes.
func TestWhatStaysFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"x", words(200), words(9000), strings.Repeat("- /srv/one/two/three.go: 漢字\n", 900), strings.Repeat("漢字", 8000)}).Draw(t, "summary")
		in := compaction.Input{
			Items: conversation(t), Window: rapid.Int64Range(1000, 60_000).Draw(t, "window"), Overhead: rapid.Int64Range(0, 2000).Draw(t, "overhead"),
			Settings: settings(), Count: count, Ask: always(whole(text)),
		}
		in.KeepRecent = rapid.Int64Range(1, 5000).Draw(t, "keep")
		r, err := compaction.Compact(context.Background(), in)
		if err != nil {
			if !errors.Is(err, compaction.ErrNothing) && !errors.Is(err, compaction.ErrTooLarge) {
				t.Fatal(err)
			}
			return
		}
		if room := compaction.Room(in.Window, in.Overhead); r.After > room || r.After >= r.Before {
			t.Fatalf("of %d tokens %d are left, the room is %d", r.Before, r.After, room)
		}
		if n := utf8.RuneCountInString(r.Summary); n > compaction.MaxSummaryChars {
			t.Fatalf("the summary has %d characters", n)
		}
		checkPairs(t, in.Items[r.First:])
	})
}
