// The dialog that shows one experiment, idea or snapshot.

const detail = byId("detail");
const shownItems = 300;

/** Shows a thing and names it in the page's address, so that the address can be passed on. */
function open(address, title, ...body) {
  history.replaceState(null, "", `#${encodeURIComponent(address)}`);
  byId("detail-title").textContent = title;
  byId("detail-body").replaceChildren(...body);
  if (!detail.open) detail.showModal();
  detail.scrollTop = 0;
  byId("detail-title").focus();
}

byId("detail-close").addEventListener("click", () => detail.close());
detail.addEventListener("close", () => history.replaceState(null, "", location.pathname));
detail.addEventListener("click", (event) => {
  if (event.target === detail) detail.close();
});

/** The id that is unique across scopes. */
function qualified(table, row) {
  const [wave, agent] = scopes[table.scope[row]].split("/");
  return `${agent}--${wave}--${table.name[row]}`;
}

/** Opens what the page's address names, if it is there. */
function openAddressed() {
  const [kind, ...id] = decoded(location.hash.slice(1)).split("=");
  const rows = (table) => table.name.map((_, row) => row);
  const found = {
    experiment: () => [rows(experiments).find((row) => qualified(experiments, row) === id.join("=")), openExperiment],
    idea: () => [rows(ideas).find((row) => qualified(ideas, row) === id.join("=")), openIdea],
    snapshot: () => [snapshots.map((_, row) => row).find((row) => snapshots[row].name === id.join("=")), openSnapshot],
  };
  const [row, show] = Object.hasOwn(found, kind) ? found[kind]() : [];
  if (row !== undefined) show(row);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

const link = (text, act) => make("button", { type: "button", class: "link", click: act }, text);
const experimentLink = (row) => (row === null || row === undefined ? null : link(experiments.name[row], () => openExperiment(row)));
const ideaLink = (row) => (row === null || row === undefined ? null : link(ideas.title[row], () => openIdea(row)));

/** Lists what is known as pairs; what is not known is left out. */
function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== missing);
  return make("dl", { class: "facts" }, ...known.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function openExperiment(row) {
  const source = (tier) => (tier === null ? "" : ` (by ${label(tier)})`);
  const idea = ideaLink(experiments.idea[row]);
  const variant = word(experiments.variant, row);
  open(
    `experiment=${qualified(experiments, row)}`,
    experiments.name[row],
    facts([
      ["Scope", scopes[experiments.scope[row]]],
      ["Launched", when(experiments.at[row], experiments.isDay[row])],
      ["Outcome known from", experiments.finished[row] === null ? null : when(experiments.finished[row])],
      ["Verdict", label(word(experiments.verdict, row))],
      ["Step to 3.28", count(experiments.step[row])],
      ["Last validation loss", loss(experiments.loss[row])],
      ["Against its scope's best then", signed(experiments.versusScope[row])],
      ["Against the best of all then", signed(experiments.versusField[row])],
      ["On its scope's frontier walk", experiments.isOnWalk[row] ? "yes" : null],
      ["Seed", experiments.seed[row] === null ? null : String(experiments.seed[row])],
      ["Tested idea", idea && make("span", {}, idea, source(word(experiments.ideaTier, row)))],
      ["Executed", variant && make("span", { class: "id" }, variant + source(word(experiments.variantTier, row)))],
    ]),
    make("h3", {}, "What it is"),
    make("p", { class: "words" }, word(experiments.text, row)),
    ...curve(experiments.curve[row]),
  );
}

function openIdea(row) {
  open(
    `idea=${qualified(ideas, row)}`,
    ideas.title[row],
    facts([
      ["Scope", scopes[ideas.scope[row]]],
      ["Slug", make("span", { class: "id" }, ideas.name[row])],
      ["First seen", when(ideas.at[row], ideas.isDay[row])],
      ["Runs", count(ideas.runs[row])],
      ["Verdict of its best run", label(word(ideas.verdict, row))],
      ["Best run", experimentLink(ideas.best[row])],
      ["Best step to 3.28", count(ideas.step[row])],
      ["Rejected as", word(ideas.rejection, row) === "none" ? null : label(word(ideas.rejection, row))],
      ["Rejected", ideas.rejected[row] === null ? null : when(ideas.rejected[row])],
      ["Why", ideas.reason[row]],
      ["Write-up", make("span", { class: "id" }, ideas.path[row])],
    ]),
    make("h3", {}, "What it proposes"),
    make("p", { class: "words" }, ideas.text[row]),
  );
}

function openSnapshot(row) {
  const at = snapshots[row];
  const best = (known) => known !== null && known !== undefined
    ? make("span", {}, experimentLink(known), ` at step ${count(experiments.step[known])}`) : "none known";
  open(
    `snapshot=${at.name}`,
    at.name,
    facts([
      ["Scope", scopes[at.scope]],
      ["Moment", `${when(at.at)} UTC`],
      ["Split", at.split],
      ["Asked of an idea", at.asked],
    ]),
    make("h3", {}, "What was known"),
    facts([
      ["Best of the scope", best(at.current)],
      ["Best of all scopes", best(at.field)],
      ["In all scopes", `${count(at.fieldExperiments)} experiments and ${count(at.fieldIdeas)} ideas`],
    ]),
    listed("experiments of the scope", at.lists.prior_experiment_ids, experimentLink),
    listed("ideas of the scope", at.lists.prior_idea_ids, ideaLink),
    listed("ideas rejected by then", at.lists.rejected_idea_ids, ideaLink),
    listed("experiments of the other agent", at.lists.other_agent_visible_experiment_ids, experimentLink),
    listed("ideas of the other agent", at.lists.other_agent_visible_idea_ids, ideaLink),
    make("h3", {}, "What was ahead"),
    listed("experiments on the frontier walk", at.lists.future_frontier_experiment_ids, experimentLink),
    listed("ideas on the frontier walk", at.lists.future_frontier_idea_ids, ideaLink),
    listed("experiments that improved", at.lists.future_improved_experiment_ids, experimentLink),
    listed("ideas that improved", at.lists.future_improved_idea_ids, ideaLink),
  );
}

/** A list that is filled when it is opened, the latest first. */
function listed(name, ranges, linkTo) {
  const total = numberOf(ranges);
  const title = total === 1 ? `1 ${name.replace("s ", " ")}` : `${count(total)} ${name}`;
  if (!total) return make("p", { class: "soft" }, title);
  const box = make("details", {}, make("summary", {}, title));
  box.addEventListener("toggle", () => {
    if (box.children.length > 1) return;
    const rows = rowsOf(ranges).reverse();
    box.append(make("ul", { class: "list" }, ...rows.slice(0, shownItems).map((row) => make("li", {}, linkTo(row)))));
    if (total > shownItems) box.append(make("p", { class: "soft" }, `The latest ${shownItems}; the table snapshots holds all.`));
  });
  return box;
}

/** Draws the validation loss of an experiment's first trial, below 4 where it gets there. */
function curve(points) {
  const half = points.length / 2;
  const all = points.slice(0, half).map((step, place) => [step, points[half + place] / 1000]);
  const low = all.filter(([, value]) => value < 4);
  const shown = low.length > 1 ? low : all;
  if (shown.length < 2) return [];
  const [width, height, left, bottom] = [640, 200, 46, 24];
  const steps = shown.map(([step]) => step);
  const values = shown.map(([, value]) => value);
  const bounds = [Math.min(3.28, ...values), Math.max(3.28, ...values)];
  const x = (step) => left + ((width - left) * (step - steps[0])) / (steps.at(-1) - steps[0] || 1);
  const y = (value) => 8 + ((height - bottom - 8) * (bounds[1] - value)) / (bounds[1] - bounds[0] || 1);
  const line = shown.map(([step, value], place) => `${place ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const summary = `Validation loss from ${values[0].toFixed(3)} at step ${count(steps[0])} to ${values.at(-1).toFixed(3)} at step ${count(steps.at(-1))}`;
  return [
    make("h3", {}, "Validation loss"),
    draw("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": summary },
      draw("line", { class: "baseline", x1: left, x2: width, y1: y(3.28), y2: y(3.28) }),
      draw("text", { x: 0, y: y(3.28) + 4 }, "3.28"),
      draw("text", { x: left, y: height - 4 }, `step ${count(steps[0])}`),
      draw("text", { x: width, y: height - 4, "text-anchor": "end" }, `step ${count(steps.at(-1))}`),
      draw("path", { class: "line agent-1", d: line })),
    make("p", { class: "soft" }, `${summary}.`),
  ];
}
