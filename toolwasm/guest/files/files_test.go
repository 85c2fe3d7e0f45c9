package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandsDoAndSayAsGNU(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		steps []step
	}{
		"cp copies into directories and refuses what cannot be": {
			[]string{"a = one\n", "d/x = two\n"},
			[]step{
				{args: "cp -v a d", stdout: "'a' -> 'd/a'\n"},
				{args: "cp d e", stderr: "cp: -r not specified; omitting directory 'd'\n", status: 1},
				{args: "cp a a", stderr: "cp: 'a' and 'a' are the same file\n", status: 1},
				{args: "cp a no/", stderr: "cp: cannot create regular file 'no/': Not a directory\n", status: 1},
				{args: "cp a d none", stderr: "cp: target 'none': No such file or directory\n", status: 1},
				{args: "cp -r d e"},
				{args: "find e", stdout: "e\ne/a\ne/x\n"},
				{args: "cp -r d d/sub", stderr: "cp: cannot copy a directory, 'd', into itself, 'd/sub'\n", status: 1},
			},
		},
		"cp keeps links with -a and follows them without": {
			[]string{"a = one\n", "d/l -> ../a"},
			[]step{
				{args: "cp -a d e"},
				{args: "readlink e/l", stdout: "../a\n"},
				{args: "cp e/l f"},
				{args: "readlink f", status: 1},
			},
		},
		"cp makes backups": {
			[]string{"a = 1\n", "b = 2\n"},
			[]step{
				{args: "cp -b a b"},
				{args: "cp --backup=numbered a b"},
				{args: "ls", stdout: "a\nb\nb.~1~\nb~\n"},
			},
		},
		"mv renames, moves and refuses": {
			[]string{"a = 1\n", "d/", "e/d/x = 1\n"},
			[]step{
				{args: "mv -v a b", stdout: "renamed 'a' -> 'b'\n"},
				{args: "mv d d/sub", stderr: "mv: cannot move 'd' to a subdirectory of itself, 'd/sub'\n", status: 1},
				{args: "mv d e", stderr: "mv: cannot move 'd' to 'e/d': Directory not empty\n", status: 1},
				{args: "mv none b", stderr: "mv: cannot stat 'none': No such file or directory\n", status: 1},
				{args: "mv -n b d"},
				{args: "ls d", stdout: "b\n"},
			},
		},
		"rm refuses directories, the root and the current directory": {
			[]string{"a = 1\n", "d/x = 1\n"},
			[]step{
				{args: "rm d", stderr: "rm: cannot remove 'd': Is a directory\n", status: 1},
				{args: "rm -r .", stderr: "rm: refusing to remove '.' or '..' directory: skipping '.'\n", status: 1},
				{args: "rm -rf /", stderr: "rm: it is dangerous to operate recursively on '/'\nrm: use --no-preserve-root to override this failsafe\n", status: 1},
				{args: "rm -f none"},
				{args: "rm -i a", stdin: "n\n", stderr: "rm: remove regular file 'a'? "},
				{args: "rm -rv d", stdout: "removed 'd/x'\nremoved directory 'd'\n"},
				{args: "ls", stdout: "a\n"},
			},
		},
		"mkdir and rmdir work on whole paths": {
			nil,
			[]step{
				{args: "mkdir -pv a/b", stdout: "mkdir: created directory 'a'\nmkdir: created directory 'a/b'\n"},
				{args: "mkdir a", stderr: "mkdir: cannot create directory ‘a’: File exists\n", status: 1},
				{args: "mkdir -m 700 p"},
				{args: "stat -c %a p", stdout: "700\n"},
				{args: "rmdir a", stderr: "rmdir: failed to remove 'a': Directory not empty\n", status: 1},
				{args: "rmdir -p a/b"},
				{args: "ls", stdout: "p\n"},
			},
		},
		"ln makes links of both kinds": {
			[]string{"a = 1\n", "d/"},
			[]step{
				{args: "ln -s a l"},
				{args: "ln -s a l", stderr: "ln: failed to create symbolic link 'l': File exists\n", status: 1},
				{args: "ln -sfv d l", stdout: "'l' -> 'd'\n"},
				{args: "ln -sr a d/up"},
				{args: "readlink d/up", stdout: "../a\n"},
				{args: "ln a h"},
				{args: "stat -c %h h", stdout: "2\n"},
				{args: "ln d x", stderr: "ln: d: hard link not allowed for directory\n", status: 1},
			},
		},
		"chmod reads octal and symbolic modes": {
			[]string{"a = 1\n"},
			[]step{
				{args: "chmod -v u+x,g=w,o= a", stdout: "mode of 'a' changed from 0644 (rw-r--r--) to 0720 (rwx-w----)\n"},
				{args: "chmod o=g a"},
				{args: "stat -c %a a", stdout: "722\n"},
				{args: "chmod -x,+X a"},
				{args: "stat -c %a_%A a", stdout: "622 -rw--w--w-\n"},
				{args: "chmod zz a", stderr: "chmod: invalid mode: ‘zz’\nTry 'chmod --help' for more information.\n", status: 1},
			},
		},
		"touch sets times by date, stamp and reference": {
			nil,
			[]step{
				{args: "touch -d 2020-01-02_03:04:05 a"},
				{args: "touch -t 202101020304.05 b"},
				{args: "touch -r a c"},
				{args: "stat -c %Y a b c", stdout: "1577934245\n1609556645\n1577934245\n"},
				{args: "touch -c none"},
				{args: "touch no/file", stderr: "touch: cannot touch 'no/file': No such file or directory\n", status: 1},
			},
		},
		"truncate computes sizes": {
			[]string{"a = 12345"},
			[]step{
				{args: "truncate -s +3 a"},
				{args: "truncate -s %10 a"},
				{args: "stat -c %s a", stdout: "10\n"},
				{args: "truncate -s <4 a"},
				{args: "stat -c %s a", stdout: "4\n"},
			},
		},
		"names are taken apart": {
			nil,
			[]step{
				{args: "basename a/b.c .c", stdout: "b\n"},
				{args: "basename -a a/b c//", stdout: "b\nc\n"},
				{args: "dirname a/b/ c /", stdout: "a\n.\n/\n"},
				{args: "pathchk -P -- -x", stderr: "pathchk: leading '-' in a component of file name '-x'\n", status: 1},
			},
		},
		"dd copies blocks and converts": {
			[]string{"a = hello\n"},
			[]step{
				{args: "dd if=a bs=2 skip=1 count=1 status=none", stdout: "ll"},
				{args: "dd if=a conv=ucase,swab status=none", stdout: "EHLL\nO"},
				{args: "dd foo=1", stderr: "dd: unrecognized operand ‘foo=1’\nTry 'dd --help' for more information.\n", status: 1},
			},
		},
		"file tells contents apart": {
			[]string{"a = hello\n", "j = {\"a\": 1}\n", "s = #!/bin/sh\n", "e = ", "l -> a"},
			[]step{
				{args: "file a j s e l", stdout: "a: ASCII text\nj: JSON text data\ns: POSIX shell script, ASCII text executable\ne: empty\nl: symbolic link to a\n"},
				{args: "file -bi a", stdout: "text/plain; charset=us-ascii\n"},
			},
		},
		"tree draws": {
			[]string{"d/x = 1\n", "d/y/z = 1\n", "d/.h = 1\n"},
			[]step{
				{args: "tree d", stdout: "d\n├── x\n└── y\n    └── z\n\n2 directories, 2 files\n"},
				{args: "tree -a -L 1 --noreport d", stdout: "d\n├── .h\n├── x\n└── y\n"},
			},
		},
		"install sets modes and makes directories": {
			[]string{"a = 1\n"},
			[]step{
				{args: "install -Dm 640 a p/q"},
				{args: "stat -c %a p/q", stdout: "640\n"},
				{args: "install -d x/y"},
				{args: "install -v a b x", stderr: "install: cannot stat 'b': No such file or directory\n", stdout: "'a' -> 'x/a'\n", status: 1},
			},
		},
		"du counts a file once": {
			[]string{"d/a = 12345"},
			[]step{
				{args: "ln d/a d/b"},
				{args: "du -b d/a d/b", stdout: "5\td/a\n"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, fill(t, c.files...), c.steps) })
	}
}

func TestLsFormats(t *testing.T) {
	dir := fill(t, "a = 12345", "b b = 1", "d/x = 1", "l -> a", ".h = 1", "x10 = 1", "x9 = 1")
	must(t, os.Chmod(filepath.Join(dir, "a"), 0o755))
	check(t, dir, []step{
		{args: "ls", stdout: "a\nb b\nd\nl\nx10\nx9\n"},
		{args: "ls -A", stdout: ".h\na\nb b\nd\nl\nx10\nx9\n"},
		{args: "ls -v x10 x9", stdout: "x9\nx10\n"},
		{args: "ls -F", stdout: "a*\nb b\nd/\nl@\nx10\nx9\n"},
		{args: "ls -m", stdout: "a, b b, d, l, x10, x9\n"},
		{args: "ls -w 12 -C", stdout: "a    d\tx10\nb b  l\tx9\n"},
		{args: "ls -Q b_b", stdout: "\"b b\"\n"},
		{args: "ls --quoting-style=shell b_b a", stdout: "a\n'b b'\n"},
		{args: "ls -go --time-style=+ a l", stdout: "-rwxr-xr-x 1 5  a\nlrwxrwxrwx 1 1  l -> a\n"},
		{args: "ls d a none", stdout: "a\n\nd:\nx\n", stderr: "ls: cannot access 'none': No such file or directory\n", status: 2},
		{args: "ls --group-directories-first -1", stdout: "d\na\nb b\nl\nx10\nx9\n"},
		{args: "ls -I x* -I l", stdout: "a\nb b\nd\n"},
	})
}

func TestMktempNamesAreNewAndPrivate(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]bool{}
	for range 50 {
		got := run(t, dir, "", "mktemp", "-p", ".", "t.XXXXXX")
		name := strings.TrimSpace(got.stdout)
		if got.status != 0 || seen[name] {
			t.Fatalf("%+v", got)
		}
		seen[name] = true
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%s: %v %v", name, info, err)
		}
	}
}

func TestRealpathResolvesLinks(t *testing.T) {
	dir := fill(t, "d/f = 1", "l -> d", "loop -> loop", "dang -> no/where")
	real, err := filepath.EvalSymlinks(dir)
	must(t, err)
	check(t, real, []step{
		{args: "realpath l/f", stdout: real + "/d/f\n"},
		{args: "realpath -s l/f", stdout: real + "/l/f\n"},
		{args: "realpath --relative-to=d .", stdout: "..\n"},
		{args: "realpath loop", stderr: "realpath: loop: Too many levels of symbolic links\n", status: 1},
		{args: "realpath -m dang/../x", stdout: real + "/no/x\n"},
		{args: "readlink -f l/none", stdout: real + "/d/none\n"},
		{args: "readlink -e l/none", status: 1},
	})
}
