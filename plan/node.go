package plan

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

var (
	wholeNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	decimal     = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	grouping    = strings.NewReplacer(",", "", "_", "", "'", "", " ", "")
)

const quotedStyles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalar is a node's text. want names what the field takes ("a duration"), for
// the error when the node is a list, a mapping or nothing.
func scalar(n *yaml.Node, want string) (text string, quoted bool, err error) {
	n = target(n)
	switch n.Kind {
	case yaml.SequenceNode:
		return "", false, badValue("", "needs %s, not a list", want)
	case yaml.MappingNode:
		return "", false, badValue("", "needs %s, not a mapping", want)
	}
	if isNull(n) {
		return "", false, badValue("give it a value, or remove the line", "has no value, needs %s", want)
	}
	return n.Value, n.Style&quotedStyles != 0, nil
}

// target is the node that an alias stands for, or the node itself.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Style&quotedStyles != 0 {
		return false
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// wholeFrom reads a whole number. YAML has more spellings (0x10, 1e3, 0o17); a
// plan takes one, so that a reader and every YAML library see the same number.
func wholeFrom(n *yaml.Node) (int64, error) {
	text, quoted, err := scalar(n, "a whole number")
	if err != nil {
		return 0, err
	}
	if wholeNumber.MatchString(text) && !quoted {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, badValue("", "%s is beyond 64 bits", shown(text))
		}
		return v, nil
	}
	hint := ""
	if f, ok := guessed(text); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		hint = "write " + strconv.FormatInt(int64(f), 10)
	}
	return 0, badValue(hint, "%s is not a whole number", shown(text))
}

// boolFrom reads true or false. YAML 1.1 has eleven more spellings (yes, on, ...),
// which other libraries read as text.
func boolFrom(n *yaml.Node) (bool, error) {
	text, quoted, err := scalar(n, "true or false")
	if err != nil {
		return false, err
	}
	if quoted || text != "true" && text != "false" {
		return false, badValue("write true or false", "%s is neither true nor false", shown(text))
	}
	return text == "true", nil
}

func decimalFrom(n *yaml.Node) (float64, error) {
	text, quoted, err := scalar(n, "a number")
	if err != nil {
		return 0, err
	}
	if v, ok := decimalOf(text); ok && !quoted {
		return v, nil
	}
	hint := ""
	if v, ok := guessed(text); ok {
		hint = "write " + strconv.FormatFloat(v, 'f', -1, 64)
	}
	return 0, badValue(hint, "%s is not a number", shown(text))
}

func decimalOf(text string) (float64, bool) {
	if !decimal.MatchString(text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

var numberAndUnit = regexp.MustCompile(`^(.*[0-9.])(k|K|M|G)?(pps|B|bytes|packets|flows)?$`)

// guessed is the number that a text for people stands for ("10,000", "100k",
// "9000 bytes"). It serves hints only: a plan says it in one way.
func guessed(text string) (float64, bool) {
	text = grouping.Replace(text)
	if v, ok := decimalOf(text); ok {
		return v, true
	}
	parts := numberAndUnit.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	v, ok := decimalOf(parts[1])
	return v * map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}[parts[2]], ok
}
