// The data, and how values and elements are made. Text of the archive becomes text nodes alone, never markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const { experiments, ideas, snapshots, scopes } = data;
const agents = [...new Set(scopes.map((scope) => scope.split("/")[1]))];
const missing = "–";

/** The class that gives an agent its colour. */
const lookOf = (agent) => `agent-${agents.indexOf(agent)}`;
const byId = (id) => document.getElementById(id);

/** Makes an element from its name, attributes and children; strings become text. */
function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Looks up a text that the data writes once and refers to by number. */
const word = (column, row) => (column.rows[row] === null ? null : column.words[column.rows[row]]);
const label = (name) => (name === null ? missing : name.replaceAll("_", " "));
const count = (value) => (value === null ? missing : value.toLocaleString("en"));
const signed = (value) => (value === null ? missing : (value > 0 ? "+" : "") + value.toLocaleString("en"));
const loss = (value) => (value === null ? missing : value.toFixed(4));

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const clockFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

/** Writes seconds since 1970 the way people do. */
function when(seconds, isDay = false) {
  if (seconds === null) return "not dated";
  const at = new Date(seconds * 1000);
  return isDay ? dayFormat.format(at) : `${dayFormat.format(at)}, ${clockFormat.format(at)}`;
}

/** Turns pairs of start and length into row numbers. */
function rowsOf(ranges) {
  const rows = [];
  for (let pair = 0; pair < ranges.length; pair += 2) {
    for (let step = 0; step < ranges[pair + 1]; step += 1) rows.push(ranges[pair] + step);
  }
  return rows;
}

const numberOf = (ranges) => ranges.reduce((sum, value, place) => (place % 2 ? sum + value : sum), 0);
