package git

import (
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

// upstream is the branch that another follows.
type upstream struct {
	ref           string
	short         string
	exists        bool
	id            object.ID
	ahead, behind int
}

// upstreamRef returns the reference that a branch follows by the configuration.
func (r *repo) upstreamRef(branch string) (string, bool) {
	remote, ok := r.cfg.get("branch." + branch + ".remote")
	merge, ok2 := r.cfg.get("branch." + branch + ".merge")
	if !ok || !ok2 {
		return "", false
	}
	if remote == "." {
		return merge, true
	}
	name, isHead := strings.CutPrefix(merge, refs.Heads)
	if !isHead {
		return "", false
	}
	return "refs/remotes/" + remote + "/" + name, true
}

func (r *repo) upstream(branch string) (*upstream, bool) {
	ref, ok := r.upstreamRef(branch)
	if !ok {
		return nil, false
	}
	u := &upstream{ref: ref, short: shortRef(ref)}
	id, _, err := r.refs.Resolve(ref)
	if err != nil {
		return u, true
	}
	u.exists, u.id = true, id
	if local, _, err := r.refs.Resolve(refs.Heads + branch); err == nil {
		u.ahead, u.behind = r.aheadBehind(local, id)
	}
	return u, true
}

// aheadBehind counts the commits that only one of two has.
func (r *repo) aheadBehind(a, b object.ID) (ahead, behind int) {
	if a == b {
		return 0, 0
	}
	return len(r.reachable([]object.ID{a}, []object.ID{b})), len(r.reachable([]object.ID{b}, []object.ID{a}))
}

// text is what status and checkout say.
func (u *upstream) text(hints bool) string {
	hint := func(s string) string {
		if hints {
			return "  (" + s + ")\n"
		}
		return ""
	}
	switch {
	case !u.exists:
		return fmt.Sprintf("Your branch is based on '%s', but the upstream is gone.\n", u.short) +
			hint(`use "git branch --unset-upstream" to fixup`)
	case u.ahead == 0 && u.behind == 0:
		return fmt.Sprintf("Your branch is up to date with '%s'.\n", u.short)
	case u.behind == 0:
		return fmt.Sprintf("Your branch is ahead of '%s' by %d commit%s.\n", u.short, u.ahead, plural(u.ahead)) +
			hint(`use "git push" to publish your local commits`)
	case u.ahead == 0:
		return fmt.Sprintf("Your branch is behind '%s' by %d commit%s, and can be fast-forwarded.\n", u.short, u.behind, plural(u.behind)) +
			hint(`use "git pull" to update your local branch`)
	}
	return fmt.Sprintf("Your branch and '%s' have diverged,\nand have %d and %d different commits each, respectively.\n",
		u.short, u.ahead, u.behind) + hint(`use "git pull" to merge the remote branch into yours`)
}

// shortRef is a reference's name without its directory.
func shortRef(name string) string {
	for _, prefix := range []string{refs.Heads, refs.Tags, "refs/remotes/", "refs/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}
