// Package stats judges measurements of a noisy machine: whether one thing is faster
// than another, by how much, and how sure that is. It is pure, and whatever it draws at
// random it draws from a seed, so that a stored run is judged the same every time.
//
// Figures are compared as ratios, by their natural logarithms: twice as fast and half
// as fast are then equally far from no change.
package stats
