package plan

import (
	"encoding/json"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Bounds of a frame, in bytes with the FCS.
const (
	// MinFrameSize is the least Ethernet frame. Over IPv4 and UDP it leaves 18
	// bytes of payload: exactly what a test frame writes into it.
	MinFrameSize FrameSize = 64
	// MinFrameSizeIPv6 holds the same 18 bytes behind the longer IPv6 header.
	MinFrameSizeIPv6 FrameSize = 84
	// MaxFrameSize is the jumbo frame of an MTU of 9000.
	MaxFrameSize FrameSize = 9018
	// EthernetBytes is what a frame has beyond its IP packet: 14 of header and 4 of FCS.
	EthernetBytes = 18

	largestIMIX FrameSize = 1518
)

// ParseFrameSize reads a number of bytes, or "imix". It checks the range only so
// far that a number is never taken for IMIX: the MTU decides the rest.
func ParseFrameSize(text string) (FrameSize, error) {
	if text == "imix" {
		return IMIX, nil
	}
	if !wholeNumber.MatchString(text) {
		return 0, badValue(frameSizeHint(text), "%s is not a frame size in bytes", shown(text))
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, badValue("", "%s is beyond 64 bits", shown(text))
	}
	if v == 0 {
		return 0, badValue("write a size, or imix for the mix of sizes", "0 B is no frame")
	}
	return FrameSize(v), nil
}

func frameSizeHint(text string) string {
	if strings.EqualFold(text, "imix") {
		return "write imix"
	}
	number := strings.TrimRight(grouping.Replace(text), "bBytes")
	if wholeNumber.MatchString(number) {
		return "write " + number
	}
	return "write a number of bytes with the FCS, or imix"
}

// String is the size as a plan writes it: "64", "imix".
func (f FrameSize) String() string {
	if f == IMIX {
		return "imix"
	}
	return strconv.Itoa(int(f))
}

// Label is the size for people: "64 B", "IMIX".
func (f FrameSize) Label() string {
	if f == IMIX {
		return "IMIX"
	}
	return grouped(int64(f)) + " B"
}

// MarshalYAML writes a number of bytes, or imix.
func (f FrameSize) MarshalYAML() (any, error) {
	if f == IMIX {
		return "imix", nil
	}
	return int(f), nil
}

// UnmarshalYAML reads a whole number of bytes, or imix.
func (f *FrameSize) UnmarshalYAML(n *yaml.Node) error {
	text, quoted, err := scalar(n, "a frame size in bytes")
	if err != nil {
		return err
	}
	if quoted && wholeNumber.MatchString(text) {
		return badValue("write "+text, "%s is text, not a number of bytes", shown(text))
	}
	v, err := ParseFrameSize(text)
	if err == nil {
		*f = v
	}
	return err
}

// MarshalJSON writes a number of bytes, or "imix".
func (f FrameSize) MarshalJSON() ([]byte, error) {
	if f == IMIX {
		return []byte(`"imix"`), nil
	}
	return json.Marshal(int(f))
}

// UnmarshalJSON reads a number of bytes, or "imix".
func (f *FrameSize) UnmarshalJSON(data []byte) error {
	text, err := jsonText(data)
	if err != nil {
		return err
	}
	v, err := ParseFrameSize(text)
	if err == nil {
		*f = v
	}
	return err
}

// grouped is a number with commas between the thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
