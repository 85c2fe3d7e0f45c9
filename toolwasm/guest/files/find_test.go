package files_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/files"
)

func TestFindExpressions(t *testing.T) {
	dir := fill(t, "a.txt = 12345", "b.log = ", "d/c.txt = 1", "d/e/", "l -> a.txt", "dang -> none")
	for args, want := range map[string]string{
		".":                                   ". ./a.txt ./b.log ./d ./d/c.txt ./d/e ./dang ./l",
		"-name *.txt":                         "./a.txt ./d/c.txt",
		". -iname A.*":                        "./a.txt",
		". -type f -size +0":                  "./a.txt ./d/c.txt",
		". -empty":                            "./b.log ./d/e",
		". -type l -xtype l":                  "./dang",
		". -name *.txt -o -empty":             "./a.txt ./b.log ./d/c.txt ./d/e",
		". ( -name a* -o -name b* ) -name *g": "./b.log",
		". ! -type d ! -type l":               "./a.txt ./b.log ./d/c.txt",
		". -name d -prune -o -type f -print":  "./a.txt ./b.log",
		". -path */d/*":                       "./d/c.txt ./d/e",
		". -regex .*/[ab]\\..*":               "./a.txt ./b.log",
		". -regextype posix-extended -regex .*(txt|log)": "./a.txt ./b.log ./d/c.txt",
		". -maxdepth 1 -type d":                          ". ./d",
		". -mindepth 2":                                  "./d/c.txt ./d/e",
		"d -depth":                                       "d/c.txt d/e d",
		". -perm -644 -type f":                           "./a.txt ./b.log ./d/c.txt",
		". -perm /111 -type f":                           "",
		". -type f -exec echo {} ;":                      "./a.txt ./b.log ./d/c.txt",
		". -type f -exec echo x {} +":                    "x ./a.txt ./b.log ./d/c.txt",
		"d -name c* -execdir echo {} ;":                  "./c.txt",
		". -type f -printf %f:%s_":                       "a.txt:5 b.log:0 c.txt:1",
		"d -printf %P,%h,%d_":                            ",.,0 c.txt,d,1 e,d,1",
		". -false , -name l":                             "./l",
		". -name a.txt -quit":                            "",
		"-L . -samefile a.txt":                           "./a.txt ./l",
		". -lname a*":                                    "./l",
		". -newermt 2000-01-01 -name a.txt":              "./a.txt",
		". -mmin -60 -name b*":                           "./b.log",
	} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		got := run(t, dir, "", append([]string{"find"}, words...)...)
		if have := strings.Join(strings.Fields(got.Stdout), " "); have != want || got.Status != 0 {
			t.Errorf("find %s\n got %q %d %s\nwant %q", args, have, got.Status, got.Stderr, want)
		}
	}
}

func TestFindReportsMistakes(t *testing.T) {
	dir := fill(t, "a = 1")
	for args, want := range map[string]string{
		"none":           "find: ‘none’: No such file or directory\n",
		". -foo":         "find: unknown predicate `-foo'\n",
		". -name":        "find: missing argument to `-name'\n",
		". ( -name a":    "find: invalid expression; I was expecting to find a ')' somewhere but did not see one.\n",
		". -size 1z":     "find: invalid -size type `z'\n",
		". -type x":      "find: Unknown argument to -type: x\n",
		". -exec echo":   "find: missing argument to `-exec'\n",
		". a -name a -o": "find: expected an expression after '-o'\n",
	} {
		got := run(t, dir, "", append([]string{"find"}, strings.Fields(args)...)...)
		if got.Stderr != want || got.Status != 1 {
			t.Errorf("find %s\n got %q %d\nwant %q", args, got.Stderr, got.Status, want)
		}
	}
}

func TestFindDeletesFromTheInside(t *testing.T) {
	dir := fill(t, "d/e/f = 1", "d/g = 1", "a = 1")
	check(t, dir, []step{{Args: "find d -delete"}, {Args: "ls", Stdout: "a\n"}})
}

func TestFindEndsOnLoopsOfLinks(t *testing.T) {
	dir := fill(t, "d/f = 1", "d/up -> ..")
	got := run(t, dir, "", "find", "-L", ".", "-name", "f")
	if got.Stdout != "./d/f\n" || got.Status != 1 || !strings.Contains(got.Stderr, "File system loop detected") {
		t.Errorf("%+v", got)
	}
}

func FuzzFindExpression(f *testing.F) {
	for _, s := range []string{"( -name a -o ! -type f ) , -printf %p", "-size +1k -perm -u+x", "-regex .*", "-newermt now -mtime +1", "-exec echo {} ;"} {
		f.Add(s)
	}
	dir := fill(f, "a = 1", "d/b = 2")
	table := command.NewTable(files.Commands())
	delete(table, "rm")
	f.Fuzz(func(t *testing.T, expr string) {
		if strings.Contains(expr, "-f") || strings.Contains(expr, "-delete") || strings.ContainsRune(expr, 0) {
			t.Skip("the tree has to stay as it is")
		}
		for _, field := range strings.Fields(expr) {
			if strings.HasPrefix(field, "/") || strings.Contains(field, "..") {
				t.Skip("a place outside the tree may have any size")
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		command.Start(&command.Proc{
			Ctx: ctx, Name: "find", Args: append([]string{"."}, strings.Fields(expr)...), Dir: dir, Env: command.Vars{},
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Table: table, Spawner: nothing{},
		}, table["find"])
		if ctx.Err() != nil {
			t.Fatalf("find %q does not end", expr)
		}
	})
}

// nothing is a spawner that runs nothing.
type nothing struct{}

func (nothing) Spawn(*command.Proc, command.Spec) int         { return 0 }
func (nothing) Shell(*command.Proc, string, command.Spec) int { return 0 }
func (nothing) LookPath(*command.Proc, string) (string, bool) { return "", true }
