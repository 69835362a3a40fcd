// SPDX-License-Identifier: Apache-2.0
// Comparison of runs: causes of their differences, keys that differ, and all figures.
import { chart } from "./charts.js";
import { card, h, note, section, table } from "./dom.js";
import { metricText, percent, plain, si } from "./format.js";
import { ratioColor } from "./reproduce.js";

const most = 16; // maximum number of parts in the chart

/** A column for each run. make(run, i) returns the fields besides key and title. */
const columnsOf = (runs, key, make) => runs.map((run, i) => ({ key: `${key}${i}`, title: run.name, ...make(run, i) }));

const keyed = (key, values) => Object.fromEntries((values ?? []).map((value, i) => [`${key}${i}`, value]));

const inUnit = (unit) => (value) => unit ? si(value, unit) : plain(value);

function cards(data) {
  const valueOf = (metric, i) => data.headline?.find((line) => line.name === metric)?.values[i];
  const textOf = (name, i) => data.texts?.find((line) => line.name === name)?.values[i];
  return h("div", { class: "cards" }, data.runs.map((run, i) => {
    const rate = valueOf("decode.tokens_per_s", i), joules = valueOf("energy.decode_per_token_j", i), bound = textOf("bound_by", i) || textOf("bounds.decode.bound_by", i);
    return card(run.name, rate > 0 ? si(rate, "tokens/s") : si(valueOf("sim.seconds", i), "s"),
      [joules > 0 ? si(joules, "J/decoded token") : "", bound ? `bound by ${bound}` : ""].filter(Boolean).join(", "));
  }));
}

function headlinePart(data) {
  const rows = [...(data.headline ?? []), ...(data.texts ?? [])].map((line) => ({ name: line.name, ...keyed("v", line.values) }));
  return rows.length ? section("Side by side", table([{ key: "name", title: "" },
    ...columnsOf(data.runs, "v", () => ({ number: true, show: (value, row) => metricText(row.name, value) }))], rows, "side by side")) : null;
}

/** The parts of a whole that differ from those of the first run, sorted by their share of the
 * difference. */
function divisionPart(data, division) {
  const show = inUnit(division.unit), others = data.runs.map((run, i) => ({ run, i })).slice(1), first = data.runs[0];
  const shown = division.parts.slice(0, most), difference = (values, i) => (values[i] ?? 0) - (values[0] ?? 0);
  const rows = [{ name: "all", values: division.whole }, ...division.parts].map((part) => ({ name: part.name, ...keyed("v", part.values), ...keyed("s", part.shares),
    ...keyed("d", part.values.map((_, i) => difference(part.values, i))) }));
  return [h("h3", {}, division.name),
    division.adds_up === false ? h("p", { class: "soft" }, "These parts overlap, so they do not add up to the whole.") : null,
    shown.length ? chart(`Differences in ${division.name}`, 70 + shown.length * Math.max(24, 14 * others.length), () => ({
      grid: { left: 8, right: 24, top: 34, bottom: 8, containLabel: true }, tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: show },
      xAxis: { type: "value", axisLabel: { formatter: show } }, yAxis: { type: "category", inverse: true, data: shown.map((part) => part.name) },
      series: others.map(({ run, i }) => ({ name: `${run.name} - ${first.name}`, type: "bar", barMaxWidth: 16, data: shown.map((part) => difference(part.values, i)) })),
    })) : null,
    table([{ key: "name", title: "part" }, ...columnsOf(data.runs, "v", () => ({ number: true, show })),
      ...others.flatMap(({ run, i }) => [{ key: `d${i}`, title: `${run.name} - ${first.name}`, number: true, show },
        { key: `s${i}`, title: others.length > 1 ? `explains, ${run.name}` : "explains", number: true, show: percent }])],
    rows, `differences in ${division.name}`)];
}

function scenarioPart(data) {
  if (!data.scenario?.length) return null;
  return section("Keys that differ", table([{ key: "name", title: "key" }, ...columnsOf(data.runs, "v", () => ({}))],
    data.scenario.map((line) => ({ name: line.name, ...keyed("v", line.values) })), "keys that differ"));
}

function figuresPart(data) {
  const ratio = (values, i) => typeof values[0] === "number" && typeof values[i] === "number" && values[0] !== 0 ? values[i] / values[0] : null;
  const rows = (data.metrics ?? []).map((line) => ({ name: line.name, ...keyed("v", line.values), ...keyed("r", line.values.map((_, i) => ratio(line.values, i))) }));
  return section("All figures that differ", table([{ key: "name", title: "name" },
    ...columnsOf(data.runs, "v", () => ({ number: true, show: (value, row) => value === null ? "" : metricText(row.name, value) })),
    ...columnsOf(data.runs, "r", (run) => ({ title: `${run.name} / ${data.runs[0].name}`, number: true, show: plain, swatch: ratioColor })).slice(1)], rows, "all figures"));
}

export function compare(data) {
  const divisions = (data.divisions ?? []).flatMap((division) => divisionPart(data, division));
  return {
    title: data.runs.map((run) => run.name).join(" / "), what: "runs side by side",
    answer: [note("Runs that failed", data.runs.filter((run) => run.error).map((run) => `${run.name}: ${run.error}`), true),
      note("Differences that limit the comparison", data.unlike ?? []), note("Warnings", data.runs.flatMap((run) => (run.warnings ?? []).map((warning) => `${run.name}: ${warning}`))), cards(data)],
    parts: [headlinePart(data), divisions.length ? section("Causes of the differences", h("p", { class: "soft" }, `Compared with the first run, ${data.runs[0].name}.`), divisions) : null,
      scenarioPart(data), figuresPart(data)],
  };
}
