// Package object is the object database of a git repository: loose objects and packs, read and written through sys.
//
// It promises that what it returns is what the name says, as far as sizes and kinds go, and that a damaged or hostile
// repository costs an error: objects, chains of deltas and their parts are bounded before memory is taken for them.
// The formats of packs, their indexes and their deltas are go-git's.
package object

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// ID is the name of an object.
type ID = plumbing.Hash

// Kind is what an object is.
type Kind = plumbing.ObjectType

// The kinds of objects.
const (
	CommitKind = plumbing.CommitObject
	TreeKind   = plumbing.TreeObject
	BlobKind   = plumbing.BlobObject
	TagKind    = plumbing.TagObject
)

// Limits on what a repository may cost.
const (
	MaxSize       = 128 << 20 // of one object
	maxDeltaChain = 4096      // git writes at most 4095
	maxHeader     = 32        // of a loose object: "commit 123456\0"
	MaxTreeDepth  = 2048      // directories in one another
)

var (
	// ErrNotFound reports an object that the database does not have.
	ErrNotFound = errors.New("object: read: no such object")
	// ErrTooLarge reports an object that would take too much memory.
	ErrTooLarge = errors.New("object: read: object is too large")
	// ErrCorrupt reports an object that cannot be decoded.
	ErrCorrupt = errors.New("object: read: object is corrupt")
)

// HexLen is the length of an ID in hexadecimal digits.
const HexLen = 40

// emptyTree is the name of the tree without entries, which every repository has.
var emptyTree = plumbing.NewHash("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

// EmptyTree is the name of the tree without entries, which every repository has.
func EmptyTree() ID { return emptyTree }

// Hash is the name that an object has.
func Hash(kind Kind, data []byte) ID { return plumbing.ComputeHash(kind, data) }

// ParseID reads 40 hexadecimal digits.
func ParseID(s string) (ID, bool) {
	if len(s) != HexLen || !IsHex(s) {
		return ID{}, false
	}
	return plumbing.NewHash(s), true
}

// IsHex reports whether s has only hexadecimal digits.
func IsHex(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if (s[i] < '0' || s[i] > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Signature says who did something, and when.
type Signature struct {
	Name, Email string
	When        int64 // seconds since 1970
	Zone        string
}

// String returns the signature as objects hold it.
func (s Signature) String() string {
	return s.Name + " <" + s.Email + "> " + strconv.FormatInt(s.When, 10) + " " + s.Zone
}

// ParseSignature reads a signature; what is missing stays empty.
func ParseSignature(s string) Signature {
	open := strings.IndexByte(s, '<')
	if open < 0 {
		return Signature{Name: strings.TrimSpace(s), Zone: "+0000"}
	}
	sig := Signature{Name: strings.TrimSpace(s[:open]), Zone: "+0000"}
	end := strings.LastIndexByte(s, '>')
	if end < open {
		sig.Email = s[open+1:]
		return sig
	}
	sig.Email = s[open+1 : end]
	fields := strings.Fields(s[end+1:])
	if len(fields) > 0 {
		sig.When, _ = strconv.ParseInt(fields[0], 10, 64)
	}
	if len(fields) > 1 && validZone(fields[1]) {
		sig.Zone = fields[1]
	}
	return sig
}

func validZone(s string) bool {
	if len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return false
	}
	_, err := strconv.Atoi(s[1:])
	return err == nil
}

// Offset is the zone's distance from UTC in seconds.
func (s Signature) Offset() int {
	n, err := strconv.Atoi(s.Zone)
	if err != nil {
		return 0
	}
	return (n/100)*3600 + (n%100)*60
}

// Commit is a decoded commit.
type Commit struct {
	ID        ID
	Tree      ID
	Parents   []ID
	Author    Signature
	Committer Signature
	Encoding  string
	Message   string
}

// ParseCommit decodes a commit.
func ParseCommit(id ID, data []byte) (*Commit, error) {
	c := &Commit{ID: id}
	rest := string(data)
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if line == "" {
			break
		}
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			tree, ok := ParseID(value)
			if !ok {
				return nil, fmt.Errorf("%w: tree of commit %s", ErrCorrupt, id)
			}
			c.Tree = tree
		case "parent":
			parent, ok := ParseID(value)
			if !ok {
				return nil, fmt.Errorf("%w: parent of commit %s", ErrCorrupt, id)
			}
			c.Parents = append(c.Parents, parent)
		case "author":
			c.Author = ParseSignature(value)
		case "committer":
			c.Committer = ParseSignature(value)
		case "encoding":
			c.Encoding = value
		}
	}
	c.Message = rest
	return c, nil
}

// Encode returns the commit as the database holds it.
func (c *Commit) Encode() []byte {
	var b strings.Builder
	b.WriteString("tree " + c.Tree.String() + "\n")
	for _, p := range c.Parents {
		b.WriteString("parent " + p.String() + "\n")
	}
	b.WriteString("author " + c.Author.String() + "\n")
	b.WriteString("committer " + c.Committer.String() + "\n")
	if c.Encoding != "" {
		b.WriteString("encoding " + c.Encoding + "\n")
	}
	b.WriteString("\n" + c.Message)
	return []byte(b.String())
}

// Subject is the first paragraph of the message on one line.
func (c *Commit) Subject() string { return Subject(c.Message) }

// Subject is the first paragraph of a message on one line.
func Subject(message string) string {
	subject, _ := splitMessage(message)
	return subject
}

// Body is what follows the subject.
func Body(message string) string {
	_, body := splitMessage(message)
	return body
}

func splitMessage(message string) (subject, body string) {
	for message != "" {
		line, rest, _ := strings.Cut(message, "\n")
		if strings.TrimSpace(line) != "" {
			break
		}
		message = rest
	}
	var parts []string
	for message != "" {
		line, rest, _ := strings.Cut(message, "\n")
		line = strings.TrimRight(line, " \t\r\v\f")
		if line == "" {
			break
		}
		parts = append(parts, line)
		message = rest
	}
	for message != "" {
		line, rest, _ := strings.Cut(message, "\n")
		if strings.TrimSpace(line) != "" {
			break
		}
		message = rest
	}
	return strings.Join(parts, " "), message
}

// Tag is a decoded annotated tag.
type Tag struct {
	Target     ID
	TargetKind string
	Name       string
	Tagger     Signature
	HasTagger  bool
	Message    string
}

// ParseTag decodes an annotated tag.
func ParseTag(data []byte) (*Tag, error) {
	t := &Tag{}
	rest := string(data)
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if line == "" {
			break
		}
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "object":
			id, ok := ParseID(value)
			if !ok {
				return nil, fmt.Errorf("%w: object of a tag", ErrCorrupt)
			}
			t.Target = id
		case "type":
			t.TargetKind = value
		case "tag":
			t.Name = value
		case "tagger":
			t.Tagger, t.HasTagger = ParseSignature(value), true
		}
	}
	t.Message = rest
	return t, nil
}

// Encode returns the tag as the database holds it.
func (t *Tag) Encode() []byte {
	return []byte("object " + t.Target.String() + "\ntype " + t.TargetKind + "\ntag " + t.Name + "\ntagger " +
		t.Tagger.String() + "\n\n" + t.Message)
}
