package plan

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// position is a place in a YAML file.
type position struct{ line, column int }

// decoder fills a plan from YAML nodes and collects all problems on the way. It
// remembers where each path stands, so that a rule broken later has a place too.
type decoder struct {
	places map[string]position
	// unread are the paths whose value could not be read: the field still holds
	// another value, so that no rule about it would say anything true.
	unread   map[string]bool
	problems Problems
}

func newDecoder() *decoder {
	return &decoder{places: map[string]position{}, unread: map[string]bool{}}
}

func (d *decoder) report(n *yaml.Node, path, text, hint string) {
	d.problems = append(d.problems, Problem{Line: n.Line, Column: n.Column, Path: path, Text: text, Hint: hint})
}

// refuse reports a value that could not be read.
func (d *decoder) refuse(n *yaml.Node, path string, err error) {
	d.unread[path] = true
	text, hint := err.Error(), ""
	if bad, ok := errors.AsType[*valueError](err); ok {
		text, hint = bad.text, bad.hint
	}
	d.report(n, path, text, hint)
}

// judges is true if the problem is about values that were read.
func (d *decoder) judges(p Problem) bool { return d.wasRead(p.Path) && d.wasRead(p.related) }

func (d *decoder) wasRead(path string) bool {
	for ; path != ""; path = parentPath(path) {
		if d.unread[path] {
			return false
		}
	}
	return true
}

// value stores what the node says in v, which is the field at path.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string) {
	d.places[path] = position{n.Line, n.Column}
	if v.Kind() == reflect.Pointer { // a field that may be left out
		to := reflect.New(v.Type().Elem())
		d.value(n, to.Elem(), path)
		v.Set(to)
		return
	}
	place := n
	n = target(n)
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		d.refuse(place, path, badValue("remove the tag", "unknown tag %s", shown(n.Tag)))
		return
	}
	if reader, ok := v.Addr().Interface().(yaml.Unmarshaler); ok {
		if err := reader.UnmarshalYAML(n); err != nil {
			d.refuse(place, path, err)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.group(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	default:
		if err := setScalar(n, v); err != nil {
			d.refuse(place, path, err)
		}
	}
}

// setScalar stores a scalar in a field of a basic kind.
func setScalar(n *yaml.Node, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		text, _, err := scalar(n, "text")
		if err == nil {
			v.SetString(text)
		}
		return err
	case reflect.Bool:
		yes, err := boolFrom(n)
		if err == nil {
			v.SetBool(yes)
		}
		return err
	case reflect.Int, reflect.Int64:
		number, err := wholeFrom(n)
		if err == nil {
			v.SetInt(number)
		}
		return err
	case reflect.Float64:
		number, err := decimalFrom(n)
		if err == nil {
			v.SetFloat(number)
		}
		return err
	}
	return fmt.Errorf("read YAML into %s: no rule for this type", v.Type())
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// group stores a mapping in a struct.
func (d *decoder) group(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		hint := "the fields of " + path + " are " + strings.Join(fieldNames(v.Type()), ", ")
		d.refuse(n, path, badValue(hint, "needs a mapping of fields, not %s", kindText(n)))
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := target(key).Value
		f, known := fieldByName(v.Type(), name)
		switch first, again := lines[name]; {
		case target(key).Kind != yaml.ScalarNode || !plainKey.MatchString(name):
			d.report(key, path, "unknown field "+shown(name), "a field's name is one plain word")
		case !known:
			d.report(key, joinPath(path, name), "unknown field", unknownField(v.Type(), path, name))
		case again:
			d.report(key, joinPath(path, name), fmt.Sprintf("is given twice, first in line %d", first), "keep one of them")
		default:
			lines[name] = key.Line
			d.value(value, v.FieldByIndex(f.Index), joinPath(path, name))
		}
	}
}

// list stores a sequence in a slice. The list of the file replaces the default's.
func (d *decoder) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		hint := ""
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			hint = "write [" + n.Value + "]"
		}
		d.refuse(n, path, badValue(hint, "needs a list, not %s", kindText(n)))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		if goal, ok := list.Index(i).Addr().Interface().(*Goal); ok {
			d.goal(item, goal, at)
			continue
		}
		d.value(item, list.Index(i), at)
	}
	v.Set(list)
}

// goal stores a mapping in a goal. What it leaves out is taken from the default
// goal of its name; a loss ratio is never guessed for another name.
func (d *decoder) goal(n *yaml.Node, goal *Goal, path string) {
	name, hasLoss := "", false
	mapping := target(n)
	for i := 0; mapping.Kind == yaml.MappingNode && i+1 < len(mapping.Content); i += 2 {
		switch mapping.Content[i].Value {
		case "name":
			name = target(mapping.Content[i+1]).Value
		case "loss_ratio":
			hasLoss = true
		}
	}
	var known bool
	*goal, known = defaultGoal(name)
	goal.Name = ""
	d.value(n, reflect.ValueOf(goal).Elem(), path)
	if mapping.Kind == yaml.MappingNode && !hasLoss && !known {
		d.refuse(n, joinPath(path, "loss_ratio"), badValue("a goal of your own says its loss ratio, such as 0.5%", "is missing"))
	}
}

func kindText(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case isNull(n):
		return "nothing"
	}
	return "the value " + shown(n.Value)
}
