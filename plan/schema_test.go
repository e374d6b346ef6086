package plan

import (
	"bytes"
	"strings"
	"testing"

	"github.com/linerate/linerate/plans"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("plan.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("plan.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// asDocument is YAML as an editor's schema check sees it.
func asDocument(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSchemaFileIsCurrent(t *testing.T) {
	data, err := generateSchema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "plan.schema.json", string(data))
	if embedded, err := Schema(); err != nil || !*update && !bytes.Equal(embedded, data) {
		t.Errorf("Schema() is not the generated schema (%v)", err)
	}
}

func TestSchemaAcceptsPlans(t *testing.T) {
	schema := compiledSchema(t)
	for _, name := range plans.Names() {
		data, err := plans.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(asDocument(t, data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, p := range []Plan{Default(), everyField(t)} {
		data, err := yaml.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(asDocument(t, data)); err != nil {
			t.Errorf("%s as YAML: %v", p.Name, err)
		}
		if err := schema.Validate(toJSON(t, p)); err != nil {
			t.Errorf("%s as JSON: %v", p.Name, err)
		}
	}
}

// What the schema can say, it says as Parse does: each of these is right or wrong for both.
func TestSchemaAgreesWithParse(t *testing.T) {
	schema := compiledSchema(t)
	right := []string{
		"{}", "lab: {dut_cpus: 3}", "lab: {dut_cpus: [1, 3]}", "lab: {dut_cpus: '0-3, 6'}", "search: {goals: [{name: NDR}]}",
		"search: {goals: [{name: a, loss_ratio: 0.5}]}", "search: {goals: [{name: a, loss_ratio: 0.5 %}]}",
		"trial: {settle: 1m30s}", "traffic: {frame_size: [imix]}", "search: {max_load_pps: 1e6}",
	}
	wrong := []string{
		"speed: 1", "lab: {cpus: 1}", "limit: {pps: fast}", "limit: {pps: 0}", "limit: {pps: '5'}", "traffic: {flows: []}", "traffic: {flows: 1}",
		"traffic: {flows: [0]}", "traffic: {flows: [1000001]}", "traffic: {flows: [1, 1]}", "traffic: {ip_version: [5]}", "traffic: {directions: [both]}",
		"traffic: {frame_size: [63]}", "traffic: {frame_size: [9019]}", "traffic: {frame_size: ['64']}", "traffic: {frame_size: [IMIX]}",
		"traffic: {engine: dpdk}", "traffic: {pktgen: {clone_skb: -1}}", "traffic: {seed: 1.5}", "scenarios: [nat]", "scenarios: [limit-nft]", "scenarios: []", "testbed: wire", "schema: v1",
		"trial: {settle: 0}", "trial: {drain_max: 5 parsecs}", "trial: {drain_max: 5 s}", "lab: {dut_cpus: -1}", "lab: {dut_cpus: [1, 1]}", "lab: {dut_cpus: all}",
		"lab: {mtu_bytes: 67}", "search: {goals: []}", "search: {goals: [{loss_ratio: 0}]}", "search: {goals: [{name: a, loss_ratio: 1}]}",
		"search: {goals: [{name: NDR, width: 0}]}", "search: {goals: [{name: NDR, exceed_ratio: half}]}", "search: {goals: [{name: 'a b', loss_ratio: 0}]}",
		"search: {min_load_pps: 0}", "search: {max_load_pps: -1}", "search: {algorithm: guess}", "name: a/b", "name: " + strings.Repeat("a", 65), "limit:",
	}
	check := func(texts []string, ok bool) {
		for _, text := range texts {
			_, err := Parse("p.yaml", []byte(text))
			schemaErr := schema.Validate(asDocument(t, []byte(text)))
			if (err == nil) != ok || (schemaErr == nil) != ok {
				t.Errorf("%s (should be right: %t)\nParse:  %v\nschema: %v", text, ok, err, schemaErr)
			}
		}
	}
	check(right, true)
	check(wrong, false)
}
