// SPDX-License-Identifier: Apache-2.0
// Time by block and cause.
import { chart, colorOf } from "./charts.js";
import { h, section, table } from "./dom.js";
import { escaped, percent, si } from "./format.js";
import { causes, phaseTimes } from "./metrics.js";

const meanings = [[/^pace$/, "is limited by its own cycles"], [/^load$/, "is limited by loading an operand that it keeps"],
  [/^memory_(.+)$/, "is limited by the memory $1"], [/^refresh_(.+)$/, "is delayed by refreshes of $1"],
  [/^link_(.+)$/, "is limited by the bus's link to $1"], [/^stream_(.+)$/, "is limited by the stream port $1"],
  [/^latency$/, "waits for an operation's first result"], [/^wait_core$/, "waits for the program"], [/^wait_(.+)$/, "has work, but waits for $1"],
  [/^fetch$/, "fetches its descriptor"], [/^firmware$/, "has no work while the core executes"], [/^idle$/, "has no work while the core sleeps"]];

function meaning(cause) {
  const found = meanings.find(([pattern]) => pattern.test(cause));
  return found ? cause.replace(found[0], found[1]) : "";
}

/** HTML for the tooltip of a bar's part. ECharts' marker is already HTML. */
export const partText = (show) => (item) => `${item.marker}${escaped(item.seriesName)}<br>${escaped(item.name)}: <b>${show(item.value)}</b>`;

/** Horizontal stacked bars: a bar for each of `rows`, with a part of size value(row, part) for each of `parts`. The position in `colors` gives a part's color. */
export function stacked(label, rows, parts, value, axis, show, colors = parts, most = undefined) {
  const height = 70 + 24 * Math.ceil(parts.length / 6) + 30 * rows.length;
  return chart(label, height, () => ({
    grid: { left: 8, right: 24, top: 14 + 24 * Math.ceil(parts.length / 6), bottom: 8, containLabel: true },
    tooltip: { trigger: "item", formatter: partText(show) },
    xAxis: { type: "value", max: most, axisLabel: { formatter: axis } }, yAxis: { type: "category", inverse: true, data: rows },
    series: parts.map((part) => ({ name: part, type: "bar", stack: "all", barMaxWidth: 22, itemStyle: { color: colorOf(colors.indexOf(part)) }, data: rows.map((row) => value(row, part)) })),
  }));
}

const bySize = (total) => [...total.keys()].sort((a, b) => total.get(b) - total.get(a));

function totals(all) {
  const total = new Map();
  for (const one of all) total.set(one.cause, (total.get(one.cause) ?? 0) + one.seconds);
  return total;
}

function phaseChart(all, phase) {
  const own = all.filter((one) => one.phase === phase.name);
  const blocks = [...new Set(own.map((one) => one.block))];
  const names = bySize(totals(own));
  const share = (block, cause) => own.find((one) => one.block === block && one.cause === cause)?.share ?? 0;
  return [h("h3", {}, `${phase.name}: ${si(phase.seconds, "s")}`),
    stacked(`Causes of the blocks' time in ${phase.name}`, blocks, names, share, percent, percent, bySize(totals(all)), 1)];
}

function operationsTable(operations, sampled) {
  if (!operations?.length) return [];
  return [h("h3", {}, "By operation"), table([
    { key: "block", title: "block" }, { key: "operation", title: "operation" }, { key: "phase", title: "phase" },
    { key: "count", title: "operations", number: true },
    { key: "seconds", title: "executing", number: true, show: (value) => si(value, "s") },
    { key: "share", title: "of the phase", number: true, show: percent }], operations, "time by operation"),
  h("p", { class: "soft" }, "From the start to the end of each operation. Operations of several blocks overlap, so these times do not add up."
    + (sampled ? " In a sampled run, they cover only the simulated parts." : ""))];
}

export function timePart(metrics, operations) {
  const all = causes(metrics), time = phaseTimes(metrics);
  if (!all.length) return null;
  const rows = all.filter((one) => one.seconds > 0).map((one) => ({ ...one, meaning: meaning(one.cause) })).sort((a, b) => b.seconds - a.seconds);
  const shares = (operations ?? []).map((one) => ({ ...one, share: one.seconds / (time.find((phase) => phase.name === one.phase)?.seconds ?? NaN) }));
  return section("Time by block", h("p", { class: "soft" }, "At any moment, a block's time has one cause; the causes add up to the phase."),
    time.map((phase) => phaseChart(all, phase)),
    table([{ key: "phase", title: "phase" }, { key: "block", title: "block" }, { key: "cause", title: "cause" },
      { key: "seconds", title: "time", number: true, show: (value) => si(value, "s") }, { key: "share", title: "of the phase", number: true, show: percent },
      { key: "meaning", title: "the block" }], rows, "time by block and cause"),
    ...operationsTable(shares, "sampling.steps" in metrics));
}
