package vm

// What the test that boots packages shares with those that only unpack them.
var BuildRPM, BuildDeb, AptWith = buildRPM, buildDeb, aptWith
