package plan

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Field is one value of a plan that a YAML file or --set can give.
type Field struct {
	// Path is the field's, with [] for any entry of a list of groups: "search.goals[].width".
	Path string
	// Type says what the field takes: "whole number", "list of ratios".
	Type string
	// Text is what the field means, in one line.
	Text string
}

// Fields are all the values of a plan, in the order of its types.
func Fields() []Field {
	var fields []Field
	collectFields(reflect.TypeFor[Plan](), "", &fields)
	return fields
}

func collectFields(t reflect.Type, path string, fields *[]Field) {
	if isGroup(t) {
		for _, name := range fieldNames(t) {
			f, _ := fieldByName(t, name)
			collectFields(f.Type, joinPath(path, name), fields)
		}
		return
	}
	if !isLeaf(t) && t.Kind() == reflect.Slice && isGroup(t.Elem()) {
		collectFields(t.Elem(), path+"[]", fields)
		return
	}
	*fields = append(*fields, Field{Path: path, Type: typeText(t), Text: fieldTexts[path]})
}

// allPaths are the paths of all fields and of the groups and lists that hold them.
func allPaths() []string {
	var paths []string
	for _, f := range Fields() {
		for end, r := range f.Path {
			if outer := f.Path[:end]; (r == '.' || r == '[') && !strings.HasSuffix(outer, "]") && !slices.Contains(paths, outer) {
				paths = append(paths, outer)
			}
		}
		paths = append(paths, f.Path)
	}
	return paths
}

func typeText(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Ratio]():
		return "ratio"
	case reflect.TypeFor[Duration]():
		return "duration"
	case reflect.TypeFor[FrameSize]():
		return "frame size"
	case reflect.TypeFor[CPUList]():
		return "list of CPUs"
	case reflect.TypeFor[Sysctls]():
		return "sysctls"
	case reflect.TypeFor[Scenario]():
		return "scenario"
	case reflect.TypeFor[Direction]():
		return "direction"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeText(t.Elem())
	case reflect.Slice:
		return "list of " + typeText(t.Elem()) + "s"
	case reflect.String:
		return "text"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "true or false"
	default:
		return "whole number"
	}
}

// isLeaf is true for a type that reads its own YAML, whatever its kind.
func isLeaf(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.Unmarshaler]())
}

func isGroup(t reflect.Type) bool { return t.Kind() == reflect.Struct && !isLeaf(t) }

func fieldByName(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); yamlName(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func fieldNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = yamlName(t.Field(i))
	}
	return names
}

func yamlName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// parentPath is the path of the group or list that holds a field; empty for the plan itself.
func parentPath(path string) string {
	return path[:max(strings.LastIndexByte(path, '.'), strings.LastIndexByte(path, '['), 0)]
}

// isWithin is true if path is outer, or a part of it.
func isWithin(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

var indexInPath = regexp.MustCompile(`\[[0-9]+\]`)

// kindOfPath is the path with its indexes left out: "search.goals[].width".
func kindOfPath(path string) string { return indexInPath.ReplaceAllString(path, "[]") }

// unknownField says what to write instead of a field name that the group at path does not have.
func unknownField(t reflect.Type, path, name string) (hint string) {
	if hint, absent := absentField(joinPath(path, name)); absent {
		return hint
	}
	names := fieldNames(t)
	if close := nearest(name, names); len(close) > 0 {
		for i := range close {
			close[i] = joinPath(path, close[i])
		}
		return "did you mean " + orList(close) + "?"
	}
	var paths []string
	for _, candidate := range allPaths() {
		last := candidate[strings.LastIndexByte(candidate, '.')+1:]
		if nearest(name, []string{last}) != nil {
			paths = append(paths, candidate)
		}
	}
	if len(paths) > 0 {
		return "did you mean " + orList(paths[:min(3, len(paths))]) + "?"
	}
	if path == "" {
		path = "a plan"
	}
	return "the fields of " + path + " are " + strings.Join(names, ", ")
}
