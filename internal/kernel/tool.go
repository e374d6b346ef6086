package kernel

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Tool is an installed program.
type Tool struct {
	Name string
	Path string
	// Version is the line of its own words that carries the version; empty if it would not say.
	Version string
}

// MissingToolError says that a program is not in PATH.
type MissingToolError struct{ Name string }

func (e *MissingToolError) Error() string { return e.Name + " is not installed" }

// A tool that takes longer than this to answer hangs.
const toolPatience = 5 * time.Second

// versionFlags are those that differ from --version. Tools with an empty flag are
// not asked: testpmd would set up its devices, and a browser takes a second.
var versionFlags = map[string]string{
	"ip": "-V", "dpdk-testpmd": "", "chromium": "", "chromium-browser": "", "google-chrome": "", "chrome": "",
}

// FindTool looks for a program in PATH and asks it for its version. Names after
// the first are tried in turn. The error is a *MissingToolError.
func FindTool(name string, others ...string) (Tool, error) {
	for _, candidate := range append([]string{name}, others...) {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		t := Tool{Name: candidate, Path: path}
		flag, found := versionFlags[candidate]
		if !found {
			flag = "--version"
		}
		if flag != "" {
			if said, err := t.run("", flag); err == nil {
				t.Version = versionLine(said)
			}
		}
		return t, nil
	}
	return Tool{}, &MissingToolError{Name: name}
}

// Number is the version without the words around it: "1.0.6" of "nftables v1.0.6 (...)".
func (t Tool) Number() string {
	for _, word := range strings.FieldsFunc(t.Version, func(r rune) bool { return strings.ContainsRune(" ,-()", r) }) {
		word = strings.TrimPrefix(word, "v")
		if word != "" && word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word
		}
	}
	return ""
}

// versionLine is the first line with a digit in it, for some tools greet first.
func versionLine(said string) string {
	for line := range strings.Lines(said) {
		if strings.ContainsAny(line, "0123456789") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// run starts the tool in the namespace of the calling thread and returns all
// that it printed. The error carries the first line of it.
func (t Tool) run(stdin string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), toolPatience)
	defer cancel()
	command := exec.CommandContext(ctx, t.Path, arguments...)
	command.WaitDelay = time.Second // a child of the tool may hold its output open
	command.Stdin = strings.NewReader(stdin)
	command.Env = append(command.Environ(), "LC_ALL=C")
	out, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("run %s: no answer for %v", t.Name, toolPatience)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("run %s %s: %s", t.Name, strings.Join(arguments, " "), complaint(string(out), exit))
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w", t.Name, err)
	}
	return string(out), nil
}

// complaint is the first line that a tool printed before it failed, or how it ended if it printed nothing.
func complaint(printed string, exit error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(printed), "\n")
	if line == "" {
		return exit.Error()
	}
	return line
}
