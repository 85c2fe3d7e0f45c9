package compaction

import (
	"fmt"

	"openclaw/runtime/model"
)

// Kind is what an item is for the cut.
type Kind int

// The kinds.
const (
	KindUser      Kind = iota // begins a turn
	KindAssistant             //
	KindResult                // of a tool: it is never the first that stays
	KindCustom                // from the runtime
	KindSummary               // of what came before, or of another branch
)

// Item is a message of a conversation.
type Item struct {
	ID      string // of the entry that keeps it; empty: it is not stored, and cannot be the first that stays
	Kind    Kind
	Message model.Message // as the model is shown it
	// Summary is what an earlier compaction has written, without what is said in front of it, and Details what it kept beside.
	Summary string
	Details Details
}

// Cut is where a conversation is cut. What is before Begin is the summary of an earlier compaction.
type Cut struct {
	Begin int
	Turn  int // where the turn begins that is cut in two; First when none is
	First int // the first item that stays; the number of items when none does
}

// FindCut finds where to cut: so that about keep tokens stay, and at most most. sizes are the items' tokens. A turn is not parted for
// the sake of a few tokens.
//
// A cut is possible in front of everything but a tool's result, and where no call in front of it has its result behind it. When
// nothing that could stay is small enough, nothing stays; but a message of the user at the end must.
func FindCut(items []Item, sizes []int64, keep, most int64) (Cut, error) {
	begin := 0
	if len(items) > 0 && items[0].Summary != "" {
		begin = 1
	}
	tail := make([]int64, len(items)+1)
	for i := len(items) - 1; i >= 0; i-- {
		tail[i] = tail[i+1] + sizes[i]
	}
	wanted := len(items)
	for wanted > 0 && tail[wanted] < keep {
		wanted--
	}
	places := possible(items)
	first, ok := nearestCut(places, tail, wanted, most)
	if !ok {
		first = len(items)
		if first > 0 && items[first-1].Kind == KindUser {
			return Cut{}, fmt.Errorf("compaction: the last message alone has about %d tokens: %w", sizes[first-1], ErrTooLarge)
		}
	}
	if first <= begin {
		return Cut{}, fmt.Errorf("compaction: %d messages of about %d tokens: %w", len(items), tail[0], ErrNothing)
	}
	turn := turnOf(items, begin, first)
	if turn > begin && turn < first && places[turn] && tail[turn] <= most && tail[turn]-tail[first] <= keep/wholeShare {
		first = turn
	}
	return Cut{Begin: begin, Turn: turn, First: first}, nil
}

// wholeShare is how much more may stay so that a turn is not parted: one so many-th of what is wanted.
const wholeShare = 8

// possible tells in front of which items a cut is possible.
func possible(items []Item) []bool {
	results := paired(items)
	ok := make([]bool, len(items))
	open := map[string]bool{} // results whose call is further in front
	for i := len(items) - 1; i >= 0; i-- {
		it := &items[i]
		if it.Kind == KindResult {
			if results[i] {
				open[it.Message.ToolCallID] = true
			}
			continue
		}
		for _, call := range it.Message.Calls() {
			delete(open, call.ID)
		}
		ok[i] = len(open) == 0 && it.ID != ""
	}
	return ok
}

// paired tells which items are results of a call in front of them.
func paired(items []Item) []bool {
	is := make([]bool, len(items))
	open := map[string]bool{}
	for i := range items {
		m := &items[i].Message
		if items[i].Kind == KindResult {
			is[i] = open[m.ToolCallID]
			delete(open, m.ToolCallID)
			continue
		}
		for _, call := range m.Calls() {
			open[call.ID] = true
		}
	}
	return is
}

// nearestCut is the cut that is nearest to the wanted place, where not too much stays: behind it, else before it.
func nearestCut(possible []bool, tail []int64, wanted int, most int64) (int, bool) {
	for i := wanted; i < len(possible); i++ {
		if possible[i] && tail[i] <= most {
			return i, true
		}
	}
	for i := min(wanted, len(possible)) - 1; i >= 0 && tail[i] <= most; i-- {
		if possible[i] {
			return i, true
		}
	}
	return 0, false
}

// turnOf is where the turn begins that a cut parts. A turn that began before an earlier compaction is all in what it left.
func turnOf(items []Item, begin, first int) int {
	if first < len(items) && items[first].Kind == KindUser {
		return first
	}
	for i := first - 1; i >= begin; i-- {
		if items[i].Kind == KindUser {
			if i == begin { // there is nothing else to summarise
				return first
			}
			return i
		}
	}
	return first
}
