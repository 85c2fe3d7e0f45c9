// Package blocks cuts an answer into blocks while it is still being written, so that people read the beginning before the end is
// there.
//
// A Splitter takes the answer in pieces of any size and gives blocks; a Coalescer joins small blocks again; a Delivery sends them
// with the pauses of a person who types; a Stream is all of it behind the pieces of a model.
//
// What is promised:
//
//   - The sources of an answer's blocks, one after the other, are the answer. Only what shows nothing at its end has no block.
//   - Where the answer is cut does not depend on how it came in pieces.
//   - No block's text is longer than the most, whatever was added to it, and none is blank. All but the last of a text have the
//     least length, unless nothing can be cut there: a grapheme cluster is cut only when it alone is longer than a block.
//   - A block is Markdown of its own: a fence of code that a cut goes through is closed before it and opened again behind it, as
//     long as each of the two lines takes no more than a quarter of a block.
//
// Lengths are in UTF-16 units, as all lengths of the configuration.
package blocks

import (
	"unicode"
	"unicode/utf8"
)

// Preference is where a text is cut best.
type Preference string

// The preferences, each with those below it as second choices, then blanks, then anywhere.
const (
	Paragraph Preference = "paragraph"
	Newline   Preference = "newline"
	Sentence  Preference = "sentence"
)

// Lengths of blocks when nothing else is said.
const (
	DefaultMin = 800
	DefaultMax = 1200
)

// Options say how long blocks are and where they end.
type Options struct {
	Min, Max int        // 0: DefaultMin and DefaultMax. A Min above Max is Max
	Prefer   Preference // empty: Paragraph
	// Whole gives no block before Finish, and then as few as fit.
	Whole bool
	// EachParagraph ends a block with every paragraph, however short it is.
	EachParagraph bool
}

func (o Options) settled() Options {
	if o.Max <= 0 {
		o.Max = DefaultMax
	}
	if o.Min <= 0 {
		o.Min = DefaultMin
	}
	o.Max = max(o.Max, unitsOf(unicode.MaxRune))
	o.Min = min(o.Min, o.Max)
	if o.Prefer == "" {
		o.Prefer = Paragraph
	}
	if o.EachParagraph {
		o.Min, o.Prefer = 1, Paragraph
	}
	return o
}

// Block is a part of an answer that is sent at once.
type Block struct {
	lead     string // the text of blocks of earlier texts that this one was joined to, with the joiner
	leadFrom string // their sources, and what shows nothing in front of the body
	body     string
	from, to state
	goesOn   bool // it continues the block before it, within the same text
}

// Text is what is sent: without blank lines around it, and with the fences that a cut went through closed and opened again.
func (b Block) Text() string { return b.lead + render(b.body, b.from, b.to) }

// Source is the part of the answer that the block is, exactly.
func (b Block) Source() string { return b.leadFrom + b.body }

// Join is both blocks as one. Between parts of one text nothing is added, and nothing is closed and opened again; a joiner is put
// only in front of a block that begins a text of its own.
func (b Block) Join(next Block, joiner string) Block {
	if next.goesOn && next.lead == "" {
		b.body += next.leadFrom + next.body
		b.to = next.to
		return b
	}
	next.lead = b.Text() + joiner + next.lead
	next.leadFrom = b.Source() + next.leadFrom
	next.goesOn = b.goesOn
	return next
}

// Units is the length of a text in UTF-16 units.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// whole is the part of a text that ends with a whole character.
func whole(text string) string {
	for i := 1; i <= utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
