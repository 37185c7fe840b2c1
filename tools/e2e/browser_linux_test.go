package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A browser is a tab of Chromium with a page in it.
type browser struct {
	*testing.T
	ctx  context.Context
	page string
	base string

	mu       sync.Mutex
	console  []string
	requests []string
}

// TestBrowser uses the page as a reviewer does.
func TestBrowser(t *testing.T) {
	t.Parallel()
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), flags...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	page, many := page(t, "sample.html"), page(t, "many.html")
	for _, c := range []struct {
		name string
		page string
		test func(*browser)
	}{
		{"filters", page, filters},
		{"deeplink", page, deepLink},
		{"keys", page, keys},
		{"tab", page, tab},
		{"looks", page, looks},
		{"patch", page, patch},
		{"theme", page, theme},
		{"paper", page, paper},
		{"noscript", page, noScript},
		{"many", many, manyFindings},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(open(t, ctx, c.page)) })
	}
}

// open opens a tab with a page. At the end of the test, the page must have said
// nothing to the console and asked for nothing but itself.
func open(t *testing.T, ctx context.Context, page string) *browser {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &browser{T: t, ctx: ctx, page: page, base: server.URL + "/page.html"}
	b.record()
	b.size(1440, 900)
	b.visit("")
	t.Cleanup(b.wasQuiet)
	return b
}

// record notes what the page says and what it asks for.
func (b *browser) record() {
	b.Helper()
	messages := chromedp.Console(b.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.console = append(b.console, m.String())
			b.mu.Unlock()
		}
	}()
	_, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	must(b, err)
	must(b, chromedp.Listen(b.ctx, func(event any) {
		if r, ok := event.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(r.Request.URL, "data:") {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.requests = append(b.requests, r.Request.URL)
		}
	}))
}

// chromium finds the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed, so the page is not tried in a browser (Debian: apt-get install chromium)")
	return ""
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *browser) wasQuiet() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.console {
		b.Errorf("console: %s", m)
	}
	for _, r := range b.requests {
		if page, _, _ := strings.Cut(r, "#"); page != b.base {
			b.Errorf("the page asked for %s", r)
		}
	}
}

// visit loads the page afresh with a fragment.
func (b *browser) visit(fragment string) {
	b.Helper()
	must(b, chromedp.Do(b.ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(b.base+fragment)))
}

func (b *browser) size(width, height int64) {
	b.Helper()
	var mobile []chromedp.EmulateViewportOption
	if width < 600 {
		mobile = append(mobile, chromedp.EmulateMobile)
	}
	must(b, chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height, mobile...)))
}

func (b *browser) scheme(name string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
	must(b, err)
}

func (b *browser) press(keys string) {
	b.Helper()
	must(b, chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// value is the value of an expression in the page.
func value[T any](b *browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// want fails unless an expression has a value, which it may take a moment to.
func (b *browser) want(expression, wanted string) {
	b.Helper()
	var got string
	for range 50 {
		if got = value[string](b, "String("+expression+")"); got == wanted {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.Errorf("%s is %q, want %q", expression, got, wanted)
}

const (
	shownIDs = `[...document.querySelectorAll("details.finding")].filter(d => d.getBoundingClientRect().height > 0).map(d => d.dataset.id).join(" ")`
	openIDs  = `[...document.querySelectorAll("details.finding[open]")].map(d => d.dataset.id).join(" ")`
	focused  = `(document.activeElement.id || document.activeElement.parentElement.dataset.id)`
	fragment = `decodeURIComponent(location.hash)`
)

func filters(b *browser) {
	const all = "aa:1 cc:1 bb:1 fixed-dd:1"
	b.want(shownIDs, all)
	choose := func(field, value string) {
		b.Helper()
		must(b, chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](
			fmt.Sprintf(
				`{ const f = document.getElementById(%q); f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); }`,
				field,
				value,
			),
		)))
	}
	for _, c := range []struct{ field, value, shown, fragment string }{
		{"check", "latelock", "cc:1", "#check=latelock"},
		{"severity", "warning", "bb:1", "#severity=warning"},
		{"package", "example.com/m/store", "aa:1 cc:1 fixed-dd:1", "#package=example.com/m/store"},
		{"fix", "fixable", "aa:1", "#fix=fixable"},
		{"fix", "fixed", "fixed-dd:1", "#fix=fixed"},
		{"q", "TRUNCATES path", "aa:1", "#q=TRUNCATES+path"},
		{"q", "gone.go", "cc:1", "#q=gone.go"},
		{"q", "(*t[", "bb:1", "#q=(*t["},
	} {
		choose(c.field, c.value)
		b.want(shownIDs, c.shown)
		b.want(fragment, c.fragment)
		b.visit(value[string](b, "location.hash"))
		b.want(shownIDs, c.shown)
		b.want(fmt.Sprintf("document.getElementById(%q).value", c.field), c.value)
		choose(c.field, "")
		b.want(shownIDs, all)
		b.want(fragment, "")
	}
	choose("check", "latelock")
	choose("fix", "fixable")
	b.want(shownIDs, "")
	b.want(`document.getElementById("none").hidden`, "false")
	b.want(`document.getElementById("count").textContent`, "0 of 4")
	must(b, chromedp.Do(b.ctx, chromedp.Click("#clear")))
	b.want(shownIDs, all)
	must(b, chromedp.Do(b.ctx, chromedp.Click(`a[href="#check=tornwrite"]`)))
	b.want(shownIDs, "aa:1 fixed-dd:1")
	b.want(`document.getElementById("check").value`, "tornwrite")
}

func deepLink(b *browser) {
	b.visit("#bb:1")
	b.want(openIDs, "bb:1")
	b.want(focused, "bb:1")
	b.want(`(r => r.top >= 0 && r.top < innerHeight / 2)(document.querySelector("[data-id='bb:1']").getBoundingClientRect())`, "true")
	b.visit("#bb%3A1")
	b.want(openIDs, "bb:1")
	// A filter that hides the finding gives way.
	b.visit("#check=tornwrite&at=bb:1")
	b.want(openIDs, "bb:1")
	b.want(`document.getElementById("check").value`, "")
	b.visit("#check=tornwrite&at=aa:1")
	b.want(openIDs, "aa:1")
	b.want(`document.getElementById("check").value`, "tornwrite")
	// What is opened is in the address, what is closed is not.
	b.press(kb.Enter)
	b.want(openIDs, "")
	b.want(fragment, "#check=tornwrite")
	b.press(kb.Enter)
	b.want(fragment, "#check=tornwrite&at=aa:1")
	// A place of the source is shown without a new address, the documentation, too.
	must(b, chromedp.Do(b.ctx, chromedp.Click(`[data-id="aa:1"] [data-lane="1"] a.at`)))
	b.want(`document.activeElement.dataset.n`, "4")
	b.want(`document.activeElement.closest("details.fold").open`, "true")
	must(b, chromedp.Do(b.ctx, chromedp.Click(`[data-id="aa:1"] a.doclink`)))
	b.want(`document.getElementById("about").open && document.getElementById("about").textContent.includes("WRONG:")`, "true")
	b.press(kb.Escape)
	b.want(`document.getElementById("about").open`, "false")
	b.want(fragment, "#check=tornwrite&at=aa:1")
}

func keys(b *browser) {
	for _, c := range []struct{ key, focused string }{
		{"j", "aa:1"}, {"j", "cc:1"}, {"k", "aa:1"}, {"k", "aa:1"}, {kb.ArrowDown, "cc:1"}, {kb.ArrowDown, "bb:1"}, {kb.ArrowUp, "cc:1"}, {"/", "q"},
	} {
		b.press(c.key)
		b.want(focused, c.focused)
	}
	value[bool](b, `document.getElementById("q").value = "", true`) // the driver types a key that the page has used
	b.press("jk?/")
	b.want(`document.getElementById("q").value`, "jk?/")
	b.press(kb.Escape)
	b.want(`document.getElementById("q").value`, "")
	b.press(kb.Escape)
	b.press("j")
	b.press("o")
	b.want(openIDs, "aa:1")
	b.press("o")
	b.want(openIDs, "")
	b.press(kb.Enter)
	b.want(openIDs, "aa:1")
	b.press(kb.Escape)
	b.want(openIDs, "")
	b.want(focused, "aa:1")
	b.press("?")
	b.want(`document.getElementById("help").open`, "true")
	b.press("j")
	b.press(kb.Escape)
	b.want(`document.getElementById("help").open`, "false")
	b.want(focused, "aa:1")
	must(b, chromedp.Do(b.ctx, chromedp.Click("#all")))
	b.want(openIDs, "aa:1 cc:1 bb:1 fixed-dd:1")
	must(b, chromedp.Do(b.ctx, chromedp.Click("#all")))
	b.want(openIDs, "")
	// The keys can be switched off.
	must(b, chromedp.Do(b.ctx, chromedp.Click("#keys"), chromedp.Click("#single")))
	b.press(kb.Escape)
	b.press("j")
	b.want(`document.activeElement.matches("summary")`, "false")
}

// tab walks the page with the Tab key: everything that can be used comes up,
// and is seen to have the focus.
func tab(b *browser) {
	must(b, chromedp.Do(b.ctx, chromedp.Click("#all")))
	value[bool](b, `document.activeElement.blur(), scrollTo(0, 0), true`)
	must(b, chromedp.Do(b.ctx, chromedp.MouseClickXY(2, 2)))
	reached := 0
	for range 200 {
		b.press(kb.Tab)
		state := value[string](
			b,
			`(e => e === document.body ? "end" : e.matches(".seen") ? "again" : (e.classList.add("seen"), getComputedStyle(e).outlineStyle + " " + e.outerHTML.slice(0, 80)))(document.activeElement)`,
		)
		if state == "end" || state == "again" {
			break
		}
		if strings.HasPrefix(state, "none") {
			b.Errorf("the focus cannot be seen on %s", state)
		}
		reached++
	}
	if left := value[string](b, `[...document.querySelectorAll("main :is(a, button, input, select, summary)")].filter(e => e.checkVisibility() && !e.matches(".seen")).map(e => e.outerHTML.slice(0, 80)).join("\n")`); left != "" ||
		reached < 20 {
		b.Errorf("after %d elements, these were not reached:\n%s", reached, left)
	}
}

// contrasts lists what is written in too little contrast to what is behind it.
const contrasts = `(() => {
	const rgba = s => { const n = s.match(/[\d.]+/g).map(Number); return s.startsWith("color(srgb") ? [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
	const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c; } return [255, 255, 255, 1]; };
	const bad = new Set();
	const look = (e, style, what) => {
		const own = rgba(style.backgroundColor);
		const [a, b] = [light(rgba(style.color)), light(own[3] > 0 ? own : behind(e))].sort((x, y) => y - x);
		if ((a + .05) / (b + .05) < 4.5) bad.add(((a + .05) / (b + .05)).toFixed(2) + " " + what + " " + (e.className || e.tagName));
	};
	const texts = document.createTreeWalker(document.querySelector("dialog[open]") || document.body, NodeFilter.SHOW_TEXT);
	let seen = 0;
	for (let n; n = texts.nextNode();) {
		const e = n.parentElement;
		if (!n.data.trim() || !e.checkVisibility({visibilityProperty: true}) || e.matches("script, style, option")) continue;
		seen++;
		look(e, getComputedStyle(e), "text of");
		for (const p of ["::before", "::after"]) {
			const s = getComputedStyle(e, p);
			if (/["\w]/.test(s.content) && s.content !== "none" && s.content !== "normal" && s.content !== '""') look(e, s, p);
		}
	}
	return (seen < 20 ? "only " + seen + " texts seen\n" : "") + [...bad].join("\n");
})()`

// laneless lists what of a schedule is not where it belongs: the dot of a step
// on the rail of its lane, what a band holds beside its head, all of it inside the
// drawing and nothing over another.
const laneless = `(() => {
	const bad = [];
	for (const s of document.querySelectorAll("details.finding[open] .schedule")) {
		const box = s.getBoundingClientRect();
		const rails = [...s.querySelectorAll(".rail")].map(r => r.getBoundingClientRect());
		const across = rails[0].width > rails[0].height;
		const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
		const boxes = [];
		let last = -1;
		for (const step of s.querySelectorAll(".step")) {
			const dot = step.querySelector(".dot").getBoundingClientRect();
			const rail = rails[step.dataset.lane];
			const on = across ? rail.top >= dot.top && rail.bottom <= dot.bottom : rail.left >= dot.left && rail.right <= dot.right;
			if (!on || !inside(dot, box)) bad.push("the dot of " + step.textContent);
			const time = across ? dot.left : dot.top;
			if (time <= last) bad.push("the time of " + step.textContent);
			last = time;
			for (const e of [step.querySelector("p"), step.querySelector(".at")]) {
				if (!e) continue;
				const r = e.getBoundingClientRect();
				if (!inside(r, box) || e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0) bad.push("the text of " + e.textContent);
				if (boxes.some(o => o.left < r.right - 1 && r.left < o.right - 1 && o.top < r.bottom - 1 && r.top < o.bottom - 1)) bad.push("overlap: " + e.textContent);
				boxes.push(r);
			}
		}
		if (last < 0) bad.push("no steps");
		const heads = [...s.querySelectorAll(".head.band")].map(h => h.getBoundingClientRect());
		if (heads.some((h, i) => across !== h.height > 0 || across && rails.some(r => r.bottom > h.top))) bad.push("the head of a band");
		for (const h of s.querySelectorAll(".holds")) {
			const r = h.getBoundingClientRect();
			if (h.matches(".before") && !across) continue;
			if (!inside(r, box) || h.scrollWidth > h.clientWidth + 1) bad.push("the band of " + h.textContent);
			if (across && Math.abs(r.top - heads[h.style.getPropertyValue("--band")].top) > 1) bad.push("the row of " + h.textContent);
			if (boxes.some(o => o.left < r.right - 1 && r.left < o.right - 1 && o.top < r.bottom - 1 && r.top < o.bottom - 1)) bad.push("overlap: " + h.textContent);
			boxes.push(r);
		}
	}
	return bad.join("\n");
})()`

// looks opens everything at several widths and in both colours.
func looks(b *browser) {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 390, 800, 1100, 1440} {
			b.scheme(scheme)
			b.size(width, 900)
			b.visit("")
			b.want(
				`getComputedStyle(document.body).colorScheme && matchMedia("(prefers-color-scheme: dark)").matches`,
				fmt.Sprint(scheme == "dark"),
			)
			value[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
			at := fmt.Sprintf("%s, %d wide", scheme, width)
			if wide := value[int64](b, `Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)`) - width; wide > 0 {
				b.Errorf("%s: the page is %d pixels too wide", at, wide)
			}
			if bad := value[string](b, laneless); bad != "" {
				b.Errorf("%s: out of place:\n%s", at, bad)
			}
			if bad := value[string](b, contrasts); bad != "" {
				b.Errorf("%s: contrast:\n%s", at, bad)
			}
		}
	}
	b.press("?")
	if bad := value[string](b, strings.Replace(contrasts, "seen < 20", "seen < 5", 1)); bad != "" {
		b.Errorf("help: contrast:\n%s", bad)
	}
}

// numbers lists, for each line of a patch that is seen, the numbers before and after, each
// with the place of its column.
const numbers = `[...document.querySelectorAll("[data-id='aa:1'] .hunk.own .l")].filter(l => l.checkVisibility()).map(l => {
	const before = getComputedStyle(l, "::before"), after = getComputedStyle(l, "::after");
	const number = l.matches(".same *") && after.content !== "none" ? " " + l.dataset.m + "@" + Math.round(parseFloat(after.left) / parseFloat(after.width)) : "";
	return l.parentElement.classList[0] + " " + l.dataset.n + "@" + Math.round(parseFloat(before.left) / parseFloat(before.width)) + number;
}).join(", ")`

// patch opens one: the hunk of the finding is marked, and there is a column of numbers for
// what was before and one for what is after, below each other or beside each other.
func patch(b *browser) {
	b.visit("#" + url.PathEscape("aa:1"))
	b.want(openIDs, "aa:1")
	b.want(`document.querySelectorAll("[data-id='aa:1'] .hunk").length`, "2")
	b.want(`document.querySelectorAll("[data-id='aa:1'] .hunk.own").length`, "1")
	b.want(
		`document.querySelector("[data-id='aa:1'] .own .label").textContent`,
		"The change for this finding; its fix needs the others, too",
	)
	b.want(`document.querySelector("[data-id='aa:1'] .own").textContent.includes("safeio.WriteFile")`, "true")
	b.want(numbers, "same 34@0, same 35@0, same 36@0, same 34@0, same 35@0, same 36@0, old 37@0, new 37@0, same 38@0, same 38@0")
	b.size(390, 900)
	b.want(numbers, "same 34@0 34@1, same 35@0 35@1, same 36@0 36@1, old 37@0, new 37@1, same 38@0 38@1")
}

// theme asks for the other colours than those of the system.
func theme(b *browser) {
	const colour = `getComputedStyle(document.body).backgroundColor`
	b.scheme("light")
	b.visit("")
	light := value[string](b, colour)
	must(b, chromedp.Do(b.ctx, chromedp.Click("#theme"), chromedp.Click("#theme")))
	b.want(`document.getElementById("theme").textContent`, "Colours: dark")
	dark := value[string](b, colour)
	if dark == light {
		b.Error("the button changes no colour")
	}
	b.visit("")
	b.want(colour, dark) // the choice is kept
	must(b, chromedp.Do(b.ctx, chromedp.Click("#theme")))
	b.want(colour, light)
	b.scheme("dark")
	b.want(colour, dark)
}

// paper looks at the page as a printer gets it.
func paper(b *browser) {
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	must(b, err)
	b.want(
		`[...document.querySelectorAll(".body")].every(e => e.checkVisibility({contentVisibilityAuto: true}) && e.getBoundingClientRect().height > 100)`,
		"true",
	)
	b.want(`[...document.querySelectorAll("button, input, select")].some(e => e.checkVisibility())`, "false")
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	must(b, err)
	if len(pdf) < 20_000 {
		b.Errorf("the print has %d bytes", len(pdf))
	}
	b.want(openIDs, "")
}

// noScript looks at the page where scripts are switched off.
func noScript(b *browser) {
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	must(b, err)
	b.visit("")
	b.want(shownIDs, "aa:1 cc:1 bb:1 fixed-dd:1")
	b.want(`[...document.querySelectorAll(".controls")].some(e => e.checkVisibility())`, "false")
	must(b, chromedp.Do(b.ctx, chromedp.Click(`[data-id="aa:1"] > summary`)))
	b.want(`document.querySelector("[data-id='aa:1'] .schedule").checkVisibility()`, "true")
	b.visit("#" + url.PathEscape("bb:1"))
	b.want(openIDs, "bb:1")
}

// manyFindings opens a page from disk that has two thousand of them.
func manyFindings(b *browser) {
	name := filepath.Join(b.TempDir(), "a b#c.html")
	must(b, os.WriteFile(name, []byte(b.page), 0o666))
	b.base = (&url.URL{Scheme: "file", Path: name}).String()
	b.mu.Lock()
	b.requests = nil
	b.mu.Unlock()
	var times []float64
	for range 3 {
		b.visit("")
		b.want(`document.readyState`, "complete")
		loaded := value[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
		b.Logf(
			"2000 findings: drawn %.0f ms after the navigation began, loaded after %.0f",
			value[float64](b, `performance.getEntriesByType("paint")[0].startTime`),
			loaded,
		)
		times = append(times, loaded)
	}
	if fastest := slices.Min(times); fastest > 2000 {
		b.Errorf("2000 findings take %.0f ms to load", fastest)
	}
	b.want(`document.getElementById("count").textContent`, "2000 in all")
	b.want(
		`(() => { const q = document.getElementById("q"); q.value = "finding 77"; q.dispatchEvent(new Event("input")); document.body.offsetHeight; return "done"; })()`,
		"done",
	)
	b.want(`document.getElementById("count").textContent`, "38 of 2000")
	// One of the last is complete as soon as it is open, and where the reader looks.
	const last = `document.querySelector("[data-id='` + "000000000000000000000000000007cf:1" + `']")`
	b.visit("#000000000000000000000000000007cf:1")
	b.want(last+`.open && `+last+`.querySelector(".belongs").checkVisibility()`, "true")
	b.want(`(r => r.top >= 0 && r.top < innerHeight / 2)(`+last+`.getBoundingClientRect())`, "true")
	// All are, as soon as the browser has time: a search in the page finds them.
	for range 300 {
		if value[int64](b, `document.querySelectorAll(".finding noscript").length`) == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.want(`document.querySelectorAll(".finding noscript").length`, "0")
	b.want(`document.querySelectorAll(".finding .belongs").length`, "2000")
}
