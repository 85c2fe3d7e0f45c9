// Package syntax parses the shell language as bash 5.2 reads it: one complete line at a time, with aliases expanded
// while it reads, here-documents taken from the following lines, and everything that bash leaves to run time
// (arithmetic with expansions, bad substitutions) left to run time.
//
// The tree that it makes is immutable, so that any number of shells may run it at once; what an evaluator wants to remember
// about a node goes into the node's caches, which are safe for concurrent use.
package syntax

import "sync/atomic"

// List is a sequence of commands separated by ";", "&" or newlines.
type List struct {
	Items []Item
}

// Item is one and-or list of a List.
type Item struct {
	Cmd        Command
	Background bool
}

// Command is any command. It is one of *Simple, *Pipeline, *AndOr, *Group, *Subshell, *If, *While, *For, *ArithFor,
// *Case, *Select, *Func, *Arith, *Cond, *Coproc and *Redirected.
type Command interface{ command() }

// Simple is a simple command: assignments, words and redirections.
type Simple struct {
	Assigns []*Assign
	Words   []*Word
	Redirs  []*Redir
	Line    int
	// Decl is set when the command is declare, export … and arguments may be assignments (Word.Assign).
	Decl bool
}

// Pipeline is commands connected by pipes, perhaps negated or timed. It may consist of one command, or of none
// ("!" or "time" alone).
type Pipeline struct {
	Cmds       []Command
	Negate     bool
	Timed      bool
	TimedPosix bool
	Line       int
}

// AndOr is pipelines connected by && and ||, evaluated from the left.
type AndOr struct {
	First Command
	Rest  []AndOrPart
}

// AndOrPart is one further pipeline of an AndOr. Or tells || from &&.
type AndOrPart struct {
	Or  bool
	Cmd Command
}

// Group is { list; }.
type Group struct{ Body *List }

// Subshell is ( list ).
type Subshell struct {
	Body *List
	Line int // of the closing parenthesis
}

// If is an if command; elif is an If in Else.
type If struct {
	Cond, Then *List
	Elif       *If
	Else       *List
}

// While is a while or until command.
type While struct {
	Until      bool
	Cond, Body *List
}

// For is for name in words. Words are nil for "$@".
type For struct {
	Name   string
	In     bool
	Words  []*Word
	Body   *List
	Line   int
	Select bool
}

// ArithFor is for ((init; cond; step)).
type ArithFor struct {
	Init, Cond, Step *ArithText
	Body             *List
	Line             int
}

// Case is a case command.
type Case struct {
	Word  *Word
	Items []*CaseItem
	Line  int
}

// CaseItem is one branch of a Case.
type CaseItem struct {
	Patterns []*Word
	Body     *List
	Op       string // ";;", ";&" or ";;&"
}

// Func is the definition of a function.
type Func struct {
	Name string
	Body Command
	Line int
	// Keyword tells "function f" from "f()".
	Keyword bool
}

// Arith is (( expression )).
type Arith struct {
	X    *ArithText
	Line int
}

// Cond is [[ expression ]].
type Cond struct {
	X    CondExpr
	Line int
}

// Coproc is coproc [NAME] command.
type Coproc struct {
	Name string
	Cmd  Command
}

// Redirected is a compound command with redirections.
type Redirected struct {
	Cmd    Command
	Redirs []*Redir
}

func (*Simple) command()     {}
func (*Pipeline) command()   {}
func (*AndOr) command()      {}
func (*Group) command()      {}
func (*Subshell) command()   {}
func (*If) command()         {}
func (*While) command()      {}
func (*For) command()        {}
func (*ArithFor) command()   {}
func (*Case) command()       {}
func (*Func) command()       {}
func (*Arith) command()      {}
func (*Cond) command()       {}
func (*Coproc) command()     {}
func (*Redirected) command() {}

// CondExpr is an expression of [[ ]]: *CondUnary, *CondBinary, *CondNot, *CondLogic, *CondGroup.
type CondExpr interface{ cond() }

// CondUnary is -op word; Op "" is the bare word.
type CondUnary struct {
	Op string
	X  *Word
}

// CondBinary is word op word.
type CondBinary struct {
	Op   string
	X, Y *Word
}

// CondNot is ! expression.
type CondNot struct{ X CondExpr }

// CondGroup is ( expression ).
type CondGroup struct{ X CondExpr }

// CondLogic is && and ||.
type CondLogic struct {
	Or   bool
	X, Y CondExpr
}

func (*CondUnary) cond()  {}
func (*CondBinary) cond() {}
func (*CondNot) cond()    {}
func (*CondGroup) cond()  {}
func (*CondLogic) cond()  {}

// Assign is NAME=value, NAME[sub]=value, NAME=(elements), each with = or +=.
type Assign struct {
	Name    string
	Index   *Subscript
	Append  bool
	Value   *Word // nil when Array is set
	IsArray bool
	Array   []*ArrayElem
	Src     string
}

// ArrayElem is an element of a compound assignment.
type ArrayElem struct {
	Index  *Subscript
	Append bool
	Value  *Word
}

// Redir is a redirection.
type Redir struct {
	FD      int    // -1 when not given
	FDVar   string // {name}>
	Op      string // < > >> <> >| <& >& &> &>> << <<- <<<
	Target  *Word  // for << the delimiter as written
	Doc     *Word  // the body of a here-document
	DocText string // the body as written
	Line    int
}

// Word is a word before expansion.
type Word struct {
	Parts []Part
	// Lit is the word's value when Plain: no expansion of any kind changes it.
	Lit   string
	Plain bool
	// Brace is set when the word has an unquoted "{" and may be the subject of brace expansion.
	Brace bool
	// Assign is set for arguments of declaration commands, and for other words that look like an assignment in those
	// places, when they are one.
	Assign *Assign
	Src    string
	Line   int

	// Cache holds what the evaluator has made of the word (a compiled pattern).
	Cache atomic.Value
}

// Part is a piece of a word: *Lit, *Quoted, *DblQuoted, *Param, *CmdSubst, *ArithSubst, *ProcSubst, *Tilde.
type Part interface{ part() }

// Lit is unquoted text.
type Lit struct{ Text string }

// Quoted is text in which no character is special.
type Quoted struct{ Text string }

// DblQuoted is a double-quoted string.
type DblQuoted struct{ Parts []Part }

// Tilde is ~ or ~user at a place where it is expanded. User is "" for ~ itself.
type Tilde struct{ User string }

// CmdSubst is $(…) or a backquoted command.
type CmdSubst struct {
	Body *List
	// Back is the text of a backquoted command, which is parsed when it is first run.
	Back   string
	IsBack bool
	Src    string
	Line   int
	parsed atomic.Pointer[List]
}

// ArithSubst is $((…)) or $[…].
type ArithSubst struct{ X *ArithText }

// ProcSubst is <(…) or >(…).
type ProcSubst struct {
	Out  bool
	Body *List
	Src  string
}

// ParamOp says what a parameter expansion does.
type ParamOp uint8

// The operations of parameter expansion.
const (
	OpNone       ParamOp = iota
	OpLength             // ${#x}
	OpDefault            // - :-
	OpAssign             // = :=
	OpError              // ? :?
	OpAlt                // + :+
	OpTrimPrefix         // # ##
	OpTrimSuffix         // % %%
	OpReplace            // / // /# /%
	OpUpper              // ^ ^^
	OpLower              // , ,,
	OpToggle             // ~ ~~
	OpSlice              // :off:len
	OpTransform          // @X
	OpNames              // ${!prefix*} ${!prefix@}
	OpKeys               // ${!a[@]}
	OpBad                // not a valid expansion
)

// Param is a parameter expansion.
type Param struct {
	Name     string
	Index    *Subscript
	Op       ParamOp
	Indirect bool // ${!x…}
	Colon    bool // :- and its kin
	Double   bool // ## %% // ^^ ,,
	Anchor   byte // '#' or '%' of ${x/#a/b}
	Mod      byte // the letter after @, or '*' / '@' of OpNames and OpKeys
	Arg      *Word
	Repl     *Word
	HasRepl  bool
	Offset   *ArithText
	Length   *ArithText
	Src      string
	Line     int
	// Special is set for parameters that are not variables: digits and @*#?-$!.
	Special bool
}

func (*Lit) part()        {}
func (*Quoted) part()     {}
func (*DblQuoted) part()  {}
func (*Tilde) part()      {}
func (*CmdSubst) part()   {}
func (*ArithSubst) part() {}
func (*ProcSubst) part()  {}
func (*Param) part()      {}

// Subscript is what stands between [ and ] after a name. What it means depends on the kind of array.
type Subscript struct {
	Src  string
	At   bool // [@]
	Star bool // [*]
	Line int

	arith atomic.Pointer[ArithText]
	word  atomic.Pointer[Word]
}

// Arith returns the subscript as an arithmetic expression.
func (s *Subscript) Arith() *ArithText {
	if a := s.arith.Load(); a != nil {
		return a
	}
	a := NewArith(s.Src, s.Line)
	s.arith.Store(a)
	return a
}

// Word returns the subscript as the key of an associative array.
func (s *Subscript) Word() *Word {
	if w := s.word.Load(); w != nil {
		return w
	}
	w := ParseWord(s.Src, s.Line)
	s.word.Store(w)
	return w
}

// NewSubscript makes a subscript of its text.
func NewSubscript(src string, line int) *Subscript {
	return &Subscript{Src: src, At: src == "@", Star: src == "*", Line: line}
}
