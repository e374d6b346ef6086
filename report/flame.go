package report

import "strings"

// flame is a flame graph, the outermost calls on top: a box for each function, as wide as
// its share of the whole, above the functions that it calls. Widths are percentages.
type flame struct {
	ID, Title, Description string
	// Open shows it at once; others open at a click.
	Open   bool
	Height int
	Boxes  []flameBox
	Legend []flameKey
}

// flameBox is a function. Class is its colour: its subsystem, or how its cost has changed.
type flameBox struct {
	Class, Label, Tip string
	X, Width          float64
	Y                 int
	// Narrow boxes have no room for their label until they are made wider.
	Narrow bool
}

// flameKey is an entry of the legend.
type flameKey struct{ Class, Name string }

// flameNode is what a box is made from: its share of the whole with all that it calls.
type flameNode struct {
	class, label, tip string
	share             float64
	calls             []flameNode
}

const (
	flameRow = 19
	// leastBox and leastLabel are in percent of the width.
	leastBox, leastLabel = 0.1, 2.5
)

// layOut makes the boxes, the root in the first row.
func (f *flame) layOut(root flameNode) {
	f.place(root, 0, 100/root.share, 0)
}

// place puts a node at x; scale is the width of a share of 1.
func (f *flame) place(n flameNode, x, scale float64, row int) {
	width := n.share * scale
	if width < leastBox {
		return
	}
	f.Boxes = append(f.Boxes, flameBox{Class: n.class, Label: n.label, Tip: n.tip, X: x, Width: width, Y: row * flameRow, Narrow: width < leastLabel})
	f.Height = max(f.Height, (row+1)*flameRow)
	for _, c := range n.calls {
		f.place(c, x, scale, row+1)
		x += c.share * scale
	}
}

// subsystemClass is the class of a subsystem's colour: "driver-veth" for "driver (veth)".
func subsystemClass(name string) string {
	return "part-" + strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
}

// plainFunction is a function's name without its module and without what the compiler added.
func plainFunction(name string) string {
	name, _, _ = strings.Cut(name, " [")
	return clone.ReplaceAllString(name, "")
}
