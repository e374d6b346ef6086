package plan

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/linerate/linerate/plans"
	"go.yaml.in/yaml/v4"
)

// FuzzParse: no input panics; a bad one yields *Problems, each with text and
// source; a good one is valid and survives being written and read again.
func FuzzParse(f *testing.F) {
	for _, name := range plans.Names() {
		data, err := plans.Read(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	wrong, err := os.ReadFile("testdata/everything-wrong.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wrong)
	for _, seed := range []string{"", "a: &a [*a]", "traffic: &t {flows: *t}", "? {}\n: 1", "--- ~\n--- ~", "{\"name\": \"x\"}", "search: {goals: [&g {name: NDR}, *g]}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("fuzz.yaml", data)
		if err != nil {
			problems, ok := errors.AsType[*Problems](err)
			if !ok || len(*problems) == 0 {
				t.Fatalf("error %T: %v", err, err)
			}
			for _, problem := range *problems {
				if problem.Text == "" || problem.Source != "fuzz.yaml" {
					t.Fatalf("problem without text or source: %+v", problem)
				}
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("Parse accepts what Validate refuses: %v", err)
		}
		text, err := yaml.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("fuzz.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(again.Cells(), p.Cells()) || !reflect.DeepEqual(again.Search, p.Search) {
			t.Fatalf("changed by writing and reading\n%+v\n%+v", p, again)
		}
	})
}
