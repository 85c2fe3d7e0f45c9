package tokens

import (
	"unicode"
	"unicode/utf8"
)

// class is what a character is for the cutting of a text into pieces.
type class uint8

const (
	other class = iota // marks and symbols
	upper              // an upper-case or title-case letter
	lower
	letter // a letter of a script without cases, or a mark on one
	digit
	blank
	newline
)

// ascii holds the classes of the first characters, which most texts are made of.
var ascii = func() (table [utf8.RuneSelf]class) {
	for c := range table {
		table[c] = classOf(rune(c))
	}
	return table
}()

func classOf(r rune) class {
	switch {
	case r == '\n' || r == '\r':
		return newline
	case unicode.IsSpace(r):
		return blank
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLower(r):
		return lower
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	}
	return other
}

// at is the class of the character at a place, and its length in bytes; 0 at the end.
func at(text string, i int) (class, int) {
	if i >= len(text) {
		return other, 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return classOf(r), size
}

// maxDigits is how many digits a piece has.
const maxDigits = 3

// piece is how long the piece is that begins at a place: a word with the blank or mark in front of it, a few digits, marks, or blanks.
// Tokens never reach over the end of a piece.
func piece(text string, i int) int {
	c, size := at(text, i)
	switch c {
	case digit:
		return digits(text, i)
	case upper, lower, letter:
		return word(text, i) - i
	case newline:
		return blanks(text, i)
	}
	next, _ := at(text, i+size)
	if next == upper || next == lower || next == letter {
		return word(text, i+size) - i
	}
	if c == blank {
		if text[i] == ' ' && next == other && i+size < len(text) {
			return marks(text, i+size) - i
		}
		return blanks(text, i)
	}
	return marks(text, i) - i
}

func digits(text string, i int) int {
	end := i
	for range maxDigits {
		c, size := at(text, end)
		if c != digit || size == 0 {
			break
		}
		end += size
	}
	return end - i
}

// word is where a word ends: capitals, then small letters, then an ending such as 's.
func word(text string, i int) int {
	end := i
	for {
		c, size := at(text, end)
		if size == 0 || c != upper && c != letter {
			break
		}
		end += size
	}
	for {
		c, size := at(text, end)
		if size == 0 || c != lower && c != letter {
			break
		}
		end += size
	}
	return end + ending(text[end:])
}

// ending is the length of a shortened word behind an apostrophe.
func ending(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	switch text[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v', 'l':
		if len(text) > 2 && (text[1:3] == "re" || text[1:3] == "ve" || text[1:3] == "ll") {
			return 3
		}
	}
	return 0
}

// marks is where a row of marks ends, with the line breaks behind it.
func marks(text string, i int) int {
	for {
		c, size := at(text, i)
		if size == 0 || c != other {
			break
		}
		i += size
	}
	for i < len(text) && (text[i] == '\n' || text[i] == '\r' || text[i] == '/') {
		i++
	}
	return i
}

// blanks is how long a row of blanks is: up to its last line break, or without the blank in front of what follows.
func blanks(text string, i int) int {
	end, lines, last := i, 0, 0
	for {
		c, size := at(text, end)
		if size == 0 || c != blank && c != newline {
			break
		}
		end, last = end+size, size
		if c == newline {
			lines = end
		}
	}
	switch {
	case lines > 0:
		return lines - i
	case end < len(text) && end-last > i:
		return end - last - i
	}
	return end - i
}
