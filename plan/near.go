package plan

import (
	"slices"
	"strings"
)

// didYouMean is a hint: the candidates nearest to a misspelt word, or all of them when none is near.
func didYouMean(word string, candidates []string) string {
	if close := nearest(word, candidates); len(close) > 0 {
		return "did you mean " + orList(close) + "?"
	}
	return "write " + orList(candidates)
}

// nearest are at most three candidates within a third of the word's length in
// edits, or that begin with it, the nearest first.
func nearest(word string, candidates []string) []string {
	const longestWord = 64
	if word == "" || len(word) > longestWord {
		return nil
	}
	word = strings.ToLower(word)
	type match struct {
		text     string
		distance int
	}
	var matches []match
	for _, c := range candidates {
		d := edits(word, strings.ToLower(c))
		if d <= max(1, len(word)/3) || len(word) >= 3 && strings.HasPrefix(c, word) {
			matches = append(matches, match{c, d})
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return a.distance - b.distance })
	var texts []string
	for _, m := range matches[:min(3, len(matches))] {
		texts = append(texts, m.text)
	}
	return texts
}

// edits is the Levenshtein distance of two words, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
