// SPDX-License-Identifier: Apache-2.0
// Runs side by side: what their differences come from, keys that differ, all figures.
import { chart } from "./charts.js";
import { card, h, note, section, table } from "./dom.js";
import { metricText, percent, plain, si } from "./format.js";
import { ratioColor } from "./reproduce.js";

const most = 16; // differences in a picture

const valueOf = (data, metric, run) => data.metrics.find((one) => one.name === metric)?.values[run] ?? null;

function cards(data) {
  return h("div", { class: "cards" }, data.runs.map((run, i) => {
    const rate = valueOf(data, "decode.tokens_per_s", i), joules = valueOf(data, "energy.per_token_j", i), time = valueOf(data, "sim.seconds", i);
    return card(run.name, rate ? si(rate, "tokens/s") : si(time, "s"), [joules ? si(joules, "J/token") : "", run.bound_by ? `bound by ${run.bound_by}` : ""].filter(Boolean).join(", "));
  }));
}

/** Differences of one quantity to the first run, the largest first. */
function differencesPart(data, quantity) {
  const own = data.differences.filter((one) => one.quantity === quantity.name);
  if (!own.length) return [];
  const show = (value) => si(value, quantity.unit), shown = own.slice(0, most), others = data.runs.map((_, i) => i).slice(1);
  const rows = own.map((one) => ({ what: one.what, ...Object.fromEntries(one.values.map((value, i) => [`v${i}`, value])),
    ...Object.fromEntries(others.map((i) => [`d${i}`, one.values[i] - one.values[0]])), share: one.share }));
  return [h("h3", {}, quantity.title), chart(`Differences in ${quantity.title}`, 70 + shown.length * Math.max(24, 14 * others.length), () => ({
    grid: { left: 8, right: 24, top: 34, bottom: 8, containLabel: true }, tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: show },
    xAxis: { type: "value", axisLabel: { formatter: show } }, yAxis: { type: "category", inverse: true, data: shown.map((one) => one.what) },
    series: others.map((i) => ({ name: `${data.runs[i].name} - ${data.runs[0].name}`, type: "bar", barMaxWidth: 16, data: shown.map((one) => (one.values[i] ?? 0) - (one.values[0] ?? 0)) })),
  })), table([{ key: "what", title: "part" }, ...data.runs.map((run, i) => ({ key: `v${i}`, title: run.name, number: true, show })),
    ...others.map((i) => ({ key: `d${i}`, title: `${data.runs[i].name} - ${data.runs[0].name}`, number: true, show })),
    { key: "share", title: "explains", number: true, show: percent }], rows, `differences in ${quantity.title}`)];
}

function scenarioPart(data) {
  if (!data.scenario?.length) return null;
  const text = (value) => value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return section("Keys that differ", table([{ key: "key", title: "key" }, ...data.runs.map((run, i) => ({ key: `v${i}`, title: run.name }))],
    data.scenario.map((one) => ({ key: one.key, ...Object.fromEntries(one.values.map((value, i) => [`v${i}`, text(value)])) })), "keys that differ"));
}

function figuresPart(data) {
  const ratio = (values, i) => typeof values[0] === "number" && typeof values[i] === "number" && values[0] !== 0 ? values[i] / values[0] : null;
  const others = data.runs.map((_, i) => i).slice(1);
  const rows = data.metrics.map((one) => ({ name: one.name, ...Object.fromEntries(one.values.map((value, i) => [`v${i}`, value])),
    ...Object.fromEntries(others.map((i) => [`r${i}`, ratio(one.values, i)])) }));
  return section("All figures", table([{ key: "name", title: "name" },
    ...data.runs.map((run, i) => ({ key: `v${i}`, title: run.name, number: true, show: (value, row) => metricText(row.name, value) })),
    ...others.map((i) => ({ key: `r${i}`, title: `${data.runs[i].name} / ${data.runs[0].name}`, number: true, show: plain, swatch: ratioColor }))], rows, "all figures"));
}

export function compare(data) {
  const quantities = [{ name: "time", title: "time", unit: "s" }, { name: "energy", title: "energy", unit: "J" }];
  const parts = quantities.flatMap((quantity) => differencesPart(data, quantity));
  return {
    title: data.runs.map((run) => run.name).join(" / "), what: "runs side by side",
    answer: [note("Warnings", data.warnings ?? []), cards(data)],
    parts: [parts.length ? section("What the differences come from", h("p", { class: "soft" }, "Against the first run. The parts of the time are causes of the time of the block "
      + "or the phases; those of the energy are its components."), parts) : null, scenarioPart(data), figuresPart(data)],
  };
}
