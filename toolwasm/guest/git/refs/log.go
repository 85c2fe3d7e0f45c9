package refs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

// maxLog bounds the log of a reference that is read.
const maxLog = 64 << 20

// LogEntry is one change of a reference.
type LogEntry struct {
	Old, New object.ID
	Who      object.Signature
	Message  string
}

func (s *Store) logPath(name string) string {
	if strings.HasPrefix(name, "refs/") {
		return s.common + "/logs/" + name
	}
	return s.dir + "/logs/" + name
}

// HasLog reports whether changes of a reference are kept.
func (s *Store) HasLog(name string) bool {
	_, err := sys.Stat(s.logPath(name))
	return err == nil
}

// Log appends to the log of a reference. As git does by default, only HEAD, branches, notes, remotes and the stash have one.
func (s *Store) Log(name string, e LogEntry) error {
	kept := name == Head || name == Stash || strings.HasPrefix(name, Heads) || strings.HasPrefix(name, "refs/remotes/") ||
		strings.HasPrefix(name, "refs/notes/")
	if !kept || !ValidName(name) {
		return nil
	}
	file := s.logPath(name)
	if err := s.mkdirs(path.Dir(file)); err != nil {
		return err
	}
	if info, err := sys.Lstat(file); err == nil && info.IsDir() {
		removeEmpty(file, 0)
	}
	f, err := sys.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, fileMode&^s.umask)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(e.line()))
	return errors.Join(err, f.Close())
}

func (e LogEntry) line() string {
	message := strings.Join(strings.Fields(e.Message), " ")
	text := e.Old.String() + " " + e.New.String() + " " + e.Who.String()
	if message != "" {
		text += "\t" + message
	}
	return text + "\n"
}

// ReadLog returns the changes of a reference, oldest first.
func (s *Store) ReadLog(name string) ([]LogEntry, error) {
	if !ValidName(name) {
		return nil, fs.ErrNotExist
	}
	file := s.logPath(name)
	info, err := sys.Stat(file)
	if err != nil || info.IsDir() || info.Size > maxLog {
		return nil, fs.ErrNotExist
	}
	data, err := sys.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []LogEntry
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		who, message, _ := strings.Cut(line, "\t")
		if len(who) < 2*object.HexLen+2 {
			continue
		}
		before, ok1 := object.ParseID(who[:object.HexLen])
		after, ok2 := object.ParseID(who[object.HexLen+1 : 2*object.HexLen+1])
		if ok1 && ok2 {
			list = append(list, LogEntry{before, after, object.ParseSignature(who[2*object.HexLen+2:]), message})
		}
	}
	return list, nil
}

// WriteLog replaces the log of a reference.
func (s *Store) WriteLog(name string, list []LogEntry) error {
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.line())
	}
	return WriteAtomic(s.logPath(name), []byte(b.String()), fileMode&^s.umask)
}

// RenameLog moves the log of a reference to another.
func (s *Store) RenameLog(from, to string) error {
	if !s.HasLog(from) {
		return nil
	}
	list, err := s.ReadLog(from)
	if err != nil {
		return err
	}
	if err := s.mkdirs(path.Dir(s.logPath(to))); err != nil {
		return err
	}
	return s.WriteLog(to, list)
}
