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
				{Args: "cp -v a d", Stdout: "'a' -> 'd/a'\n"},
				{Args: "cp d e", Stderr: "cp: -r not specified; omitting directory 'd'\n", Status: 1},
				{Args: "cp a a", Stderr: "cp: 'a' and 'a' are the same file\n", Status: 1},
				{Args: "cp a no/", Stderr: "cp: cannot create regular file 'no/': Not a directory\n", Status: 1},
				{Args: "cp a d none", Stderr: "cp: target 'none': No such file or directory\n", Status: 1},
				{Args: "cp -r d e"},
				{Args: "find e", Stdout: "e\ne/a\ne/x\n"},
				{Args: "cp -r d d/sub", Stderr: "cp: cannot copy a directory, 'd', into itself, 'd/sub'\n", Status: 1},
			},
		},
		"cp keeps links with -a and follows them without": {
			[]string{"a = one\n", "d/l -> ../a"},
			[]step{
				{Args: "cp -a d e"},
				{Args: "readlink e/l", Stdout: "../a\n"},
				{Args: "cp e/l f"},
				{Args: "readlink f", Status: 1},
			},
		},
		"cp makes backups": {
			[]string{"a = 1\n", "b = 2\n"},
			[]step{
				{Args: "cp -b a b"},
				{Args: "cp --backup=numbered a b"},
				{Args: "ls", Stdout: "a\nb\nb.~1~\nb~\n"},
			},
		},
		"mv renames, moves and refuses": {
			[]string{"a = 1\n", "d/", "e/d/x = 1\n"},
			[]step{
				{Args: "mv -v a b", Stdout: "renamed 'a' -> 'b'\n"},
				{Args: "mv d d/sub", Stderr: "mv: cannot move 'd' to a subdirectory of itself, 'd/sub'\n", Status: 1},
				{Args: "mv d e", Stderr: "mv: cannot move 'd' to 'e/d': Directory not empty\n", Status: 1},
				{Args: "mv none b", Stderr: "mv: cannot stat 'none': No such file or directory\n", Status: 1},
				{Args: "mv -n b d"},
				{Args: "ls d", Stdout: "b\n"},
			},
		},
		"rm refuses directories, the root and the current directory": {
			[]string{"a = 1\n", "d/x = 1\n"},
			[]step{
				{Args: "rm d", Stderr: "rm: cannot remove 'd': Is a directory\n", Status: 1},
				{Args: "rm -r .", Stderr: "rm: refusing to remove '.' or '..' directory: skipping '.'\n", Status: 1},
				{Args: "rm -rf /", Stderr: "rm: it is dangerous to operate recursively on '/'\nrm: use --no-preserve-root to override this failsafe\n", Status: 1},
				{Args: "rm -f none"},
				{Args: "rm -i a", Stdin: "n\n", Stderr: "rm: remove regular file 'a'? "},
				{Args: "rm -rv d", Stdout: "removed 'd/x'\nremoved directory 'd'\n"},
				{Args: "ls", Stdout: "a\n"},
			},
		},
		"mkdir and rmdir work on whole paths": {
			nil,
			[]step{
				{Args: "mkdir -pv a/b", Stdout: "mkdir: created directory 'a'\nmkdir: created directory 'a/b'\n"},
				{Args: "mkdir a", Stderr: "mkdir: cannot create directory ‘a’: File exists\n", Status: 1},
				{Args: "mkdir -m 700 p"},
				{Args: "stat -c %a p", Stdout: "700\n"},
				{Args: "rmdir a", Stderr: "rmdir: failed to remove 'a': Directory not empty\n", Status: 1},
				{Args: "rmdir -p a/b"},
				{Args: "ls", Stdout: "p\n"},
			},
		},
		"ln makes links of both kinds": {
			[]string{"a = 1\n", "d/"},
			[]step{
				{Args: "ln -s a l"},
				{Args: "ln -s a l", Stderr: "ln: failed to create symbolic link 'l': File exists\n", Status: 1},
				{Args: "ln -sfv d l", Stdout: "'l' -> 'd'\n"},
				{Args: "ln -sr a d/up"},
				{Args: "readlink d/up", Stdout: "../a\n"},
				{Args: "ln a h"},
				{Args: "stat -c %h h", Stdout: "2\n"},
				{Args: "ln d x", Stderr: "ln: d: hard link not allowed for directory\n", Status: 1},
			},
		},
		"chmod reads octal and symbolic modes": {
			[]string{"a = 1\n"},
			[]step{
				{Args: "chmod -v u+x,g=w,o= a", Stdout: "mode of 'a' changed from 0644 (rw-r--r--) to 0720 (rwx-w----)\n"},
				{Args: "chmod o=g a"},
				{Args: "stat -c %a a", Stdout: "722\n"},
				{Args: "chmod -x,+X a"},
				{Args: "stat -c %a_%A a", Stdout: "622 -rw--w--w-\n"},
				{Args: "chmod zz a", Stderr: "chmod: invalid mode: ‘zz’\nTry 'chmod --help' for more information.\n", Status: 1},
			},
		},
		"touch sets times by date, stamp and reference": {
			nil,
			[]step{
				{Args: "touch -d 2020-01-02_03:04:05 a"},
				{Args: "touch -t 202101020304.05 b"},
				{Args: "touch -r a c"},
				{Args: "stat -c %Y a b c", Stdout: "1577934245\n1609556645\n1577934245\n"},
				{Args: "touch -c none"},
				{Args: "touch no/file", Stderr: "touch: cannot touch 'no/file': No such file or directory\n", Status: 1},
			},
		},
		"truncate computes sizes": {
			[]string{"a = 12345"},
			[]step{
				{Args: "truncate -s +3 a"},
				{Args: "truncate -s %10 a"},
				{Args: "stat -c %s a", Stdout: "10\n"},
				{Args: "truncate -s <4 a"},
				{Args: "stat -c %s a", Stdout: "4\n"},
			},
		},
		"names are taken apart": {
			nil,
			[]step{
				{Args: "basename a/b.c .c", Stdout: "b\n"},
				{Args: "basename -a a/b c//", Stdout: "b\nc\n"},
				{Args: "dirname a/b/ c /", Stdout: "a\n.\n/\n"},
				{Args: "pathchk -P -- -x", Stderr: "pathchk: leading '-' in a component of file name '-x'\n", Status: 1},
			},
		},
		"dd copies blocks and converts": {
			[]string{"a = hello\n"},
			[]step{
				{Args: "dd if=a bs=2 skip=1 count=1 status=none", Stdout: "ll"},
				{Args: "dd if=a conv=ucase,swab status=none", Stdout: "EHLL\nO"},
				{Args: "dd foo=1", Stderr: "dd: unrecognized operand ‘foo=1’\nTry 'dd --help' for more information.\n", Status: 1},
			},
		},
		"file tells contents apart": {
			[]string{"a = hello\n", "j = {\"a\": 1}\n", "s = #!/bin/sh\n", "e = ", "l -> a"},
			[]step{
				{Args: "file a j s e l", Stdout: "a: ASCII text\nj: JSON text data\ns: POSIX shell script, ASCII text executable\ne: empty\nl: symbolic link to a\n"},
				{Args: "file -bi a", Stdout: "text/plain; charset=us-ascii\n"},
			},
		},
		"tree draws": {
			[]string{"d/x = 1\n", "d/y/z = 1\n", "d/.h = 1\n"},
			[]step{
				{Args: "tree d", Stdout: "d\n├── x\n└── y\n    └── z\n\n2 directories, 2 files\n"},
				{Args: "tree -a -L 1 --noreport d", Stdout: "d\n├── .h\n├── x\n└── y\n"},
			},
		},
		"install sets modes and makes directories": {
			[]string{"a = 1\n"},
			[]step{
				{Args: "install -Dm 640 a p/q"},
				{Args: "stat -c %a p/q", Stdout: "640\n"},
				{Args: "install -d x/y"},
				{Args: "install -v a b x", Stderr: "install: cannot stat 'b': No such file or directory\n", Stdout: "'a' -> 'x/a'\n", Status: 1},
			},
		},
		"du counts a file once": {
			[]string{"d/a = 12345"},
			[]step{
				{Args: "ln d/a d/b"},
				{Args: "du -b d/a d/b", Stdout: "5\td/a\n"},
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
		{Args: "ls", Stdout: "a\nb b\nd\nl\nx10\nx9\n"},
		{Args: "ls -A", Stdout: ".h\na\nb b\nd\nl\nx10\nx9\n"},
		{Args: "ls -v x10 x9", Stdout: "x9\nx10\n"},
		{Args: "ls -F", Stdout: "a*\nb b\nd/\nl@\nx10\nx9\n"},
		{Args: "ls -m", Stdout: "a, b b, d, l, x10, x9\n"},
		{Args: "ls -w 12 -C", Stdout: "a    d\tx10\nb b  l\tx9\n"},
		{Args: "ls -Q b_b", Stdout: "\"b b\"\n"},
		{Args: "ls --quoting-style=shell b_b a", Stdout: "a\n'b b'\n"},
		{Args: "ls -go --time-style=+ a l", Stdout: "-rwxr-xr-x 1 5  a\nlrwxrwxrwx 1 1  l -> a\n"},
		{Args: "ls d a none", Stdout: "a\n\nd:\nx\n", Stderr: "ls: cannot access 'none': No such file or directory\n", Status: 2},
		{Args: "ls --group-directories-first -1", Stdout: "d\na\nb b\nl\nx10\nx9\n"},
		{Args: "ls -I x* -I l", Stdout: "a\nb b\nd\n"},
	})
}

func TestMktempNamesAreNewAndPrivate(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]bool{}
	for range 50 {
		got := run(t, dir, "", "mktemp", "-p", ".", "t.XXXXXX")
		name := strings.TrimSpace(got.Stdout)
		if got.Status != 0 || seen[name] {
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
		{Args: "realpath l/f", Stdout: real + "/d/f\n"},
		{Args: "realpath -s l/f", Stdout: real + "/l/f\n"},
		{Args: "realpath --relative-to=d .", Stdout: "..\n"},
		{Args: "realpath loop", Stderr: "realpath: loop: Too many levels of symbolic links\n", Status: 1},
		{Args: "realpath -m dang/../x", Stdout: real + "/no/x\n"},
		{Args: "readlink -f l/none", Stdout: real + "/d/none\n"},
		{Args: "readlink -e l/none", Status: 1},
	})
}
