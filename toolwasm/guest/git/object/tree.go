package object

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Mode is the mode of an entry of a tree or an index.
type Mode uint32

// The modes that git writes.
const (
	DirMode       Mode = 0o040000
	FileMode      Mode = 0o100644
	ExecMode      Mode = 0o100755
	LinkMode      Mode = 0o120000
	SubmoduleMode Mode = 0o160000
	typeMask      Mode = 0o170000
)

// IsDir reports a tree.
func (m Mode) IsDir() bool { return m&typeMask == DirMode }

// IsRegular reports a file.
func (m Mode) IsRegular() bool { return m&typeMask == 0o100000 }

// IsLink reports a symbolic link.
func (m Mode) IsLink() bool { return m&typeMask == LinkMode }

// IsSubmodule reports a commit of another repository.
func (m Mode) IsSubmodule() bool { return m&typeMask == SubmoduleMode }

// Type is the part of the mode that says what kind of file it is.
func (m Mode) Type() Mode { return m & typeMask }

// String returns six octal digits.
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// Kind is the kind of object that an entry of the mode names.
func (m Mode) Kind() Kind {
	switch {
	case m.IsDir():
		return TreeKind
	case m.IsSubmodule():
		return CommitKind
	}
	return BlobKind
}

// Canonical is the mode as git would write it: old trees hold others.
func (m Mode) Canonical() Mode {
	switch {
	case m.IsRegular() && m&0o100 != 0:
		return ExecMode
	case m.IsRegular():
		return FileMode
	case m.IsLink():
		return LinkMode
	case m.IsDir():
		return DirMode
	}
	return SubmoduleMode
}

// Entry is one name in a tree.
type Entry struct {
	Mode Mode
	Name string
	ID   ID
}

// ParseTree decodes a tree.
func ParseTree(data []byte) ([]Entry, error) {
	entries := make([]Entry, 0, len(data)/32)
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		if space < 0 || space > 7 {
			return nil, fmt.Errorf("%w: malformed mode in tree entry", ErrCorrupt)
		}
		mode, err := strconv.ParseUint(string(data[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: malformed mode in tree entry", ErrCorrupt)
		}
		data = data[space+1:]
		end := bytes.IndexByte(data, 0)
		if end < 1 || len(data) < end+1+len(ID{}) {
			return nil, fmt.Errorf("%w: truncated tree entry", ErrCorrupt)
		}
		e := Entry{Mode: Mode(mode).Canonical(), Name: string(data[:end])}
		copy(e.ID[:], data[end+1:])
		entries = append(entries, e)
		data = data[end+1+len(ID{}):]
	}
	return entries, nil
}

// EncodeTree returns a tree as the database holds it, its entries in git's order.
func EncodeTree(entries []Entry) []byte {
	sort.Slice(entries, func(i, j int) bool { return entries[i].sortKey() < entries[j].sortKey() })
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(strconv.FormatUint(uint64(e.Mode), 8))
		b.WriteByte(' ')
		b.WriteString(e.Name)
		b.WriteByte(0)
		b.Write(e.ID[:])
	}
	return b.Bytes()
}

// sortKey orders directories as if their names ended with a slash.
func (e Entry) sortKey() string {
	if e.Mode.IsDir() {
		return e.Name + "/"
	}
	return e.Name
}

// ValidPath reports whether a path of a tree or an index may be put into a working tree: no part of it leads out, and none
// is the repository's own directory in a spelling that some filesystem takes for it.
func ValidPath(name string) bool {
	if name == "" || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.IndexByte(name, 0) >= 0 {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || isDotGit(part) {
			return false
		}
	}
	return true
}

// isDotGit reports whether a filesystem could take a name for ".git": case, code points that HFS+ ignores, and the
// spellings of NTFS.
func isDotGit(name string) bool {
	if len(name) < 4 {
		return false
	}
	if strings.ContainsRune(name, '\\') {
		for part := range strings.SplitSeq(name, "\\") {
			if part == ".." || isDotGit(part) {
				return true
			}
		}
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, name)
	plain = strings.ToLower(plain)
	if plain == ".git" {
		return true
	}
	base, _, _ := strings.Cut(plain, ":")
	base = strings.TrimRight(base, " .")
	return base == ".git" || base == "git~1"
}
