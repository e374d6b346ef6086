package attribution

// LeastShare is what a call has to have of the whole to be in the tree of a record.
const LeastShare = 0.001

// Stacks are call chains with how often each was met, in groups one after another, whose
// scatter tells how sure a share is.
type Stacks struct {
	// Names are functions, with their module as in /proc/kallsyms: "br_forward [bridge]".
	Names []string `json:"names"`
	// Stacks are indices into Names, the innermost function first; Counts are how often each
	// was met in each group, the last groups left out when they have none.
	Stacks [][]int `json:"stacks"`
	Counts [][]int `json:"counts"`

	index map[string]int
	chain map[string]int
}

// Add counts a call chain, the innermost function first, n times in a group. An empty
// chain is code in user mode.
func (s *Stacks) Add(functions []string, group, n int) {
	if s.index == nil {
		s.index, s.chain = map[string]int{}, map[string]int{}
	}
	if len(functions) == 0 {
		functions = []string{User}
	}
	var key []byte
	stack := make([]int, len(functions))
	for i, name := range functions {
		at, known := s.index[name]
		if !known {
			at = len(s.Names)
			s.index[name] = at
			s.Names = append(s.Names, name)
		}
		stack[i] = at
		key = append(key, byte(at), byte(at>>8), byte(at>>16), byte(at>>24))
	}
	i, known := s.chain[string(key)]
	if !known {
		i = len(s.Stacks)
		s.chain[string(key)] = i
		s.Stacks, s.Counts = append(s.Stacks, stack), append(s.Counts, nil)
	}
	for len(s.Counts[i]) <= group {
		s.Counts[i] = append(s.Counts[i], 0)
	}
	s.Counts[i][group] += n
}

// Total is how often any chain was met.
func (s *Stacks) Total() int {
	n := 0
	for i := range s.Counts {
		n += s.met(i)
	}
	return n
}

// met is how often a chain was met.
func (s *Stacks) met(i int) int {
	n := 0
	for _, c := range s.Counts[i] {
		n += c
	}
	return n
}

// ByFunction counts, in each of so many groups, how often each function was the innermost.
func (s *Stacks) ByFunction(groups int) map[string][]int {
	return s.by(groups, func(name string) string { return name })
}

// BySubsystem counts, in each of so many groups, how often a function of each subsystem was
// the innermost.
func (s *Stacks) BySubsystem(groups int) map[string][]int { return s.by(groups, Subsystem) }

func (s *Stacks) by(groups int, key func(string) string) map[string][]int {
	counts := map[string][]int{}
	for i, stack := range s.Stacks {
		name := key(s.Names[stack[0]])
		if counts[name] == nil {
			counts[name] = make([]int, groups)
		}
		for group, n := range s.Counts[i] {
			counts[name][group] += n
		}
	}
	return counts
}
