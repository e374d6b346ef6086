package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ParseRatio reads "0.005" or "0.5%". It does not check the range: that depends
// on what the ratio is for.
func ParseRatio(text string) (Ratio, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	number = strings.TrimRight(number, " ")
	if !decimal.MatchString(number) {
		return 0, badValue(`write a share, 0.005, or a percentage, 0.5%`, "%s is not a ratio", shown(text))
	}
	if percent {
		number = hundredth(number)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, badValue("", "%s is beyond the range of numbers", shown(text))
	}
	return Ratio(v), nil
}

// hundredth divides a decimal text by 100 through its exponent. Dividing the
// number instead would read 0.07 % as 0.0007000000000000001.
func hundredth(number string) string {
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		exponent, _ = strconv.Atoi(number[i+1:])
	}
	return mantissa + "e" + strconv.Itoa(exponent-2)
}

// String is the ratio in percent: "0.5%". It reads back to the same number: the
// point is moved in the shortest decimal form, the number is not multiplied.
func (r Ratio) String() string {
	text := strconv.FormatFloat(float64(r), 'f', -1, 64)
	text, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.Trim(whole, "0123456789") != "" {
		return text // NaN and Inf have no percentage
	}
	fraction += strings.Repeat("0", max(0, 2-len(fraction)))
	whole = strings.TrimLeft(whole+fraction[:2], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = fraction[2:]; fraction != "" {
		whole += "." + fraction
	}
	if negative {
		whole = "-" + whole
	}
	return whole + "%"
}

// MarshalYAML writes the ratio in percent.
func (r Ratio) MarshalYAML() (any, error) { return r.String(), nil }

// UnmarshalYAML reads what ParseRatio reads.
func (r *Ratio) UnmarshalYAML(n *yaml.Node) error {
	text, _, err := scalar(n, "a ratio")
	if err != nil {
		return err
	}
	v, err := ParseRatio(text)
	if err == nil {
		*r = v
	}
	return err
}

// MarshalJSON writes the share as a number: 0.005.
func (r Ratio) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return nil, fmt.Errorf("write ratio as JSON: %v has no JSON form", float64(r))
	}
	return json.Marshal(float64(r))
}

// UnmarshalJSON reads a number, or a string that ParseRatio reads.
func (r *Ratio) UnmarshalJSON(data []byte) error {
	text, err := jsonText(data)
	if err != nil {
		return err
	}
	v, err := ParseRatio(text)
	if err == nil {
		*r = v
	}
	return err
}

// jsonText is a JSON string's text, or a JSON number as it is written.
func jsonText(data []byte) (string, error) {
	if len(data) > 0 && data[0] == '"' {
		var text string
		err := json.Unmarshal(data, &text)
		return text, err
	}
	return string(data), nil
}
