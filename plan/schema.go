package plan

import (
	_ "embed"
	"slices"
)

//go:embed plan.schema.json
var schemaFile []byte

// Schema is the JSON schema (2020-12) of a plan's file, for editors: the content
// of plan.schema.json. The file is made from the plan's types by this package's
// tests (go test ./plan -update), so that the generator is in no binary. Rules
// that join two fields, such as a frame size and the MTU, are not in it: Validate
// has all. The error is always nil.
func Schema() ([]byte, error) { return slices.Clone(schemaFile), nil }
