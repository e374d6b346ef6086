package attribution

import (
	"cmp"
	"slices"

	"github.com/linerate/linerate/result"
)

// node is a function in the tree of calls.
type node struct {
	name  string
	share float64
	calls []*node
}

// Tree are the calls from the outermost functions inwards, by falling share. Nodes below
// the least share are left out; they are in the shares of their callers.
func (s *Stacks) Tree(least float64) []result.CallNode {
	root := &node{}
	total := float64(s.Total())
	for i, stack := range s.Stacks {
		at, share := root, float64(s.met(i))/total
		for _, f := range slices.Backward(stack) {
			at = at.call(s.Names[f])
			at.share += share
		}
	}
	return root.kept(least)
}

func (n *node) call(name string) *node {
	for _, c := range n.calls {
		if c.name == name {
			return c
		}
	}
	c := &node{name: name}
	n.calls = append(n.calls, c)
	return c
}

// kept are the calls of a node that have at least a share.
func (n *node) kept(least float64) []result.CallNode {
	var list []result.CallNode
	for _, c := range n.calls {
		if c.share >= least {
			list = append(list, result.CallNode{Name: c.name, Share: c.share, Calls: c.kept(least)})
		}
	}
	slices.SortFunc(list, func(a, b result.CallNode) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name))
	})
	return list
}
