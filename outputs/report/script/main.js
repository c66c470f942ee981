// What stands on the page: the chart, three tables, and the choice of light or dark.

const verdicts = ["improved", "neutral", "regressed", "inconclusive", "failed_to_run"];
const scopeFilter = (scopeOf) => ({ title: "scopes", one: "Scope", names: scopes, value: (row) => scopes[scopeOf(row)] });
const verdictFilter = (column) => ({ title: "verdicts", one: "Verdict", names: verdicts, value: (row) => word(column, row) });

/** A verdict with its colour; the word says it too. */
function verdictCell(column, row) {
  const verdict = word(column, row);
  return verdict === null ? missing : make("span", { class: "when" }, make("i", { class: `key fill-${verdict}` }), label(verdict));
}

startChart();

finder({
  name: "experiments",
  total: experiments.name.length,
  columns: [
    { title: "Run", cell: experimentLink, value: (row) => experiments.name[row], look: "id" },
    { title: "Scope", cell: (row) => scopes[experiments.scope[row]], value: (row) => experiments.scope[row], look: "when" },
    { title: "Launched", cell: (row) => when(experiments.at[row], experiments.isDay[row]), value: (row) => experiments.at[row], look: "when" },
    { title: "Verdict", cell: (row) => verdictCell(experiments.verdict, row), value: (row) => verdicts.indexOf(word(experiments.verdict, row)) },
    { title: "Step to 3.28", cell: (row) => count(experiments.step[row]), value: (row) => experiments.step[row], isNumber: true },
    { title: "Last loss", cell: (row) => loss(experiments.loss[row]), value: (row) => experiments.loss[row], isNumber: true },
    { title: "Idea", cell: (row) => ideaLink(experiments.idea[row]) ?? missing, value: (row) => (experiments.idea[row] === null ? null : ideas.title[experiments.idea[row]]) },
  ],
  filters: [scopeFilter((row) => experiments.scope[row]), verdictFilter(experiments.verdict)],
  text: (row) => [
    experiments.name[row], scopes[experiments.scope[row]], word(experiments.variant, row), word(experiments.text, row),
    experiments.idea[row] === null ? "" : ideas.title[experiments.idea[row]],
  ].join(" "),
  order: { column: 4, isDown: false },
});

finder({
  name: "ideas",
  total: ideas.name.length,
  columns: [
    { title: "Idea", cell: ideaLink, value: (row) => ideas.title[row].toLowerCase() },
    { title: "Scope", cell: (row) => scopes[ideas.scope[row]], value: (row) => ideas.scope[row], look: "when" },
    { title: "First seen", cell: (row) => when(ideas.at[row], ideas.isDay[row]), value: (row) => ideas.at[row], look: "when" },
    { title: "Verdict", cell: (row) => verdictCell(ideas.verdict, row), value: (row) => (word(ideas.verdict, row) === null ? null : verdicts.indexOf(word(ideas.verdict, row))) },
    { title: "Rejected as", cell: (row) => (word(ideas.rejection, row) === "none" ? missing : label(word(ideas.rejection, row))), value: (row) => word(ideas.rejection, row) },
    { title: "Runs", cell: (row) => count(ideas.runs[row]), value: (row) => ideas.runs[row], isNumber: true, startsDown: true },
    { title: "Best step", cell: (row) => count(ideas.step[row]), value: (row) => ideas.step[row], isNumber: true },
  ],
  filters: [scopeFilter((row) => ideas.scope[row]), verdictFilter(ideas.verdict)],
  text: (row) => [ideas.title[row], ideas.name[row], scopes[ideas.scope[row]], ideas.text[row]].join(" "),
  order: { column: 6, isDown: false },
});

finder({
  name: "snapshots",
  total: snapshots.length,
  columns: [
    { title: "Snapshot", cell: (row) => link(snapshots[row].name, () => openSnapshot(row)), value: (row) => snapshots[row].scope * 1e6 + snapshots[row].k, look: "id" },
    { title: "Scope", cell: (row) => scopes[snapshots[row].scope], value: (row) => snapshots[row].scope, look: "when" },
    { title: "Moment", cell: (row) => when(snapshots[row].at), value: (row) => snapshots[row].at, look: "when" },
    { title: "Split", cell: (row) => snapshots[row].split, value: (row) => snapshots[row].split },
    { title: "Best known", cell: (row) => bestStep(row), value: (row) => bestValue(row), isNumber: true },
    { title: "Experiments known", cell: (row) => count(snapshots[row].k), value: (row) => snapshots[row].k, isNumber: true },
    { title: "Improved ahead", cell: (row) => count(ahead(row)), value: ahead, isNumber: true },
  ],
  filters: [
    scopeFilter((row) => snapshots[row].scope),
    { title: "splits", one: "Split", names: ["dev", "test"], value: (row) => snapshots[row].split },
  ],
  text: (row) => [snapshots[row].name, scopes[snapshots[row].scope], snapshots[row].split].join(" "),
  order: { column: 0, isDown: false },
});

function bestValue(row) {
  const known = snapshots[row].current;
  return known === null ? null : experiments.step[known];
}

function bestStep(row) {
  return count(bestValue(row));
}

function ahead(row) {
  return numberOf(snapshots[row].lists.future_improved_experiment_ids);
}

/** Remembers the choice where the browser lets a page do so. */
function themeStore(value) {
  try {
    if (value) localStorage.setItem("theme", value);
    return localStorage.getItem("theme");
  } catch {
    return value ?? null;
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
}

setTheme(themeStore() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
byId("theme").addEventListener("click", () => {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  themeStore(theme);
  setTheme(theme);
});

openAddressed();
