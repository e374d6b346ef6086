package result

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	generate "github.com/invopop/jsonschema"
	validate "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/linerate/linerate/plan"
)

var update = flag.Bool("update", false, "write run.schema.json anew")

const schemaFile = "run.schema.json"

// planTypes are the types of package plan that are written differently from how Go holds them.
var planTypes = map[reflect.Type]func() *generate.Schema{
	reflect.TypeFor[plan.FrameSize](): func() *generate.Schema {
		return &generate.Schema{OneOf: []*generate.Schema{{Type: "integer", Minimum: "0"}, {Const: "imix"}},
			Description: `bytes with the FCS, or "imix"`}
	},
	reflect.TypeFor[plan.Duration](): func() *generate.Schema {
		return &generate.Schema{Type: "string", Description: `with its unit: "200ms"`}
	},
	reflect.TypeFor[plan.CPUList](): func() *generate.Schema {
		return &generate.Schema{OneOf: []*generate.Schema{{Type: "string"}, {Type: "array", Items: &generate.Schema{Type: "integer"}}},
			Description: `"0-3,6" or a list of CPU numbers`}
	},
	reflect.TypeFor[plan.Ratio](): func() *generate.Schema {
		return &generate.Schema{OneOf: []*generate.Schema{{Type: "number"}, {Type: "string"}}, Description: `0.005 or "0.5%"`}
	},
}

// bucketSchema is of the pair that is written, and of the object that older runs hold.
func bucketSchema() *generate.Schema {
	whole, two := &generate.Schema{Type: "integer", Minimum: "0"}, uint64(2)
	object := &generate.Schema{Type: "object", Required: []string{"up_to_ns", "frames"}, Properties: generate.NewProperties()}
	object.Properties.Set("up_to_ns", whole)
	object.Properties.Set("frames", whole)
	return &generate.Schema{
		Description: "upper edge in nanoseconds, and the frames up to it and above the edge before; older runs hold an object",
		OneOf:       []*generate.Schema{{Type: "array", Items: whole, MinItems: &two, MaxItems: &two}, object},
	}
}

func generated(t *testing.T) []byte {
	t.Helper()
	r := generate.Reflector{
		AllowAdditionalProperties: true,
		// Both packages have a Goal, a Trial and a Cell.
		Namer: func(typ reflect.Type) string {
			if typ.PkgPath() == reflect.TypeFor[plan.Plan]().PkgPath() && typ.Name() != "Plan" {
				return "Plan" + typ.Name()
			}
			return typ.Name()
		},
		Mapper: func(typ reflect.Type) *generate.Schema {
			if typ == reflect.TypeFor[Bucket]() {
				return bucketSchema()
			}
			if make := planTypes[typ]; make != nil {
				return make()
			}
			return nil
		},
	}
	if err := r.AddGoComments("github.com/linerate/linerate/result", "."); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(&Run{})
	s.ID = generate.ID("https://github.com/linerate/linerate/result/" + schemaFile)
	s.Title = "A run of linerate: run.json"
	run := s.Definitions["Run"]
	schema, ok := run.Properties.Get("schema")
	if !ok {
		t.Fatal("the run has no key schema")
	}
	schema.Const = SchemaV1
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func TestSchemaIsCurrent(t *testing.T) {
	want := generated(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from the types: run 'go test ./result -update' and review the change", schemaFile)
	}
}

func compiled(t *testing.T) *validate.Schema {
	t.Helper()
	s, err := validate.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoredRunFitsItsSchema(t *testing.T) {
	dir := t.TempDir()
	create(t, dir)
	data, err := os.ReadFile(filepath.Join(dir, runFile))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := validate.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	schema := compiled(t)
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%v", err)
	}
	for _, key := range []string{"schema", "id", "cells", "environment", "calibration"} {
		broken := map[string]any{}
		for k, v := range doc.(map[string]any) {
			if k != key {
				broken[k] = v
			}
		}
		if err := schema.Validate(broken); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("without %s: %v", key, err)
		}
	}
}

// TestSchemaRequiresTheKeysOfACell takes away what other programs rely on.
func TestSchemaRequiresTheKeysOfACell(t *testing.T) {
	schema := compiled(t)
	for _, cell := range []int{0, 1} { // a measured one and a skipped one
		for _, key := range []string{"cpu", "latency", "skipped", "verdict", "goals", "warnings"} {
			dir := t.TempDir()
			create(t, dir)
			data, err := os.ReadFile(filepath.Join(dir, runFile))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := validate.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			delete(doc.(map[string]any)["cells"].([]any)[cell].(map[string]any), key)
			if err := schema.Validate(doc); err == nil || !strings.Contains(err.Error(), key) {
				t.Errorf("cell %d without %s: %v", cell, key, err)
			}
		}
	}
}
