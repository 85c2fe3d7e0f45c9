package object

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"openclaw/toolwasm/guest/sys"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// Bounds of what is read of a pack at once.
const (
	maxPacks    = 4096
	maxIdxSize  = 256 << 20
	packTrailer = 20
	windowSize  = 256 << 10 // of a pack that is read at once
	maxWindows  = 96        // that are kept
)

// pack is a pack with its index in memory. Its file is opened when something is read of it.
type pack struct {
	path  string
	index *idxfile.MemoryIndex
	count int
	file  *os.File
	size  int64
	// windows hold parts of the file by their numbers.
	windows map[int64][]byte
}

// window returns the part of the pack that holds an offset.
func (p *pack) window(offset int64) ([]byte, error) {
	n := offset / windowSize
	if w, ok := p.windows[n]; ok {
		return w, nil
	}
	if len(p.windows) >= maxWindows {
		clear(p.windows)
	}
	w := make([]byte, min(windowSize, p.size-n*windowSize))
	got, err := p.file.ReadAt(w, n*windowSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	p.windows[n] = w[:got]
	return w[:got], nil
}

// packReader reads a pack from an offset on.
type packReader struct {
	p      *pack
	offset int64
	rest   []byte // of the window
}

func (r *packReader) fill() error {
	if len(r.rest) > 0 {
		return nil
	}
	if r.offset >= r.p.size-packTrailer {
		return io.EOF
	}
	w, err := r.p.window(r.offset)
	if err != nil {
		return err
	}
	at := r.offset % windowSize
	if at >= int64(len(w)) {
		return io.ErrUnexpectedEOF // the file has become shorter
	}
	r.rest = w[at:]
	return nil
}

func (r *packReader) Read(b []byte) (int, error) {
	if err := r.fill(); err != nil {
		return 0, err
	}
	n := copy(b, r.rest)
	r.rest, r.offset = r.rest[n:], r.offset+int64(n)
	return n, nil
}

func (r *packReader) ReadByte() (byte, error) {
	if err := r.fill(); err != nil {
		return 0, err
	}
	c := r.rest[0]
	r.rest, r.offset = r.rest[1:], r.offset+1
	return c, nil
}

// loadPacks reads the indexes of all packs the first time. A damaged pack is left out: what it held is then missing.
func (db *DB) loadPacks() []*pack {
	if db.packsLoaded {
		return db.packs
	}
	db.packsLoaded = true
	entries, err := sys.ReadDir(db.dir + "/pack")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || len(db.packs) >= maxPacks {
			continue
		}
		if p, err := openPack(db.dir + "/pack/" + base); err == nil {
			db.packs = append(db.packs, p)
		}
	}
	return db.packs
}

func openPack(base string) (*pack, error) {
	info, err := sys.Stat(base + ".idx")
	if err != nil || info.Size > maxIdxSize {
		return nil, fmt.Errorf("%w: %s.idx", ErrTooLarge, base)
	}
	data, err := sys.ReadFile(base + ".idx")
	if err != nil {
		return nil, err
	}
	index, err := DecodeIdx(data)
	if err != nil {
		return nil, err
	}
	n, err := index.Count()
	if err != nil {
		return nil, err
	}
	return &pack{path: base + ".pack", index: index, count: int(n)}, nil
}

// idxHeader is the length of the signature, the version and the fan-out table.
const idxHeader = 8 + 256*4

// DecodeIdx reads the index of a pack. The numbers of objects that it claims are compared with its length first.
func DecodeIdx(data []byte) (*idxfile.MemoryIndex, error) {
	if len(data) < idxHeader {
		return nil, fmt.Errorf("%w: index of a pack is too short", ErrCorrupt)
	}
	var last uint32
	for i := range 256 {
		n := binary.BigEndian.Uint32(data[8+4*i:])
		if n < last {
			return nil, fmt.Errorf("%w: index of a pack is not sorted", ErrCorrupt)
		}
		last = n
	}
	if int64(last)*28 > int64(len(data)-idxHeader) {
		return nil, fmt.Errorf("%w: index of a pack is too short", ErrCorrupt)
	}
	index := idxfile.NewMemoryIndex()
	if err := idxfile.NewDecoder(bytes.NewReader(data)).Decode(index); err != nil {
		return nil, fmt.Errorf("%w: index of a pack: %w", ErrCorrupt, err)
	}
	return index, nil
}

func (db *DB) findPacked(id ID) (*pack, int64, bool) {
	for _, p := range db.loadPacks() {
		if offset, err := p.index.FindOffset(id); err == nil {
			return p, offset, true
		}
	}
	return nil, 0, false
}

// prefix appends the names that begin so.
func (p *pack) prefix(found []ID, prefix string) []ID {
	var first [1]byte
	fmt.Sscanf(prefix[:2], "%02x", &first[0])
	bucket := p.index.FanoutMapping[first[0]]
	if bucket < 0 || bucket >= len(p.index.Names) {
		return found
	}
	names := p.index.Names[bucket]
	for len(names) >= len(ID{}) {
		var id ID
		copy(id[:], names)
		names = names[len(id):]
		if strings.HasPrefix(id.String(), prefix) {
			found = append(found, id)
		}
	}
	return found
}

func (p *pack) open() error {
	if p.file != nil {
		return nil
	}
	f, err := sys.OpenFile(p.path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	info, err := sys.Fstat(f)
	if err != nil {
		f.Close()
		return err
	}
	p.file, p.size, p.windows = f, info.Size, map[int64][]byte{}
	return nil
}

func (p *pack) close() {
	if p.file != nil {
		p.file.Close()
		p.file, p.windows = nil, nil
	}
}

// packed is the header of an object in a pack.
type packed struct {
	kind plumbing.ObjectType
	size int64
	data int64 // where its compressed bytes begin
	base int64 // where a delta's base is, in this pack
	ref  ID    // or what its name is
}

// header reads the header of the object at offset.
func (p *pack) header(offset int64) (packed, error) {
	var h packed
	if err := p.open(); err != nil {
		return h, err
	}
	b := &packReader{p: p, offset: offset}
	c, err := b.ReadByte()
	if err != nil {
		return h, fmt.Errorf("%w: pack ends early", ErrCorrupt)
	}
	h.kind, h.size = plumbing.ObjectType(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = b.ReadByte(); err != nil || shift > 55 {
			return h, fmt.Errorf("%w: size of a packed object", ErrCorrupt)
		}
		h.size |= int64(c&0x7f) << shift
	}
	if h.size < 0 || h.size > MaxSize {
		return h, ErrTooLarge
	}
	switch h.kind {
	case plumbing.OFSDeltaObject:
		back, err := readBackOffset(b)
		if err != nil || back <= 0 || back >= offset {
			return h, fmt.Errorf("%w: base of a delta", ErrCorrupt)
		}
		h.base = offset - back
	case plumbing.REFDeltaObject:
		if _, err := io.ReadFull(b, h.ref[:]); err != nil {
			return h, fmt.Errorf("%w: base of a delta", ErrCorrupt)
		}
	case CommitKind, TreeKind, BlobKind, TagKind:
	default:
		return h, fmt.Errorf("%w: unknown kind of packed object", ErrCorrupt)
	}
	h.data = b.offset
	return h, nil
}

// readBackOffset reads the distance to a base: seven bits a byte, each further byte counts one more.
func readBackOffset(b io.ByteReader) (int64, error) {
	c, err := b.ReadByte()
	n := int64(c & 0x7f)
	for err == nil && c&0x80 != 0 {
		if n > 1<<48 {
			return 0, ErrCorrupt
		}
		c, err = b.ReadByte()
		n = (n+1)<<7 | int64(c&0x7f)
	}
	return n, err
}

// inflate returns the content at a header's data.
func (p *pack) inflate(db *DB, h packed) ([]byte, error) {
	z, err := db.inflate(&packReader{p: p, offset: h.data})
	if err != nil {
		return nil, err
	}
	return readExactly(z, h.size)
}

// chain follows deltas from offset to an object that is whole, or to one that the cache holds. It returns the headers of the
// deltas, outermost first, and what they build on.
func (p *pack) chain(db *DB, offset int64) (deltas []packed, places []int64, kind Kind, base []byte, err error) {
	for {
		if kind, data, ok := db.cache.get(p, offset); ok {
			return deltas, places, kind, data, nil
		}
		h, err := p.header(offset)
		if err != nil {
			return nil, nil, 0, nil, err
		}
		if !h.kind.IsDelta() {
			data, err := p.inflate(db, h)
			if err == nil {
				db.cache.put(p, offset, h.kind, data)
			}
			return deltas, places, h.kind, data, err
		}
		if len(deltas) >= maxDeltaChain {
			return nil, nil, 0, nil, fmt.Errorf("%w: chain of deltas is too long", ErrCorrupt)
		}
		deltas, places = append(deltas, h), append(places, offset)
		if h.kind == plumbing.OFSDeltaObject {
			offset = h.base
			continue
		}
		if at, err := p.index.FindOffset(h.ref); err == nil {
			offset = at
			continue
		}
		// The base of a thin pack that has been completed lies in another place: loose, as nothing else is written.
		kind, data, err := db.readLoose(h.ref, true)
		return deltas, places, kind, data.content, err
	}
}

func (p *pack) read(db *DB, offset int64, id ID) (Kind, []byte, error) {
	deltas, places, kind, data, err := p.chain(db, offset)
	if err != nil {
		return 0, nil, fmt.Errorf("object: read %s: %w", id, err)
	}
	for i := len(deltas) - 1; i >= 0; i-- {
		db.yield()
		delta, err := p.inflate(db, deltas[i])
		if err != nil {
			return 0, nil, corrupt(id, err)
		}
		if data, err = applyDelta(data, delta); err != nil {
			return 0, nil, fmt.Errorf("object: read %s: %w", id, err)
		}
		db.cache.put(p, places[i], kind, data)
	}
	return kind, data, nil
}

// applyDelta builds an object out of its base, once the sizes that the delta claims have been looked at.
func applyDelta(base, delta []byte) ([]byte, error) {
	source, n := binary.Uvarint(delta)
	if n <= 0 || source != uint64(len(base)) {
		return nil, fmt.Errorf("%w: delta is for another base", ErrCorrupt)
	}
	target, m := binary.Uvarint(delta[n:])
	if m <= 0 {
		return nil, fmt.Errorf("%w: delta without size", ErrCorrupt)
	}
	if target > MaxSize {
		return nil, ErrTooLarge
	}
	if target == 0 {
		return nil, nil
	}
	out, err := packfile.PatchDelta(base, delta)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if uint64(len(out)) != target {
		return nil, fmt.Errorf("%w: delta makes another size", ErrCorrupt)
	}
	return out, nil
}

// info finds the kind and the size of an object without building it.
func (p *pack) info(db *DB, offset int64) (Kind, int64, error) {
	h, err := p.header(offset)
	if err != nil {
		return 0, 0, err
	}
	if !h.kind.IsDelta() {
		return h.kind, h.size, nil
	}
	kind, data, err := p.read(db, offset, ID{})
	return kind, int64(len(data)), err
}

// deltaCache keeps what deltas build on, the oldest going first.
type deltaCache struct {
	entries map[cacheKey]cached
	order   []cacheKey
	size    int
}

type cacheKey struct {
	p      *pack
	offset int64
}

type cached struct {
	kind Kind
	data []byte
}

func (c *deltaCache) get(p *pack, offset int64) (Kind, []byte, bool) {
	e, ok := c.entries[cacheKey{p, offset}]
	return e.kind, e.data, ok
}

func (c *deltaCache) put(p *pack, offset int64, kind Kind, data []byte) {
	if len(data) > cacheSize/4 {
		return
	}
	if c.entries == nil {
		c.entries = map[cacheKey]cached{}
	}
	key := cacheKey{p, offset}
	if _, ok := c.entries[key]; ok {
		return
	}
	c.entries[key] = cached{kind, data}
	c.order = append(c.order, key)
	c.size += len(data)
	for c.size > cacheSize && len(c.order) > 0 {
		old := c.order[0]
		c.order = c.order[1:]
		c.size -= len(c.entries[old].data)
		delete(c.entries, old)
	}
}
