package json5

// with is the tree with a value at a path. The tree itself does not change.
func with(n *Node, path Path, value *Node) *Node {
	if len(path) == 0 {
		return value
	}
	child := n.child(path[0])
	if child == nil {
		value = nest(path[1:], value)
	} else {
		value = with(child, path[1:], value)
	}
	changed := n.shallow()
	if n.Kind == Array {
		i, _ := path[0].Index()
		if child == nil {
			changed.Items = append(changed.Items, value)
		} else {
			changed.Items[i] = value
		}
		return changed
	}
	changed.drop(path[0].Name())
	changed.Members = append(changed.Members, &Member{Name: path[0].Name(), Value: value})
	return changed
}

// without is the tree without the value at a path.
func without(n *Node, path Path) *Node {
	if len(path) == 0 {
		return n
	}
	changed := n.shallow()
	i, _ := path[0].Index()
	if len(path) > 1 {
		return with(n, path[:1], without(n.child(path[0]), path[1:]))
	}
	if n.Kind == Array {
		changed.Items = append(changed.Items[:i], changed.Items[i+1:]...)
		return changed
	}
	changed.drop(path[0].Name())
	return changed
}

// shallow is a copy with its own lists.
func (n *Node) shallow() *Node {
	return &Node{
		Span: n.Span, Kind: n.Kind, Bool: n.Bool, Str: n.Str,
		Items: append([]*Node(nil), n.Items...), Members: append([]*Member(nil), n.Members...),
	}
}

func (n *Node) drop(name string) {
	kept := n.Members[:0]
	for _, m := range n.Members {
		if m.Name != name {
			kept = append(kept, m)
		}
	}
	n.Members = kept
}
