package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// memoryFile takes the output of a command. Of a pipe the end would have to be awaited, and
// what a command leaves running in the background may hold it open for good.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("output", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "output"), nil
}

// command runs a Command. After its time limit it is killed with what it has started.
func (a Action) command() error {
	return netns.Do(a.Netns, func() error {
		ctx, cancel := context.Background(), func() {}
		if a.TimeoutS > 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(a.TimeoutS*float64(time.Second)))
		}
		defer cancel()
		c := exec.CommandContext(ctx, a.Argv[0], a.Argv[1:]...)
		if a.Stdin != "" {
			c.Stdin = strings.NewReader(a.Stdin)
		}
		c.Env = append(os.Environ(), a.Env...)
		output, err := memoryFile()
		if err != nil {
			return fmt.Errorf("run `%s`: make a file for its output: %w", strings.Join(a.Argv, " "), err)
		}
		defer output.Close()
		c.Stdout, c.Stderr = output, output
		if a.TimeoutS > 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
		}
		err = c.Run()
		out := a.shown(output)
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return fmt.Errorf("run %s: it is not installed; %s", a.Argv[0], InstallHint(a.Argv[0]))
		case ctx.Err() != nil:
			return fmt.Errorf("run `%s`: it had not ended after %g s and was killed: %s", strings.Join(a.Argv, " "), a.TimeoutS, out)
		case err != nil:
			return fmt.Errorf("run `%s`: %w: %s", strings.Join(a.Argv, " "), err, out)
		}
		return nil
	})
}

// printedMost is how much of an output is read.
const printedMost = 64 << 10

// shown is what a command printed, with the name of the file in place of standard input.
func (a Action) shown(output io.ReaderAt) string {
	printed := make([]byte, printedMost)
	n, _ := output.ReadAt(printed, 0) // the end of the file comes first
	text := strings.TrimSpace(string(printed[:n]))
	if a.StdinName == "" {
		return text
	}
	text = strings.ReplaceAll(text, "/dev/stdin:", a.StdinName+":")
	if !strings.Contains(text, a.StdinName) {
		text = a.StdinName + ": " + text // iptables-restore does not name its input
	}
	return text
}

// Lines of an input that are shown at its beginning and at its end.
const (
	shownFirst = 100
	shownLast  = 10
)

// line is a Command as a shell line. Of a long input the middle is left out.
func (a Action) line(in string) string {
	var words []string
	if len(a.Env) > 0 {
		words = append([]string{"env"}, a.Env...)
	}
	for i, w := range a.Argv {
		if i > 0 && strings.ContainsAny(w, " \t\n'\"$&|;<>*?()#\\") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	line := in + strings.Join(words, " ")
	if a.Stdin == "" {
		return line
	}
	input := strings.Split(strings.TrimRight(a.Stdin, "\n"), "\n")
	if n := len(input) - shownFirst - shownLast; n > 1 {
		short := append([]string{}, input[:shownFirst]...)
		short = append(short, fmt.Sprintf("# ... %d lines are not shown ...", n))
		input = append(short, input[len(input)-shownLast:]...)
	}
	return line + " <<'EOF'\n" + strings.Join(input, "\n") + "\nEOF"
}
