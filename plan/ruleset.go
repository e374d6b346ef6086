package plan

// Ruleset is what scenarios nft-ruleset and iptables-ruleset load into the DUT.
type Ruleset struct {
	// File is a rules file as `nft -f` or `iptables-restore` reads it. Empty: rules are generated.
	File string `yaml:"file,omitempty" json:"file,omitempty"`
	// Rules is how many rules are generated, one after the other in the chain of forwarded packets.
	Rules int `yaml:"rules" json:"rules"`
	// Hit is the generated rule that matches the test frames: HitLast, HitFirst or HitNone.
	Hit string `yaml:"hit" json:"hit"`
}

// The values of Ruleset.Hit.
const (
	// HitLast compares every packet with all rules, and the last one accepts it.
	HitLast = "last"
	// HitFirst accepts every packet at the first rule: the others are there and not looked at.
	HitFirst = "first"
	// HitNone compares every packet with all rules, and the chain's policy accepts it.
	HitNone = "none"
)

func defaultRuleset() Ruleset { return Ruleset{Rules: 100, Hit: HitLast} }

func (c *checker) ruleset(r Ruleset) {
	c.whole("ruleset.rules", "ruleset.rules", r.Rules)
	c.choice("ruleset.hit", r.Hit)
}
