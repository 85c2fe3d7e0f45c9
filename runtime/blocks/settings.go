package blocks

import "openclaw/runtime/config"

// Settings are what is configured of streams and of deliveries. A delivery of blocks of single paragraphs joins none.
func Settings(s config.Streaming) (stream StreamOptions, delivery DeliveryOptions) {
	prefer := Preference(s.Preference)
	stream = StreamOptions{
		Options:      Options{Min: int(s.MinChars), Max: int(s.MaxChars), Prefer: prefer, EachParagraph: s.EachParagraph},
		AtMessageEnd: s.AtMessageEnd,
	}
	if !s.Blocks { // answers are sent whole, as far as they fit into a message
		stream.Options = Options{Min: int(s.TextLimit), Max: int(s.TextLimit), Prefer: prefer, EachParagraph: s.EachParagraph}
		stream.AtMessageEnd = true
		return stream, delivery
	}
	delivery.Pause = Pause{Min: s.DelayMin, Max: s.DelayMax}
	if !s.EachParagraph {
		delivery.Coalescing = &Coalescing{Min: int(s.CoalesceMin), Max: int(s.CoalesceMax), Idle: s.Idle, Joiner: prefer.Joiner()}
	}
	return stream, delivery
}
