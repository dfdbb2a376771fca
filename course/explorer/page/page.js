"use strict";
(() => {
  const least = 3, most = 8, mostSteps = 20;
  // The palette of the module's figures, and a grey for the eighth.
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#777777"];
  const dashes = ["", "7 3", "2 3", "9 3 2 3"];
  const presets = {
    "A winner": [0.6, 0.3, 0.1],
    "Nearly equal": [0.36, 0.33, 0.31],
    "A tie": [0.4, 0.4, 0.2],
    "Padding": [0.6, 0.4, 0],
    "A tiny weight": [0.9, 0.099999, 0.000001],
  };
  const state = { weights: presets["A winner"].slice(), steps: 3, gamma: 0.5, scale: "raw" };
  const at = (id) => document.getElementById(id);

  // number writes four digits of x.
  function number(x) {
    if (x === 0) return "0";
    const size = Math.abs(x);
    return size >= 1e-4 && size < 1e5 ? String(Number(x.toPrecision(4))) : x.toExponential(3).replace(/\.?0+e/, "e");
  }

  // make returns an element with attributes and children.
  function make(space, name, attributes = {}, ...children) {
    const e = space ? document.createElementNS(space, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }
  const html = (...rest) => make("", ...rest);
  const svg = (...rest) => make("http://www.w3.org/2000/svg", ...rest);

  // Controls.

  function addRows() {
    const rows = at("weights");
    rows.replaceChildren(...state.weights.map((_, i) => {
      const slider = html("input", { type: "range", id: `w${i + 1}`, min: 0, max: 1, step: 0.001 });
      const exact = html("input", { type: "number", id: `w${i + 1}-number`, min: 0, step: "any", "aria-label": `Weight ${i + 1}, as a number` });
      slider.addEventListener("input", () => set(() => { state.weights[i] = slider.valueAsNumber; }));
      exact.addEventListener("input", () => { if (exact.value !== "") set(() => { state.weights[i] = exact.valueAsNumber; }, exact); });
      const after = html("div", { class: "after" });
      after.style.background = colours[i];
      return html("div", { class: "weight" },
        html("label", { for: slider.id }, `Weight ${i + 1}`), slider, exact,
        html("div", { class: "bars", "aria-hidden": "true" }, html("div", { class: "before" }), after),
        html("output", { for: `${slider.id} steps gamma`, "aria-live": "off" }));
    }));
  }

  function addControls() {
    for (let n = least; n <= most; n++) at("count").append(html("option", { value: n }, String(n)));
    at("count").addEventListener("change", () => set(() => {
      const n = Number(at("count").value);
      while (state.weights.length < n) state.weights.push(0.1);
      state.weights.length = n;
    }));
    at("scale").addEventListener("change", () => set(() => { state.scale = at("scale").value; }));
    for (const [name, weights] of Object.entries(presets)) {
      const button = html("button", { type: "button" }, name);
      button.addEventListener("click", () => set(() => { state.weights = weights.slice(); }));
      at("presets").append(button);
    }
    for (const [id, key] of [["steps", "steps"], ["gamma", "gamma"]]) {
      const slider = at(id), exact = at(`${id}-number`);
      slider.addEventListener("input", () => set(() => { state[key] = slider.valueAsNumber; }));
      exact.addEventListener("input", () => { if (exact.value !== "") set(() => { state[key] = exact.valueAsNumber; }, exact); });
    }
    // A number that is left half typed gives way to what is shown.
    document.addEventListener("focusout", () => showControls());
  }

  // showControls writes the state into the controls, except the one that is being typed into.
  function showControls(typing) {
    if (at("weights").children.length !== state.weights.length) addRows();
    const put = (id, value) => {
      const e = at(id);
      if (e !== typing && (e.value === "" || Number(e.value) !== value)) e.value = value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential() : value;
    };
    state.weights.forEach((w, i) => { put(`w${i + 1}`, w); put(`w${i + 1}-number`, w); });
    for (const key of ["steps", "gamma"]) { put(key, state[key]); put(`${key}-number`, state[key]); }
    at("count").value = state.weights.length;
    at("scale").value = state.scale;
  }

  let frame = 0, saving = 0;
  function set(change, typing) {
    change();
    showControls(typing);
    if (!frame) frame = requestAnimationFrame(() => { frame = 0; redraw(); });
    clearTimeout(saving);
    saving = setTimeout(save, 250);
  }

  // The address. A page within a frame that has none of its own cannot keep anything there.

  function save() {
    if (location.protocol === "about:") return;
    const q = [`w=${state.weights.join(",")}`, `i=${state.steps}`, `g=${state.gamma}`];
    if (state.scale !== "raw") q.push(`s=${state.scale}`);
    try { history.replaceState(null, "", "#" + q.join("&")); } catch { /* a sandbox forbids it */ }
  }

  function restore() {
    const q = new URLSearchParams(location.hash.slice(1));
    const weights = (q.get("w") || "").split(",").map(Number);
    if (weights.length >= least && weights.length <= most && weights.every((w) => Number.isFinite(w) && w >= 0)) state.weights = weights;
    const steps = Number(q.get("i") || NaN), gamma = Number(q.get("g") || NaN);
    if (Number.isInteger(steps) && Math.abs(steps) <= mostSteps) state.steps = steps;
    if (gamma > 0 && gamma <= 1) state.gamma = gamma;
    if (["raw", "share", "unit"].includes(q.get("s"))) state.scale = q.get("s");
  }

  // Drawing.

  function redraw() {
    let view = { error: `${state.steps} steps; give a whole number from ${-mostSteps} to ${mostSteps}` };
    if (Number.isInteger(state.steps) && Math.abs(state.steps) <= mostSteps) view = globalThis.exploreSyn(state.weights, state.steps, state.gamma);
    document.body.classList.toggle("failed", Boolean(view.error));
    if (view.error) {
      at("says").textContent = view.error;
      at("warnings").replaceChildren();
      return;
    }
    const first = view.steps[0], last = view.steps[view.steps.length - 1];
    drawBars(first, last);
    at("says").textContent = says(view, last);
    at("warnings").replaceChildren(...view.warnings.map((w) => html("li", { class: w.kind }, w.text)));
    drawTrace(view);
    drawCurve(view);
    fillTable(view, first, last);
  }

  const sum = (x) => x.reduce((a, b) => a + b, 0);

  function drawBars(first, last) {
    const full = Math.max(1, ...first[state.scale], ...last[state.scale]), leads = Math.max(...last[state.scale]);
    [...at("weights").children].forEach((row, i) => {
      const w = last[state.scale][i];
      row.querySelector(".before").style.width = `${100 * first[state.scale][i] / full}%`;
      row.querySelector(".after").style.width = `${100 * w / full}%`;
      row.querySelector("output").textContent = number(w);
      row.classList.toggle("leads", w === leads);
    });
  }

  function says(view, last) {
    const n = Math.abs(state.steps), forward = state.steps > 0;
    if (n === 0) return "No steps: the weights stay as they are.";
    const largest = Math.max(...last.raw), share = Math.max(...last.share);
    const leads = last.raw.flatMap((w, i) => (w === largest ? [i + 1] : []));
    let s = `After ${n} ${n === 1 ? "step" : "steps"} ${forward ? "forward" : "through the inverse"} `;
    s += leads.length === 1 ? `weight ${leads[0]} is the largest, ` : `weights ${listed(leads)} are the largest, each `;
    s += `${number(largest)}, which is ${number(100 * share)} % of the sum of ${number(sum(last.raw))}. `;
    s += view.equal === 1 ? "More steps lead to one-hot" : `More steps lead to ${view.equal} equal weights of ${number(Math.max(...view.limit.raw))}`;
    if (view.equal === 1 && !forward) return s + ": a single weight is one-hot either way.";
    if (view.rate === 0) return s + ", and near it each step raises what is missing to its third power.";
    return s + `, and near it each step leaves ${number(view.rate)} of what is missing.`;
  }

  // axes prepares a drawing and returns where values stand.
  function axes(id, height, x, y) {
    const e = at(id), width = Math.max(260, e.parentElement.clientWidth);
    const box = { left: 46, right: width - (x.room || 12), top: 8, bottom: height - 40 };
    e.setAttribute("viewBox", `0 0 ${width} ${height}`);
    e.style.height = `${height}px`;
    const X = (v) => box.left + (v - x.from) / (x.to - x.from) * (box.right - box.left);
    const Y = (v) => box.bottom - v / y.to * (box.bottom - box.top);
    e.replaceChildren();
    for (const v of x.ticks) {
      e.append(svg("line", { x1: X(v), x2: X(v), y1: box.top, y2: box.bottom, stroke: "#ddd" }),
        svg("text", { x: X(v), y: box.bottom + 16, "text-anchor": "middle", class: "tick" }, String(v)));
    }
    for (const v of y.ticks) {
      e.append(svg("line", { x1: box.left, x2: box.right, y1: Y(v), y2: Y(v), stroke: "#ddd" }),
        svg("text", { x: box.left - 6, y: Y(v) + 4, "text-anchor": "end", class: "tick" }, String(v)));
    }
    e.append(svg("text", { x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" }, x.label),
      svg("text", { transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.label));
    return { e, X, Y, box };
  }

  // ticks returns about n round numbers from 0 to the first that is not below high.
  function ticks(high, n) {
    const power = 10 ** Math.floor(Math.log10(high / n));
    const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((s) => high / s <= n) || 10 * power;
    const all = [];
    for (let k = 0; all.length === 0 || all[all.length - 1] < high * (1 - 1e-9); k++) all.push(Number((k * step).toPrecision(6)));
    return all;
  }

  const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");

  // grouped joins the numbers of weights whose places, in order of height, are less than a line of text apart.
  function grouped(places) {
    const groups = [];
    for (const p of places.slice().sort((a, b) => a.y - b.y)) {
      const g = groups[groups.length - 1];
      if (g && p.y - g.y < 13 && Math.abs(p.x - g.x) < 24) g.of.push(p.i + 1); else groups.push({ x: p.x, y: p.y, of: [p.i + 1] });
    }
    return groups.map((g) => ({ ...g, text: listed(g.of) }));
  }

  // listed writes numbers in order, three and more in a row as a range.
  function listed(numbers) {
    const runs = [];
    for (const n of numbers.slice().sort((a, b) => a - b)) {
      const last = runs[runs.length - 1];
      if (last && last[1] === n - 1) last[1] = n; else runs.push([n, n]);
    }
    return runs.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`)).join(", ");
  }

  function drawTrace(view) {
    const n = view.steps.length - 1, all = view.steps.flatMap((s) => s[state.scale]).concat(view.limit ? view.limit[state.scale] : []);
    const yTicks = ticks(Math.max(...all), 6), stride = Math.max(1, Math.ceil(n / 10));
    const xTicks = Array.from({ length: Math.floor(n / stride) + 1 }, (_, k) => k * stride);
    const name = { raw: "Weight", share: "Share of the sum", unit: "Weight of length 1" }[state.scale];
    const { e, X, Y, box } = axes("trace", 250, { from: 0, to: Math.max(1, n), ticks: xTicks, label: "Step", room: 92 }, { to: yTicks[yTicks.length - 1], ticks: yTicks, label: name });
    const ends = state.weights.map((_, i) => {
      const points = view.steps.map((s, k) => [X(k), Y(s[state.scale][i])]);
      if (n > 0) e.append(svg("path", { d: path(points), fill: "none", stroke: colours[i], "stroke-width": 2, "stroke-dasharray": dashes[i % dashes.length] }));
      for (const [x, y] of points) e.append(svg("circle", { cx: x, cy: y, r: n > 12 ? 2 : 3, fill: colours[i] }));
      if (view.limit) {
        const y = Y(view.limit[state.scale][i]);
        e.append(svg("line", { x1: box.right + 4, x2: box.right + 22, y1: y, y2: y, stroke: "#222", "stroke-width": 2, "stroke-dasharray": "4 3" }));
      }
      return { i, x: 0, y: points[points.length - 1][1] };
    });
    for (const g of grouped(ends)) e.append(svg("text", { x: box.right + 27, y: g.y + 4 }, g.text));
  }

  function drawCurve(view) {
    const width = at("curve").parentElement.clientWidth, all = [0, 0.2, 0.4, 0.6, 0.8, 1], backward = state.steps < 0;
    const { e, X, Y, box } = axes("curve", Math.min(Math.max(width, 260), 400), { from: 0, to: 1, ticks: all, label: "Weight of length 1, x" }, { to: 1, ticks: all, label: backward ? "f⁻¹(x)" : "f(x)" });
    const place = ([x, y]) => [X(x), Y(y)];
    e.append(svg("line", { x1: X(0), y1: Y(0), x2: X(1), y2: Y(1), stroke: "#888", "stroke-dasharray": "2 4" }));
    for (const [points, applied] of [[backward ? view.f : view.inverse, false], [backward ? view.inverse : view.f, true]]) {
      e.append(svg("path", { d: path(points.map(place)), fill: "none", stroke: applied ? "#222" : "#bbb", "stroke-width": applied ? 2 : 1.5, "stroke-dasharray": applied ? "" : "6 3" }));
    }
    if (view.limit) {
      const x = Math.max(...view.limit.unit);
      e.append(svg("line", { x1: X(x), x2: X(x), y1: box.top, y2: box.bottom, stroke: "#222", "stroke-dasharray": "4 3" }));
      if (view.equal > 1) e.append(svg("text", { x: X(x) - 5, y: box.top + 12, "text-anchor": "end" }, `1/√${view.equal}`));
    }
    for (const v of [0, 1]) e.append(svg("rect", { x: X(v) - 5, y: Y(v) - 5, width: 10, height: 10, transform: `rotate(45 ${X(v)} ${Y(v)})`, fill: "#fff", stroke: "#222" }));
    const n = view.steps.length - 1, ends = [];
    state.weights.forEach((_, i) => {
      if (n === 0) { ends.push({ i, x: X(view.steps[0].unit[i]), y: Y(view.steps[0].unit[i]) }); return; }
      const on = (k) => place([view.steps[k].unit[i], view.steps[k + 1].raw[i]]);
      for (let k = 1; k < n - 1; k++) { const [x, y] = on(k); e.append(svg("circle", { cx: x, cy: y, r: 2, fill: colours[i] })); }
      const [x, y] = on(0), [lx, ly] = on(n - 1);
      e.append(svg("circle", { cx: x, cy: y, r: 6, fill: "none", stroke: colours[i], "stroke-width": 2 }));
      ends.push({ i, x: lx, y: ly });
    });
    for (const p of ends) e.append(svg("circle", { cx: p.x, cy: p.y, r: 4.5, fill: colours[p.i] }));
    for (const g of grouped(ends)) {
      const left = g.x > box.right - 40 || (backward && g.x > box.left + 40);
      e.append(svg("text", { x: g.x + (left ? -9 : 9), y: g.y + (backward && left ? -6 : 14), "text-anchor": left ? "end" : "start" }, g.text));
    }
    at("applied").textContent = backward ? "f⁻¹, applied" : "f, applied";
    at("other").textContent = backward ? "f" : "f⁻¹";
  }

  function fillTable(view, first, last) {
    const [body, foot] = [at("numbers").tBodies[0], at("numbers").tFoot.rows[0]];
    const columns = [first.raw, first.unit, last.raw, last.share, last.unit, view.limit ? view.limit.raw : null];
    const cell = (x) => (x === undefined ? html("td") : html("td", { title: x, "data-value": x }, number(x)));
    body.replaceChildren(...state.weights.map((_, i) => html("tr", {}, html("th", { scope: "row" }, String(i + 1)), ...columns.map((c) => cell(c ? c[i] : undefined)))));
    columns.forEach((c, k) => { foot.cells[k + 1].textContent = c ? number(sum(c)) : ""; });
  }

  // The program.

  async function start() {
    if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") throw new Error("it needs WebAssembly and DecompressionStream, which browsers have since 2023");
    const text = atob(at("program").textContent), bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const code = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const go = new Go();
    const { instance } = await WebAssembly.instantiate(code, go.importObject);
    go.run(instance);
    at("program").remove();
    addControls();
    restore();
    showControls();
    redraw();
    addEventListener("hashchange", () => { restore(); showControls(); redraw(); });
    addEventListener("resize", () => { if (!frame) frame = requestAnimationFrame(() => { frame = 0; redraw(); }); });
    document.body.dataset.ready = "true";
  }
  start().catch((error) => {
    at("says").className = "warning";
    at("says").textContent = `The page cannot run here: ${error.message}.`;
  });
})();
