package git

import (
	"fmt"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

func cmdTag(g *git) int {
	l := g.parse("annotate,a sign,s no-sign local-user,u= message,m= file,F= force,f delete,d list,l n? verify,v contains? no-contains? merged? no-merged? " +
		"points-at= sort= format= column? no-column ignore-case,i create-reflog edit,e cleanup= color?")
	r := g.open()
	args := l.operands()
	if l.has("sign") || l.has("local-user") || l.has("verify") {
		g.die("tags are neither signed nor verified here")
	}
	switch {
	case l.has("delete"):
		return r.deleteTags(args)
	case len(args) == 0 || l.has("list") || l.has("n") || l.has("contains") || l.has("no-contains") || l.has("merged") || l.has("no-merged") || l.has("points-at"):
		return r.listTags(l, args)
	}
	return r.newTag(l, args)
}

func (r *repo) deleteTags(names []string) int {
	status := 0
	for _, n := range names {
		id, _, err := r.refs.Resolve(refs.Tags + n)
		if err != nil {
			r.g.errorf("error: tag '%s' not found.\n", n)
			status = 1
			continue
		}
		r.g.check(r.refs.Delete(refs.Tags + n))
		r.g.printf("Deleted tag '%s' (was %s)\n", n, r.db.Abbrev(id, r.abbrevLen()))
	}
	return status
}

func (r *repo) newTag(l line, args []string) int {
	if len(args) > 2 {
		r.g.die("too many arguments")
	}
	name, rev := args[0], "HEAD"
	if len(args) == 2 {
		rev = args[1]
	}
	full := refs.Tags + name
	if !refs.ValidName(full) || strings.HasPrefix(name, "-") || name == "HEAD" {
		r.g.die("'%s' is not a valid tag name.", name)
	}
	id, err := r.resolve(rev)
	if err != nil {
		r.g.die("Failed to resolve '%s' as a valid ref.", rev)
	}
	old, _, err := r.refs.Resolve(full)
	exists := err == nil
	if exists && !l.has("force") {
		r.g.die("tag '%s' already exists", name)
	}
	if l.has("annotate") || l.has("message") || l.has("file") {
		id = r.writeTag(l, name, id)
	}
	if other, clash := r.refs.Conflict(full); clash {
		r.g.die("cannot lock ref '%s': '%s' exists; cannot create '%s'", full, other, full)
	}
	r.g.check(r.refs.Set(full, id))
	if exists && old != id {
		r.g.printf("Updated tag '%s' (was %s)\n", name, r.db.Abbrev(old, r.abbrevLen()))
	}
	return 0
}

func (r *repo) writeTag(l line, name string, target object.ID) object.ID {
	message := ""
	switch {
	case l.has("message"):
		message = strings.Join(l.all("message"), "\n\n")
	case l.has("file"):
		data, err := r.g.p.ReadFile(l.str("file"))
		if err != nil {
			r.g.die("could not open or read '%s': %s", l.str("file"), strerror(err))
		}
		message = string(data)
	default:
		r.g.die("there is no editor here: give the message with 'git tag -a NAME -m MESSAGE', or in a file with -F FILE")
	}
	kind, _, err := r.db.Info(target)
	r.g.check(err)
	t := &object.Tag{Target: target, TargetKind: kind.String(), Name: name, Tagger: r.g.ident(committer), Message: cleanup(message, l.str("cleanup") == "strip")}
	id, err := r.db.Write(object.TagKind, t.Encode())
	r.g.check(err)
	return id
}

func (r *repo) listTags(l line, patterns []string) int {
	var tests []func(id object.ID) bool
	add := func(option string, test func(c, id object.ID) bool) {
		rev, ok := l.get(option)
		if !ok {
			return
		}
		if rev == "" {
			rev = "HEAD"
			if len(patterns) > 0 {
				rev, patterns = patterns[0], patterns[1:]
			}
		}
		c, found := r.tryCommit(rev)
		if !found {
			r.g.fail(statusUsage, "malformed object name %s", rev)
		}
		tests = append(tests, func(id object.ID) bool {
			commit, err := r.peel(id, object.CommitKind)
			return err == nil && test(c, commit)
		})
	}
	add("contains", func(c, id object.ID) bool { return r.isAncestor(c, id) })
	add("no-contains", func(c, id object.ID) bool { return !r.isAncestor(c, id) })
	add("merged", func(c, id object.ID) bool { return r.isAncestor(id, c) })
	add("no-merged", func(c, id object.ID) bool { return !r.isAncestor(id, c) })
	add("points-at", func(c, id object.ID) bool { return id == c })
	lines := -1
	if n, ok := l.get("n"); ok {
		lines = 1
		if n != "" {
			lines = r.g.number(n)
		}
	}
	list := slices.DeleteFunc(r.refs.List(refs.Tags), func(ref refs.Ref) bool {
		for _, t := range tests {
			if !t(ref.ID) {
				return true
			}
		}
		short := shortRef(ref.Name)
		return len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool { return match.Glob(p, short, false, l.has("ignore-case")) })
	})
	if keys := l.all("sort"); len(keys) > 0 {
		r.sortRefs(list, keys)
	} else if key, ok := r.cfg.get("tag.sort"); ok {
		r.sortRefs(list, []string{key})
	}
	for _, ref := range list {
		switch format, ok := l.get("format"); {
		case ok:
			r.g.print(r.formatRef(ref, format) + "\n")
		case lines >= 0:
			r.g.printf("%-15s %s\n", shortRef(ref.Name), r.tagLines(ref.ID, lines))
		default:
			r.g.print(shortRef(ref.Name) + "\n")
		}
	}
	return 0
}

// tagLines returns the first lines of a tag's message, or of the commit's.
func (r *repo) tagLines(id object.ID, n int) string {
	kind, data, err := r.db.Read(id)
	r.g.check(err)
	message := ""
	switch kind {
	case object.TagKind:
		if t, err := object.ParseTag(data); err == nil {
			message = t.Message
		}
	case object.CommitKind:
		if c, err := r.db.Commit(id); err == nil {
			message = c.Message
		}
	}
	all := strings.Split(strings.TrimRight(message, "\n"), "\n")
	all = all[:min(n, len(all))]
	return strings.Join(all, "\n    ")
}

// sortRefs orders references by keys such as "-creatordate" and "version:refname".
func (r *repo) sortRefs(list []refs.Ref, keys []string) {
	for _, key := range keys {
		name, reverse := strings.CutPrefix(key, "-")
		compare := func(a, b refs.Ref) int { return strings.Compare(a.Name, b.Name) }
		switch name {
		case "refname":
		case "version:refname", "v:refname":
			compare = func(a, b refs.Ref) int { return compareVersions(a.Name, b.Name) }
		case "creatordate", "committerdate", "taggerdate", "authordate":
			compare = func(a, b refs.Ref) int { return int(min(max(r.refDate(a.ID)-r.refDate(b.ID), -1), 1)) }
		case "objectname":
			compare = func(a, b refs.Ref) int { return strings.Compare(a.ID.String(), b.ID.String()) }
		default:
			r.g.die("unknown field name: %s", name)
		}
		slices.SortStableFunc(list, func(a, b refs.Ref) int {
			if reverse {
				return compare(b, a)
			}
			return compare(a, b)
		})
	}
}

func (r *repo) refDate(id object.ID) int64 {
	kind, data, err := r.db.Read(id)
	if err != nil {
		return 0
	}
	if kind == object.TagKind {
		if t, err := object.ParseTag(data); err == nil && t.HasTagger {
			return t.Tagger.When
		}
	}
	if commit, err := r.peel(id, object.CommitKind); err == nil {
		if c, err := r.db.Commit(commit); err == nil {
			return c.Committer.When
		}
	}
	return 0
}

// compareVersions compares names with numbers by their values.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		if isDigit(a[0]) && isDigit(b[0]) {
			x, y := digits(a), digits(b)
			p, q := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if len(p) != len(q) {
				return len(p) - len(q)
			}
			if c := strings.Compare(p, q); c != 0 {
				return c
			}
			a, b = a[len(x):], b[len(y):]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digits(s string) string {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n]
}

// formatRef fills in a format such as "%(refname:short) %(objectname)".
func (r *repo) formatRef(ref refs.Ref, format string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(format, "%")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		switch {
		case strings.HasPrefix(rest, "("):
			field, after, ok := strings.Cut(rest[1:], ")")
			if !ok {
				r.g.die("malformed format string %%%s", rest)
			}
			b.WriteString(r.refField(ref, field))
			format = after
		case strings.HasPrefix(rest, "%"):
			b.WriteByte('%')
			format = rest[1:]
		case len(rest) >= 2 && object.IsHex(rest[:2]):
			var c byte
			fmt.Sscanf(rest[:2], "%02x", &c)
			b.WriteByte(c)
			format = rest[2:]
		default:
			b.WriteByte('%')
			format = rest
		}
	}
}

// refField returns one field of a reference; "*field" is about what a tag names.
func (r *repo) refField(ref refs.Ref, field string) string {
	if rest, ok := strings.CutPrefix(field, "*"); ok {
		kind, _, err := r.db.Info(ref.ID)
		if err != nil || kind != object.TagKind {
			return ""
		}
		id, err := r.peel(ref.ID, 0)
		if err != nil {
			return ""
		}
		return r.refField(refs.Ref{Name: ref.Name, ID: id}, rest)
	}
	name, modifier, _ := strings.Cut(field, ":")
	switch name {
	case "refname":
		return refName(ref.Name, modifier)
	case "objectname":
		if n, ok := strings.CutPrefix(modifier, "short"); ok {
			if n != "" {
				return r.db.Abbrev(ref.ID, r.g.number(n[1:]))
			}
			return r.db.Abbrev(ref.ID, r.abbrevLen())
		}
		return ref.ID.String()
	case "objecttype", "objectsize":
		kind, size, err := r.db.Info(ref.ID)
		r.g.check(err)
		if name == "objectsize" {
			return fmt.Sprint(size)
		}
		return kind.String()
	case "HEAD":
		if r.branch() == ref.Name {
			return "*"
		}
		return " "
	case "upstream", "push":
		return r.upstreamField(ref, modifier)
	case "symref":
		_, target, _ := r.refs.Raw(ref.Name)
		return refName(target, modifier)
	case "color", "if", "then", "else", "end", "align":
		return ""
	}
	return r.objectField(ref, name, modifier)
}

func refName(name, modifier string) string {
	switch {
	case modifier == "short":
		return shortRef(name)
	case strings.HasPrefix(modifier, "lstrip=") || strings.HasPrefix(modifier, "strip="):
		n := 0
		fmt.Sscanf(modifier[strings.IndexByte(modifier, '=')+1:], "%d", &n)
		for ; n > 0; n-- {
			_, name, _ = strings.Cut(name, "/")
		}
	}
	return name
}

func (r *repo) upstreamField(ref refs.Ref, modifier string) string {
	name, ok := strings.CutPrefix(ref.Name, refs.Heads)
	if !ok {
		return ""
	}
	up, ok := r.upstream(name)
	if !ok {
		return ""
	}
	if strings.HasPrefix(modifier, "track") {
		return strings.TrimSpace(r.trackText(ref.Name, 1))
	}
	return refName(up.ref, modifier)
}

// objectField returns a field of the commit or tag that a reference names.
func (r *repo) objectField(ref refs.Ref, name, modifier string) string {
	kind, data, err := r.db.Read(ref.ID)
	r.g.check(err)
	var message string
	var author, committer, tagger, creator object.Signature
	tree := object.ID{}
	switch kind {
	case object.TagKind:
		t, err := object.ParseTag(data)
		r.g.check(err)
		message, tagger, creator = t.Message, t.Tagger, t.Tagger
	case object.CommitKind:
		c, err := r.db.Commit(ref.ID)
		r.g.check(err)
		message, author, committer, creator, tree = c.Message, c.Author, c.Committer, c.Committer, c.Tree
	}
	for prefix, who := range map[string]object.Signature{"author": author, "committer": committer, "tagger": tagger, "creator": creator} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || who == (object.Signature{}) && ok {
			if ok && (rest == "" || rest == "name" || rest == "email" || rest == "date") {
				return ""
			}
			continue
		}
		switch rest {
		case "":
			return who.String()
		case "name":
			return who.Name
		case "email":
			return "<" + who.Email + ">"
		case "date":
			if modifier == "" {
				modifier = "default"
			}
			return r.g.formatDate(who, modifier)
		}
	}
	switch name {
	case "subject":
		return object.Subject(message)
	case "body":
		return object.Body(message)
	case "contents":
		if modifier == "subject" {
			return object.Subject(message)
		}
		if modifier == "body" {
			return object.Body(message)
		}
		return message
	case "tree":
		return tree.String()
	}
	r.g.die("unknown field name: %s", name)
	return ""
}

func cmdForEachRef(g *git) int {
	l := g.parse("format= sort= count= points-at= contains? merged? no-merged? no-contains? shell perl python tcl color? ignore-case")
	r := g.open()
	var list []refs.Ref
	patterns := l.operands()
	for _, ref := range r.refs.List("refs/") {
		ok := len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			p = strings.TrimSuffix(p, "/")
			return ref.Name == p || strings.HasPrefix(ref.Name, p+"/") || match.Glob(p, ref.Name, true, false)
		})
		if c := l.str("contains"); ok && c != "" {
			ok = r.isAncestor(r.commitOf(c), ref.ID)
		}
		if c := l.str("points-at"); ok && c != "" {
			ok = r.commitOf(c) == ref.ID
		}
		if c := l.str("merged"); ok && c != "" {
			ok = r.isAncestor(ref.ID, r.commitOf(c))
		}
		if ok {
			list = append(list, ref)
		}
	}
	if keys := l.all("sort"); len(keys) > 0 {
		r.sortRefs(list, keys)
	}
	if n, ok := l.get("count"); ok {
		list = list[:min(len(list), g.number(n))]
	}
	format, ok := l.get("format")
	if !ok {
		format = "%(objectname) %(objecttype)\t%(refname)"
	}
	for _, ref := range list {
		g.print(r.formatRef(ref, format) + "\n")
	}
	return 0
}
