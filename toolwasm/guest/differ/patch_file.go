package differ

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// fileJob applies a patch to one file.
type fileJob struct {
	t    *patcher
	fp   *filePatch
	name string // what is read
	out  string // what is written

	data     []byte
	mode     fs.FileMode
	exists   bool
	applied  int
	rejected []hunk
	mismatch bool
}

func (j *fileJob) announce() {
	t := j.t
	verb := "patching"
	if t.dry {
		verb = "checking"
	}
	switch {
	case j.out != j.name && j.fp.copied:
		j.t.say("%s file %s (copied from %s)\n", verb, j.out, j.name)
	case j.out != j.name:
		j.t.say("%s file %s (renamed from %s)\n", verb, j.out, j.name)
	case t.output != "":
		j.t.say("%s file %s (read from %s)\n", verb, t.output, j.name)
	case j.irregular() || j.wrongExistence():
		// The message about that takes its place.
	default:
		j.t.say("%s file %s\n", verb, j.name)
	}
}

// wrongExistence reports a patch that creates what exists, or deletes what does not.
func (j *fileJob) wrongExistence() bool {
	info, err := j.t.p.Lstat(j.name)
	if j.fp.creates() && !j.fp.deletes() {
		return err == nil && info.Size > 0 && !j.t.force && j.t.output == ""
	}
	return j.fp.deletes() && err != nil && !j.t.force
}

// irregular reports a name that is there but no regular file.
func (j *fileJob) irregular() bool {
	info, err := j.t.p.Lstat(j.name)
	return err == nil && !info.IsRegular()
}

func (j *fileJob) run() {
	if j.wrongExistence() {
		j.refuseExistence()
		return
	}
	if !j.read() {
		return
	}
	a := j.hunks()
	if a == nil {
		return
	}
	j.finish(a)
}

// refuseExistence asks what GNU patch would ask; nobody is there to say yes.
func (j *fileJob) refuseExistence() {
	t := j.t
	t.status = max(t.status, differs)
	_, err := t.p.Lstat(j.name)
	not := "which already exists!"
	deed := "create"
	if err != nil {
		not, deed = "which does not exist!", "delete"
	}
	when := ""
	if t.reverse {
		when = ", when reversed,"
	}
	t.tell("The next patch%s would %s the file %s,\n%s  ", when, deed, j.name, not)
	j.reversedQuestion()
	t.hunksText(len(j.fp.hunks), len(j.fp.hunks), "ignored\n")
}

// reversedQuestion writes the questions about a reversed patch and the answers that silence gives.
func (j *fileJob) reversedQuestion() {
	t := j.t
	switch {
	case t.forward:
		t.tell("Skipping patch.\n")
	case t.batch:
		t.tell("Skipping patch.\n")
	case t.reverse:
		t.tell("Ignore -R? [n] \nApply anyway? [n] \nSkipping patch.\n")
	default:
		t.tell("Assume -R? [n] \nApply anyway? [n] \nSkipping patch.\n")
	}
}

func (j *fileJob) read() bool {
	p := j.t.p
	info, err := p.Lstat(j.name)
	j.mode = 0o666 &^ p.Umask
	if err == nil {
		if !info.IsRegular() {
			j.t.tell("File %s is not a regular file -- refusing to patch\n", j.name)
			j.ignoreAll()
			return false
		}
		j.exists, j.mode = true, info.Mode
		j.data, err = p.ReadFile(j.name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.t.fatal("Can't reopen file %s : %s", j.name, sys.Strerror(err))
	}
	if !j.exists && !j.fp.creates() && !j.fp.startsEmpty() && len(j.fp.hunks) > 0 {
		if len(j.fp.hunks) > 0 {
			j.t.tell("Hunk #1 FAILED at %d.\n", j.fp.hunks[0].firstLine())
		}
		j.t.fatal("Can't reopen file %s : No such file or directory", j.name)
	}
	return true
}

// ignoreAll counts every hunk as not applied, and saves them.
func (j *fileJob) ignoreAll() {
	j.t.status = max(j.t.status, differs)
	j.rejected = j.fp.hunks
	j.saveRejects("ignored")
}

// hunks applies what fits. It returns nil when the whole patch was skipped.
func (j *fileJob) hunks() *applier {
	t := j.t
	s := source{data: j.data}
	s.split()
	a := &applier{lines: s.lines, looseSpace: t.looseSpace, yield: t.p.Yield}
	for i := range j.fp.hunks {
		t.p.Yield()
		h := &j.fp.hunks[i]
		r := a.find(h, t.fuzz)
		if i == 0 && (r.where == 0 || r.fuzz > 0) && j.seemsReversed(a, h, r) {
			if !t.batch {
				j.skipReversed()
				return nil
			}
			t.tell("%s patch detected!  %s -R.\n", j.reversedWord(), map[bool]string{true: "Ignoring", false: "Assuming"}[t.reverse])
			j.fp.reverse()
			j.mismatch = true
			r = a.find(h, t.fuzz)
		}
		j.one(a, h, i+1, r)
	}
	return a
}

func (j *fileJob) reversedWord() string {
	if j.t.reverse {
		return "Unreversed"
	}
	return "Reversed (or previously applied)"
}

// seemsReversed reports whether the first hunk fits the other way round, with less fuzz than forwards.
func (j *fileJob) seemsReversed(a *applier, h *hunk, forwards result) bool {
	if j.t.force {
		return false
	}
	back := *h
	back.reverse()
	if len(back.side('+')) == 0 {
		return false
	}
	r := a.find(&back, j.t.fuzz)
	return r.where > 0 && (forwards.where == 0 || r.fuzz < forwards.fuzz)
}

func (j *fileJob) skipReversed() {
	t := j.t
	t.tell("%s patch detected!  ", j.reversedWord())
	j.reversedQuestion()
	j.ignoreAll()
}

// one applies a hunk, or sets it aside, and says so.
func (j *fileJob) one(a *applier, h *hunk, number int, r result) {
	t := j.t
	if r.where == 0 {
		t.status = max(t.status, differs)
		j.rejected = append(j.rejected, *h)
		j.mismatch = true
		t.say("Hunk #%d FAILED at %d.\n", number, r.shown)
		return
	}
	a.apply(h, r)
	j.applied++
	if r.fuzz == 0 && r.offset == 0 {
		if t.verbose {
			t.say("Hunk #%d succeeded at %d.\n", number, r.shown)
		}
		return
	}
	j.mismatch = true
	msg := fmt.Sprintf("Hunk #%d succeeded at %d", number, r.shown)
	if r.fuzz > 0 {
		msg += " with fuzz " + strconv.Itoa(r.fuzz)
	}
	if r.offset != 0 {
		s := "s"
		if r.offset == 1 {
			s = ""
		}
		msg += fmt.Sprintf(" (offset %d line%s)", r.offset, s)
	}
	t.say("%s.\n", msg)
}

// finish writes the result, the backup and the rejects.
func (j *fileJob) finish(a *applier) {
	t := j.t
	data := a.finish()
	if t.output != "" {
		t.collected = append(t.collected, data...)
	} else if !t.dry {
		j.install(data)
	}
	if len(j.rejected) > 0 {
		j.saveRejects("FAILED")
	}
}

func (j *fileJob) install(data []byte) {
	t, p := j.t, j.t.p
	remove := (j.fp.deletes() || t.empty) && len(data) == 0 && len(j.rejected) == 0
	changed := j.out != j.name || !bytes.Equal(data, j.data) || !j.exists
	if t.backup && (j.applied > 0 || changed) || t.mismatch && j.mismatch {
		if err := j.saveBackup(); err != nil {
			t.fatal("Can't create file %s : %s", j.backupName(), sys.Strerror(err))
		}
	}
	if mode, err := strconv.ParseUint(j.fp.newMode, 8, 32); err == nil && j.fp.newMode != "" {
		j.mode = fs.FileMode(mode&0o777) &^ p.Umask
	}
	if remove {
		if j.exists {
			if err := sys.Unlink(p.Path(j.name)); err != nil {
				t.fatal("Can't remove file %s : %s", j.name, sys.Strerror(err))
			}
			j.removeParents()
		}
		return
	}
	if j.fp.deletes() && len(data) > 0 {
		t.tell("Not deleting file %s as content differs from patch\n", j.name)
		t.status = max(t.status, differs)
	}
	if len(j.fp.hunks) > 0 && j.applied == 0 && j.out == j.name {
		return
	}
	if err := makeParents(p, j.out); err != nil {
		t.fatal("Can't create file %s : %s", j.out, sys.Strerror(err))
	}
	if err := t.writeFile(j.out, data, j.mode); err != nil {
		t.fatal("Can't create file %s : %s", j.out, sys.Strerror(err))
	}
	if j.out != j.name && !j.fp.copied {
		if err := sys.Unlink(p.Path(j.name)); err != nil {
			t.fatal("Can't remove file %s : %s", j.name, sys.Strerror(err))
		}
		j.removeParents()
	}
}

// removeParents removes directories that have become empty.
func (j *fileJob) removeParents() {
	for dir := path.Dir(j.name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if sys.Rmdir(j.t.p.Path(dir)) != nil {
			return
		}
	}
}

func makeParents(p *command.Proc, name string) error {
	dir := path.Dir(name)
	if dir == "." || dir == "/" {
		return nil
	}
	if info, err := p.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeParents(p, dir); err != nil {
		return err
	}
	return sys.Mkdir(p.Path(dir), 0o777&^p.Umask)
}

func (j *fileJob) backupName() string {
	t := j.t
	suffix := t.suffix
	if suffix == "" && t.prefix == "" {
		suffix = ".orig"
	}
	dir, base := path.Split(j.out)
	if strings.Contains(t.prefix, "/") {
		return t.prefix + j.out + suffix
	}
	return dir + t.prefix + base + suffix
}

// saveBackup copies the original; a file that did not exist has an empty backup.
func (j *fileJob) saveBackup() error {
	name := j.backupName()
	if err := makeParents(j.t.p, name); err != nil {
		return err
	}
	mode := j.mode
	if !j.exists {
		mode = 0o666 &^ j.t.p.Umask
	}
	return j.t.writeFile(name, j.data, mode)
}

// saveRejects writes the hunks that were not applied.
func (j *fileJob) saveRejects(what string) {
	t := j.t
	name := t.rejectFile
	if name == "" {
		name = j.out + ".rej"
		if t.output != "" {
			name = t.output + ".rej"
		}
	}
	tail := what
	if !t.dry && name != "-" {
		tail += " -- saving rejects to file " + name
	}
	t.hunksText(len(j.rejected), len(j.fp.hunks), tail+"\n")
	if t.dry || name == "-" {
		return
	}
	if err := t.writeFile(name, j.rejectText(), 0o666&^t.p.Umask); err != nil {
		t.fatal("Can't create file %s : %s", name, sys.Strerror(err))
	}
}

// rejectText writes the rejected hunks as a patch.
func (j *fileJob) rejectText() []byte {
	context := j.fp.context || j.fp.normal
	if j.t.rejectCtx != "" {
		context = j.t.rejectCtx == "context"
	}
	var b bytes.Buffer
	marks := [2]string{"--- ", "+++ "}
	if context {
		marks = [2]string{"*** ", "--- "}
	}
	for i, s := range [2][2]string{{j.fp.oldName, j.fp.oldStamp}, {j.fp.newName, j.fp.newStamp}} {
		name := s[0]
		if name == "" {
			name = j.name
		}
		b.WriteString(marks[i] + name)
		if s[1] != "" {
			b.WriteString("\t" + s[1])
		}
		b.WriteByte('\n')
	}
	for i := range j.rejected {
		if context {
			j.rejected[i].writeContext(&b)
		} else {
			j.rejected[i].writeUnified(&b)
		}
	}
	return b.Bytes()
}

func hunkRange(start, n int) string {
	if n == 1 {
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(n)
}

func (h *hunk) writeUnified(b *bytes.Buffer) {
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", hunkRange(h.oldStart, h.oldLines), hunkRange(h.newStart, h.newLines), h.function)
	for _, l := range h.lines {
		b.WriteByte(l.op)
		b.Write(l.text)
		if !complete(l.text) {
			b.WriteString("\n" + noNewline)
		}
	}
}

func (h *hunk) writeContext(b *bytes.Buffer) {
	span := func(start, n int) string {
		if n <= 1 {
			return strconv.Itoa(start)
		}
		return strconv.Itoa(start) + "," + strconv.Itoa(start+n-1)
	}
	b.WriteString("***************" + h.function + "\n*** " + span(h.oldStart, h.oldLines))
	b.WriteString(" ****\n")
	h.writeHalf(b, '-', '+')
	b.WriteString("--- " + span(h.newStart, h.newLines) + " ----\n")
	h.writeHalf(b, '+', '-')
}

// writeHalf writes one side; where both sides change, lines have a "!".
func (h *hunk) writeHalf(b *bytes.Buffer, mine, other byte) {
	for i, l := range h.lines {
		if l.op == other {
			continue
		}
		mark := l.op
		if mark == mine && h.touches(i, other) {
			mark = '!'
		}
		b.WriteByte(mark)
		b.WriteByte(' ')
		b.Write(l.text)
		if !complete(l.text) {
			b.WriteString("\n" + noNewline)
		}
	}
}

// touches reports whether the run of changes that holds line i has a line of the given kind.
func (h *hunk) touches(i int, op byte) bool {
	for k := i; k >= 0 && h.lines[k].op != ' '; k-- {
		if h.lines[k].op == op {
			return true
		}
	}
	for k := i; k < len(h.lines) && h.lines[k].op != ' '; k++ {
		if h.lines[k].op == op {
			return true
		}
	}
	return false
}

// replaceFile writes data beside name and renames it into place.
func replaceFile(p *command.Proc, name string, data []byte, mode fs.FileMode) error {
	r, err := p.ReplaceBeside(name, mode)
	if err != nil {
		return err
	}
	defer r.Abort()
	if _, err := r.Write(data); err != nil {
		return err
	}
	return r.Commit()
}
