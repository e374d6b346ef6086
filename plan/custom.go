package plan

import "slices"

// Custom is the DUT of scenario custom: a user's own commands. They are run one after the
// other by `sh -c` in the DUT's network namespace.
type Custom struct {
	// Setup makes the DUT what it is to be.
	Setup []string `yaml:"setup,omitempty" json:"setup,omitempty"`
	// Teardown undoes what goes beyond the namespace, also after a set-up that failed half way.
	Teardown []string `yaml:"teardown,omitempty" json:"teardown,omitempty"`
	// Layer2 says that the DUT passes frames on by MAC address and does not route.
	Layer2 bool `yaml:"layer2" json:"layer2"`
	// Timeout ends a command.
	Timeout Duration `yaml:"timeout" json:"timeout"`
}

func (c *checker) custom(p Plan) {
	c.duration("custom.timeout", p.Custom.Timeout)
	for field, commands := range map[string][]string{"custom.setup": p.Custom.Setup, "custom.teardown": p.Custom.Teardown} {
		if slices.Contains(commands, "") {
			c.add(field, "", "remove it", "has a command that is empty")
		}
	}
	if slices.ContainsFunc(p.Scenarios, func(s Scenario) bool { return s.Name() == "custom" }) && len(p.Custom.Setup) == 0 {
		c.add("custom.setup", "scenarios", "list the commands that make the DUT, such as [\"tc qdisc add dev $DUT_B root fq_codel\"]",
			"is empty: scenario custom is what these commands make")
	}
}
