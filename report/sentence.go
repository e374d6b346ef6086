package report

import (
	"regexp"
	"strconv"
)

// longNumber is a whole number of five digits or more that stands alone; what is behind a
// point, and what is part of a name, is none.
var longNumber = regexp.MustCompile(`(^|[\s(])(\d{5,15})([\s).,;:%]|$)`)

// separated is a sentence of the record with its long numbers as a reader wants them:
// "1,234,567 pps".
func separated(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(found string) string {
		parts := longNumber.FindStringSubmatch(found)
		n, err := strconv.ParseUint(parts[2], 10, 64)
		if err != nil {
			return found
		}
		return parts[1] + Thousands(n) + parts[3]
	})
}

func allSeparated(texts []string) []string {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = separated(t)
	}
	return list
}
