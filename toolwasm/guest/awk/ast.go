package awk

// op is the kind of a node of the syntax tree.
type op uint8

const (
	opNone op = iota

	// Expressions. kids are the operands in order.
	opNumber  // num
	opString  // str
	opRegex   // str; as a value it is matched against $0
	opTyped   // str; @/re/
	opVar     // str
	opIndex   // str or kids[0] is the array, the rest the subscripts
	opField   // $kids[0]
	opGroup   // parenthesised
	opList    // (a, b, …) before "in"
	opCond    // ?:
	opAnd     //
	opOr      //
	opNot     //
	opNeg     //
	opPlus    //
	opBinary  // str: + - * / % ^
	opCompare // str: < <= == != > >=
	opMatch   // ~; str is "~" or "!~"
	opConcat  //
	opIn      // kids[0] in the array kids[1]
	opAssign  // str: = += …
	opPreInc  // num is the step
	opPostInc // num is the step
	opCall    // str
	opIndirect
	opBuiltin // str
	opGetline // str: "" "<" "|" "|&"; kids[0] the variable or nil, kids[1] the file or command or nil

	// Statements.
	opBlock
	opExpr
	opPrint  // str: "" ">" ">>" "|" "|&"; kids[0] the destination or nil, the rest the arguments
	opPrintf // likewise
	opIf     // cond, then, else or nil
	opWhile
	opDo
	opFor   // init, cond, step, body; nil where absent
	opForIn // variable, array, body
	opSwitch
	opCase // kids[0] the value (nil for default), the rest the body
	opBreak
	opContinue
	opNext
	opNextFile
	opExit
	opReturn
	opDelete
)

// node is a node of the syntax tree.
type node struct {
	op   op
	line int
	src  string // name of the source, for messages
	str  string
	num  float64
	kids []*node
}

// function is a user's function as parsed.
type function struct {
	name   string
	params []string
	body   *node
	line   int
}

// rule is one pattern-action pair. A nil action prints the record.
type rule struct {
	pattern *node // nil: always
	end     *node // the second pattern of a range
	action  *node
}

// program is a whole parsed program.
type program struct {
	begin, end, beginFile, endFile []*node
	rules                          []rule
	funcs                          map[string]*function
	order                          []*function
}
