package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxCPU is the highest CPU number of the largest kernel configuration on amd64 (NR_CPUS 8192).
const maxCPU = 8191

const cpuListHint = `write CPU numbers as the kernel does: "0-3,6"`

// ParseCPUList reads the kernel's form of a list: "0-3,6". Empty text is an empty list.
func ParseCPUList(text string) (CPUList, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var list CPUList
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		from, err := cpuNumber(first, text)
		if err != nil {
			return nil, err
		}
		to, err := cpuNumber(last, text)
		if err != nil {
			return nil, err
		}
		if to < from {
			return nil, badValue(fmt.Sprintf("write %d-%d", to, from), "CPU range %s runs backwards", shown(part))
		}
		for cpu := from; cpu <= to; cpu++ {
			list = append(list, cpu)
		}
		if len(list) > maxCPU+1 {
			return nil, badValue("list each CPU once", "%s lists CPUs twice", shown(text))
		}
	}
	return list.sorted()
}

func cpuNumber(text, whole string) (int, error) {
	cpu, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, badValue(cpuListHint, "%s is not a list of CPUs", shown(whole))
	}
	if cpu > maxCPU {
		return 0, badValue("", "CPU %d: the highest CPU number is %d", cpu, maxCPU)
	}
	return int(cpu), nil
}

// sorted is the list by rising number; a CPU listed twice is an error.
func (l CPUList) sorted() (CPUList, error) {
	slices.Sort(l)
	for i := 1; i < len(l); i++ {
		if l[i] == l[i-1] {
			return nil, badValue("list each CPU once", "CPU %d is listed twice", l[i])
		}
	}
	return l, nil
}

// String is the list in the kernel's form, by rising number: "0-3,6".
func (l CPUList) String() string {
	cpus := slices.Compact(slices.Sorted(slices.Values(l)))
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// MarshalYAML writes the kernel's form.
func (l CPUList) MarshalYAML() (any, error) { return l.String(), nil }

// UnmarshalYAML reads the kernel's form, one number, or a YAML list of numbers.
func (l *CPUList) UnmarshalYAML(n *yaml.Node) error {
	if n = target(n); n.Kind == yaml.SequenceNode {
		return l.fromList(n)
	}
	text, _, err := scalar(n, "a list of CPUs")
	if err != nil {
		return err
	}
	v, err := ParseCPUList(text)
	if err == nil {
		*l = v
	}
	return err
}

func (l *CPUList) fromList(n *yaml.Node) error {
	var list CPUList
	for _, item := range n.Content {
		v, err := wholeFrom(item)
		if err != nil {
			return err
		}
		cpu, err := cpuNumber(strconv.FormatInt(v, 10), strconv.FormatInt(v, 10))
		if err != nil {
			return err
		}
		list = append(list, cpu)
	}
	list, err := list.sorted()
	if err == nil {
		*l = list
	}
	return err
}

// MarshalJSON writes a list of numbers.
func (l CPUList) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]int(l))
}

// UnmarshalJSON reads a list of numbers, one number, or the kernel's form as a string.
func (l *CPUList) UnmarshalJSON(data []byte) error {
	var numbers []int
	if json.Unmarshal(data, &numbers) == nil {
		*l = numbers
		return nil
	}
	text, err := jsonText(data)
	if err != nil {
		return err
	}
	v, err := ParseCPUList(text)
	if err == nil {
		*l = v
	}
	return err
}
