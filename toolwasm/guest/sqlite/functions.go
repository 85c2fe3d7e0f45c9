package sqlite

import (
	"errors"
	"regexp"

	"github.com/ncruces/go-sqlite3"
)

// maxContent bounds what readfile returns.
const maxContent = 256 << 20

// registerFunctions adds the functions that SQLite's shell has and its library has not.
func (s *shell) registerFunctions(db *sqlite3.Conn) error {
	expressions := map[string]*regexp.Regexp{}
	return errors.Join(
		db.CreateFunction("readfile", 1, sqlite3.DIRECTONLY, s.readContent),
		db.CreateFunction("writefile", -1, sqlite3.DIRECTONLY, s.writeContent),
		db.CreateFunction("regexp", 2, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, func(ctx sqlite3.Context, args ...sqlite3.Value) { matches(expressions, ctx, args) }),
		registerSeries(db),
	)
}

func (s *shell) readContent(ctx sqlite3.Context, args ...sqlite3.Value) {
	name := args[0].Text()
	info, err := s.p.Stat(name)
	if err != nil || info.Size > maxContent {
		ctx.ResultNull()
		return
	}
	b, err := s.p.ReadFile(name)
	if err != nil {
		ctx.ResultNull()
		return
	}
	ctx.ResultBlob(b)
}

func (s *shell) writeContent(ctx sqlite3.Context, args ...sqlite3.Value) {
	if len(args) < 2 {
		ctx.ResultError(errors.New("wrong number of arguments to function writefile()"))
		return
	}
	f, err := s.p.Create(args[0].Text())
	if err != nil {
		ctx.ResultError(errors.New("failed to write file: " + args[0].Text()))
		return
	}
	n, err := f.Write(args[1].RawBlob())
	if err = errors.Join(err, f.Close()); err != nil {
		ctx.ResultError(errors.New("failed to write file: " + args[0].Text()))
		return
	}
	ctx.ResultInt(n)
}

// matches is the operator REGEXP: its first argument is the expression.
func matches(known map[string]*regexp.Regexp, ctx sqlite3.Context, args []sqlite3.Value) {
	if args[0].Type() == sqlite3.NULL || args[1].Type() == sqlite3.NULL {
		ctx.ResultNull()
		return
	}
	pattern := args[0].Text()
	re, ok := known[pattern]
	if !ok {
		var err error
		if re, err = regexp.Compile(pattern); err != nil {
			ctx.ResultError(err)
			return
		}
		known[pattern] = re
	}
	ctx.ResultBool(re.Match(args[1].RawText()))
}
