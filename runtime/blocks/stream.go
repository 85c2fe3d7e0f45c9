package blocks

import "strings"

// Filter takes out of a message what nobody is to read. It holds back what it is not sure of yet.
type Filter interface {
	Write(piece string) string // what can be shown now
	Close() string             // what was held back and is to be shown
}

// StreamOptions say how a model's answers become blocks.
type StreamOptions struct {
	Options
	// AtMessageEnd gives the blocks of a message when it has ended. Otherwise they come while the text is written, and the rest of
	// a text when that has ended.
	AtMessageEnd bool
	// NewFilter makes the filter of a message; nil: there is none.
	NewFilter func() Filter
}

// Stream makes blocks of the messages of a run. It is not for several goroutines at once.
type Stream struct {
	options  StreamOptions
	out      func(Block)
	splitter *Splitter
	filter   Filter
	pending  []Block
	said     string // what was sent of the message
	again    string // what was sent of an answer that is void, as far as the new one has not said it again
	repeated string // of the new answer
}

// NewStream returns a stream that gives its blocks to out.
func NewStream(o StreamOptions, out func(Block)) *Stream {
	if o.AtMessageEnd {
		o.Whole = true
	}
	s := &Stream{options: o, out: out, splitter: NewSplitter(o.Options)}
	s.reset()
	return s
}

func (s *Stream) reset() {
	s.filter = nil
	if s.options.NewFilter != nil {
		s.filter = s.options.NewFilter()
	}
	s.said, s.again, s.repeated, s.pending = "", "", "", nil
}

// Write takes a piece of text.
func (s *Stream) Write(piece string) {
	if s.filter != nil {
		piece = s.filter.Write(piece)
	}
	s.write(piece)
}

func (s *Stream) write(piece string) {
	if s.again != "" {
		piece = s.news(piece)
	}
	s.emit(s.splitter.Write(piece))
}

// EndText ends one of a message's texts. What a filter holds back stays for the message's end.
func (s *Stream) EndText() {
	s.emit(s.splitter.Finish())
}

// EndMessage ends a message.
func (s *Stream) EndMessage() {
	if s.filter != nil {
		s.write(s.filter.Close())
	}
	s.EndText()
	for _, b := range s.pending {
		s.out(b)
	}
	s.reset()
}

// Discard forgets what has no block yet: the model is asked again. What was sent stays; when the new answer begins with it, that is
// not sent again.
func (s *Stream) Discard() {
	said, between := s.said, s.splitter.rewind()
	s.reset()
	s.said, s.again = said, said+between
}

// news is what a new answer has that the void one had not.
func (s *Stream) news(piece string) string {
	s.repeated += piece
	switch {
	case strings.HasPrefix(s.again, s.repeated):
		if s.repeated == s.again {
			s.again, s.repeated = "", ""
		}
		return ""
	case strings.HasPrefix(s.repeated, s.again):
		piece = s.repeated[len(s.again):]
	default:
		piece = s.repeated
		s.said = ""
		s.splitter.Discard()
	}
	s.again, s.repeated = "", ""
	return piece
}

func (s *Stream) emit(list []Block) {
	if s.options.AtMessageEnd {
		s.pending = append(s.pending, list...)
		return
	}
	for _, b := range list {
		s.said += b.Source()
		s.out(b)
	}
}
