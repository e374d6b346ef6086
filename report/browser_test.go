package report

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/linerate/linerate/internal/testenv"
)

const chromium = "/usr/bin/chromium"

// browser starts a headless Chromium that does nothing on its own account.
func browser(t *testing.T) context.Context {
	t.Helper()
	_, err := os.Stat(chromium)
	testenv.Need(t, "Chromium (Debian: apt-get install chromium)", err)
	ctx, stopAllocator := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(chromium), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	t.Cleanup(stopAllocator)
	ctx, stop := chromedp.NewContext(ctx)
	t.Cleanup(stop)
	// The first call starts the browser, which lives as long as its context: limits come after it.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting %s: %v", chromium, err)
	}
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	return limited
}

// view is what the browser said while a page was open.
type view struct {
	mu       sync.Mutex
	requests []string
	problems []string
}

// watch collects requests, console messages and exceptions of the pages that are opened after it.
func watch(t *testing.T, ctx context.Context) *view {
	t.Helper()
	v := &view{}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, cdplog.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	err := chromedp.Listen(ctx, func(event any) {
		v.mu.Lock()
		defer v.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			v.requests = append(v.requests, e.Request.URL)
		case *cdplog.EventEntryAdded:
			v.problems = append(v.problems, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			v.problems = append(v.problems, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			v.problems = append(v.problems, string(e.Type))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// open shows a report of the given width and colour scheme, and gives its address.
func open(t *testing.T, ctx context.Context, html []byte, widthPixels int64, scheme string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, html, 0o644); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(widthPixels, 1000), chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	return address
}

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return v
}

func TestReportInABrowser(t *testing.T) {
	run, trials := fixture()
	page := written(t, HTML{}, run, trials)
	ctx := browser(t)
	seen := watch(t, ctx)
	address := open(t, ctx, page, 1280, "light")

	drawn := `[...document.querySelectorAll("%")].filter(e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0 }).length`
	count := func(selector string) int { return evaluate[int](t, ctx, strings.Replace(drawn, "%", selector, 1)) }
	if n := count("svg .mark.trial"); n != len(trials) {
		t.Errorf("%d trial marks are drawn, want one for each of the %d trials", n, len(trials))
	}
	if count("svg .mark.zoomed") == 0 {
		t.Error("no chart shows the trials near the bounds")
	}
	unsent, repeated := 0, 0
	for _, trial := range trials {
		switch {
		case trial.Discarded != "":
			repeated++
		case trial.UnsentRatio() > unsentLimit:
			unsent++
		}
	}
	if n := count("svg .mark.trial.discarded"); n != repeated || repeated == 0 {
		t.Errorf("%d marks of trials that were repeated, want %d", n, repeated)
	}
	if n := count("svg .mark.trial.unsent"); n != unsent || unsent == 0 {
		t.Errorf("%d marks of trials with unsent frames, want %d", n, unsent)
	}
	if all, n := evaluate[int](t, ctx, `document.querySelectorAll("svg.chart").length`), count("svg.chart"); n != all || n < 20 {
		t.Errorf("%d of %d charts have a size", n, all)
	}
	for _, selector := range []string{".barchart .bar", ".losschart .band", ".latencychart .bin", ".cpuchart rect.softirq", ".losschart .curve"} {
		if count(selector) == 0 {
			t.Errorf("nothing is drawn of %s", selector)
		}
	}
	untitled := evaluate[int](t, ctx, `[...document.querySelectorAll("svg[role=img]")].filter(s => !s.getAttribute("aria-label") && !s.querySelector(":scope > title")).length`)
	if untitled != 0 {
		t.Errorf("%d charts have no title", untitled)
	}
	checkSorting(t, ctx)

	seen.mu.Lock()
	defer seen.mu.Unlock()
	for _, r := range seen.requests {
		if r != address && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page requested %s", r)
		}
	}
	if len(seen.requests) == 0 {
		t.Error("not even the page itself was seen as a request: the watch does not work")
	}
	if len(seen.problems) > 0 {
		t.Errorf("the browser said: %q", seen.problems)
	}
}

// checkSorting clicks a heading of the summary and expects its column in order, skipped cells last.
func checkSorting(t *testing.T, ctx context.Context) {
	t.Helper()
	const column = `(() => {
		const table = document.querySelector("#throughput table");
		[...table.tHead.rows[0].cells].find(c => c.textContent.includes("PDR")).click();
		return [...table.tBodies[0].rows].map(r => r.classList.contains("skipped") ? -1 : Number(r.cells[6].dataset.sort));
	})()`
	rates := evaluate[[]float64](t, ctx, column)
	for i := 1; i < len(rates); i++ {
		if rates[i] < rates[i-1] && rates[i] != -1 {
			t.Errorf("after a click on the heading the PDR column is %v", rates)
			break
		}
	}
	if rates[len(rates)-1] != -1 {
		t.Errorf("the skipped cell is not the last row: %v", rates)
	}
}

// TestReportFitsItsScreen opens every layout: nothing but tables may be wider than the window.
func TestReportFitsItsScreen(t *testing.T) {
	run, trials := fixture()
	page := written(t, HTML{}, run, trials)
	ctx := browser(t)
	backgrounds := map[string]bool{}
	for _, width := range []int64{400, 800, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			open(t, ctx, page, width, scheme)
			if over := evaluate[int](t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("at %d pixels the page is %d pixels too wide", width, over)
			}
			backgrounds[evaluate[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)] = true
		}
	}
	if len(backgrounds) != 2 {
		t.Errorf("backgrounds %v: light and dark must differ", backgrounds)
	}
}
