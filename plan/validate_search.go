package plan

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// goalName keeps a goal's name usable in a --set path.
var goalName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)

func (c *checker) search(s Search) {
	c.choice("search.algorithm", s.Algorithm)
	c.goals(s.Goals)
	minOK := c.load("search.min_load_pps", s.MinLoadPPS, "above 0", s.MinLoadPPS > 0)
	maxOK := c.load("search.max_load_pps", s.MaxLoadPPS, "0 (the calibrated ceiling) or more", s.MaxLoadPPS >= 0)
	if minOK && maxOK && s.MaxLoadPPS != 0 && s.MaxLoadPPS < s.MinLoadPPS {
		c.add("search.max_load_pps", "search.min_load_pps", "",
			"%s pps is below min_load_pps %s", number(s.MaxLoadPPS), number(s.MinLoadPPS))
	}
	if !c.duration("search.max_trial_time", s.MaxTrialTime) {
		return
	}
	for i, g := range s.Goals {
		if g.TrialDuration > s.MaxTrialTime {
			c.add("search.max_trial_time", fmt.Sprintf("search.goals[%d].trial_duration", i), "",
				"%s leaves no time for one trial of goal %s, which takes %s", s.MaxTrialTime, g.Name, g.TrialDuration)
		}
	}
}

func (c *checker) load(path string, value float64, wanted string, ok bool) bool {
	if ok && value <= float64(intRanges["limit.pps"].max) {
		return true
	}
	c.add(path, "", "", "%s is out of range: a load is %s, and at most %s packets per second",
		number(value), wanted, grouped(intRanges["limit.pps"].max))
	return false
}

func (c *checker) goals(goals []Goal) {
	if len(goals) == 0 {
		c.add("search.goals", "", "leave the line out to have NDR and PDR", "is empty: a search needs at least one goal")
	}
	first := map[string]int{}
	for i, g := range goals {
		path := fmt.Sprintf("search.goals[%d]", i)
		c.goal(path, g)
		key := strings.ToLower(g.Name)
		if j, again := first[key]; again && key != "" {
			c.add(path+".name", fmt.Sprintf("search.goals[%d].name", j), "give each goal its own name",
				"goal %s has the name of search.goals[%d]", g.Name, j)
			continue
		}
		first[key] = i
	}
}

func (c *checker) goal(path string, g Goal) {
	switch {
	case g.Name == "":
		c.add(path+".name", "", "name it, such as NDR", "is missing")
	case !goalName.MatchString(g.Name):
		c.add(path+".name", "", "a letter, then letters, digits, dash and underscore, 32 at most", "%s is not a name", shown(g.Name))
	}
	c.share(path+".loss_ratio", g.LossRatio, g.LossRatio >= 0 && g.LossRatio < 1, "at least 0 and below 1")
	c.share(path+".exceed_ratio", g.ExceedRatio, g.ExceedRatio >= 0 && g.ExceedRatio < 1, "at least 0 and below 1")
	c.share(path+".width", g.Width, g.Width > 0 && g.Width < 1, "above 0 and below 1")
	c.load(path+".require_pps", g.RequirePPS, "0 (none is required) or more", g.RequirePPS >= 0)
	durationOK := c.duration(path+".trial_duration", g.TrialDuration)
	sumOK := c.duration(path+".duration_sum", g.DurationSum)
	if durationOK && sumOK && g.DurationSum < g.TrialDuration {
		c.add(path+".duration_sum", path+".trial_duration", "a load is decided by one full trial at least",
			"%s is shorter than trial_duration %s", g.DurationSum, g.TrialDuration)
	}
}

func (c *checker) share(path string, r Ratio, ok bool, wanted string) {
	if ok {
		return
	}
	hint := ""
	if r >= 1 && r < 100 {
		hint = "if percent is meant, write " + number(float64(r)) + "%"
	}
	c.add(path, "", hint, "%s is out of range: %s", number(float64(r)), wanted)
}

func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return grouped(int64(v))
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
