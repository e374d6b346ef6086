package main

import "charm.land/lipgloss/v2"

// paint colours text for a terminal, or leaves it alone. The colours are of the
// terminal's own palette, so that its theme decides.
type paint struct{ colour bool }

func (p paint) with(s lipgloss.Style, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return s.Render(text)
}

func (p paint) bold(s string) string { return p.with(lipgloss.NewStyle().Bold(true), s) }
func (p paint) dim(s string) string {
	return p.with(lipgloss.NewStyle().Foreground(lipgloss.BrightBlack), s)
}
func (p paint) good(s string) string {
	return p.with(lipgloss.NewStyle().Foreground(lipgloss.Green), s)
}
func (p paint) warn(s string) string {
	return p.with(lipgloss.NewStyle().Foreground(lipgloss.Yellow), s)
}
func (p paint) bad(s string) string { return p.with(lipgloss.NewStyle().Foreground(lipgloss.Red), s) }
func (p paint) key(s string) string { return p.with(lipgloss.NewStyle().Foreground(lipgloss.Cyan), s) }
