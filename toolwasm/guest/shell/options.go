package shell

import "strings"

// option is a set of the options of `set -o`.
type option uint64

const (
	optAllexport option = 1 << iota
	optBraceExpand
	optEmacs
	optErrexit
	optErrtrace
	optFunctrace
	optHashall
	optHistexpand
	optHistory
	optIgnoreeof
	optInteractiveComments
	optKeyword
	optMonitor
	optNoclobber
	optNoexec
	optNoglob
	optNolog
	optNotify
	optNounset
	optOnecmd
	optPhysical
	optPipefail
	optPosix
	optPrivileged
	optVerbose
	optVi
	optXtrace
)

// optionNames lists the options of set -o, sorted, with their letters (0 for none).
var optionNames = [...]struct {
	name   string
	letter byte
	opt    option
}{
	{"allexport", 'a', optAllexport},
	{"braceexpand", 'B', optBraceExpand},
	{"emacs", 0, optEmacs},
	{"errexit", 'e', optErrexit},
	{"errtrace", 'E', optErrtrace},
	{"functrace", 'T', optFunctrace},
	{"hashall", 'h', optHashall},
	{"histexpand", 'H', optHistexpand},
	{"history", 0, optHistory},
	{"ignoreeof", 0, optIgnoreeof},
	{"interactive-comments", 0, optInteractiveComments},
	{"keyword", 'k', optKeyword},
	{"monitor", 'm', optMonitor},
	{"noclobber", 'C', optNoclobber},
	{"noexec", 'n', optNoexec},
	{"noglob", 'f', optNoglob},
	{"nolog", 0, optNolog},
	{"notify", 'b', optNotify},
	{"nounset", 'u', optNounset},
	{"onecmd", 't', optOnecmd},
	{"physical", 'P', optPhysical},
	{"pipefail", 0, optPipefail},
	{"posix", 0, optPosix},
	{"privileged", 'p', optPrivileged},
	{"verbose", 'v', optVerbose},
	{"vi", 0, optVi},
	{"xtrace", 'x', optXtrace},
}

const defaultOptions = optBraceExpand | optHashall | optInteractiveComments

func (o option) has(x option) bool { return o&x != 0 }

func (o *option) put(x option, on bool) {
	if on {
		*o |= x
	} else {
		*o &^= x
	}
}

// list is the value of SHELLOPTS.
func (o option) list() string {
	var names []string
	for _, n := range optionNames {
		if o.has(n.opt) {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ":")
}

// letters is the value of $-.
func (o option) letters() string {
	const order = "abefhkmnptuvxBCEHPT"
	var b strings.Builder
	for _, c := range []byte(order) {
		for _, n := range optionNames {
			if n.letter == c && o.has(n.opt) {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

func optionByName(name string) (option, bool) {
	for _, n := range optionNames {
		if n.name == name {
			return n.opt, true
		}
	}
	return 0, false
}

func optionByLetter(c byte) (option, bool) {
	for _, n := range optionNames {
		if n.letter == c && c != 0 {
			return n.opt, true
		}
	}
	return 0, false
}

// shopt is a set of the options of shopt; bit n is shoptNames[n].
type shopt uint64

const (
	shoptAssocExpandOnce shopt = 1 << iota
	shoptAutocd
	shoptCdableVars
	shoptCdspell
	shoptCheckhash
	shoptCheckjobs
	shoptCheckwinsize
	shoptCmdhist
	shoptCompat31
	shoptCompat32
	shoptCompat40
	shoptCompat41
	shoptCompat42
	shoptCompat43
	shoptCompat44
	shoptCompleteFullquote
	shoptDirexpand
	shoptDirspell
	shoptDotglob
	shoptExecfail
	shoptExpandAliases
	shoptExtdebug
	shoptExtglob
	shoptExtquote
	shoptFailglob
	shoptForceFignore
	shoptGlobasciiranges
	shoptGlobskipdots
	shoptGlobstar
	shoptGnuErrfmt
	shoptHistappend
	shoptHistreedit
	shoptHistverify
	shoptHostcomplete
	shoptHuponexit
	shoptInheritErrexit
	shoptInteractiveComments
	shoptLastpipe
	shoptLithist
	shoptLocalvarInherit
	shoptLocalvarUnset
	shoptLoginShell
	shoptMailwarn
	shoptNoEmptyCmdCompletion
	shoptNocaseglob
	shoptNocasematch
	shoptNoexpandTranslation
	shoptNullglob
	shoptPatsubReplacement
	shoptProgcomp
	shoptProgcompAlias
	shoptPromptvars
	shoptRestrictedShell
	shoptShiftVerbose
	shoptSourcepath
	shoptVarredirClose
	shoptXpgEcho
)

var shoptNames = [...]string{
	"assoc_expand_once", "autocd", "cdable_vars", "cdspell", "checkhash", "checkjobs", "checkwinsize", "cmdhist",
	"compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44", "complete_fullquote",
	"direxpand", "dirspell", "dotglob", "execfail", "expand_aliases", "extdebug", "extglob", "extquote", "failglob",
	"force_fignore", "globasciiranges", "globskipdots", "globstar", "gnu_errfmt", "histappend", "histreedit",
	"histverify", "hostcomplete", "huponexit", "inherit_errexit", "interactive_comments", "lastpipe", "lithist",
	"localvar_inherit", "localvar_unset", "login_shell", "mailwarn", "no_empty_cmd_completion", "nocaseglob",
	"nocasematch", "noexpand_translation", "nullglob", "patsub_replacement", "progcomp", "progcomp_alias",
	"promptvars", "restricted_shell", "shift_verbose", "sourcepath", "varredir_close", "xpg_echo",
}

const defaultShopt = shoptCheckwinsize | shoptCmdhist | shoptCompleteFullquote | shoptExtquote | shoptForceFignore |
	shoptGlobasciiranges | shoptGlobskipdots | shoptHostcomplete | shoptInteractiveComments | shoptPatsubReplacement |
	shoptProgcomp | shoptPromptvars | shoptSourcepath

func (s shopt) has(x shopt) bool { return s&x != 0 }

func (s *shopt) put(x shopt, on bool) {
	if on {
		*s |= x
	} else {
		*s &^= x
	}
}

func (s shopt) list() string {
	var names []string
	for i, n := range shoptNames {
		if s.has(1 << i) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ":")
}

func shoptByName(name string) (shopt, bool) {
	for i, n := range shoptNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}
