package object

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/sys"

	"github.com/go-git/go-git/v5/plumbing"
)

// Modes of what the database makes; the umask is taken off that of directories.
const (
	looseMode = 0o444
	dirMode   = 0o777
)

// cacheSize is how many bytes of decoded objects are kept for the deltas that build on them.
const cacheSize = 24 << 20

// DB is the object database in one directory.
type DB struct {
	dir   string
	umask fs.FileMode
	yield func()

	packs       []*pack
	packsLoaded bool
	fanout      map[string][]string // names of loose objects by directory, for abbreviations
	cache       deltaCache
	inflater    io.ReadCloser
	deflater    *zlib.Writer
	trees       map[ID][]Entry
	commits     map[ID]*Commit
}

// Open returns the database in a directory. yield is called now and then in long work.
func Open(dir string, umask fs.FileMode, yield func()) *DB {
	return &DB{
		dir: dir, umask: umask, yield: yield,
		trees: map[ID][]Entry{}, commits: map[ID]*Commit{}, fanout: map[string][]string{},
	}
}

// Close gives back what the database holds open.
func (db *DB) Close() {
	for _, p := range db.packs {
		p.close()
	}
	db.packs, db.packsLoaded = nil, false
}

func (db *DB) loosePath(id ID) string {
	s := id.String()
	return db.dir + "/" + s[:2] + "/" + s[2:]
}

// Has reports whether the database has an object.
func (db *DB) Has(id ID) bool {
	if _, _, ok := db.findPacked(id); ok {
		return true
	}
	_, err := sys.Lstat(db.loosePath(id))
	return err == nil
}

// Read returns an object. The bytes belong to the database and are not to be changed.
func (db *DB) Read(id ID) (Kind, []byte, error) {
	db.yield()
	if id == EmptyTree() {
		return TreeKind, nil, nil
	}
	if p, offset, ok := db.findPacked(id); ok {
		return p.read(db, offset, id)
	}
	kind, data, err := db.readLoose(id, true)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, fmt.Errorf("%w %s", ErrNotFound, id)
	}
	return kind, data.content, err
}

// Info returns the kind and the size of an object.
func (db *DB) Info(id ID) (Kind, int64, error) {
	if id == EmptyTree() {
		return TreeKind, 0, nil
	}
	if p, offset, ok := db.findPacked(id); ok {
		return p.info(db, offset)
	}
	kind, data, err := db.readLoose(id, false)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fmt.Errorf("%w %s", ErrNotFound, id)
	}
	return kind, data.size, err
}

// loose is what a file of a loose object holds.
type loose struct {
	size    int64
	content []byte
}

func (db *DB) readLoose(id ID, withContent bool) (Kind, loose, error) {
	f, err := sys.OpenFile(db.loosePath(id), os.O_RDONLY, 0)
	if err != nil {
		return 0, loose{}, err
	}
	defer f.Close()
	z, err := db.inflate(f)
	if err != nil {
		return 0, loose{}, corrupt(id, err)
	}
	var head [maxHeader]byte
	n, err := io.ReadAtLeast(z, head[:], 1)
	for err == nil && n < maxHeader && bytes.IndexByte(head[:n], 0) < 0 {
		var more int
		more, err = z.Read(head[n:])
		n += more
	}
	end := bytes.IndexByte(head[:n], 0)
	if end < 0 {
		return 0, loose{}, corrupt(id, errors.New("header without end"))
	}
	name, digits, _ := strings.Cut(string(head[:end]), " ")
	kind, err := plumbing.ParseObjectType(name)
	if err != nil || kind > TagKind {
		return 0, loose{}, corrupt(id, errors.New("unknown kind"))
	}
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 {
		return 0, loose{}, corrupt(id, errors.New("malformed size"))
	}
	if !withContent {
		return kind, loose{size: size}, nil
	}
	if size > MaxSize {
		return 0, loose{}, fmt.Errorf("%w: %s", ErrTooLarge, id)
	}
	content, err := readExactly(io.MultiReader(bytes.NewReader(head[end+1:n]), z), size)
	if err != nil {
		return 0, loose{}, corrupt(id, err)
	}
	if kind != BlobKind && Hash(kind, content) != id {
		return 0, loose{}, corrupt(id, errors.New("content does not have this name"))
	}
	return kind, loose{size, content}, nil
}

// readExactly reads size bytes and makes sure that no more follow. A size that is a lie costs only what is there.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	const trusted = 1 << 20
	wrong := errors.New("size differs from the header's")
	if size <= trusted {
		b := make([]byte, size+1)
		n, err := io.ReadFull(r, b)
		switch {
		case err == nil || int64(n) != size:
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, err
			}
			return nil, wrong
		case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil, err
		}
		return b[:size:size], nil
	}
	var b bytes.Buffer
	b.Grow(trusted)
	n, err := b.ReadFrom(io.LimitReader(r, size+1))
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, wrong
	}
	return b.Bytes(), nil
}

func corrupt(id ID, err error) error { return fmt.Errorf("%w: %s: %w", ErrCorrupt, id, err) }

// inflate returns the database's decompressor set to r.
func (db *DB) inflate(r io.Reader) (io.Reader, error) {
	if db.inflater == nil {
		z, err := zlib.NewReader(r)
		if err != nil {
			return nil, err
		}
		db.inflater = z
		return z, nil
	}
	if err := db.inflater.(zlib.Resetter).Reset(r, nil); err != nil {
		return nil, err
	}
	return db.inflater, nil
}

// Write stores an object, unless it is there already, and returns its name.
func (db *DB) Write(kind Kind, data []byte) (ID, error) {
	id := Hash(kind, data)
	if db.Has(id) {
		return id, nil
	}
	target := db.loosePath(id)
	if err := db.mkdir(path.Dir(target)); err != nil {
		return id, err
	}
	f, temp, err := sys.CreateTemp(path.Dir(target), "tmp_obj_*", 0o600)
	if err != nil {
		return id, err
	}
	done := false
	defer func() {
		if !done {
			_ = sys.Unlink(temp)
		}
	}()
	err = db.deflate(f, kind, data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return id, err
	}
	if err := sys.Chmod(temp, looseMode); err != nil {
		return id, err
	}
	if err := sys.Rename(temp, target); err != nil {
		return id, err
	}
	done = true
	delete(db.fanout, id.String()[:2])
	return id, nil
}

func (db *DB) deflate(w io.Writer, kind Kind, data []byte) error {
	var b bytes.Buffer
	if db.deflater == nil {
		db.deflater = zlib.NewWriter(&b)
	} else {
		db.deflater.Reset(&b)
	}
	db.deflater.Write(fmt.Appendf(nil, "%s %d\x00", kind, len(data)))
	db.deflater.Write(data)
	if err := db.deflater.Close(); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (db *DB) mkdir(dir string) error {
	err := sys.Mkdir(dir, dirMode&^db.umask)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Commit returns a decoded commit.
func (db *DB) Commit(id ID) (*Commit, error) {
	if c, ok := db.commits[id]; ok {
		return c, nil
	}
	kind, data, err := db.Read(id)
	if err != nil {
		return nil, err
	}
	if kind != CommitKind {
		return nil, fmt.Errorf("object: read commit %s: it is a %s", id, kind)
	}
	c, err := ParseCommit(id, data)
	if err == nil {
		db.commits[id] = c
	}
	return c, err
}

// maxTrees is how many decoded trees are kept.
const maxTrees = 4096

// Tree returns the entries of a tree, which are not to be changed.
func (db *DB) Tree(id ID) ([]Entry, error) {
	if t, ok := db.trees[id]; ok {
		return t, nil
	}
	kind, data, err := db.Read(id)
	if err != nil {
		return nil, err
	}
	if kind != TreeKind {
		return nil, fmt.Errorf("object: read tree %s: it is a %s", id, kind)
	}
	t, err := ParseTree(data)
	if err != nil {
		return nil, err
	}
	if len(db.trees) >= maxTrees {
		clear(db.trees)
	}
	db.trees[id] = t
	return t, nil
}

// Blob returns the content of a blob.
func (db *DB) Blob(id ID) ([]byte, error) {
	kind, data, err := db.Read(id)
	if err != nil {
		return nil, err
	}
	if kind != BlobKind {
		return nil, fmt.Errorf("object: read blob %s: it is a %s", id, kind)
	}
	return data, nil
}

// Prefix lists the objects whose names begin with at least two digits.
func (db *DB) Prefix(prefix string) []ID {
	prefix = strings.ToLower(prefix)
	var found []ID
	for _, name := range db.looseNames(prefix[:2]) {
		if id, ok := ParseID(prefix[:2] + name); ok && strings.HasPrefix(id.String(), prefix) {
			found = append(found, id)
		}
	}
	for _, p := range db.loadPacks() {
		found = p.prefix(found, prefix)
	}
	slices.SortFunc(found, func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(found)
}

// looseNames lists the files of one directory of loose objects.
func (db *DB) looseNames(dir string) []string {
	if names, ok := db.fanout[dir]; ok {
		return names
	}
	entries, _ := sys.ReadDir(db.dir + "/" + dir)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	db.fanout[dir] = names
	return names
}

// minAbbrev is how short names get at the least.
const minAbbrev = 7

// Abbrev returns the shortest prefix of a name, of at least n digits, that no other object has. n = 0 chooses by the
// size of the database.
func (db *DB) Abbrev(id ID, n int) string {
	s := id.String()
	if n == 0 {
		n = db.defaultAbbrev()
	}
	if n >= HexLen {
		return s
	}
	n = max(n, 4)
	longest := 0
	for _, other := range db.Prefix(s[:n]) {
		if other != id {
			longest = max(longest, commonPrefix(s, other.String()))
		}
	}
	return s[:min(max(n, longest+1), HexLen)]
}

// defaultAbbrev grows with the number of objects, so that a clash is unlikely for some time.
func (db *DB) defaultAbbrev() int {
	count := 0
	for _, p := range db.loadPacks() {
		count += p.count
	}
	bits := 0
	for count > 0 {
		count >>= 1
		bits++
	}
	return max((bits+1)/2, minAbbrev)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
