package archive

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

// newLineWriter is the listing when standard output is the archive.
func newLineWriter(w io.Writer) *bufio.Writer { return bufio.NewWriter(w) }

// matchers are the tests for the operands.
func (t *tape) matchers() []func(string) bool {
	list := make([]func(string) bool, len(t.operands))
	for i, o := range t.operands {
		list[i] = t.names.matcher(o.name)
	}
	return list
}

// matchOperands returns the index of the operand that a member matches, and marks it as found; -1 for none.
func matchOperands(matchers []func(string) bool, operands []operand, name string) int {
	for i, m := range matchers {
		if m(name) {
			operands[i].used = true
			return i
		}
	}
	return -1
}

// read lists, extracts or compares the members of the archive.
func (t *tape) read() {
	src, done := t.openArchive()
	defer done()
	counted := &countReader{r: src}
	tr := tar.NewReader(counted)
	matchers := t.matchers()
	x := &extractor{t: t}
	started := t.start == ""
	for first := true; ; first = false {
		t.p.Yield()
		h, err := tr.Next()
		if errors.Is(err, io.EOF) && counted.n > 0 {
			break
		}
		if err != nil {
			t.badArchive(err, first)
			break
		}
		if !started && strings.TrimRight(h.Name, "/") != strings.TrimRight(t.start, "/") {
			continue
		}
		started = true
		if t.wanted(h, matchers) {
			x.member(h, tr)
		}
		// What the member has left is read here, because Next does not tell an archive that stops in the middle of it.
		if _, err := io.Copy(io.Discard, tr); err != nil {
			x.finish()
			t.truncated(err)
		}
	}
	x.finish()
	t.reportUnused()
	if t.op != 't' || t.ignoreZeros {
		_, _ = io.Copy(io.Discard, src) // a writer in front of us should not get SIGPIPE
	}
}

// badArchive reports what is wrong with the archive. An archive that ends within a header ends there.
func (t *tape) badArchive(err error, first bool) {
	switch {
	case systemError(err):
		t.fatal("%s: Cannot read: %s", t.archive, sys.Strerror(err))
	case first:
		t.errorf("This does not look like a tar archive")
		if errors.Is(err, tar.ErrHeader) {
			t.p.Errorf("Skipping to next header")
		}
	case errors.Is(err, tar.ErrHeader):
		t.errorf("Skipping to next header")
	case errors.Is(err, io.ErrUnexpectedEOF):
	default:
		t.errorf("Cannot read: %s", err)
	}
}

// wanted reports whether a member is asked for.
func (t *tape) wanted(h *tar.Header, matchers []func(string) bool) bool {
	if t.names.excluded(h.Name) {
		return false
	}
	if !t.newer.IsZero() && h.ModTime.Before(t.newer) && h.Typeflag != tar.TypeDir {
		return false
	}
	return len(matchers) == 0 || matchOperands(matchers, t.operands, h.Name) >= 0
}

func (t *tape) reportUnused() {
	warned := t.names.wildcards != nil
	for _, o := range t.operands {
		if !o.used {
			if !warned && glob.HasMeta(o.name, false) {
				warned = true
				t.p.Errorf("Pattern matching characters used in file names")
				t.p.Errorf("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning")
			}
			t.errorf("%s: Not found in archive", quote.Tar(o.name))
		}
	}
}

// listCreated shows a member that goes into the archive.
func (t *tape) listCreated(h *tar.Header) { t.listAt(h, t.verbose) }

// listRead shows a member of the archive: with -t one level more than -v says.
func (t *tape) listRead(h *tar.Header) {
	level := t.verbose
	if t.op == 't' {
		level++
	}
	t.listAt(h, level)
}

func (t *tape) listAt(h *tar.Header, level int) {
	if level == 0 {
		return
	}
	if level == 1 {
		_, _ = t.out.WriteString(quote.Tar(h.Name) + "\n")
		return
	}
	size := strconv.FormatInt(h.Size, 10)
	if isDevice(h) {
		size = fmt.Sprintf("%d,%d", h.Devmajor, h.Devminor)
	}
	owner, group := h.Uname, h.Gname
	if owner == "" || t.numeric {
		owner = strconv.Itoa(h.Uid)
	}
	if group == "" || t.numeric {
		group = strconv.Itoa(h.Gid)
	}
	pad := len(owner) + len(group) + len(size) + 1
	t.width = max(t.width, pad)
	layout := "%Y-%m-%d %H:%M"
	if t.fullTime {
		layout = "%Y-%m-%d %H:%M:%S"
	}
	fmt.Fprintf(t.out, "%s %s/%s %*s %s %s", modeOf(h), owner, group, t.width-pad+len(size), size,
		strftime.Format(layout, h.ModTime.In(t.loc)), quote.Tar(h.Name))
	switch h.Typeflag {
	case tar.TypeSymlink:
		_, _ = t.out.WriteString(" -> " + quote.Tar(h.Linkname))
	case tar.TypeLink:
		_, _ = t.out.WriteString(" link to " + quote.Tar(h.Linkname))
	}
	_ = t.out.WriteByte('\n')
}

func isDevice(h *tar.Header) bool { return h.Typeflag == tar.TypeChar || h.Typeflag == tar.TypeBlock }

// modeOf writes type and permissions; a hard link has the letter h.
func modeOf(h *tar.Header) string {
	s := perm.String(perm.FromBits(uint32(h.Mode) & perm.All))
	letter := "-"
	switch h.Typeflag {
	case tar.TypeDir:
		letter = "d"
	case tar.TypeSymlink:
		letter = "l"
	case tar.TypeLink:
		letter = "h"
	case tar.TypeChar:
		letter = "c"
	case tar.TypeBlock:
		letter = "b"
	case tar.TypeFifo:
		letter = "p"
	}
	return letter + s[1:]
}
