package sqlite

import (
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// firstWords returns the first words of a statement, in upper case.
func firstWords(sql string, n int) []string {
	fields := strings.Fields(sql)
	return strings.Fields(strings.ToUpper(strings.Join(fields[:min(n, len(fields))], " ")))
}

func isQueryPlan(sql string) bool {
	w := firstWords(sql, 3)
	return len(w) == 3 && w[0] == "EXPLAIN" && w[1] == "QUERY" && w[2] == "PLAN"
}

func isExplain(sql string) bool {
	w := firstWords(sql, 1)
	return len(w) == 1 && w[0] == "EXPLAIN"
}

// explainWriter writes the program of a statement in columns of the usual widths.
func (s *shell) explainWriter(names []string) rowWriter {
	return &programWriter{o: &s.output, names: names}
}

// programWriter writes EXPLAIN.
type programWriter struct {
	o     *output
	names []string
	begun bool
}

var programWidths = []int{4, 13, 4, 4, 4, 13, 2, 13}

func (e *programWriter) write(cells []string) {
	for i, c := range cells {
		w := 0
		if i < len(programWidths) {
			w = programWidths[i]
		}
		sep := "  "
		if i == len(cells)-1 {
			sep = "\n"
		}
		fmt.Fprintf(e.o.w(), "%-*s%s", w, c, sep)
	}
}

func (e *programWriter) row(row []value) {
	if !e.begun {
		e.begun = true
		e.write(e.names)
		rules := make([]string, len(e.names))
		for i := range rules {
			rules[i] = strings.Repeat("-", programWidths[min(i, len(programWidths)-1)])
		}
		e.write(rules)
	}
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = e.o.shown(v)
	}
	e.write(cells)
}

func (e *programWriter) end(int) {}

// step is a line of a query plan.
type step struct {
	id, parent int64
	text       string
}

// queryPlan writes EXPLAIN QUERY PLAN as a tree.
func (s *shell) queryPlan(stmt *sqlite3.Stmt) error {
	var steps []step
	for stmt.Step() {
		steps = append(steps, step{stmt.ColumnInt64(0), stmt.ColumnInt64(1), stmt.ColumnText(3)})
	}
	if err := stmt.Err(); err != nil {
		return err
	}
	if len(steps) > 0 {
		fmt.Fprintln(s.w(), "QUERY PLAN")
		s.branches(steps, 0, "")
	}
	return nil
}

func (s *shell) branches(steps []step, parent int64, indent string) {
	var children []step
	for _, st := range steps {
		if st.parent == parent {
			children = append(children, st)
		}
	}
	for i, c := range children {
		mark, below := "|--", "|  "
		if i == len(children)-1 {
			mark, below = "`--", "   "
		}
		fmt.Fprintf(s.w(), "%s%s%s\n", indent, mark, c.text)
		if c.id != parent {
			s.branches(steps, c.id, indent+below)
		}
	}
}
