package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table is rows of text for a person. On a terminal, lines are cut at its width; anywhere else everything is written, so that
// other commands get all of it.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = printable(strings.Join(strings.Fields(cells[i]), " "))
	}
	t.rows = append(t.rows, cells)
}

// columnGap is between two columns.
const columnGap = "  "

func (t *table) write(w io.Writer) error {
	widths := make([]int, len(t.header))
	all := append([][]string{t.header}, t.rows...)
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	limit := terminalWidth(w)
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + columnGap)
			}
		}
		if _, err := fmt.Fprintln(w, fit(strings.TrimRight(line.String(), " "), limit)); err != nil {
			return err
		}
	}
	return nil
}

// fit cuts a line at a number of characters; 0 is no limit.
func fit(line string, limit int) string {
	runes := []rune(line)
	if limit <= 0 || len(runes) <= limit {
		return line
	}
	return string(runes[:limit-1]) + "…"
}

// printable replaces what could control a terminal. Texts come from models, tools and strangers.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, text)
}
