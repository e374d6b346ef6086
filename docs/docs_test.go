// Package docs_test holds the documents to the repository.
package docs_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const module = "github.com/linerate/linerate"

var root = os.DirFS("..")

// table is the body of the first table below a heading: its rows, as cells without backquotes.
func table(t *testing.T, file, heading string) [][]string {
	t.Helper()
	_, text, found := strings.Cut(read(t, file), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	var rows [][]string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			if rows != nil || strings.HasPrefix(line, "#") {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i, c := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(c, "`", ""))
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		t.Fatalf("%s has no table below %q", file, heading)
	}
	return rows[2:]
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := fs.ReadFile(root, file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func firstColumn(rows [][]string) []string {
	var list []string
	for _, r := range rows {
		list = append(list, r[0])
	}
	return list
}

// packageFolders are the folders with Go code that is not a test.
func packageFolders(t *testing.T) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && ignored(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(list, path.Dir(name)) {
			list = append(list, path.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// ignored are folders that are no part of the architecture: hidden, built, or of runs (.gitignore).
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "linerate-") ||
		slices.Contains([]string{"bin", "runs", "testdata"}, name)
}

func TestArchitectureNamesTheFolders(t *testing.T) {
	named := firstColumn(table(t, "docs/architecture.md", "## Folders"))
	for _, folder := range named {
		if info, err := fs.Stat(root, folder); err != nil || !info.IsDir() {
			t.Errorf("docs/architecture.md names folder %s, which does not exist", folder)
		}
	}
	describes := func(folder string) bool {
		return slices.ContainsFunc(named, func(n string) bool { return n == folder || strings.HasPrefix(n, folder+"/") })
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !ignored(e.Name()) && !describes(e.Name()) {
			t.Errorf("docs/architecture.md does not name the top-level folder %s", e.Name())
		}
	}
	for _, folder := range packageFolders(t) {
		top, _, _ := strings.Cut(folder, "/")
		if top != "internal" && !slices.Contains(named, folder) {
			t.Errorf("docs/architecture.md does not name the package %s", folder)
		}
	}
}

// importRules are the lists of .depguard.yaml that are named after a folder: what it may import of this module.
func importRules(t *testing.T) map[string][]string {
	t.Helper()
	var lists map[string]struct {
		Mode  string            `yaml:"listMode"`
		Files []string          `yaml:"files"`
		Allow []string          `yaml:"allow"`
		Deny  map[string]string `yaml:"deny"`
	}
	if err := yaml.Unmarshal([]byte(read(t, ".depguard.yaml")), &lists); err != nil {
		t.Fatal(err)
	}
	rules := map[string][]string{}
	for name, list := range lists {
		if _, denied := list.Deny[module]; !denied || list.Mode != "lax" {
			continue
		}
		want := "**/" + name + "/*.go"
		if name == "internal" {
			want = "**/internal/*/*.go"
		}
		if !slices.Contains(list.Files, want) {
			t.Errorf(".depguard.yaml: list %q is for the files %v, not for %s", name, list.Files, want)
		}
		allowed := []string{}
		for _, a := range list.Allow {
			allowed = append(allowed, strings.TrimSuffix(strings.TrimPrefix(a, module+"/"), "$"))
		}
		slices.Sort(allowed)
		rules[name] = allowed
	}
	return rules
}

func TestImportRulesAreThoseOfTheLinter(t *testing.T) {
	rules := importRules(t)
	documented := map[string]bool{}
	for _, row := range table(t, "docs/architecture.md", "## Imports point one way") {
		folder, allowed := row[0], []string{}
		if row[1] != "nothing" {
			allowed = strings.Split(row[1], ", ")
		}
		slices.Sort(allowed)
		documented[folder] = true
		if enforced, ok := rules[folder]; !ok || !slices.Equal(enforced, allowed) {
			t.Errorf("%s may import %q by docs/architecture.md and %q by .depguard.yaml", folder, allowed, enforced)
		}
	}
	for folder := range rules {
		if !documented[folder] {
			t.Errorf(".depguard.yaml has a list for %s, and docs/architecture.md no row", folder)
		}
	}
	for _, folder := range packageFolders(t) {
		top, _, _ := strings.Cut(folder, "/")
		if _, ok := rules[folder]; !ok && !slices.Contains([]string{"cmd", "internal", "perf", "tools"}, top) {
			t.Errorf("no import rule for %s: add one to .depguard.yaml and to docs/architecture.md", folder)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notSlug = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// anchors are the fragments that the headings of a document answer to.
func anchors(text string) []string {
	var list []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		slug := notSlug.ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(slug, " ", "-"))
	}
	return list
}

func TestLinksResolve(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	links := 0
	for _, file := range files {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			links++
			name := file
			if target != "" {
				name = path.Join(path.Dir(file), target)
			}
			if _, err := fs.Stat(root, name); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s links to %s, which does not exist", file, m[1])
				continue
			}
			if fragment != "" && !slices.Contains(anchors(read(t, name)), fragment) {
				t.Errorf("%s links to %s, and %s has no such heading", file, m[1], filepath.Base(name))
			}
		}
	}
	if links == 0 {
		t.Error("no link inside the repository was found: is this test still looking for them in the right way?")
	}
}

// TestReadmeNamesEachPage requires a row for each page of this folder below "More".
func TestReadmeNamesEachPage(t *testing.T) {
	pages, err := fs.Glob(root, "docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("looking for the pages of docs: %d found, error %v", len(pages), err)
	}
	var named []string
	for _, row := range table(t, "README.md", "## More") {
		if m := link.FindStringSubmatch(row[0]); m != nil {
			named = append(named, m[1])
		}
	}
	for _, page := range append(pages, "docs/published/README.md") {
		if !slices.Contains(named, page) {
			t.Errorf("README.md, \"More\": no row for %s; say in one line what it is about", page)
		}
	}
}

func TestNoticeNamesTheKernelPrograms(t *testing.T) {
	notice := read(t, "NOTICE")
	found := 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && name != "." && ignored(d.Name()) {
				return fs.SkipDir
			}
			return err
		}
		if ext := path.Ext(name); ext != ".c" && ext != ".h" {
			return nil
		}
		found++
		if !strings.Contains(read(t, name), "SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n") &&
			!strings.Contains(read(t, name), "SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */\n") {
			t.Errorf("%s does not name its licence: GPL-2.0-only OR BSD-2-Clause", name)
		}
		if !strings.Contains(notice, "    "+name+"\n") {
			t.Errorf("NOTICE does not list %s among the programs for the kernel", name)
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("looking for C sources: %d found, error %v", found, err)
	}
}
