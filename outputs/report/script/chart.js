// The chart of the frontier: a stepped line an agent, whose points can be pointed at, tabbed to and opened.

const waves = [...new Set(scopes.map((scope) => scope.split("/")[0]))];
const waveOf = (row) => scopes[experiments.scope[row]].split("/")[0];
const agentOf = (row) => scopes[experiments.scope[row]].split("/")[1];
const baseline = 3500;

function ticks(low, high, wanted) {
  const steps = [5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000];
  const step = steps.find((each) => (high - low) / each <= wanted) ?? 10000;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}

const dayTick = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function days(low, high, wanted) {
  const day = 86400;
  const every = Math.max(1, Math.ceil((high - low) / day / wanted));
  const found = [];
  for (let at = Math.ceil(low / day) * day; at <= high; at += every * day) found.push(at);
  return found;
}

function drawChart() {
  const wave = byId("chart-wave").value;
  const isShown = (row) => !wave || waveOf(row) === wave;
  const hits = experiments.step.map((_, row) => row)
    .filter((row) => experiments.step[row] !== null && experiments.finished[row] !== null && isShown(row));
  const frontier = data.frontier.filter(isShown);
  if (!hits.length) {
    byId("chart").replaceChildren(make("p", {}, "No dated run reached 3.28 here."));
    return;
  }
  const width = Math.max(340, byId("chart").clientWidth);
  const height = Math.min(460, Math.max(300, width * 0.44));
  const [left, right, top, bottom] = [48, 14, 26, 28];
  const times = hits.map((row) => experiments.finished[row]);
  const span = [Math.min(...times), Math.max(...times)];
  const values = hits.map((row) => experiments.step[row]);
  const shown = values.slice().sort((one, other) => one - other)[Math.floor(values.length * 0.98)];
  const bounds = [Math.min(...values) - 20, Math.max(wave ? shown : baseline, shown) + 20];
  const x = (at) => left + ((width - left - right) * (at - span[0])) / (span[1] - span[0] || 1);
  const y = (step) => top + ((height - top - bottom) * (bounds[1] - step)) / (bounds[1] - bounds[0]);
  const isInside = (row) => experiments.step[row] <= bounds[1];

  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Fewest steps to 3.28 known by each agent over time" });
  for (const at of ticks(...bounds, 7)) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: y(at), y2: y(at) }),
      draw("text", { x: left - 8, y: y(at) + 4, "text-anchor": "end" }, count(at)));
  }
  for (const at of days(...span, width / 90)) {
    svg.append(draw("text", { x: Math.min(x(at), width - 24), y: height - 6, "text-anchor": "middle" }, dayTick.format(new Date(at * 1000))));
  }
  if (bounds[1] >= baseline) svg.append(draw("line", { class: "baseline", x1: left, x2: width - right, y1: y(baseline), y2: y(baseline) }));
  if (!wave) drawWaves(svg, x, top, height - bottom, width);
  for (const agent of agents) drawAgent(svg, agent, hits.filter(isInside), frontier.filter((row) => agentOf(row) === agent && isInside(row)), { x, y, end: width - right });
  byId("chart").replaceChildren(svg);
}

function drawWaves(svg, x, top, bottom, width) {
  let free = 0;
  for (const wave of waves) {
    const launches = experiments.at.filter((at, row) => at !== null && waveOf(row) === wave);
    if (!launches.length) continue;
    const at = Math.max(48, Math.min(width - 14, x(launches.reduce((one, other) => Math.min(one, other)))));
    const start = Math.max(at, free);
    free = start + 9 * wave.length + 14;
    svg.append(draw("line", { class: "wave-mark", x1: at, x2: at, y1: top - 8, y2: bottom }),
      draw("text", { x: start + 3, y: top - 12 }, wave));
  }
}

function drawAgent(svg, agent, hits, frontier, { x, y, end }) {
  const place = (row) => [x(experiments.finished[row]).toFixed(1), y(experiments.step[row]).toFixed(1)];
  if (byId("chart-hits").checked) {
    const dots = hits.filter((row) => agentOf(row) === agent).map((row) => `M${place(row).join(" ")}h0`).join("");
    svg.append(draw("path", { class: `hits ${lookOf(agent)}`, d: dots, "aria-hidden": "true" }));
  }
  if (!frontier.length) return;
  const line = frontier.map((row, at) => (at ? `H${place(row)[0]}V${place(row)[1]}` : `M${place(row).join(" ")}`)).join("");
  svg.append(draw("path", { class: `line ${lookOf(agent)}`, d: `${line}H${end}`, "aria-hidden": "true" }));
  const points = frontier.map((row, at) => {
    const [cx, cy] = place(row);
    const text = `${agent}, ${when(experiments.finished[row])}: step ${count(experiments.step[row])} by ${experiments.name[row]}`;
    const tell = () => { byId("chart-readout").textContent = `${text}. ${word(experiments.text, row) ?? ""}`.slice(0, 320); };
    return draw("circle", {
      class: `point ${lookOf(agent)}`, cx, cy, r: 4.5, tabindex: at ? -1 : 0, role: "button", "aria-label": text,
      mouseenter: tell, focus: tell, click: () => openExperiment(row),
      keydown: (event) => move(event, points, at, row),
    });
  });
  svg.append(draw("g", { role: "group", "aria-label": `Frontier of ${agent}` }, ...points));
}

/** Arrows go from point to point, Enter and the space bar open the run. */
function move(event, points, at, row) {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const next = event.key === "Home" ? points[0] : event.key === "End" ? points.at(-1) : by && points[at + by];
  if (next) {
    points[at].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  }
  if (event.key === "Enter" || event.key === " ") openExperiment(row);
  if (next || event.key === " ") event.preventDefault();
}

function startChart() {
  byId("chart-wave").append(...waves.map((wave) => make("option", { value: wave }, wave)));
  byId("chart-legend").append(
    ...agents.map((agent) => make("span", {}, make("i", { class: `key ${lookOf(agent)}` }), agent)),
    make("span", { class: "soft" }, "dashed: the 3500-step baseline"));
  byId("chart-wave").addEventListener("change", drawChart);
  byId("chart-hits").addEventListener("change", drawChart);
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    drawChart();
  }).observe(byId("chart"));
}
