package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"openclaw/workspace"
)

// full is a workspace with every bootstrap file.
func full(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range workspace.BootstrapFiles() {
		put(t, filepath.Join(dir, name), "text of "+name+"\n")
	}
	return dir
}

func load(t *testing.T, dir string, o workspace.LoadOptions) []workspace.Source {
	t.Helper()
	sources, err := workspace.Load(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func sourceNames(sources []workspace.Source) string {
	var names []string
	for _, s := range sources {
		names = append(names, strings.TrimSuffix(s.Name, ".md"))
	}
	return strings.Join(names, " ")
}

func find(t *testing.T, f workspace.Fitted, name string) workspace.Injected {
	t.Helper()
	i := slices.IndexFunc(f.Files, func(x workspace.Injected) bool { return x.Name == name })
	if i < 0 {
		t.Fatalf("%s is not among %v", name, f.Files)
	}
	return f.Files[i]
}

func warned(f workspace.Fitted, name, text string) bool {
	return slices.ContainsFunc(f.Warnings, func(w workspace.Warning) bool { return w.Name == name && strings.Contains(w.Message, text) })
}

func TestEachKindOfSessionGetsItsFiles(t *testing.T) {
	dir := full(t)
	for _, c := range []struct {
		o    workspace.LoadOptions
		want string
	}{
		{workspace.LoadOptions{Kind: workspace.KindMain}, "AGENTS SOUL IDENTITY USER TOOLS BOOTSTRAP MEMORY"},
		{workspace.LoadOptions{Kind: workspace.KindMain, Completed: true}, "AGENTS SOUL IDENTITY USER TOOLS MEMORY"},
		{workspace.LoadOptions{Kind: workspace.KindOther}, "AGENTS SOUL IDENTITY USER TOOLS BOOTSTRAP"},
		{workspace.LoadOptions{Kind: workspace.KindGroup}, "AGENTS SOUL IDENTITY USER TOOLS BOOTSTRAP"},
		{workspace.LoadOptions{Kind: workspace.KindSubagent}, "AGENTS"},
		{workspace.LoadOptions{Kind: workspace.KindCron}, "AGENTS SOUL IDENTITY USER"},
	} {
		if got := sourceNames(load(t, dir, c.o)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	sources := load(t, t.TempDir(), workspace.LoadOptions{Optional: []string{"SOUL.md"}})
	if got := sourceNames(sources); got != "AGENTS IDENTITY BOOTSTRAP" {
		t.Errorf("missing: %s", got)
	}
	f := workspace.Fit(sources, "/workspace", workspace.Budget{})
	if got := find(t, f, "AGENTS.md").Text; got != "[MISSING] Expected at: /workspace/AGENTS.md" {
		t.Errorf("marker %q", got)
	}
	if !warned(f, "AGENTS.md", "missing") || f.Truncated {
		t.Errorf("warnings %v", f.Warnings)
	}
	if f := workspace.Fit(sources, "/workspace", workspace.Budget{Total: 20}); f.Chars > 20 || find(t, f, "IDENTITY.md").Text != "" {
		t.Errorf("markers take more than the total: %+v", f)
	}
}

func TestAMissingWorkspaceIsAnError(t *testing.T) {
	if _, err := workspace.Load(context.Background(), filepath.Join(t.TempDir(), "none"), workspace.LoadOptions{}); err == nil {
		t.Error("no error")
	}
}

func TestLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.md")
	put(t, outside, "SECRET\n")
	dir := t.TempDir()
	put(t, filepath.Join(dir, "docs", "agents.md"), "inside\n")
	link := func(name, target string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("AGENTS.md", "docs/agents.md")
	link("SOUL.md", filepath.Join(dir, "docs", "agents.md")) // absolute, and inside
	link("IDENTITY.md", outside)
	rel, err := filepath.Rel(dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	link("USER.md", rel)
	link("TOOLS.md", "hop")
	link("hop", outside)
	link("BOOTSTRAP.md", "BOOTSTRAP.md")
	link("MEMORY.md", "nowhere.md")
	f := workspace.Fit(load(t, dir, workspace.LoadOptions{}), "/workspace", workspace.Budget{})
	for _, name := range []string{"AGENTS.md", "SOUL.md"} {
		if got := find(t, f, name); got.Text != "inside" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, name := range []string{"IDENTITY.md", "USER.md", "TOOLS.md"} {
		got := find(t, f, name)
		if got.Status != workspace.StatusUnreadable || !strings.HasPrefix(got.Text, "[UNREADABLE: "+name+": link to ") || !strings.Contains(got.Text, "outside the workspace") {
			t.Errorf("%s: %+v", name, got)
		}
		if !warned(f, name, "outside the workspace") {
			t.Errorf("%s: no warning in %v", name, f.Warnings)
		}
	}
	for _, name := range []string{"BOOTSTRAP.md", "MEMORY.md"} {
		if got := find(t, f, name); got.Status != workspace.StatusUnreadable {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, file := range f.Files {
		if strings.Contains(file.Text, "SECRET") {
			t.Errorf("%s leaks", file.Name)
		}
	}
}

func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "AGENTS.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "SOUL.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "IDENTITY.md"), strings.Repeat("x", workspace.MaxFile+1))
	f := workspace.Fit(load(t, dir, workspace.LoadOptions{}), "/workspace", workspace.Budget{})
	for name, reason := range map[string]string{"AGENTS.md": "is a directory", "SOUL.md": "not a regular file", "IDENTITY.md": "larger than 2097152 bytes"} {
		if got := find(t, f, name); got.Status != workspace.StatusUnreadable || got.Reason != reason || !warned(f, name, reason) {
			t.Errorf("%s: %+v, %v", name, got, f.Warnings)
		}
	}
}

func TestOddContent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"AGENTS.md": "", "SOUL.md": " \n\t\r\n\u00a0 ", "IDENTITY.md": "good \xff\xfe bad\n", "USER.md": "\ufeffhello  \n\n",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	f := workspace.Fit(load(t, dir, workspace.LoadOptions{Completed: true}), "/workspace", workspace.Budget{})
	for name, want := range map[string]string{"AGENTS.md": "", "SOUL.md": "", "IDENTITY.md": "good \ufffd bad", "USER.md": "hello"} {
		if got := find(t, f, name); got.Text != want || got.Status != workspace.StatusPresent || got.Truncated {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if !warned(f, "IDENTITY.md", "not UTF-8") || len(f.Warnings) != 1 {
		t.Errorf("warnings %v", f.Warnings)
	}
}

func TestTheLimitIsExact(t *testing.T) {
	for _, name := range []string{"AGENTS.md", "SOUL.md", "MEMORY.md"} {
		for _, n := range []int{19_999, 20_000, 20_001} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				text := strings.Repeat("a", n-1) + "z"
				f := workspace.Fit([]workspace.Source{{Name: name, Status: workspace.StatusPresent, Text: text + "\n\n"}}, "/workspace", workspace.Budget{})
				got := f.Files[0]
				if got.RawChars != n {
					t.Errorf("%d characters", got.RawChars)
				}
				if n <= 20_000 {
					if got.Text != text || got.Truncated || f.Truncated || !got.Near {
						t.Errorf("changed to %d characters, %v", got.InjectedChars, f.Warnings)
					}
					return
				}
				if !got.Truncated || !f.Truncated || got.InjectedChars > 20_000 || got.InjectedChars < 12_000 || !slices.Equal(got.Causes, []workspace.Cause{workspace.CauseFile}) {
					t.Errorf("%+v", got)
				}
				if !strings.HasPrefix(got.Text, "aaa") || !strings.HasSuffix(got.Text, "z") || !strings.Contains(got.Text, "\n\n[…truncated: read "+name+" for all of it]\n") {
					t.Errorf("marker is missing")
				}
				if !warned(f, name, "of 20001 characters (per-file-limit)") {
					t.Errorf("warnings %v", f.Warnings)
				}
			})
		}
	}
}

// kept reads the numbers of a marker and holds them against the text around it.
func kept(t *testing.T, text, name string) (head, tail, total int) {
	t.Helper()
	at := strings.Index(text, "("+name+": kept ")
	if at < 0 {
		t.Fatalf("no marker in %q", text)
	}
	if _, err := fmt.Sscanf(text[at+len("("+name+": kept "):], "%d+%d of %d", &head, &tail, &total); err != nil {
		t.Fatal(err)
	}
	return head, tail, total
}

func TestHeadAndTailHaveTheirShares(t *testing.T) {
	text := strings.Repeat("h", 30_000) + strings.Repeat("t", 30_000)
	f := workspace.Fit([]workspace.Source{{Name: "SOUL.md", Status: workspace.StatusPresent, Text: text}}, "/workspace", workspace.Budget{})
	got := f.Files[0].Text
	head, tail, total := kept(t, got, "SOUL.md")
	if strings.Count(got[:head+1], "h") != head || !strings.HasSuffix(got, strings.Repeat("t", tail)) || total != 60_000 {
		t.Errorf("%d+%d of %d", head, tail, total)
	}
	if ratio := float64(head) / float64(head+tail); ratio < 0.749 || ratio > 0.751 {
		t.Errorf("the beginning has %.3f", ratio)
	}
	if n := f.Files[0].InjectedChars; n > 20_000 || n < 19_990 {
		t.Errorf("%d characters of 20000", n)
	}
}

func TestNoEmojiIsSplit(t *testing.T) {
	for shift := range 4 {
		text := strings.Repeat("x", shift) + strings.Repeat("😀é", 10_000)
		for _, name := range []string{"SOUL.md", "AGENTS.md"} {
			f := workspace.Fit([]workspace.Source{{Name: name, Status: workspace.StatusPresent, Text: text}}, "/workspace", workspace.Budget{})
			got := f.Files[0]
			if !utf8.ValidString(got.Text) || strings.ContainsRune(got.Text, '\ufffd') || len(utf16.Encode([]rune(got.Text))) != got.InjectedChars || got.InjectedChars > 20_000 {
				t.Errorf("%s: %d characters", name, got.InjectedChars)
			}
			if rest := strings.Trim(strings.Map(func(r rune) rune {
				if r == '😀' || r == 'é' {
					return -1
				}
				return r
			}, got.Text), "x"); strings.Count(rest, "\n") > 6 {
				t.Errorf("%s: %q", name, rest)
			}
		}
	}
}

func TestAgentsKeepsItsRules(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Beginning\n")
	prose := strings.Repeat("This sentence describes the weather in the mountains at great length. ", 3) + "\n\n"
	for i := range 200 {
		b.WriteString(prose)
		if i == 100 {
			b.WriteString("## Money\n\nAbout payments:\nnever pay without a second signature.\n\n```sh\n# never shown, it is code\n```\n- a plain item\n")
		}
	}
	b.WriteString("the very end")
	f := workspace.Fit([]workspace.Source{{Name: "AGENTS.md", Status: workspace.StatusPresent, Text: b.String()}}, "/workspace", workspace.Budget{})
	got := f.Files[0].Text
	for _, want := range []string{"\n## Money\nAbout payments: never pay without a second signature.\n- a plain item\n", "[rules from the part that is left out]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(got, "it is code") || !strings.HasSuffix(got, "the very end") || f.Files[0].InjectedChars > 20_000 {
		t.Errorf("%d characters, ends %q", f.Files[0].InjectedChars, got[len(got)-40:])
	}
	head, tail, _ := kept(t, got, "AGENTS.md")
	if head != 9000 || tail != 3000 {
		t.Errorf("kept %d+%d", head, tail)
	}
}

func TestDigestPrefersWhatMustBe(t *testing.T) {
	var b strings.Builder
	b.WriteString(strings.Repeat("x ", 4700) + "\n")
	for i := range 400 {
		fmt.Fprintf(&b, "- item %d %s\n", i, strings.Repeat("of a long list ", 3))
	}
	b.WriteString("Keys must stay secret.\n")
	b.WriteString(strings.Repeat("y ", 2000))
	f := workspace.Fit([]workspace.Source{{Name: "AGENTS.md", Status: workspace.StatusPresent, Text: b.String()}}, "/workspace", workspace.Budget{})
	got := f.Files[0].Text
	if !strings.Contains(got, "Keys must stay secret.\n") || !strings.Contains(got, "- item 0 ") || !strings.Contains(got, " more lines are left out]") {
		t.Errorf("the digest is wrong:\n%s", got[9000:])
	}
	if strings.Index(got, "- item 0 ") > strings.Index(got, "Keys must") {
		t.Error("the digest is not in the order of the source")
	}
}

func TestTheTotalIsSharedInOrder(t *testing.T) {
	var sources []workspace.Source
	for _, name := range []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "MEMORY.md"} {
		sources = append(sources, workspace.Source{Name: name, Status: workspace.StatusPresent, Text: strings.Repeat("m", 18_000)})
	}
	f := workspace.Fit(sources, "/workspace", workspace.Budget{})
	if last := f.Files[3]; !slices.Equal(last.Causes, []workspace.Cause{workspace.CauseTotal}) || last.InjectedChars > 6000 || last.InjectedChars < 5900 {
		t.Errorf("%+v", last.Causes)
	}
	if !f.Truncated || f.Chars > 60_000 || !f.NearTotal || !warned(f, "MEMORY.md", "total-limit") {
		t.Errorf("%d characters, %v", f.Chars, f.Warnings)
	}
	f = workspace.Fit(sources, "/workspace", workspace.Budget{Total: 18_063})
	if got := f.Files[1]; !got.Skipped || got.Text != "" || !f.Truncated || !warned(f, "SOUL.md", "not in the prompt") {
		t.Errorf("with 63 characters left: %+v, %v", got, f.Warnings)
	}
	f = workspace.Fit(sources, "/workspace", workspace.Budget{Total: 18_064})
	if got := f.Files[1]; got.Skipped || got.InjectedChars == 0 || got.InjectedChars > 64 || !strings.Contains(got.Text, "[…truncated ") {
		t.Errorf("with 64 characters left: %+v", got)
	}
}

func TestUserFileHasASmallerLimit(t *testing.T) {
	source := []workspace.Source{{Name: "USER.md", Status: workspace.StatusPresent, Text: strings.Repeat("u", 4001)}}
	for limit, want := range map[int]int{0: 4000, 100_000: 4000, 500: 500} {
		f := workspace.Fit(source, "/workspace", workspace.Budget{File: limit})
		if n := f.Files[0].InjectedChars; n > want || n < want-10 {
			t.Errorf("limit %d: %d characters, want %d", limit, n, want)
		}
	}
}

// TestMemoryIsCutInEverySession is the report of a cut that was silent: 14,000 characters, 12,000 allowed.
func TestMemoryIsCutInEverySession(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "MEMORY.md"), strings.Repeat("We had tea. ", 1167)[:14_000]+"!")
	for range 3 {
		f := workspace.Fit(load(t, dir, workspace.LoadOptions{}), "/workspace", workspace.Budget{File: 12_000})
		got := find(t, f, "MEMORY.md")
		if !got.Truncated || got.InjectedChars > 12_000 || !strings.Contains(got.Text, "[…truncated: read MEMORY.md") || !warned(f, "MEMORY.md", "of 14001 characters") {
			t.Errorf("%d characters, %v", got.InjectedChars, f.Warnings)
		}
	}
}

func TestNoMarkerTellsToReadWhatCannotBeRead(t *testing.T) {
	f := workspace.Fit([]workspace.Source{{Name: "SOUL.md", Status: workspace.StatusPresent, Text: strings.Repeat("s", 30_000)}}, "", workspace.Budget{})
	if got := f.Files[0]; strings.Contains(got.Text, "read SOUL.md") || !strings.Contains(got.Text, "[…truncated: the rest of SOUL.md is not available here]") || got.Path != "SOUL.md" {
		t.Errorf("%+v", got.Path)
	}
}

func TestTrimmingNeverExceedsItsLimit(t *testing.T) {
	piece := rapid.SampledFrom([]string{"word ", "😀", "é", "\n", "\n\n", "- item\n", "You must not.\n", "```\n", "# Heading\n", "长", "\u2028", "~~~~\n", "never "})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 400).Draw(t, "text"), "")
		name := rapid.SampledFrom([]string{"AGENTS.md", "SOUL.md", "USER.md"}).Draw(t, "name")
		b := workspace.Budget{File: rapid.IntRange(1, 1500).Draw(t, "file"), Total: rapid.IntRange(1, 1500).Draw(t, "total")}
		f := workspace.Fit([]workspace.Source{{Name: name, Status: workspace.StatusPresent, Text: text}}, rapid.SampledFrom([]string{"", "/workspace"}).Draw(t, "dir"), b)
		got := f.Files[0]
		if n := len(utf16.Encode([]rune(got.Text))); n != got.InjectedChars || n > min(b.File, b.Total) {
			t.Fatalf("%d characters, said %d, allowed %d", n, got.InjectedChars, min(b.File, b.Total))
		}
		if !utf8.ValidString(got.Text) {
			t.Fatal("not UTF-8")
		}
		whole := strings.TrimRight(text, " \n\u2028")
		if got.Truncated != (got.Text != whole) {
			t.Fatalf("cut is %v, text %q of %q", got.Truncated, got.Text, whole)
		}
		if got.Truncated && len(f.Warnings) == 0 {
			t.Fatal("cut without a warning")
		}
		if got.Truncated && !got.Skipped && got.InjectedChars >= 40 && !strings.Contains(got.Text, "[…truncated") {
			t.Fatalf("cut without a marker: %q", got.Text)
		}
		if got.Truncated && !got.Skipped && !strings.HasPrefix(whole, string([]rune(got.Text)[:1])) && got.InjectedChars > 40 {
			t.Fatalf("the beginning is lost: %q", got.Text)
		}
	})
}

func TestLoadingIsQuick(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "AGENTS.md"), strings.Repeat("- You must not do this, never.\n", workspace.MaxFile/31))
	begun := time.Now()
	workspace.Fit(load(t, dir, workspace.LoadOptions{}), "/workspace", workspace.Budget{})
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("a file of 2 MiB takes %s", d)
	}
}
