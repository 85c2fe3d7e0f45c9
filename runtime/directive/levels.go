package directive

import "strings"

// Levels are what was said of each kind; what is empty was not.
type Levels struct {
	Thinking  string `json:"thinkingLevel,omitempty"`
	Verbose   string `json:"verboseLevel,omitempty"`
	Reasoning string `json:"reasoningLevel,omitempty"`
	Usage     string `json:"responseUsage,omitempty"`
}

// of is the place of a kind.
func (l *Levels) of(k Kind) *string {
	switch k {
	case Think:
		return &l.Thinking
	case Verbose:
		return &l.Verbose
	case Reasoning:
		return &l.Reasoning
	}
	return &l.Usage
}

// Get is what was said of a kind.
func (l Levels) Get(k Kind) string { return *l.of(k) }

// Hints are the levels of a message that has directives beside its text.
func (m Message) Hints() Levels {
	var l Levels
	for _, d := range m.Directives {
		if d.Value != "" && (d.Kind != Usage || d.Value != Cost) {
			*l.of(d.Kind) = d.Value
		}
	}
	return l
}

// With are a session's levels after a message of directives alone. Questions change nothing, and neither does to ask for the cost.
func (l Levels) With(list []Directive) Levels {
	for _, d := range list {
		switch {
		case d.Value == "" || d.Kind == Usage && d.Value == Cost:
		case d.Value == Inherit:
			*l.of(d.Kind) = ""
		default:
			*l.of(d.Kind) = d.Value
		}
	}
	return l
}

// Choose is what holds of what was said, the message's hints first, then the session's levels, then what lies below. A message that
// says Inherit does not have the session's.
func Choose(hints, session Levels, below ...Levels) Levels {
	var chosen Levels
	for _, s := range spellings {
		place := chosen.of(s.kind)
		switch v := hints.Get(s.kind); v {
		case "":
			*place = session.Get(s.kind)
		case Inherit:
		default:
			*place = v
		}
		for _, l := range below {
			if *place == "" {
				*place = l.Get(s.kind)
			}
		}
	}
	return chosen
}

// Acknowledge is the answer to a message of directives alone; now are the session's levels after it and what holds for it.
func Acknowledge(list []Directive, session, now Levels) string {
	lines := make([]string, 0, len(list))
	for _, d := range list {
		holds := now.Get(d.Kind)
		if holds == "" {
			holds = Inherit
		}
		switch {
		case d.Wrong != "":
			lines = append(lines, "/"+string(d.Kind)+" knows no \""+shown(d.Wrong)+"\": "+strings.Join(d.Kind.Values(), ", ")+".")
		case d.Value == "" && session.Get(d.Kind) != "":
			lines = append(lines, "/"+string(d.Kind)+" is "+holds+" in this session.")
		case d.Value == "":
			lines = append(lines, "/"+string(d.Kind)+" is "+holds+".")
		case d.Kind == Usage && d.Value == Cost: // the runtime answers with figures
		case d.Value == Inherit:
			lines = append(lines, "/"+string(d.Kind)+" is "+holds+" again.")
		default:
			lines = append(lines, "/"+string(d.Kind)+" is "+holds+" now.")
		}
	}
	return strings.Join(lines, "\n")
}

// maxShown is how many characters of a wrong value an answer repeats.
const maxShown = 40

func shown(word string) string {
	n := 0
	for i := range word {
		if n++; n > maxShown {
			return word[:i] + "…"
		}
	}
	return word
}
