package git

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/regex"
)

// errAmbiguous reports a prefix that several objects have.
var errAmbiguous = errors.New("git: resolve revision: ambiguous")

// errUnknown reports what names nothing.
var errUnknown = errors.New("git: resolve revision: unknown revision")

// refRules are the places where a short name of a reference is looked for, in order.
var refRules = [...]string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}

// findRef returns the full name of a reference by a short one.
func (r *repo) findRef(name string) (string, bool) {
	if name == "@" {
		name = refs.Head
	}
	if !refs.ValidName(name) {
		return "", false
	}
	for _, prefix := range refRules {
		full := prefix + name
		if prefix == "" && !strings.HasPrefix(name, "refs/") && strings.ToUpper(name) != name {
			continue
		}
		if _, _, err := r.refs.Raw(full); err == nil {
			return full, true
		}
	}
	if full := "refs/remotes/" + name + "/HEAD"; r.refs.Exists(full) {
		return full, true
	}
	return "", false
}

// resolve finds the object that a revision names.
func (r *repo) resolve(rev string) (object.ID, error) {
	if rev == "" {
		return object.ID{}, errUnknown
	}
	if text, ok := strings.CutPrefix(rev, ":/"); ok {
		return r.searchMessage(text, r.allTips())
	}
	if rest, ok := strings.CutPrefix(rev, ":"); ok {
		return r.resolveIndex(rest)
	}
	if base, name, ok := cutPath(rev); ok {
		id, err := r.resolve(base)
		if err != nil {
			return id, err
		}
		tree, err := r.peel(id, object.TreeKind)
		if err != nil {
			return id, err
		}
		if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
			name = cleanPath(r.prefix + name)
		}
		f, found := r.lookup(tree, strings.TrimSuffix(name, "/"))
		if !found {
			return id, fmt.Errorf("path '%s' does not exist in '%s'", name, base)
		}
		return f.id, nil
	}
	base, suffixes := splitSuffixes(rev)
	id, err := r.resolveBase(base)
	if err != nil {
		return id, err
	}
	for _, s := range suffixes {
		if id, err = r.applySuffix(id, s); err != nil {
			return id, err
		}
	}
	return id, nil
}

// cutPath splits "revision:path"; a colon inside of braces does not count.
func cutPath(rev string) (base, name string, ok bool) {
	depth := 0
	for i := 0; i < len(rev); i++ {
		switch rev[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ':':
			if depth == 0 {
				return rev[:i], rev[i+1:], true
			}
		}
	}
	return "", "", false
}

func (r *repo) resolveIndex(name string) (object.ID, error) {
	stage := 0
	if len(name) > 2 && name[1] == ':' && name[0] >= '0' && name[0] <= '3' {
		stage, name = int(name[0]-'0'), name[2:]
	}
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		name = cleanPath(r.prefix + name)
	}
	i, ok := r.index().Find(name, stage)
	if !ok {
		return object.ID{}, fmt.Errorf("path '%s' does not exist (neither on disk nor in the index)", name)
	}
	return r.index().Entries[i].ID, nil
}

// splitSuffixes splits "base~2^{commit}" into the base and its suffixes.
func splitSuffixes(rev string) (base string, suffixes []string) {
	i := 0
	for i < len(rev) && rev[i] != '~' && rev[i] != '^' {
		if rev[i] == '@' && i+1 < len(rev) && rev[i+1] == '{' {
			if end := strings.IndexByte(rev[i:], '}'); end >= 0 {
				i += end
			}
		}
		i++
	}
	base, rev = rev[:i], rev[i:]
	for rev != "" {
		n := 1
		if rev[0] == '^' && len(rev) > 1 && rev[1] == '{' {
			end := strings.IndexByte(rev, '}')
			if end < 0 {
				return base, append(suffixes, rev)
			}
			n = end + 1
		} else {
			for n < len(rev) && rev[n] >= '0' && rev[n] <= '9' {
				n++
			}
		}
		suffixes = append(suffixes, rev[:n])
		rev = rev[n:]
	}
	return base, suffixes
}

func (r *repo) resolveBase(base string) (object.ID, error) {
	if base == "" {
		return object.ID{}, errUnknown
	}
	if base == "-" {
		base = "@{-1}"
	}
	if i := strings.Index(base, "@{"); i >= 0 && strings.HasSuffix(base, "}") {
		return r.resolveAt(base[:i], base[i+2:len(base)-1])
	}
	if id, ok := object.ParseID(base); ok {
		return id, nil
	}
	if full, ok := r.findRef(base); ok {
		id, _, err := r.refs.Resolve(full)
		return id, err
	}
	// What `git describe` prints ends with a name.
	if i := strings.LastIndex(base, "-g"); i > 0 && object.IsHex(base[i+2:]) && len(base)-i-2 >= 4 {
		if id, err := r.byPrefix(base[i+2:]); err == nil {
			return id, nil
		}
	}
	return r.byPrefix(base)
}

func (r *repo) byPrefix(prefix string) (object.ID, error) {
	if len(prefix) < 4 || len(prefix) > object.HexLen || !object.IsHex(prefix) {
		return object.ID{}, errUnknown
	}
	found := r.db.Prefix(prefix)
	if len(found) > 1 {
		// A commit is meant rather than a file.
		var commits []object.ID
		for _, id := range found {
			if kind, _, err := r.db.Info(id); err == nil && (kind == object.CommitKind || kind == object.TagKind) {
				commits = append(commits, id)
			}
		}
		if len(commits) == 1 {
			return commits[0], nil
		}
		return object.ID{}, errAmbiguous
	}
	if len(found) == 0 {
		return object.ID{}, errUnknown
	}
	return found[0], nil
}

// resolveAt resolves "ref@{what}".
func (r *repo) resolveAt(name, what string) (object.ID, error) {
	branch := strings.TrimPrefix(r.branch(), refs.Heads)
	if strings.HasPrefix(what, "-") && name == "" {
		to, err := r.previousBranch(what[1:])
		if err != nil {
			return object.ID{}, err
		}
		return r.resolveBase(to)
	}
	switch strings.ToLower(what) {
	case "u", "upstream", "push":
		if name != "" && name != "HEAD" && name != "@" {
			branch = name
		}
		up, ok := r.upstreamRef(branch)
		if !ok {
			return object.ID{}, fmt.Errorf("no upstream configured for branch '%s'", branch)
		}
		id, _, err := r.refs.Resolve(up)
		if err != nil {
			return id, fmt.Errorf("upstream branch '%s' not stored as a remote-tracking branch", up)
		}
		return id, nil
	}
	full := refs.Head
	switch {
	case name == "" && r.branch() != "":
		full = r.branch()
	case name != "":
		found, ok := r.findRef(name)
		if !ok {
			return object.ID{}, errUnknown
		}
		full = found
	}
	return r.resolveLog(full, name, what)
}

func (r *repo) resolveLog(full, name, what string) (object.ID, error) {
	list, _ := r.refs.ReadLog(full)
	if n, err := strconv.Atoi(what); err == nil && len(what) < 9 {
		if n == 0 {
			id, _, err := r.refs.Resolve(full)
			return id, err
		}
		if n > len(list) {
			return object.ID{}, fmt.Errorf("log for '%s' only has %d entries", name, len(list))
		}
		if n == len(list) {
			return list[0].Old, nil
		}
		return list[len(list)-1-n].New, nil
	}
	limit := r.g.parseLimit(what)
	for _, e := range slices.Backward(list) {
		if e.Who.When <= limit {
			return e.New, nil
		}
	}
	if len(list) > 0 {
		return list[0].New, nil
	}
	return object.ID{}, errUnknown
}

// previousBranch returns what was checked out n switches ago.
func (r *repo) previousBranch(n string) (string, error) {
	count, err := strconv.Atoi(n)
	if err != nil || count < 1 {
		return "", errUnknown
	}
	list, _ := r.refs.ReadLog(refs.Head)
	for _, e := range slices.Backward(list) {
		rest, ok := strings.CutPrefix(e.Message, "checkout: moving from ")
		if !ok {
			continue
		}
		if count--; count == 0 {
			from, _, _ := strings.Cut(rest, " to ")
			return from, nil
		}
	}
	return "", errUnknown
}

func (r *repo) applySuffix(id object.ID, s string) (object.ID, error) {
	if strings.HasPrefix(s, "^{") {
		return r.applyBraces(id, strings.TrimSuffix(s[2:], "}"))
	}
	n := 1
	if len(s) > 1 {
		var err error
		if n, err = strconv.Atoi(s[1:]); err != nil {
			return id, errUnknown
		}
	}
	id, err := r.peel(id, object.CommitKind)
	if err != nil {
		return id, err
	}
	if s[0] == '^' {
		if n == 0 {
			return id, nil
		}
		c, err := r.db.Commit(id)
		if err != nil || n > len(c.Parents) {
			return id, errUnknown
		}
		return c.Parents[n-1], nil
	}
	for ; n > 0; n-- {
		c, err := r.db.Commit(id)
		if err != nil || len(c.Parents) == 0 {
			return id, errUnknown
		}
		id = c.Parents[0]
		r.g.step()
	}
	return id, nil
}

func (r *repo) applyBraces(id object.ID, what string) (object.ID, error) {
	if text, ok := strings.CutPrefix(what, "/"); ok {
		return r.searchMessage(text, []object.ID{id})
	}
	switch what {
	case "":
		return r.peel(id, 0)
	case "commit":
		return r.peel(id, object.CommitKind)
	case "tree":
		return r.peel(id, object.TreeKind)
	case "blob":
		return r.peel(id, object.BlobKind)
	case "tag":
		kind, _, err := r.db.Info(id)
		if err == nil && kind != object.TagKind {
			err = errUnknown
		}
		return id, err
	case "object":
		_, _, err := r.db.Info(id)
		return id, err
	}
	return id, errUnknown
}

// maxTags bounds tags of tags.
const maxTags = 100

// peel follows tags, and commits to their trees, to an object of a kind; kind 0 is anything but a tag.
func (r *repo) peel(id object.ID, kind object.Kind) (object.ID, error) {
	for range maxTags {
		got, data, err := r.peekObject(id)
		if err != nil {
			return id, err
		}
		switch {
		case got == kind || kind == 0 && got != object.TagKind:
			return id, nil
		case got == object.TagKind:
			t, err := object.ParseTag(data)
			if err != nil {
				return id, err
			}
			id = t.Target
		case got == object.CommitKind && kind == object.TreeKind:
			c, err := r.db.Commit(id)
			if err != nil {
				return id, err
			}
			id = c.Tree
		default:
			return id, fmt.Errorf("object %s is a %s, not a %s", id, got, kind)
		}
	}
	return id, errUnknown
}

// peekObject returns the kind of an object, and its content when it is a tag.
func (r *repo) peekObject(id object.ID) (object.Kind, []byte, error) {
	kind, size, err := r.db.Info(id)
	if err != nil || kind != object.TagKind || size > maxMessage {
		return kind, nil, err
	}
	return r.db.Read(id)
}

// searchMessage finds the youngest commit whose message matches.
func (r *repo) searchMessage(text string, tips []object.ID) (object.ID, error) {
	if text == "" {
		return object.ID{}, errUnknown
	}
	re := r.g.compile(text, regex.ERE|regex.Newline)
	w := r.newWalk(tips, nil)
	for c := w.next(); c != nil; c = w.next() {
		if re.Match([]byte(c.Message), false) {
			return c.ID, nil
		}
	}
	return object.ID{}, errUnknown
}

// allTips lists the commits that HEAD and all references name.
func (r *repo) allTips() []object.ID {
	var tips []object.ID
	for _, ref := range r.refs.List("refs/") {
		if id, err := r.peel(ref.ID, object.CommitKind); err == nil {
			tips = append(tips, id)
		}
	}
	if id, ok := r.head(); ok {
		tips = append(tips, id)
	}
	return tips
}

// compile reads a regular expression or ends the program.
func (g *git) compile(pattern string, f regex.Flags) *regex.Regexp {
	re, err := regex.Compile(pattern, f)
	if err != nil {
		g.die("%v", err)
	}
	re.SetYield(g.step)
	return re
}

// commitOf resolves a revision to a commit, or ends the program.
func (r *repo) commitOf(rev string) object.ID {
	id, err := r.resolve(rev)
	if err == nil {
		id, err = r.peel(id, object.CommitKind)
	}
	if err != nil {
		r.badRevision(rev, err)
	}
	return id
}

// tryCommit is commitOf for what may be something else.
func (r *repo) tryCommit(rev string) (object.ID, bool) {
	id, err := r.resolve(rev)
	if err != nil {
		return id, false
	}
	id, err = r.peel(id, object.CommitKind)
	return id, err == nil
}

func (r *repo) badRevision(rev string, err error) {
	switch {
	case errors.Is(err, errAmbiguous):
		r.g.errorf("error: short object ID %s is ambiguous\n", rev)
		r.ambiguous(rev)
	case errors.Is(err, errUnknown):
		r.ambiguous(rev)
	}
	if _, ok := r.head(); !ok && (rev == "HEAD" || rev == "@") {
		r.ambiguous(rev)
	}
	if errors.Is(err, refs.ErrNotFound) {
		r.ambiguous(rev)
	}
	r.g.die("%v", err)
}

// ambiguous is what git says of a word that is neither a revision nor a path.
func (r *repo) ambiguous(arg string) {
	r.g.errorf("fatal: ambiguous argument '%s': unknown revision or path not in the working tree.\n"+
		"Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'\n", arg)
	r.g.close()
	r.g.p.Exit(statusFatal)
}
