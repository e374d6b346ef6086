package plan

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxFileBytes is more than a plan for all cells that linerate accepts needs.
const maxFileBytes = 1 << 20

// Parse reads a plan from YAML (JSON is YAML too). Fields that the file leaves
// out have the values of Default; a list replaces the default list. The name is
// the file's: it stands in messages, and its base is the plan's name unless the
// file gives one. An error is *Problems and holds all that is wrong.
func Parse(name string, data []byte) (Plan, error) {
	p := Default()
	if base := nameFromFile(name); base != "" {
		p.Name = base
	}
	d := newDecoder()
	if root := d.document(data); root != nil {
		d.root(root, &p)
	}
	for _, problem := range p.check() {
		if len(d.places) > 0 && d.judges(problem) {
			d.problems = append(d.problems, d.located(problem))
		}
	}
	if len(d.problems) == 0 {
		return p, nil
	}
	for i := range d.problems {
		d.problems[i].Source = name
	}
	d.problems.sortByPlace()
	return Plan{}, d.problems.err()
}

// document is the only document of the file, or nil after reporting why there is none.
func (d *decoder) document(data []byte) *yaml.Node {
	if len(data) > maxFileBytes {
		d.problems = append(d.problems, Problem{Text: "is larger than 1 MiB: not a plan"})
		return nil
	}
	stream := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := stream.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && isEmptyDocument(&doc) {
		d.problems = append(d.problems, Problem{Text: "is empty", Hint: "start from a shipped plan, such as baseline"})
		return nil
	}
	if err != nil {
		d.problems = append(d.problems, notYAML(err))
		return nil
	}
	switch err := stream.Decode(&second); {
	case errors.Is(err, io.EOF), err == nil && isEmptyDocument(&second):
	case err != nil:
		d.problems = append(d.problems, notYAML(err))
	default:
		d.report(&second, "", "a second document begins here", "a file holds one plan: move the second into a file of its own")
	}
	return doc.Content[0]
}

func isEmptyDocument(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || isNull(doc.Content[0])
}

// root reads the document's top level.
func (d *decoder) root(n *yaml.Node, p *Plan) {
	if n.Kind != yaml.MappingNode {
		d.report(n, "", "is not a plan: a plan is a mapping of fields, this is "+kindText(n),
			"start from a shipped plan, such as baseline")
		return
	}
	d.value(n, reflect.ValueOf(p).Elem(), "")
}

// notYAML is the YAML reader's error as a Problem.
func notYAML(err error) Problem {
	p := Problem{Text: "is not YAML: " + err.Error()}
	if at, ok := errors.AsType[*yaml.LoadError](err); ok {
		p.Line, p.Column = at.Mark.Line, at.Mark.Column
		p.Text = "is not YAML: " + at.Message
		if strings.Contains(at.Message, "cannot start any token") {
			p.Hint = "indent with spaces, not with tabs"
		}
	}
	return p
}

// located gives a problem the place of its field, of the other field that takes
// part in it, or of the nearest group above.
func (d *decoder) located(p Problem) Problem {
	for _, path := range []string{p.Path, p.related} {
		if at, ok := d.places[path]; ok && path != "" {
			p.Line, p.Column = at.line, at.column
			return p
		}
	}
	for path := p.Path; path != ""; path = parentPath(path) {
		if at, ok := d.places[path]; ok {
			p.Line, p.Column = at.line, at.column
			return p
		}
	}
	return p
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// nameFromFile is the base of a file's name, in the letters that a plan's name may have.
func nameFromFile(file string) string {
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	base = strings.Trim(notInName.ReplaceAllString(base, "-"), "-._")
	return base[:min(len(base), maxNameBytes)]
}
