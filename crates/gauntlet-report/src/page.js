// Pages that one can touch. Without this script a page shows the same pictures, tables and texts.
"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const button = (text, title, onclick) => make("button", { type: "button", class: "tool", title, onclick }, text);

  // Light and dark.
  const root = document.documentElement;
  const remembered = { get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
    set: theme => { try { localStorage.setItem("theme", theme); } catch { /* Private windows keep nothing. */ } } };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const listeners = [];
  const themed = theme => {
    if (theme) root.dataset.theme = theme;
    toggle.textContent = isDark() ? "Light" : "Dark";
    listeners.forEach(listener => listener());
  };
  const toggle = button("", "Change between light and dark", () => {
    themed(isDark() ? "light" : "dark");
    remembered.set(root.dataset.theme);
  });
  toggle.classList.add("theme");
  document.body.prepend(toggle);
  dark.addEventListener("change", () => themed());
  themed(["light", "dark"].find(theme => theme === remembered.get()));

  // The text of the point that is nearest to the pointer.
  const REACH = 24;
  const tip = make("div", { class: "tip", role: "tooltip", hidden: "" });
  document.body.append(tip);
  const showTip = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.max(4, Math.min(x + 14, document.documentElement.clientWidth - width - 4));
    tip.style.left = `${left}px`;
    tip.style.top = `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`;
  };
  const hideTip = () => { tip.hidden = true; };
  const nearest = (svg, hints, event) => {
    const matrix = svg.getScreenCTM();
    let best = null;
    let least = REACH;
    for (const hint of hints) {
      if (hint.element.classList.contains("off")) continue;
      const distance = Math.hypot(matrix.a * hint.x + matrix.e - event.clientX, matrix.d * hint.y + matrix.f - event.clientY);
      if (distance < least) [best, least] = [hint, distance];
    }
    return best;
  };
  const pointed = svg => {
    const hints = all("circle.hint", svg).map(element => {
      const title = element.querySelector("title");
      const hint = { element, x: +element.getAttribute("cx"), y: +element.getAttribute("cy"), text: title.textContent };
      // The browser would show it a second time.
      title.remove();
      return hint;
    });
    let marked = null;
    const mark = hint => {
      marked?.element.classList.remove("near");
      hint?.element.classList.add("near");
      marked = hint;
    };
    const move = event => {
      const hint = nearest(svg, hints, event);
      mark(hint);
      if (hint) showTip(hint.text, event.clientX, event.clientY);
      else hideTip();
    };
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", () => { mark(null); hideTip(); });
  };

  // Series that are hidden by their entries in the legend.
  const hideable = svg => {
    for (const entry of all("g.entry", svg)) {
      const own = () => all(`[data-series="${entry.dataset.series}"]`, svg).filter(element => element !== entry);
      const flip = event => {
        const off = entry.classList.toggle("off");
        own().forEach(element => element.classList.toggle("off", off));
        entry.setAttribute("aria-pressed", String(!off));
        event.preventDefault();
      };
      entry.setAttribute("role", "button");
      entry.setAttribute("tabindex", "0");
      entry.setAttribute("aria-pressed", "true");
      entry.setAttribute("aria-label", `Show ${entry.dataset.name}`);
      entry.addEventListener("click", flip);
      entry.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") flip(event); });
    }
  };

  // A part of a picture, chosen by dragging with a mouse.
  const LEAST = 12;
  const zoomable = (svg, tools) => {
    const whole = svg.getAttribute("viewBox");
    const back = button("Whole picture", "Show the whole picture again", () => show(whole));
    const show = box => {
      svg.setAttribute("viewBox", box);
      back.hidden = box === whole;
    };
    back.hidden = true;
    tools.append(back);
    const place = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let from = null;
    let frame = null;
    svg.addEventListener("pointerdown", event => {
      if (event.pointerType === "mouse" && event.button === 0 && !event.target.closest(".entry")) from = [event, place(event)];
    });
    svg.addEventListener("pointermove", event => {
      if (!from || Math.hypot(event.clientX - from[0].clientX, event.clientY - from[0].clientY) < LEAST) return;
      const to = place(event);
      if (!frame) {
        frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        frame.setAttribute("class", "frame");
        svg.append(frame);
        svg.setPointerCapture(event.pointerId);
      }
      frame.setAttribute("x", Math.min(from[1].x, to.x));
      frame.setAttribute("y", Math.min(from[1].y, to.y));
      frame.setAttribute("width", Math.abs(from[1].x - to.x));
      frame.setAttribute("height", Math.abs(from[1].y - to.y));
    });
    svg.addEventListener("pointerup", () => {
      if (frame) {
        show(["x", "y", "width", "height"].map(name => frame.getAttribute(name)).join(" "));
        frame.remove();
      }
      from = frame = null;
    });
    svg.addEventListener("dblclick", () => show(whole));
  };

  // Tables: columns to sort, rows to filter.
  const collator = new Intl.Collator("en", { numeric: true });
  const number = text => {
    const found = text.replaceAll("−", "-").replaceAll(",", "").match(/^[<>≈]?\s*(-?\d+(\.\d+)?([eE][-+]?\d+)?)/);
    return found ? Number(found[1]) : null;
  };
  const compare = (one, other) => {
    const [a, b] = [one, other].map(number);
    if (a !== null && b !== null) return a - b;
    return a !== null ? -1 : b !== null ? 1 : collator.compare(one, other);
  };
  const sortable = table => {
    const body = table.tBodies[0];
    const original = Array.from(body.rows);
    const heads = all("thead [data-at]", table);
    const text = (row, at) => row.cells[at]?.textContent.trim() ?? "";
    const sort = (at, direction) => {
      const filled = row => text(row, at) !== "" && text(row, at) !== "–";
      const rows = original.filter(filled).sort((a, b) => direction * compare(text(a, at), text(b, at)));
      // Empty cells are last in both directions.
      body.append(...(direction ? rows.concat(original.filter(row => !filled(row))) : original));
      for (const head of heads) {
        const own = Number(head.dataset.at) === at && direction;
        head.setAttribute("aria-sort", own ? (direction > 0 ? "ascending" : "descending") : "none");
      }
    };
    for (const head of heads) {
      const at = Number(head.dataset.at);
      const next = { none: 1, ascending: -1, descending: 0 };
      const flip = () => sort(at, next[head.getAttribute("aria-sort") ?? "none"]);
      head.replaceChildren(make("button", { type: "button", class: "sort", onclick: flip }, ...head.childNodes));
    }
    const choice = make("select", { "aria-label": "Sort by" }, make("option", { value: "" }, "Sort by …"));
    for (const head of heads) choice.append(make("option", { value: head.dataset.at }, head.dataset.whole || head.textContent || "name"));
    choice.addEventListener("change", () => (choice.value === "" ? sort(0, 0) : sort(Number(choice.value), 1)));
    return choice;
  };
  const FEW = 6;
  const filterable = table => {
    const rows = Array.from(table.tBodies[0].rows);
    const said = make("span", { class: "said", "aria-live": "polite" });
    const input = make("input", { type: "search", placeholder: "Filter rows", "aria-label": "Filter rows" });
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const matches = rows.filter(row => {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
        return !row.hidden;
      });
      said.textContent = words.length ? `${matches.length} of ${rows.length} rows` : "";
    });
    return rows.length > FEW ? [input, said] : [];
  };

  // Texts for the clipboard, with the bytes of the files beside the page.
  const copied = async text => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  const copier = source => {
    const name = `Copy ${source.dataset.kind}`;
    const own = button(name, `Copy the table as ${source.dataset.kind}`, async () => {
      own.textContent = (await copied(source.textContent)) ? "Copied" : "Not copied";
      setTimeout(() => { own.textContent = name; }, 1500);
    });
    return own;
  };

  // Charts of numbers over numbers, drawn again by uPlot: axes follow a part that is chosen by dragging.
  const explorer = (figure, data, tools) => {
    let charts = null;
    const box = make("div", { class: "explorer" });
    const pictures = all(".picture", figure);
    const draw = () => {
      box.replaceChildren();
      charts = data.panels.map(panel => chart(panel, box));
    };
    const open = button("Explore", "Draw the lines again, with axes that follow a part chosen by dragging", () => {
      const isOpen = charts !== null;
      if (isOpen) {
        charts.forEach(one => one.destroy());
        charts = null;
        box.remove();
      } else {
        figure.append(box);
        draw();
      }
      pictures.forEach(picture => { picture.hidden = !isOpen; });
      open.textContent = isOpen ? "Explore" : "Picture";
    });
    tools.append(open);
    listeners.push(() => { if (charts) { charts.forEach(one => one.destroy()); draw(); } });
  };
  const colour = name => getComputedStyle(root).getPropertyValue(name).trim();
  const resolved = name => {
    const probe = make("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const shown = value => (value == null ? "–" : String(Number(value.toPrecision(6))));
  const chart = (panel, box) => {
    const tables = panel.series.map(one => [one.x, one.y, one.low, one.high]);
    const data = uPlot.join(tables);
    const [ink, line] = [resolved("--ink"), resolved("--line")];
    const axis = label => ({ label, labelFont: "600 11px system-ui, sans-serif", stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } });
    const series = [{ label: panel.x, value: (_, value) => (panel.dates ? day(value) : shown(value)) }];
    const bands = [];
    for (const one of panel.series) {
      const stroke = resolved(`--series-${one.colour}`);
      const at = series.length;
      const dash = one.dashed ? [7, 4] : undefined;
      series.push({ label: (one.name || panel.y) + (one.dashed ? " (broken)" : ""), stroke, width: 2, dash, spanGaps: true, points: { show: one.x.length <= 60, size: 6 },
        value: (_, value) => shown(value) });
      const edge = { label: "", stroke: "transparent", spanGaps: true, points: { show: false } };
      series.push({ ...edge, class: "edge" }, { ...edge, class: "edge" });
      bands.push({ series: [at + 2, at + 1], fill: stroke.replace("rgb(", "rgba(").replace(")", ", 0.16)") });
    }
    const size = () => ({ width: Math.max(280, box.clientWidth - 4), height: 420 });
    const own = new uPlot({ title: panel.title, ...size(), bands, series, axes: [axis(panel.x), axis(panel.y)],
      scales: { x: { time: false, distr: panel.log[0] ? 3 : 1 }, y: { distr: panel.log[1] ? 3 : 1 } },
      hooks: { setSeries: [(self, at, options) => {
        if (options?.show === undefined || at % 3 !== 1) return;
        [at + 1, at + 2].forEach(edge => { self.series[edge].show = options.show; });
      }] } }, data, box);
    return own;
  };
  const day = value => (value == null ? "–" : new Date(value * 864e5).toISOString().slice(0, 10));

  for (const figure of all("figure")) {
    const tools = make("div", { class: "tools" });
    for (const svg of all(".picture svg", figure)) {
      pointed(svg);
      hideable(svg);
      zoomable(svg, tools);
    }
    const data = figure.querySelector("script[type='application/json']");
    if (data && globalThis.uPlot) explorer(figure, JSON.parse(data.textContent), tools);
    if (tools.childElementCount) figure.prepend(tools);
  }
  for (const scroll of all(".scroll")) {
    const table = scroll.querySelector("table.numbers");
    if (!table) continue;
    const tools = make("div", { class: "tools" }, ...filterable(table), sortable(table));
    tools.append(...all("pre.source", scroll.parentElement).map(copier));
    scroll.before(tools);
  }
})();
