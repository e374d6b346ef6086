package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Sweep measures the plan once for each value of a field. It is on when Field is set.
type Sweep struct {
	// Field is the path of a field, as --set takes it: "dut.gro_flush_timeout".
	Field string `yaml:"field,omitempty" json:"field,omitempty"`
	// Values of the field, in the order of the curve.
	Values []string `yaml:"values,omitempty" json:"values,omitempty"`
	// Repeats of every value; within each the order is drawn anew.
	Repeats int `yaml:"repeats" json:"repeats"`
}

func defaultSweep() Sweep { return Sweep{Repeats: 3} }

// On tells whether there is anything to sweep.
func (s Sweep) On() bool { return s.Field != "" }

// ParseSweep reads "FIELD=VALUE,VALUE,..." into the field and the values.
func (s *Sweep) ParseSweep(text string) error {
	field, values, found := strings.Cut(text, "=")
	if !found || strings.TrimSpace(values) == "" {
		return badValue("write FIELD=VALUE,VALUE, such as traffic.flows=1,100,10000", "%s is not a sweep", shown(text))
	}
	s.Field, s.Values = strings.TrimSpace(field), nil
	for v := range strings.SplitSeq(values, ",") {
		s.Values = append(s.Values, strings.TrimSpace(v))
	}
	return nil
}

func (s Sweep) assignments() []string {
	var list []string
	for _, v := range s.Values {
		list = append(list, s.Field+"="+v)
	}
	return list
}

func (c *checker) sweep(p Plan) {
	s := p.Sweep
	c.whole("sweep.repeats", "sweep.repeats", s.Repeats)
	switch {
	case !s.On() && len(s.Values) > 0:
		c.add("sweep.field", "sweep.values", "name the field that takes them, such as traffic.flows", "is missing: there are values to sweep")
		return
	case !s.On():
		return
	case p.AB.On():
		c.add("sweep", "ab", "remove one of them", "a plan either compares A with B or sweeps a field")
		return
	case len(s.Values) < 2:
		c.add("sweep.values", "sweep.field", "", "a sweep needs two values at least, %s has %d", s.Field, len(s.Values))
		return
	case len(c.problems) > 0:
		return
	}
	cells := -1
	for i, a := range s.assignments() {
		path := fmt.Sprintf("sweep.values[%d]", i)
		if slices.Contains(s.Values[:i], s.Values[i]) {
			c.add(path, "", "remove one of them", "%s is listed twice", shown(s.Values[i]))
			continue
		}
		v, ok := c.variant(p, path, []string{a})
		if !ok {
			continue
		}
		if n := len(v.Cells()); cells >= 0 && n != cells {
			c.add(path, "sweep.field", "", "%s gives %d cells, the value before it %d", a, n, cells)
		} else {
			cells = n
		}
	}
}

// pathOf is the field that an assignment changes.
func pathOf(assignment string) string {
	path, _, _ := strings.Cut(assignment, "=")
	return strings.TrimSpace(path)
}
