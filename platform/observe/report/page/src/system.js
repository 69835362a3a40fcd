// SPDX-License-Identifier: Apache-2.0
// The system as a diagram, with memories above the bus and the core and blocks below it.
import { folded, h, s, section, table } from "./dom.js";
import { si } from "./format.js";

const width = 150, height = 90, gap = 16, margin = 12;

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (value >= 1024 && at < units.length - 1) { value /= 1024; ++at; }
  return `${Number(value.toPrecision(4))} ${units[at]}`;
}

const memoryLines = (one) => [one.name === one.type ? "" : one.type, bytes(one.bytes), one.bytes_per_s ? si(one.bytes_per_s, "B/s") : "", one.roles ?? ""];
const blockLines = (one) => [one.name === one.type ? "" : one.type, one.clock_hz ? si(one.clock_hz, "Hz") : "", one.macs_per_s ? si(one.macs_per_s, "MAC/s") : "", one.bytes ? bytes(one.bytes) : ""];

function box(one, x, y, lines) {
  const texts = lines.filter(Boolean).slice(0, 4);
  const own = s("g", {}, s("title", {}, `${one.name}: ${one.type}`), s("rect", { x, y, width, height, rx: 6 }),
    s("text", { x: x + 8, y: y + 17, "font-weight": 650 }, one.name));
  texts.forEach((text, i) => own.append(s("text", { x: x + 8, y: y + 34 + 15 * i, class: "soft" }, text)));
  return own;
}

/** Boxes in rows of at most `most`. Returns the elements and their height. */
function rows(list, most, top, lines, wireTo) {
  const elements = [];
  list.forEach((one, i) => {
    const x = margin + (i % most) * (width + gap), y = top + Math.floor(i / most) * (height + gap);
    const middle = x + width / 2 + 4 * Math.floor(i / most);
    elements.unshift(s("path", { class: "wire", d: `M ${middle} ${y + height / 2} V ${wireTo}`, "stroke-width": 2 }));
    elements.push(box(one, x, y, lines(one)));
  });
  return { elements, high: Math.ceil(list.length / most) * (height + gap) };
}

export function systemPart(system) {
  if (!system) return null;
  const most = Math.min(8, Math.max(system.memories.length, system.blocks.length));
  const wide = 2 * margin + most * (width + gap) - gap;
  const above = Math.ceil(system.memories.length / most) * (height + gap), bus = margin + above + 6;
  const memories = rows(system.memories, most, margin, memoryLines, bus);
  const blocks = rows(system.blocks, most, bus + 26, blockLines, bus);
  const picture = s("svg", { class: "system", viewBox: `0 0 ${wide} ${bus + 26 + blocks.high}`, role: "img", "aria-label": "The system: memories, bus and blocks",
    style: `width:100%;max-width:${wide}px` },
  ...memories.elements.filter((one) => one.tagName === "path"), ...blocks.elements.filter((one) => one.tagName === "path"),
  ...memories.elements.filter((one) => one.tagName !== "path"), ...blocks.elements.filter((one) => one.tagName !== "path"),
  s("rect", { class: "bus", x: margin, y: bus - 5, width: wide - 2 * margin, height: 12, rx: 3 }),
  s("title", {}, "bus"));
  const parameters = [...system.memories, ...system.blocks].flatMap((one) => (one.parameters ?? []).map(([name, value]) => ({ component: one.name, name, value })));
  return section("System", h("figure", { style: "margin:0" }, picture), h("p", { class: "soft" }, system.bus ?? ""), system.streams ? h("p", { class: "soft" }, system.streams) : null,
    folded("Parameters", table([{ key: "component", title: "component" }, { key: "name", title: "parameter" }, { key: "value", title: "value" }], parameters, "parameters")));
}
