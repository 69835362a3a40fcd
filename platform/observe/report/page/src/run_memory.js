// SPDX-License-Identifier: Apache-2.0
// Refreshes and bit failures of eDRAM.
import { chart } from "./charts.js";
import { h, section, table } from "./dom.js";
import { percent, plain, si } from "./format.js";
import { select } from "./metrics.js";

export function refreshPart(metrics) {
  const rows = select(metrics, /^(.+)\.refresh\.(high_msb|high_lsb|low_msb|low_lsb)$/, (m, count) => ({ memory: m[1], group: m[2], count,
    interval: metrics[`${m[1]}.interval_s.${m[2]}`], held: metrics[`${m[1]}.valid_row_seconds.${m[2]}`] }));
  const commands = select(metrics, /^(.+)\.refreshes$/, (m, count) => ({ memory: m[1], group: "all rows", count }));
  if (!rows.length && !commands.length) return null;
  const load = select(metrics, /^(.+)\.refresh\.most_load$/, (m, share) => `${m[1]}: refresh took up to ${percent(share)} of a bank's time`
    + `${metrics[`energy.${m[1]}.refresh_j`] > 0 ? `, and ${si(metrics[`energy.${m[1]}.refresh_j`], "J")}` : ""}.`);
  return section("Refresh", load.map((text) => h("p", {}, text)), table([
    { key: "memory", title: "memory" }, { key: "group", title: "group" },
    { key: "count", title: "rows or commands", number: true, show: plain },
    { key: "interval", title: "interval at the run's end", number: true, show: (value) => si(value, "s") },
    { key: "held", title: "row-seconds with data", number: true, show: (value) => si(value, "s") }], [...rows, ...commands], "refresh"));
}

function ages(metrics) {
  return select(metrics, /^(.+)\.age\.(.+)\.below_(\d+)us$/, (m, rows) => ({ memory: m[1], group: m[2], below: Number(m[3]), rows }))
    .filter((one) => one.rows > 0).sort((a, b) => a.below - b.below);
}

export function failuresPart(metrics) {
  const flipped = select(metrics, /^(.+)\.flipped_bits$/, (m, bits) => ({ memory: m[1], bits }));
  const all = ages(metrics);
  if (!flipped.length && !all.length) return null;
  const bins = [...new Set(all.map((one) => one.below))], groups = [...new Set(all.map((one) => `${one.memory} ${one.group}`))];
  const rows = (group, below) => all.find((one) => `${one.memory} ${one.group}` === group && one.below === below)?.rows ?? 0;
  return section("Retention failures",
    flipped.map((one) => h("p", {}, `${one.memory}: ${plain(one.bits)} bits had failed when they were read.`)),
    all.length ? chart("Age of rows when they were read", 260, () => ({
      grid: { left: 8, right: 16, top: 40, bottom: 30, containLabel: true }, tooltip: { trigger: "axis" },
      xAxis: { type: "category", data: bins.map((below) => si(below * 1e-6, "s")), name: "younger than", nameLocation: "middle", nameGap: 26 },
      yAxis: { type: "value", name: "rows read" },
      series: groups.map((group) => ({ name: group, type: "bar", stack: "all", data: bins.map((below) => rows(group, below)) })),
    })) : null);
}
