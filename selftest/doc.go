// Package selftest checks the instrument against truths that are known beforehand:
// it mis-sets the DUT or the tester on purpose, measures, and compares what was
// found with what was planted. It needs no network card; everything happens in
// namespaces that it makes and removes.
package selftest
