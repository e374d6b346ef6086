package plan

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Set changes fields by assignments as --set takes them: "traffic.flows=1,1000",
// "limit.pps=100000", "search.goals.NDR.loss_ratio=0", "search.goals[0].width=1%".
// A value is written as in YAML, a list with commas; "search.goals=PDR" keeps only
// the goals named. Later assignments win. The changed plan is validated. An error
// is *Problems, names the flag of each problem, and leaves the plan as it was.
func (p *Plan) Set(assignments []string) error {
	next := p.clone()
	d := newDecoder()
	var made []assignment
	for _, text := range assignments {
		before := len(d.problems)
		path := d.assign(&next, text)
		flag := flagText(text)
		for i := range d.problems[before:] {
			d.problems[before+i].Source = flag
		}
		made = append(made, assignment{path, flag})
	}
	earlier := p.check()
	for _, problem := range next.check() {
		if !d.judges(problem) {
			continue
		}
		if !slices.Contains(earlier, problem) {
			problem.Source = sourceOf(problem, made)
		}
		d.problems = append(d.problems, problem)
	}
	if err := d.problems.err(); err != nil {
		return err
	}
	*p = next
	return nil
}

// assignment is one that was made: the path that it changed and its flag.
type assignment struct{ path, flag string }

func flagText(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	return "--set " + text
}

// sourceOf is the flag that made the problem: the last one that touched its field
// or the other field that takes part in it.
func sourceOf(p Problem, made []assignment) string {
	for _, path := range []string{p.Path, p.related} {
		for _, a := range slices.Backward(made) {
			if path != "" && a.path != "" && (isWithin(path, a.path) || isWithin(a.path, path)) {
				return a.flag
			}
		}
	}
	if len(made) == 1 {
		return made[0].flag
	}
	return "--set"
}

var setPath = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+|\[[A-Za-z0-9_-]+\])*$`)

// assign makes one assignment and returns the path that it changed; empty after a problem.
func (d *decoder) assign(p *Plan, text string) (changed string) {
	none := &yaml.Node{}
	path, value, found := strings.Cut(text, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	if !found {
		d.report(none, "", "is not an assignment", "write FIELD=VALUE, such as traffic.flows=1,1000")
		return ""
	}
	if !setPath.MatchString(path) {
		d.report(none, "", shown(path)+" is not the path of a field", "write it like traffic.flows or search.goals.NDR.width")
		return ""
	}
	if p.setSysctl(path, value) {
		return path
	}
	v, at, ok := d.resolve(reflect.ValueOf(p).Elem(), path)
	if !ok {
		return ""
	}
	switch {
	case isGroup(v.Type()):
		names := fieldNames(v.Type())
		for i := range names {
			names[i] = joinPath(at, names[i])
		}
		d.report(none, at, "is a group of fields", "set one of "+strings.Join(names, ", "))
		return ""
	case v.Type() == reflect.TypeFor[[]Goal]():
		d.keepGoals(v, at, value)
	default:
		d.value(nodeOf(v.Type(), value), v, at)
	}
	return at
}

// resolve walks a path from the plan to a field and returns it with its path in
// the form of Problem.Path: "search.goals[0].width" for "search.goals.NDR.width".
func (d *decoder) resolve(v reflect.Value, path string) (field reflect.Value, at string, ok bool) {
	none := &yaml.Node{}
	steps := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	for _, step := range steps {
		switch {
		case isGroup(v.Type()):
			f, known := fieldByName(v.Type(), step)
			if !known {
				d.report(none, joinPath(at, step), "unknown field", unknownField(v.Type(), at, step))
				return v, at, false
			}
			v, at = v.FieldByIndex(f.Index), joinPath(at, step)
		case v.Kind() == reflect.Slice && !isLeaf(v.Type()):
			i, problem := entryIndex(v, step)
			if problem != "" {
				d.report(none, at, problem, "")
				return v, at, false
			}
			v, at = v.Index(i), fmt.Sprintf("%s[%d]", at, i)
		default:
			d.report(none, at, "is one value, it has no part "+shown(step), "write "+at+"=VALUE")
			return v, at, false
		}
	}
	return v, at, true
}

// entryIndex finds an entry of a list by number from 0, or a goal by name.
func entryIndex(list reflect.Value, step string) (index int, problem string) {
	goals, named := list.Interface().([]Goal)
	i, err := strconv.Atoi(step)
	switch {
	case err == nil && i >= 0 && i < list.Len():
		return i, ""
	case err == nil:
		return 0, fmt.Sprintf("has no entry %s: it has %d, counted from 0", step, list.Len())
	case !named:
		return 0, fmt.Sprintf("has no entry %s: its entries are counted from 0", shown(step))
	}
	if i := slices.IndexFunc(goals, func(g Goal) bool { return strings.EqualFold(g.Name, step) }); i >= 0 {
		return i, ""
	}
	return 0, fmt.Sprintf("has no goal %s: it has %s", shown(step), strings.Join(goalNames(goals), ", "))
}

// keepGoals narrows the goals to those named.
func (d *decoder) keepGoals(v reflect.Value, at, value string) {
	var kept []Goal
	for name := range strings.SplitSeq(value, ",") {
		i, problem := entryIndex(v, strings.TrimSpace(name))
		if problem != "" {
			d.refuse(&yaml.Node{}, at, badValue("other goals are written in the plan's file", "%s", problem))
			return
		}
		kept = append(kept, v.Interface().([]Goal)[i])
	}
	v.Set(reflect.ValueOf(kept))
}

func goalNames(goals []Goal) []string {
	names := make([]string, len(goals))
	for i, g := range goals {
		names[i] = g.Name
	}
	return names
}

// nodeOf is a value of the command line as the YAML node that a file would hold.
func nodeOf(t reflect.Type, value string) *yaml.Node {
	if t.Kind() == reflect.Slice && !isLeaf(t) {
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		value = strings.TrimSuffix(strings.TrimPrefix(value, "["), "]")
		if strings.TrimSpace(value) == "" {
			return list
		}
		for entry := range strings.SplitSeq(value, ",") {
			list.Content = append(list.Content, nodeOf(t.Elem(), strings.TrimSpace(entry)))
		}
		return list
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: value}
	if t == reflect.TypeFor[string]() || t == reflect.TypeFor[CPUList]() || t == reflect.TypeFor[Sysctls]() {
		n.Style = yaml.DoubleQuotedStyle // an empty value empties the field
	}
	return n
}

// clone is a copy that shares no list with the plan.
func (p Plan) clone() Plan {
	p.Lab.DUTCPUs = slices.Clone(p.Lab.DUTCPUs)
	p.Lab.TesterCPUs = slices.Clone(p.Lab.TesterCPUs)
	p.Lab.SinkCPUs = slices.Clone(p.Lab.SinkCPUs)
	p.Scenarios = slices.Clone(p.Scenarios)
	p.IPerf3.Streams, p.IPerf.Streams = slices.Clone(p.IPerf3.Streams), slices.Clone(p.IPerf.Streams)
	p.ECMP.Paths = slices.Clone(p.ECMP.Paths)
	p.Traffic.IPVersions = slices.Clone(p.Traffic.IPVersions)
	p.Traffic.FrameSizes = slices.Clone(p.Traffic.FrameSizes)
	p.Traffic.Flows = slices.Clone(p.Traffic.Flows)
	p.Traffic.Directions = slices.Clone(p.Traffic.Directions)
	p.Latency.Loads = slices.Clone(p.Latency.Loads)
	p.Latency.LoadsPPS = slices.Clone(p.Latency.LoadsPPS)
	p.Search.Goals = slices.Clone(p.Search.Goals)
	p.Tests = slices.Clone(p.Tests)
	p.DUT.Sysctls = maps.Clone(p.DUT.Sysctls)
	p.Custom.Setup, p.Custom.Teardown = slices.Clone(p.Custom.Setup), slices.Clone(p.Custom.Teardown)
	p.AB.A, p.AB.B = slices.Clone(p.AB.A), slices.Clone(p.AB.B)
	p.Sweep.Values = slices.Clone(p.Sweep.Values)
	p.Kernels = slices.Clone(p.Kernels)
	p.Tuning.Devices, p.Tuning.CloneSKB, p.Tuning.Burst = slices.Clone(p.Tuning.Devices), slices.Clone(p.Tuning.CloneSKB), slices.Clone(p.Tuning.Burst)
	return p
}
