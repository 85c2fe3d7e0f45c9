// Package index reads and writes git's index, the list of what the next commit holds.
//
// It reads versions 2 to 4 and writes version 2, or 3 when an entry needs it. Extensions that may be ignored are, and are
// not written again. Decode promises an error for every input that is not an index, at a cost in proportion to its length.
package index

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

// ErrCorrupt reports bytes that are not an index.
var ErrCorrupt = errors.New("index: decode: malformed index")

// Flags of an entry.
const (
	assumeValid  = 0x8000
	extended     = 0x4000
	stageShift   = 12
	nameMask     = 0x0fff
	skipWorktree = 0x4000 // of the second flags
	intentToAdd  = 0x2000
)

// Stages of entries that a merge has left.
const (
	Merged = iota
	Base
	Ours
	Theirs
)

// Time is a file's time as the index holds it.
type Time struct{ Sec, Nsec uint32 }

// Less reports whether t is before u.
func (t Time) Less(u Time) bool { return t.Sec < u.Sec || t.Sec == u.Sec && t.Nsec < u.Nsec }

// Entry is one file.
type Entry struct {
	Ctime, Mtime Time
	Dev, Ino     uint32
	Mode         object.Mode
	UID, GID     uint32
	Size         uint32
	ID           object.ID
	Stage        int
	AssumeValid  bool
	SkipWorktree bool
	IntentToAdd  bool
	Name         string
}

// SetStat takes over what the filesystem says of a file.
func (e *Entry) SetStat(info sys.Info) {
	e.Ctime = Time{uint32(info.Ctime.Unix()), uint32(info.Ctime.Nanosecond())}
	e.Mtime = Time{uint32(info.Mtime.Unix()), uint32(info.Mtime.Nanosecond())}
	e.Dev, e.Ino = uint32(info.Dev), uint32(info.Ino)
	e.UID, e.GID = uint32(info.UID), uint32(info.GID)
	e.Size = uint32(info.Size)
}

// StatMatches reports whether a file still looks as it did when the entry was made. Owners are not compared: a sandbox shows
// others than the host.
func (e *Entry) StatMatches(info sys.Info) bool {
	return e.Size == uint32(info.Size) &&
		e.Mtime == (Time{uint32(info.Mtime.Unix()), uint32(info.Mtime.Nanosecond())}) &&
		e.Ctime == (Time{uint32(info.Ctime.Unix()), uint32(info.Ctime.Nanosecond())}) &&
		(e.Ino == 0 || e.Ino == uint32(info.Ino))
}

// Index is the whole list, sorted by name and stage.
type Index struct {
	Version uint32
	Entries []Entry
	// Stamp is when the file was written. What has changed since then may look as it did.
	Stamp Time
}

func compare(a, b *Entry) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return cmp.Compare(a.Stage, b.Stage)
}

// Find returns where the entry of a name and stage is, or would be.
func (x *Index) Find(name string, stage int) (int, bool) {
	return sort.Find(len(x.Entries), func(i int) int {
		return compare(&Entry{Name: name, Stage: stage}, &x.Entries[i])
	})
}

// Get returns the merged entry of a name, or nil.
func (x *Index) Get(name string) *Entry {
	if i, ok := x.Find(name, Merged); ok {
		return &x.Entries[i]
	}
	return nil
}

// Has reports whether a name has an entry of any stage.
func (x *Index) Has(name string) bool {
	i, _ := x.Find(name, Merged)
	return i < len(x.Entries) && x.Entries[i].Name == name
}

// HasUnder reports whether there is an entry below a directory.
func (x *Index) HasUnder(dir string) bool {
	i, _ := x.Find(dir+"/", Merged)
	return i < len(x.Entries) && strings.HasPrefix(x.Entries[i].Name, dir+"/")
}

// Put adds an entry or replaces the one of its name and stage. A merged entry ends a conflict, and takes the place of what
// cannot be beside it: a directory of its name, or a file that it would be in.
func (x *Index) Put(e Entry) {
	if e.Stage == Merged {
		x.RemoveStages(e.Name)
		x.RemoveUnder(e.Name)
		for i := strings.LastIndexByte(e.Name, '/'); i > 0; i = strings.LastIndexByte(e.Name[:i], '/') {
			x.Remove(e.Name[:i])
		}
	}
	i, ok := x.Find(e.Name, e.Stage)
	if ok {
		x.Entries[i] = e
		return
	}
	x.Entries = slices.Insert(x.Entries, i, e)
}

// Remove takes out all entries of a name.
func (x *Index) Remove(name string) {
	i, _ := x.Find(name, Merged)
	j := i
	for j < len(x.Entries) && x.Entries[j].Name == name {
		j++
	}
	if j > i {
		x.Entries = slices.Delete(x.Entries, i, j)
	}
}

// RemoveStages takes out the entries of a conflict.
func (x *Index) RemoveStages(name string) {
	i, _ := x.Find(name, Base)
	j := i
	for j < len(x.Entries) && x.Entries[j].Name == name {
		j++
	}
	if j > i {
		x.Entries = slices.Delete(x.Entries, i, j)
	}
}

// RemoveUnder takes out all entries below a directory.
func (x *Index) RemoveUnder(dir string) {
	i, _ := x.Find(dir+"/", Merged)
	j := i
	for j < len(x.Entries) && strings.HasPrefix(x.Entries[j].Name, dir+"/") {
		j++
	}
	if j > i {
		x.Entries = slices.Delete(x.Entries, i, j)
	}
}

// Unmerged lists the names that a merge has left in conflict.
func (x *Index) Unmerged() []string {
	var names []string
	for i := range x.Entries {
		e := &x.Entries[i]
		if e.Stage != Merged && (len(names) == 0 || names[len(names)-1] != e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// Stages returns the entries of a conflict by stage; what there is not is nil.
func (x *Index) Stages(name string) (stages [4]*Entry) {
	i, _ := x.Find(name, Merged)
	for ; i < len(x.Entries) && x.Entries[i].Name == name; i++ {
		stages[x.Entries[i].Stage] = &x.Entries[i]
	}
	return stages
}

// Sort puts the entries in order after they were changed freely.
func (x *Index) Sort() {
	slices.SortFunc(x.Entries, func(a, b Entry) int { return compare(&a, &b) })
}

const (
	signature   = "DIRC"
	fixedSize   = 62 // of an entry before its name
	minEntry    = 63
	trailerSize = sha1.Size
)

// Decode reads an index.
func Decode(data []byte) (*Index, error) {
	if len(data) < 12+trailerSize || string(data[:4]) != signature {
		return nil, fmt.Errorf("%w: no signature", ErrCorrupt)
	}
	body := data[:len(data)-trailerSize]
	trailer := data[len(body):]
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], trailer) && !bytes.Equal(trailer, make([]byte, trailerSize)) {
		return nil, fmt.Errorf("%w: bad checksum", ErrCorrupt)
	}
	x := &Index{Version: binary.BigEndian.Uint32(data[4:])}
	if x.Version < 2 || x.Version > 4 {
		return nil, fmt.Errorf("%w: version %d", ErrCorrupt, x.Version)
	}
	count := int64(binary.BigEndian.Uint32(data[8:]))
	if count*minEntry > int64(len(data))*8 { // names of version 4 are compressed
		return nil, fmt.Errorf("%w: too short", ErrCorrupt)
	}
	d := decoder{data: body, at: 12, version: x.Version}
	x.Entries = make([]Entry, 0, min(count, int64(len(data)/fixedSize)))
	for range count {
		e, err := d.entry()
		if err != nil {
			return nil, err
		}
		if n := len(x.Entries); n > 0 && compare(&x.Entries[n-1], &e) >= 0 {
			return nil, fmt.Errorf("%w: entries are not sorted", ErrCorrupt)
		}
		x.Entries = append(x.Entries, e)
	}
	return x, d.extensions()
}

type decoder struct {
	data    []byte
	at      int
	version uint32
	last    string
	spent   int // bytes of decompressed names
}

// maxNames bounds what the compressed names of version 4 may grow to.
const maxNames = 256 << 20

func (d *decoder) entry() (Entry, error) {
	short := fmt.Errorf("%w: truncated entry", ErrCorrupt)
	if len(d.data)-d.at < fixedSize {
		return Entry{}, short
	}
	start := d.at
	b := d.data[start:]
	u := func(i int) uint32 { return binary.BigEndian.Uint32(b[i:]) }
	e := Entry{
		Ctime: Time{u(0), u(4)}, Mtime: Time{u(8), u(12)}, Dev: u(16), Ino: u(20),
		Mode: object.Mode(u(24)), UID: u(28), GID: u(32), Size: u(36),
	}
	copy(e.ID[:], b[40:])
	flags := binary.BigEndian.Uint16(b[60:])
	e.AssumeValid, e.Stage = flags&assumeValid != 0, int(flags>>stageShift&3)
	d.at += fixedSize
	if flags&extended != 0 {
		if d.version < 3 || len(d.data)-d.at < 2 {
			return Entry{}, short
		}
		more := binary.BigEndian.Uint16(d.data[d.at:])
		e.SkipWorktree, e.IntentToAdd = more&skipWorktree != 0, more&intentToAdd != 0
		d.at += 2
	}
	keep := 0
	if d.version == 4 {
		strip, err := d.varint()
		if err != nil || strip > len(d.last) {
			return Entry{}, short
		}
		keep = len(d.last) - strip
	}
	end := bytes.IndexByte(d.data[d.at:], 0)
	if end < 0 {
		return Entry{}, short
	}
	e.Name = d.last[:keep] + string(d.data[d.at:d.at+end])
	d.at += end + 1
	if d.version == 4 {
		d.last = e.Name
		if d.spent += len(e.Name); d.spent > maxNames {
			return Entry{}, fmt.Errorf("%w: names are too long", ErrCorrupt)
		}
		return e, nil
	}
	d.at = start + (d.at-1-start+8)&^7 // one to eight NULs
	if d.at > len(d.data) {
		return Entry{}, short
	}
	return e, nil
}

// varint reads the number of bytes to strip: seven bits a byte, each further byte counts one more.
func (d *decoder) varint() (int, error) {
	n := 0
	for i := 0; ; i++ {
		if d.at >= len(d.data) || i > 4 {
			return 0, ErrCorrupt
		}
		c := d.data[d.at]
		d.at++
		if i > 0 {
			n++
		}
		n = n<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return n, nil
		}
	}
}

// extensions checks that nothing follows that must be understood.
func (d *decoder) extensions() error {
	for rest := d.data[d.at:]; len(rest) >= 8; {
		if rest[0] < 'A' || rest[0] > 'Z' {
			return fmt.Errorf("%w: extension %q is not supported", ErrCorrupt, rest[:4])
		}
		n := int64(binary.BigEndian.Uint32(rest[4:]))
		if n > int64(len(rest)-8) {
			return fmt.Errorf("%w: truncated extension", ErrCorrupt)
		}
		rest = rest[8+n:]
	}
	return nil
}

// Encode returns the index as a file holds it.
func (x *Index) Encode() []byte {
	version := uint32(2)
	for i := range x.Entries {
		if x.Entries[i].SkipWorktree || x.Entries[i].IntentToAdd {
			version = 3
		}
	}
	b := make([]byte, 0, 12+len(x.Entries)*96+trailerSize)
	b = append(b, signature...)
	b = binary.BigEndian.AppendUint32(b, version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(x.Entries)))
	for i := range x.Entries {
		b = x.Entries[i].append(b)
	}
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

func (e *Entry) append(b []byte) []byte {
	start := len(b)
	for _, v := range [...]uint32{
		e.Ctime.Sec, e.Ctime.Nsec, e.Mtime.Sec, e.Mtime.Nsec, e.Dev, e.Ino, uint32(e.Mode), e.UID, e.GID, e.Size,
	} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = append(b, e.ID[:]...)
	flags := uint16(e.Stage)<<stageShift | uint16(min(len(e.Name), nameMask))
	if e.AssumeValid {
		flags |= assumeValid
	}
	var more uint16
	if e.SkipWorktree {
		more |= skipWorktree
	}
	if e.IntentToAdd {
		more |= intentToAdd
	}
	if more != 0 {
		flags |= extended
	}
	b = binary.BigEndian.AppendUint16(b, flags)
	if more != 0 {
		b = binary.BigEndian.AppendUint16(b, more)
	}
	b = append(b, e.Name...)
	for n := 8 - (len(b)-start)%8; n > 0; n-- {
		b = append(b, 0)
	}
	return b
}
