// A table that can be searched, filtered, sorted and paged.

const pageRows = 25;

/**
 * Fills a finder of the page.
 *
 * columns: name, title, cell(row) for what is shown, value(row) for what is sorted, isNumber.
 * filters: title, names, value(row); text(row) is what the search looks through.
 */
function finder({ name, total, columns, filters, text, order }) {
  const table = byId(`${name}-table`);
  const search = byId(`${name}-search`);
  const state = { page: 0, column: order.column, isDown: order.isDown, rows: [] };
  const selects = filters.map(({ title, names }) =>
    make("select", {}, make("option", { value: "" }, `all ${title}`), ...names.map((each) => make("option", { value: each }, label(each)))));
  filters.forEach(({ title, one }, place) => byId(`${name}-finder`).append(make("label", {}, one ?? title, selects[place])));
  const texts = new Array(total);
  const textOf = (row) => (texts[row] ??= text(row).toLowerCase());

  const heads = columns.map((column, place) =>
    make("th", { scope: "col", class: column.isNumber ? "number" : null },
      make("button", { type: "button", click: () => sortBy(place) }, column.title)));
  const body = make("tbody");
  table.append(make("caption", {}, `All ${name}; select a heading to sort`), make("thead", {}, make("tr", {}, ...heads)), body);

  function sortBy(place) {
    state.isDown = state.column === place ? !state.isDown : Boolean(columns[place].startsDown);
    state.column = place;
    update();
  }

  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = selects.map((select) => select.value);
    const isWanted = (row) =>
      chosen.every((value, place) => !value || filters[place].value(row) === value) &&
      words.every((each) => textOf(row).includes(each));
    state.rows = Array.from({ length: total }, (_, row) => row).filter(isWanted);
    const { value } = columns[state.column];
    state.rows.sort((one, other) => compare(value(one), value(other), state.isDown) || one - other);
    state.page = 0;
    show();
  }

  function show() {
    const pages = Math.max(1, Math.ceil(state.rows.length / pageRows));
    const first = state.page * pageRows;
    const rows = state.rows.slice(first, first + pageRows);
    body.replaceChildren(...rows.map((row) =>
      make("tr", {}, ...columns.map((column) => make("td", { class: column.isNumber ? "number" : column.look ?? null }, column.cell(row))))));
    if (!rows.length) body.append(make("tr", { class: "quiet" }, make("td", { colspan: columns.length }, "Nothing matches. Search for fewer words.")));
    heads.forEach((head, place) => {
      if (place === state.column) head.setAttribute("aria-sort", state.isDown ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    byId(`${name}-count`).textContent = `${count(state.rows.length)} of ${count(total)} ${name}`;
    const turn = (by, title, isOff) => {
      const button = make("button", { type: "button", click: () => { state.page += by; show(); } }, title);
      button.disabled = isOff;
      return button;
    };
    byId(`${name}-pager`).replaceChildren(...(pages === 1 ? [] : [
      turn(-1, "Earlier", state.page === 0),
      make("span", {}, `page ${count(state.page + 1)} of ${count(pages)}`),
      turn(1, "Later", state.page === pages - 1),
    ]));
  }

  search.addEventListener("input", update);
  selects.forEach((select) => select.addEventListener("change", update));
  update();
}

/** Orders values; what is missing comes last either way. */
function compare(one, other, isDown) {
  if (one === null || other === null) return (one === null) - (other === null);
  const sign = one < other ? -1 : one > other ? 1 : 0;
  return isDown ? -sign : sign;
}
