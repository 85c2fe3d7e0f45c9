package regex

import "math/bits"

// minFactored is the number of alternatives from which they are put into a tree by their beginnings.
const minFactored = 8

// factor turns an alternation of many strings into a tree: a list of words then costs no more than the letters a word can go
// on with. The order of preference stays: alternatives that begin differently cannot match at one place.
func factor(n *node) *node {
	if n.kind != nodeAlt || len(n.subs) < minFactored {
		return n
	}
	words := make([][]*node, len(n.subs))
	for i, s := range n.subs {
		switch {
		case s.kind == nodeEmpty:
		case s.kind == nodeSet && s.set.keyed():
			words[i] = []*node{s}
		case s.kind == nodeConcat:
			for _, c := range s.subs {
				if c.kind != nodeSet || !c.set.keyed() {
					return n
				}
			}
			words[i] = s.subs
		default:
			return n
		}
	}
	return factorWords(words)
}

// setKey tells sets apart that are compared often.
type setKey struct {
	ascii [2]uint64
	span  span
	fold  bool
}

// keyed reports whether the set is one character, in either case perhaps: sets with different keys then have nothing in common
// that would matter to the order of preference.
func (s *set) keyed() bool {
	if len(s.classes) > 0 || len(s.spans) > 1 || s.negated {
		return false
	}
	const oneLetter = 2
	count := bits.OnesCount64(s.ascii[0]) + bits.OnesCount64(s.ascii[1])
	if s.fold {
		return count <= oneLetter
	}
	_, one := s.single()
	return one
}

func (s *set) key() setKey {
	k := setKey{ascii: s.ascii, fold: s.fold}
	if len(s.spans) == 1 {
		k.span = s.spans[0]
	}
	return k
}

func factorWords(words [][]*node) *node {
	if len(words) == 1 {
		return sequence(words[0])
	}
	var order []setKey
	groups := map[setKey][][]*node{}
	alt := &node{kind: nodeAlt}
	empty := -1 // how many groups stand before the empty word
	for _, w := range words {
		if len(w) == 0 {
			if empty < 0 {
				empty = len(order)
			}
			continue
		}
		k := w[0].set.key()
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], w)
	}
	for i, k := range order {
		if i == empty {
			alt.subs = append(alt.subs, &node{kind: nodeEmpty})
		}
		group := groups[k]
		first := group[0][0]
		for j := range group {
			group[j] = group[j][1:]
		}
		rest := factorWords(group)
		alt.subs = append(alt.subs, &node{kind: nodeConcat, subs: []*node{first, rest}})
	}
	if empty >= len(order) {
		alt.subs = append(alt.subs, &node{kind: nodeEmpty})
	}
	if len(alt.subs) == 1 {
		return alt.subs[0]
	}
	return alt
}

func sequence(ns []*node) *node {
	if len(ns) == 0 {
		return &node{kind: nodeEmpty}
	}
	return &node{kind: nodeConcat, subs: ns}
}
