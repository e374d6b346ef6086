package attribution

import (
	"cmp"
	"slices"
)

// Node is a function in the tree of calls, with all that it calls.
type Node struct {
	Name string
	// Share of the whole, 0 to 1, its callees included.
	Share float64
	Calls []*Node
}

// Tree are the calls from the outermost functions inwards, by falling share. Nodes below
// the least share are left out; they are in the shares of their callers.
func (s *Stacks) Tree(least float64) []*Node {
	root := &Node{}
	total := float64(s.Total())
	for i, stack := range s.Stacks {
		at, share := root, float64(s.met(i))/total
		for _, f := range slices.Backward(stack) {
			at = at.call(s.Names[f])
			at.Share += share
		}
	}
	root.prune(least)
	return root.Calls
}

func (n *Node) call(name string) *Node {
	for _, c := range n.Calls {
		if c.Name == name {
			return c
		}
	}
	c := &Node{Name: name}
	n.Calls = append(n.Calls, c)
	return c
}

func (n *Node) prune(least float64) {
	n.Calls = slices.DeleteFunc(n.Calls, func(c *Node) bool { return c.Share < least })
	slices.SortFunc(n.Calls, func(a, b *Node) int { return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name)) })
	for _, c := range n.Calls {
		c.prune(least)
	}
}
