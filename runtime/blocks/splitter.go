package blocks

import (
	"strings"
	"unicode/utf8"
)

// Splitter cuts a text into blocks as it comes. It is not for several goroutines at once.
type Splitter struct {
	options Options
	buffer  string // what has no block yet
	units   int    // its length
	state   state  // where it begins
	goesOn  bool
	unseen  string // what stands in front of it and shows nothing
}

// NewSplitter returns a splitter.
func NewSplitter(o Options) *Splitter {
	s := &Splitter{options: o.settled()}
	s.Discard()
	return s
}

// Write adds a piece of the text and returns the blocks that are complete now.
func (s *Splitter) Write(piece string) []Block {
	s.buffer += piece
	s.units += Units(piece)
	full := s.units > s.options.Max
	if s.options.Whole || s.units < s.options.Min || !full && !s.options.Prefer.endsIn(piece) {
		return nil
	}
	return s.cutAll(false)
}

// Finish ends the text and returns the blocks of what was left. The next piece begins another text.
func (s *Splitter) Finish() []Block {
	list := s.cutAll(true)
	if b := s.block(len(s.buffer), s.stateAt(len(s.buffer))); b.Text() != "" {
		list = append(list, b)
	}
	s.Discard()
	return list
}

// Discard forgets what has no block yet. The next piece begins another text.
func (s *Splitter) Discard() {
	*s = Splitter{options: s.options, state: state{room: s.options.Max / repairShare}}
}

// rewind forgets what has no block yet, and goes on there. It returns what lies between there and the last block.
func (s *Splitter) rewind() string {
	s.buffer, s.units = "", 0
	return s.unseen
}

func (s *Splitter) cutAll(final bool) []Block {
	var list []Block
	for {
		at, ok := s.cut(final)
		if !ok {
			return list
		}
		b := s.block(at, s.stateAt(at))
		s.buffer = s.buffer[at:]
		s.units = Units(s.buffer)
		s.state = b.to
		if b.Text() == "" {
			s.unseen = b.Source()
			continue
		}
		list = append(list, b)
		s.goesOn, s.unseen = true, ""
	}
}

func (s *Splitter) block(end int, to state) Block {
	return Block{body: s.buffer[:end], from: s.state, to: to, goesOn: s.goesOn, leadFrom: s.unseen}
}

// repairShare is the part of a block that each line may take that opens or closes a fence again.
const repairShare = 4

// stateAt is the state of a place in the buffer.
func (s *Splitter) stateAt(end int) state {
	after := s.state.lines(s.buffer[:end], func(int, string, line, state) bool { return true })
	if end == 0 || end == len(s.buffer) || s.buffer[end-1] == '\n' {
		return after
	}
	// The line was cut; what it is, its whole tells.
	begin := strings.LastIndexByte(s.buffer[:end], '\n') + 1
	before := s.state
	if begin > 0 {
		before = s.state.lines(s.buffer[:begin], func(int, string, line, state) bool { return true })
	}
	raw, _, _ := strings.Cut(s.buffer[begin:], "\n")
	l, after := before.next(raw)
	return after.within(l, before)
}

// within is the state of a place in a line.
func (st state) within(l line, before state) state {
	switch {
	case before.inLine:
		return before
	case l.kind == indentedLine:
		st.margin = l.margin
	case l.kind == closingLine:
		st = before
	}
	st.inLine = true
	return st
}

// place is where a text may be cut.
type place struct {
	at   int
	rank rank
}

// rank is how good a place is; the higher the better.
type rank int

const (
	anywhere  rank = iota // between two grapheme clusters
	codeBlank             // behind a blank of code
	openBlank             // behind a blank, within marks of Markdown that come in pairs
	codeEnd               // behind a line of code
	afterBlank
	sentenceEnd
	lineEnd
	paragraphEnd
)

// least is the worst of the places that are cut at before a block is full.
func (p Preference) least() rank {
	switch p {
	case Sentence:
		return sentenceEnd
	case Newline:
		return lineEnd
	}
	return paragraphEnd
}

// endsIn tells whether a piece can end what is cut before a block is full.
func (p Preference) endsIn(piece string) bool { return p == Sentence || strings.Contains(piece, "\n") }

// cut is where the next block ends; not ok when more must come first, or all that is left is one block.
func (s *Splitter) cut(final bool) (at int, ok bool) {
	w := s.look(final)
	full := w.full
	if final && !full { // the fence that is still open is closed, too
		full = Units(render(s.buffer, s.state, s.stateAt(len(s.buffer)))) > s.options.Max
	}
	if !s.options.Whole || s.options.EachParagraph {
		for _, p := range w.places {
			if p.rank >= s.options.Prefer.least() {
				return p.at, true
			}
		}
	}
	if !full || !final && w.uncertain {
		return 0, false
	}
	if p, ok := s.best(w.places); ok {
		return p.at, true
	}
	if p, ok := s.best(w.early); ok && !w.enough {
		return p.at, true
	}
	if w.hard > 0 {
		return w.hard, true
	}
	return s.force()
}

// force is a place between two characters, where nothing else can be cut.
func (s *Splitter) force() (at int, ok bool) {
	for most := s.options.Max; ; most /= 2 {
		at, n := 0, 0
		for i, r := range s.buffer {
			if n += unitsOf(r); n > most && i > 0 {
				break
			}
			at = i + utf8.RuneLen(r)
			if r == utf8.RuneError {
				_, size := utf8.DecodeRuneInString(s.buffer[i:])
				at = i + size
			}
		}
		if most == 0 || Units(s.block(at, s.stateAt(at)).Text()) <= s.options.Max {
			return at, at < len(s.buffer)
		}
	}
}

// best is the last of the best places. Ends of sentences, lines and paragraphs that are worth more than what is wanted are worth as
// much as that.
func (s *Splitter) best(places []place) (best place, ok bool) {
	limit := s.options.Prefer.least()
	for _, p := range places {
		p.rank = min(p.rank, limit)
		if !ok || p.rank >= best.rank {
			best, ok = p, true
		}
	}
	return best, ok
}
