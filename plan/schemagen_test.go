package plan

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
)

// Patterns of the text forms, for the schema.
const (
	percentPattern  = `^\s*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)? *%?\s*$`
	durationPattern = `^[-+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
	cpuListPattern  = `^\s*([0-9]+(-[0-9]+)?(\s*,\s*[0-9]+(-[0-9]+)?)*)?\s*$`
)

// generateSchema is the JSON schema of a plan's types, with the texts, ranges,
// choices and defaults that Validate and Default have.
func generateSchema() ([]byte, error) {
	r := jsonschema.Reflector{
		Anonymous:                  true,
		DoNotReference:             true,
		ExpandedStruct:             true,
		RequiredFromJSONSchemaTags: true,
		FieldNameTag:               "yaml",
		Mapper:                     leafSchema,
	}
	root := r.Reflect(Plan{})
	root.Title = "linerate plan"
	defaults, err := defaultValues()
	if err != nil {
		return nil, err
	}
	describe(root, "", defaults)
	data, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write JSON schema of a plan: %w", err)
	}
	return append(data, '\n'), nil
}

// defaultValues is Default as JSON values.
func defaultValues() (map[string]any, error) {
	data, err := json.Marshal(Default())
	if err != nil {
		return nil, fmt.Errorf("write default plan as JSON: %w", err)
	}
	var values map[string]any
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, fmt.Errorf("read default plan from JSON: %w", err)
	}
	delete(values, "name") // it is the file's name
	return values, nil
}

// leafSchema is the schema of a type that has a text form of its own.
func leafSchema(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[Ratio]():
		return oneOf(&jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "string", Pattern: percentPattern})
	case reflect.TypeFor[Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: durationPattern}
	case reflect.TypeFor[FrameSize]():
		return oneOf(&jsonschema.Schema{Type: "integer", Minimum: jsonInt(int64(MinFrameSize)), Maximum: jsonInt(int64(MaxFrameSize))},
			&jsonschema.Schema{Const: "imix"})
	case reflect.TypeFor[CPUList]():
		cpu := &jsonschema.Schema{Type: "integer", Minimum: "0", Maximum: jsonInt(maxCPU)}
		return oneOf(cpu, &jsonschema.Schema{Type: "string", Pattern: cpuListPattern},
			&jsonschema.Schema{Type: "array", Items: cpu, UniqueItems: true})
	case reflect.TypeFor[Sysctls]():
		value := oneOf(&jsonschema.Schema{Type: "string", Pattern: sysctlValue.String()}, &jsonschema.Schema{Type: "number"})
		return oneOf(&jsonschema.Schema{Type: "object", PatternProperties: map[string]*jsonschema.Schema{sysctlKey.String(): value}, AdditionalProperties: jsonschema.FalseSchema},
			&jsonschema.Schema{Type: "string"})
	case reflect.TypeFor[Scenario]():
		return &jsonschema.Schema{Type: "string", Enum: anyOf(Spellings())}
	case reflect.TypeFor[Direction]():
		return &jsonschema.Schema{Type: "string", Enum: []any{string(Uni), string(Bi)}}
	}
	return nil
}

// describe adds what the types do not say to the schema at path and below: texts,
// ranges, choices and defaults.
func describe(s *jsonschema.Schema, path string, value any) {
	s.Description = fieldTexts[path]
	if s.Properties != nil {
		group, _ := value.(map[string]any)
		for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
			describe(pair.Value, joinPath(path, pair.Key), group[pair.Key])
		}
		return
	}
	if value != nil {
		s.Default = value
	}
	entry := s
	if s.Type == "array" {
		one := uint64(1)
		s.MinItems, s.UniqueItems, entry = &one, true, s.Items
		if strings.HasPrefix(path, "latency.") {
			s.MinItems = nil // one of the two lists will do
		}
	}
	if entry.Properties != nil {
		describe(entry, path+"[]", nil)
		entry.Required = []string{"name"}
	}
	if r, ok := intRanges[path]; ok {
		entry.Minimum, entry.Maximum = jsonInt(r.min), jsonInt(r.max)
	}
	if choices, ok := textChoices[path]; ok {
		entry.Enum = anyOf(choices)
	}
	switch path {
	case "name":
		most := uint64(maxNameBytes)
		entry.Pattern, entry.MaxLength = planName.String(), &most
	case "sweep.values":
		*entry = *oneOf(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"})
	case "repeated.load_pps", "cost.load_pps":
		entry.Minimum = "0"
	case "vm.margin":
		entry.OneOf[0].ExclusiveMinimum, entry.OneOf[0].ExclusiveMaximum = "0", "1"
	case "ab.alpha":
		entry.OneOf[0].ExclusiveMinimum, entry.OneOf[0].Maximum = "0", "0.5"
	case "ab.least_change":
		entry.OneOf[0].Minimum, entry.OneOf[0].ExclusiveMaximum = "0", "1"
	case "search.goals[].name":
		entry.Pattern = goalName.String()
	case "traffic.ip_version":
		entry.Enum = []any{4, 6}
	case "latency.loads":
		entry.OneOf[0].ExclusiveMinimum, entry.OneOf[0].Maximum = "0", jsonInt(maxLatencyLoad)
	case "latency.load_pps":
		entry.ExclusiveMinimum = "0"
	case "search.min_load_pps", "sim.capacity_pps", "sim.max_load_pps":
		entry.ExclusiveMinimum = "0"
	case "search.max_load_pps", "search.goals[].require_pps":
		entry.Minimum = "0"
	case "search.goals[].loss_ratio", "search.goals[].exceed_ratio":
		entry.OneOf[0].Minimum, entry.OneOf[0].ExclusiveMaximum = "0", "1"
	case "sim.jitter", "sim.background_loss":
		entry.OneOf[0].Minimum, entry.OneOf[0].ExclusiveMaximum = "0", "1"
	case "sim.knee", "sim.glitch_probability", "sim.collapse":
		entry.OneOf[0].Minimum, entry.OneOf[0].Maximum = "0", "1"
	case "frame_loss_rate.step":
		entry.OneOf[0].Minimum, entry.OneOf[0].Maximum = "0.001", "0.1"
	case "search.goals[].width":
		entry.OneOf[0].ExclusiveMinimum, entry.OneOf[0].ExclusiveMaximum = "0", "1"
	}
}

func oneOf(schemas ...*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: schemas}
}

func anyOf(words []string) []any {
	values := make([]any, len(words))
	for i, w := range words {
		values[i] = w
	}
	return values
}

func jsonInt(v int64) json.Number { return json.Number(strconv.FormatInt(v, 10)) }
