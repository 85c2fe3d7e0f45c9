package sqlite

import "github.com/ncruces/go-sqlite3"

// series is the table generate_series(start, stop, step).
type series struct{}

// The columns of series; all but the first are its arguments.
const (
	seriesValue = iota
	seriesStart
	seriesStop
	seriesStep
)

func registerSeries(db *sqlite3.Conn) error {
	//lint:ignore SA1019 the method that replaces it needs Go 1.27
	return sqlite3.CreateModule(db, "generate_series", nil, func(db *sqlite3.Conn, _, _, _ string, _ ...string) (series, error) {
		err := db.DeclareVTab("CREATE TABLE x(value, start HIDDEN, stop HIDDEN, step HIDDEN)")
		if err == nil {
			err = db.VTabConfig(sqlite3.VTAB_INNOCUOUS)
		}
		return series{}, err
	})
}

// BestIndex implements [sqlite3.VTab]: it passes on which of the arguments are given.
func (series) BestIndex(idx *sqlite3.IndexInfo) error {
	given, cost := 0, 2147483647.0
	n := 0
	for column := seriesStart; column <= seriesStep; column++ {
		for i, c := range idx.Constraint {
			if c.Column != column || c.Op != sqlite3.INDEX_CONSTRAINT_EQ {
				continue
			}
			if !c.Usable {
				return sqlite3.CONSTRAINT
			}
			n++
			idx.ConstraintUsage[i] = sqlite3.IndexConstraintUsage{ArgvIndex: n, Omit: true}
			given |= 1 << column
			cost = 1000
			break
		}
	}
	idx.IdxNum = given
	idx.EstimatedCost = cost
	return nil
}

// Open implements [sqlite3.VTab].
func (series) Open() (sqlite3.VTabCursor, error) { return &seriesCursor{}, nil }

// seriesCursor is where a scan of the series is.
type seriesCursor struct {
	start, stop, step, value, row int64
	done                          bool
}

// Filter implements [sqlite3.VTabCursor].
func (c *seriesCursor) Filter(given int, _ string, args ...sqlite3.Value) error {
	const most = 4294967295
	*c = seriesCursor{stop: most, step: 1}
	next := 0
	for _, arg := range []struct {
		column int
		to     *int64
	}{{seriesStart, &c.start}, {seriesStop, &c.stop}, {seriesStep, &c.step}} {
		if given&(1<<arg.column) == 0 {
			continue
		}
		if args[next].Type() == sqlite3.NULL {
			c.done = true
		}
		*arg.to = args[next].Int64()
		next++
	}
	if c.step == 0 {
		c.step = 1
	}
	c.value, c.row = c.start, 1
	c.done = c.done || c.past()
	return nil
}

func (c *seriesCursor) past() bool {
	if c.step > 0 {
		return c.value > c.stop
	}
	return c.value < c.stop
}

// Next implements [sqlite3.VTabCursor].
func (c *seriesCursor) Next() error {
	before := c.value
	c.value += c.step
	c.row++
	c.done = c.past() || (c.step > 0) != (c.value > before) // the last says that it went over the edge
	return nil
}

// EOF implements [sqlite3.VTabCursor].
func (c *seriesCursor) EOF() bool { return c.done }

// Column implements [sqlite3.VTabCursor].
func (c *seriesCursor) Column(ctx sqlite3.Context, n int) error {
	ctx.ResultInt64([]int64{c.value, c.start, c.stop, c.step}[n])
	return nil
}

// RowID implements [sqlite3.VTabCursor].
func (c *seriesCursor) RowID() (int64, error) { return c.row, nil }
