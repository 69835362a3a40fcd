// SPDX-License-Identifier: Apache-2.0
// Elements of the page.

/** Makes an element: h("p", {class: "soft"}, "text", child, [children]). Attributes that are functions become listeners. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Makes an SVG element in the same way. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat());
  return element;
}

const titleId = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** A part of the page with a heading. */
export function section(title, ...children) {
  const id = titleId(title);
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);
}

/** Links to all sections in `parts`. */
export function contents(parts) {
  return h("nav", { "aria-label": "Contents" }, parts.filter(Boolean).map((part) =>
    h("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)));
}

function order(a, b) {
  const empty = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function cell(column, row) {
  const value = row[column.key];
  const shown = column.show ? column.show(value, row) : value ?? "";
  const classes = [column.number ? "number" : "", column.mark ? column.mark(value, row) : ""].filter(Boolean).join(" ");
  return h("td", { class: classes || null, "data-empty": value === null || value === undefined || value === "" }, column.swatch ? h("span", { class: "swatch", style: `background:${column.swatch(value, row) || "none"}` }) : null,
    shown);
}

/** A table that sorts by a click on a heading. columns: [{key, title, number, show(value, row),
 * mark(value, row), swatch}]; rows: objects. Empty cells come last in both directions. `show`
 * only changes the text, not the order. */
export function table(columns, rows, caption) {
  const body = h("tbody");
  let sorted = null, upward = true;
  const fill = (list) => body.replaceChildren(...list.map((row) => h("tr", {}, columns.map((column) => cell(column, row)))));
  const heads = columns.map((column) => {
    const head = h("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": "none" });
    head.append(h("button", { type: "button", click: () => {
      upward = sorted === column ? !upward : !column.number;
      sorted = column;
      const list = rows.filter((row) => row[column.key] !== null && row[column.key] !== undefined && row[column.key] !== "");
      const rest = rows.filter((row) => !list.includes(row));
      list.sort((a, b) => (upward ? 1 : -1) * order(a[column.key], b[column.key]));
      heads.forEach((other) => other.setAttribute("aria-sort", other === head ? (upward ? "ascending" : "descending") : "none"));
      fill([...list, ...rest]);
    } }, column.title));
    return head;
  });
  fill(rows);
  return h("div", { class: "table", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "hidden" }, caption), h("thead", {}, h("tr", {}, heads)), body));
}

/** Content that is hidden until its title is clicked. */
export function folded(title, ...children) {
  return h("details", {}, h("summary", {}, title), ...children);
}

/** A box with warnings, or with errors if `bad`. */
export function note(title, texts, bad = false) {
  if (!texts.length) return null;
  const list = (some) => h("ul", {}, some.map((text) => h("li", {}, text))), most = 6;
  return h("div", { class: bad ? "note bad" : "note", role: bad ? "alert" : "note" },
    texts.length === 1 ? [h("strong", {}, `${title}: `), texts[0]] : [h("strong", {}, title), list(texts.slice(0, most))],
    texts.length > most ? folded(`and ${texts.length - most} more`, list(texts.slice(most))) : null);
}

/** A box with one figure. */
export function card(name, value, more = "") {
  return h("div", { class: "card" }, h("div", { class: "name" }, name), h("div", { class: "value" }, value), h("div", { class: "more" }, more));
}

/** Lets the user choose one of `names`; each choice calls changed(index). */
export function choice(label, names, changed) {
  const list = h("select", { change: () => changed(list.selectedIndex) }, names.map((name) => h("option", {}, name)));
  return h("label", { class: "row no-print" }, `${label} `, list);
}
