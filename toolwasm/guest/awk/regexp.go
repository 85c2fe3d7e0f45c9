package awk

import (
	"strings"

	"openclaw/toolwasm/guest/regex"
)

// maxCached bounds how many dynamic regular expressions are kept compiled.
const maxCached = 500

// regexp is a compiled regular expression, with the short cut for one that is only a literal.
type regexp struct {
	re      *regex.Regexp
	literal string // not "" when the expression stands for nothing else
}

type regexpKey struct {
	pattern string
	fold    bool
}

// compileRegexp compiles a pattern, or finds it compiled. A pattern that cannot be compiled is fatal.
func (in *interp) compileRegexp(pattern string) *regexp {
	k := regexpKey{pattern, in.ignoreCase}
	if re := in.regexps[k]; re != nil {
		return re
	}
	f := regex.Awk
	if in.ignoreCase {
		f |= regex.IgnoreCase
	}
	re, err := regex.Compile(pattern, f)
	if err != nil {
		in.fatal("invalid regexp: %s: /%s/", err, pattern)
	}
	re.SetYield(in.p.Yield)
	if len(in.regexps) >= maxCached {
		clear(in.regexps)
	}
	r := &regexp{re: re}
	if lit, ok := re.Literal(); ok && !in.ignoreCase {
		r.literal = string(lit)
	}
	in.regexps[regexpKey{strings.Clone(pattern), k.fold}] = r
	return r
}

// match reports whether the expression matches somewhere in s.
func (r *regexp) match(s string) bool {
	if r.literal != "" {
		return strings.Contains(s, r.literal)
	}
	return r.re.Match(bytesOf(s), false)
}

// find returns the bounds of the first match at or after from, and those of its groups. The result is valid until the
// next call with the same dst.
func (r *regexp) find(dst []int, s string, from int) []int {
	if r.literal != "" {
		i := strings.Index(s[from:], r.literal)
		if i < 0 {
			return nil
		}
		return append(dst[:0], from+i, from+i+len(r.literal))
	}
	return r.re.Find(dst[:0], bytesOf(s), from, false)
}
