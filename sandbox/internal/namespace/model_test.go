package namespace_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/sandbox/internal/memfs"
	"openclaw/sandbox/internal/namespace"
	"openclaw/sandbox/internal/vfs"
)

func drawPath(t *rapid.T, label string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "a", "b", "c", "l", "m", ".", ".."}), 1, 5).Draw(t, label)
	path := strings.Join(parts, "/")
	if rapid.IntRange(0, 5).Draw(t, label+" slash") == 0 {
		path += "/"
	}
	return path
}

// TestATreeOfMountsIsLikeOneFilesystem runs random operations on a tree of two mounts and on a single one with the same
// content. Where the mounts themselves do not say no (EXDEV, EBUSY, EROFS), the answers are the same.
func TestATreeOfMountsIsLikeOneFilesystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := memfs.Options{OutsideLinks: true}
		single, a, b := memfs.New(options), memfs.New(options), memfs.New(options)
		single.Mkdir("a", 0o755)
		single.Mkdir("b", 0o755)
		one, err := namespace.New([]namespace.Mount{{Path: "/", FS: single}}, namespace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := namespace.New([]namespace.Mount{{Path: "/a", FS: a}, {Path: "/b", FS: b}}, namespace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			path, second := drawPath(t, "path"), drawPath(t, "second")
			if rapid.Bool().Draw(t, "absolute") {
				second = "/" + second
			}
			op := rapid.SampledFrom([]string{
				"read", "write", "mkdir", "mkdir", "rmdir", "unlink", "rename", "link", "symlink", "symlink", "stat", "lstat", "readlink",
				"canonical",
			}).Draw(t, "op")
			content, errno := act(tree, op, path, second)
			if errno == vfs.EXDEV || errno == vfs.EBUSY || errno == vfs.EROFS {
				continue
			}
			expectedContent, expected := act(one, op, path, second)
			if (op == "rename" || op == "link") && errno != vfs.OK && expected != vfs.OK {
				continue // with two paths that fail, which of them is looked at first may differ
			}
			if errno != expected || content != expectedContent {
				t.Fatalf("%s %s %s: %q, errno %d, want %q, %d", op, path, second, content, errno, expectedContent, expected)
			}
		}
	})
}

func act(fs *namespace.FS, op, path, second string) (string, vfs.Errno) {
	relative := strings.TrimPrefix(second, "/")
	switch op {
	case "read":
		return slurp(fs, path)
	case "write":
		return "", put(fs, path, second)
	case "mkdir":
		return "", fs.Mkdir(path, 0o755)
	case "rmdir":
		return "", fs.Rmdir(path)
	case "unlink":
		return "", fs.Unlink(path)
	case "rename":
		return "", fs.Rename(path, relative)
	case "link":
		return "", fs.Link(path, relative, true)
	case "symlink":
		return "", fs.Symlink(second, path)
	case "readlink":
		return fs.Readlink(path)
	case "canonical":
		return fs.Canonical(path)
	}
	st, errno := fs.Stat(path, op == "stat")
	return string(rune('0' + st.Type)), errno
}
