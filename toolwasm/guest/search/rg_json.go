package search

import (
	"encoding/json"
	"time"
)

// The messages of --json, one a line, in ripgrep's format.

// jsonText is text, or bytes in base64 when it is not UTF-8.
type jsonText struct {
	Text  *string `json:"text,omitempty"`
	Bytes []byte  `json:"bytes,omitempty"`
}

func textOf(b []byte) jsonText {
	if !validUTF8(b) {
		return jsonText{Bytes: b}
	}
	s := string(b)
	return jsonText{Text: &s}
}

type jsonMatch struct {
	Match jsonText `json:"match"`
	Start int      `json:"start"`
	End   int      `json:"end"`
}

type jsonLineData struct {
	Path       jsonText    `json:"path"`
	Lines      jsonText    `json:"lines"`
	LineNumber int64       `json:"line_number"`
	Offset     int64       `json:"absolute_offset"`
	Submatches []jsonMatch `json:"submatches"`
}

type jsonElapsed struct {
	Secs  int64  `json:"secs"`
	Nanos int    `json:"nanos"`
	Human string `json:"human"`
}

type jsonStats struct {
	Elapsed       jsonElapsed `json:"elapsed"`
	Searches      int         `json:"searches"`
	WithMatch     int         `json:"searches_with_match"`
	BytesSearched int64       `json:"bytes_searched"`
	BytesPrinted  int64       `json:"bytes_printed"`
	MatchedLines  int         `json:"matched_lines"`
	Matches       int         `json:"matches"`
}

func (r *rg) message(kind string, data any) {
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{kind, data})
}

func (f *rgFile) jsonLine(rec record, selected bool, locs [][]int) {
	if !f.begun {
		f.begun = true
		f.r.message("begin", map[string]any{"path": textOf([]byte(f.name))})
	}
	kind := "context"
	if selected {
		kind = "match"
	}
	line := append(append([]byte{}, rec.text...), '\n')
	d := jsonLineData{
		Path: textOf([]byte(f.name)), Lines: textOf(line), LineNumber: rec.line, Offset: rec.offset, Submatches: []jsonMatch{},
	}
	for _, loc := range locs {
		d.Submatches = append(d.Submatches, jsonMatch{textOf(rec.text[loc[0]:loc[1]]), loc[0], loc[1]})
	}
	f.r.message(kind, d)
}

func (f *rgFile) jsonEnd(searched int64) {
	if !f.begun {
		return
	}
	var binary *int64
	if f.isBinary {
		binary = &f.binaryAt
	}
	f.r.message("end", map[string]any{
		"path": textOf([]byte(f.name)), "binary_offset": binary,
		"stats": jsonStats{
			Elapsed: elapsedOf(0), Searches: 1, WithMatch: min(f.selected, 1), BytesSearched: searched,
			MatchedLines: f.selected, Matches: f.matches,
		},
	})
}

func (r *rg) jsonSummary(elapsed time.Duration) {
	r.message("summary", map[string]any{
		"elapsed_total": elapsedOf(elapsed),
		"stats": jsonStats{
			Elapsed: elapsedOf(elapsed), Searches: r.stats.files, WithMatch: r.stats.filesMatched,
			BytesSearched: r.stats.bytesSearched, MatchedLines: r.stats.lines, Matches: r.stats.matches,
		},
	})
}

func elapsedOf(d time.Duration) jsonElapsed {
	return jsonElapsed{Secs: int64(d / time.Second), Nanos: int(d % time.Second), Human: d.String()}
}
