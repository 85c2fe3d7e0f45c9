package sqlite

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"
)

// width is how many columns a text takes.
func width(s string) int { return utf8.RuneCountInString(s) }

// quoteCSV quotes a field when a reader of CSV could take it for something else.
func quoteCSV(s, separator string) string {
	if s == "" {
		return `""`
	}
	plain := separator == "" || !strings.Contains(s, separator)
	for i := 0; plain && i < len(s); i++ {
		c := s[i]
		plain = c > ' ' && c != '"' && c != '\'' && c < 0x7f
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// quoteC quotes a text as a string of C.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\', '"':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\t':
			b.WriteString(`\t`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		default:
			if c < ' ' {
				fmt.Fprintf(&b, `\%03o`, c)
				continue
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// literal writes a value as SQL does.
func literal(v value) string {
	switch v.kind {
	case sqlite3.NULL:
		return "NULL"
	case sqlite3.TEXT:
		return quoteText(v.text)
	case sqlite3.BLOB:
		return "X'" + hex.EncodeToString([]byte(v.text)) + "'"
	case sqlite3.FLOAT:
		return floatText(v.number, exactDigits)
	}
	return v.text
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// dumped writes a value so that reading it gives the same value, on one line.
func dumped(v value) string {
	switch v.kind {
	case sqlite3.TEXT:
		return oneLine(v.text)
	case sqlite3.FLOAT:
		return jsonNumber(v.number)
	}
	return literal(v)
}

// With how many digits numbers are written: for people, and so that reading them gives the same number.
const (
	shownDigits = 15
	exactDigits = 20
)

// floatText writes a number with at most so many digits, and always as one with a fraction.
func floatText(f float64, digits int) string {
	switch {
	case math.IsInf(f, 1):
		return "Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	case f == 0:
		return "0.0"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', digits-1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	if e >= -4 && e < digits {
		return fraction(strconv.FormatFloat(f, 'f', digits-1-e, 64))
	}
	return fmt.Sprintf("%se%+03d", fraction(mantissa), e)
}

// fraction takes the zeros off the end of a number, but for the one behind the point.
func fraction(s string) string {
	if !strings.Contains(s, ".") {
		return s + ".0"
	}
	s = strings.TrimRight(s, "0")
	if strings.HasSuffix(s, ".") {
		return s + "0"
	}
	return s
}

// oneLine quotes a text without line breaks in the result.
func oneLine(s string) string {
	quoted := quoteText(s)
	if !strings.ContainsAny(s, "\r\n") {
		return quoted
	}
	for _, b := range []struct{ char, mark, code string }{{"\r", `\r`, "13"}, {"\n", `\n`, "10"}} {
		if !strings.Contains(s, b.char) {
			continue
		}
		mark := unused(s, b.mark)
		quoted = "replace(" + strings.ReplaceAll(quoted, b.char, mark) + ",'" + mark + "',char(" + b.code + "))"
	}
	return quoted
}

// unused is a mark that the text does not hold.
func unused(s, mark string) string {
	if !strings.Contains(s, mark) {
		return mark
	}
	for i := 0; ; i++ {
		m := fmt.Sprintf("(%s%d)", mark, i)
		if !strings.Contains(s, m) {
			return m
		}
	}
}

// identifier quotes a name when it has to be quoted.
func identifier(s string) string {
	plain := s != "" && (s[0] < '0' || s[0] > '9')
	for i := 0; plain && i < len(s); i++ {
		c := s[i]
		plain = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if plain && !keywords()[strings.ToUpper(s)] {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// keywords are the words that a name must not be without quotes.
var keywords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY CASCADE CASE CAST CHECK
		COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE
		DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED
		GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT
		MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY
		RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP
		TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT`) {
		m[w] = true
	}
	return m
})

// writeJSON writes a text as a string of JSON.
func writeJSON(w *bufio.Writer, s string) {
	w.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\', '"':
			w.WriteByte('\\')
			w.WriteByte(c)
		case '\b':
			w.WriteString(`\b`)
		case '\f':
			w.WriteString(`\f`)
		case '\n':
			w.WriteString(`\n`)
		case '\r':
			w.WriteString(`\r`)
		case '\t':
			w.WriteString(`\t`)
		default:
			if c < ' ' {
				fmt.Fprintf(w, `\u%04x`, c)
				continue
			}
			w.WriteByte(c)
		}
	}
	w.WriteByte('"')
}

// unescape reads the escapes of C that separators may have.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	if u, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`); err == nil {
		return u
	}
	return s
}
