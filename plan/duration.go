package plan

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

var unitInText = regexp.MustCompile(`^[-+]?[0-9.]+\s*([^0-9.\s][^0-9]*)$`)

const unitsHint = "units are ns, us, ms, s, m and h: 200ms, 1s, 1m30s"

// ParseDuration reads a number with its unit: "200ms", "1s", "1m30s". A number alone is refused, 0 too.
func ParseDuration(text string) (Duration, error) {
	if number := strings.TrimSpace(text); decimal.MatchString(number) {
		if v, _ := decimalOf(number); v == 0 {
			return 0, badValue("write 0s", "%s has no unit", shown(text))
		}
		return 0, badValue("write "+number+"ms or "+number+"s", "%s has no unit", shown(text))
	}
	v, err := time.ParseDuration(text)
	if err == nil {
		return Duration(v), nil
	}
	if compact := strings.Join(strings.Fields(text), ""); compact != text {
		if _, err := time.ParseDuration(compact); err == nil {
			return 0, badValue("write "+compact, "%s has a space in it", shown(text))
		}
	}
	if unit := unitInText.FindStringSubmatch(text); unit != nil && !knownUnit(unit[1]) {
		return 0, badValue(unitsHint, "%s is not a duration: unknown unit %s", shown(text), shown(unit[1]))
	}
	return 0, badValue(unitsHint, "%s is not a duration", shown(text))
}

func knownUnit(unit string) bool {
	_, err := time.ParseDuration("1" + unit)
	return err == nil
}

// String is the duration with its unit, as ParseDuration reads it.
func (d Duration) String() string { return time.Duration(d).String() }

// Seconds is the duration in seconds.
func (d Duration) Seconds() float64 { return time.Duration(d).Seconds() }

// MarshalYAML writes the duration with its unit.
func (d Duration) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalYAML reads what ParseDuration reads.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	text, _, err := scalar(n, "a duration")
	if err != nil {
		return err
	}
	v, err := ParseDuration(text)
	if err == nil {
		*d = v
	}
	return err
}

// MarshalJSON writes the duration as a string with its unit.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads a string that ParseDuration reads.
func (d *Duration) UnmarshalJSON(data []byte) error {
	text, err := jsonText(data)
	if err != nil {
		return err
	}
	v, err := ParseDuration(text)
	if err == nil {
		*d = v
	}
	return err
}
