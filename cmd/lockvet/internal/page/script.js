"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const findings = [...document.querySelectorAll("details.finding")].map(el => ({
    el,
    id: el.dataset.id,
    check: el.dataset.check,
    severity: el.dataset.severity,
    package: el.dataset.package,
    fix: el.dataset.fix,
    words: ["message", "where", "cat"].map(name => el.querySelector("." + name).textContent).concat(el.dataset.func).join("\n").toLowerCase(),
  }));
  const byId = new Map(findings.map(f => [f.id, f]));
  const groups = [...document.querySelectorAll("[data-group], .part")].reverse();
  const fields = ["check", "severity", "package", "fix"];
  const state = { q: "", check: "", severity: "", package: "", fix: "", at: "" };
  const summary = f => f.el.querySelector("summary");
  let shown = findings;
  let quiet = false; // findings are opened by the page, not by the reader

  // What is in a finding is text to a browser that runs scripts. It becomes elements when
  // the finding is opened, or when there is time: a search in the page finds it then.
  function complete(f) {
    const text = f.el.querySelector("noscript");
    if (text) text.outerHTML = text.textContent;
  }

  function completeIdly(from) {
    const idle = window.requestIdleCallback || (done => setTimeout(() => done({ timeRemaining: () => 10 }), 20));
    idle(time => {
      let at = from;
      while (at < findings.length && (at === from || time.timeRemaining() > 3)) complete(findings[at++]);
      if (at < findings.length) completeIdly(at);
    });
  }

  // What may be kept between visits; a browser may refuse to.
  const keep = {
    get(key) { try { return localStorage.getItem("lockvet." + key); } catch { return null; } },
    set(key, value) { try { localStorage.setItem("lockvet." + key, value); } catch { /* for this visit only */ } },
  };

  // The address holds the filters and the finding that is open.
  function read() {
    const text = location.hash.slice(1);
    if (text.includes("=")) {
      const given = new URLSearchParams(text);
      for (const key in state) state[key] = given.get(key) || "";
      return true;
    }
    let id = text;
    try { id = decodeURIComponent(text); } catch { /* as it stands */ }
    if (text && !byId.has(id)) return false; // another place on the page
    for (const key in state) state[key] = "";
    state.at = id;
    return true;
  }

  function write() {
    const given = new URLSearchParams();
    for (const key in state) if (state[key]) given.set(key, state[key]);
    const only = state.at && [...given].length === 1;
    const text = only ? state.at : given.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  }

  function fits(f, words) {
    return fields.every(key => !state[key] || f[key] === state[key]) && words.every(w => f.words.includes(w));
  }

  function filter() {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    shown = findings.filter(f => {
      const yes = fits(f, words);
      f.el.hidden = !yes;
      return yes;
    });
    const alive = new Set();
    for (const f of shown) {
      for (let el = f.el.parentElement; el && !alive.has(el); el = el.parentElement) alive.add(el);
    }
    for (const g of groups) g.hidden = !alive.has(g);
    $("none").hidden = shown.length > 0;
    $("count").textContent = shown.length === findings.length ? findings.length + " in all" : shown.length + " of " + findings.length;
    $("clear").hidden = shown.length === findings.length && !state.q;
    label();
  }

  function label() {
    $("all").textContent = shown.some(f => !f.el.open) || shown.length === 0 ? "Open all" : "Close all";
    $("all").disabled = shown.length === 0;
  }

  function fill() {
    $("q").value = state.q;
    for (const key of fields) $(key).value = state[key];
    for (const key of fields) state[key] = $(key).value; // what no finding has is no filter
  }

  function open(f, yes) {
    if (yes) complete(f);
    f.el.open = yes;
  }

  function show(f) {
    open(f, true);
    summary(f).focus({ preventScroll: true });
    f.el.scrollIntoView({ block: "start" });
  }

  function arrive() {
    if (!read()) return;
    fill();
    filter();
    const f = byId.get(state.at);
    if (!f) return;
    if (f.el.hidden) {
      for (const key of ["q", ...fields]) state[key] = "";
      fill();
      filter();
    }
    show(f);
  }

  function change() {
    state.q = $("q").value;
    for (const key of fields) state[key] = $(key).value;
    filter();
    write();
  }

  function current() {
    const el = document.activeElement && document.activeElement.closest("details.finding");
    return el ? byId.get(el.dataset.id) : undefined;
  }

  function step(by) {
    const now = current();
    const at = now ? shown.indexOf(now) : -1;
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (!next) return;
    summary(next).focus({ preventScroll: true });
    summary(next).scrollIntoView({ block: "nearest" });
  }

  // Places in a source are shown without losing the address.
  function go(id) {
    const el = $(id);
    for (let d = el.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    el.focus({ preventScroll: true });
    el.scrollIntoView({ block: "center" });
  }

  function about(check) {
    const doc = $("doc-" + check);
    $("h-about").textContent = check;
    $("about").querySelector(".doc").replaceChildren(...[...doc.querySelector(".doc").childNodes].map(n => n.cloneNode(true)));
    $("about").showModal();
    $("about").scrollTop = 0;
  }

  document.addEventListener("click", e => {
    const s = e.target.closest("details.finding > summary");
    if (s) complete(byId.get(s.parentElement.dataset.id));
    const a = e.target.closest("a[href^='#']");
    if (!a || e.ctrlKey || e.metaKey || e.shiftKey) return;
    if (a.matches(".at")) {
      e.preventDefault();
      go(a.getAttribute("href").slice(1));
    } else if (a.matches(".doclink")) {
      e.preventDefault();
      about(a.getAttribute("href").slice(5));
    }
  });

  // Toggling does not bubble.
  document.addEventListener("toggle", e => {
    const f = e.target.matches && e.target.matches("details.finding") && byId.get(e.target.dataset.id);
    if (!f || quiet) return;
    if (f.el.open) {
      complete(f);
      state.at = f.id;
    } else if (state.at === f.id) state.at = "";
    write();
    label();
  }, true);

  function openAll(yes) {
    quiet = true;
    for (const f of shown) open(f, yes);
    label();
    setTimeout(() => { quiet = false; }); // when the events of these have come
  }

  $("all")?.addEventListener("click", () => openAll(shown.some(f => !f.el.open)));
  $("clear")?.addEventListener("click", () => {
    for (const key of ["q", ...fields]) $(key).value = "";
    change();
    $("q").focus();
  });
  for (const id of ["q", ...fields]) $(id)?.addEventListener("input", change);
  document.querySelector(".filters")?.addEventListener("submit", e => e.preventDefault());
  addEventListener("hashchange", arrive);

  // Keys.
  $("single").checked = keep.get("keys") !== "off";
  $("single").addEventListener("change", () => keep.set("keys", $("single").checked ? "on" : "off"));
  $("keys").addEventListener("click", () => $("help").showModal());

  function escape() {
    if (document.activeElement === $("q")) {
      if ($("q").value) { $("q").value = ""; change(); } else $("q").blur();
      return true;
    }
    const f = current();
    if (!f || !f.el.open) return false;
    f.el.open = false;
    summary(f).focus();
    return true;
  }

  const single = {
    j: () => step(1),
    k: () => step(-1),
    o: () => { const f = current(); if (f) { open(f, !f.el.open); summary(f).focus(); } },
    "/": () => { $("q").focus(); $("q").select(); },
    "?": () => $("help").showModal(),
  };

  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
    if (e.key === "Escape") {
      if (escape()) e.preventDefault();
      return;
    }
    if (e.target.closest("input, select, textarea")) return;
    const arrows = { ArrowDown: 1, ArrowUp: -1 };
    if (e.key in arrows && e.target.matches("details.finding > summary")) {
      e.preventDefault();
      step(arrows[e.key]);
    } else if (Object.hasOwn(single, e.key) && $("single").checked && $("q")) {
      e.preventDefault();
      single[e.key]();
    }
  });

  // Colours.
  const themes = ["system", "light", "dark"];
  function theme(name) {
    document.documentElement.dataset.theme = name;
    $("theme").textContent = "Colours: " + name;
    $("theme").setAttribute("aria-label", "Colours: " + name);
  }
  theme(themes.includes(keep.get("theme")) ? keep.get("theme") : "system");
  $("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    theme(next);
    keep.set("theme", next);
  });

  // On paper everything is open.
  let closed = [];
  addEventListener("beforeprint", () => {
    quiet = true;
    findings.forEach(complete);
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const d of closed) d.open = true;
  });
  addEventListener("afterprint", () => {
    for (const d of closed) d.open = false;
    closed = [];
    setTimeout(() => { quiet = false; });
  });

  const soon = 20; // findings that are complete at once
  findings.slice(0, soon).forEach(complete);
  completeIdly(soon);
  for (const el of document.querySelectorAll("[data-js]")) el.hidden = false;
  if ($("q")) {
    arrive();
    // The browser's own jump to the place takes the focus away again.
    addEventListener("load", () => { if (byId.has(state.at)) show(byId.get(state.at)); });
  }
})();
