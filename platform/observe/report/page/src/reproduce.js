// SPDX-License-Identifier: Apache-2.0
// A paper's evaluation: published and simulated figures by row and by reading.
import { chart, showIn } from "./charts.js";
import { card, choice, h, note, section, table } from "./dom.js";
import { escaped, percent, plain } from "./format.js";

/** Blue for a ratio that is too low, red for one that is too high, and no colour for an equal one.
 * Half and double have the strongest colours. */
export function ratioColor(ratio) {
  if (!(ratio > 0)) return null;
  const share = Math.min(1, Math.abs(Math.log2(ratio)));
  return `color-mix(in srgb, ${ratio > 1 ? "#d03a2b" : "#2468c8"} ${Math.round(100 * share)}%, transparent)`;
}

const ofReading = (row, reading) => reading < 0 ? row.simulated : row.readings?.[reading];

const ratioOf = (row, reading) => {
  const value = ofReading(row, reading);
  return value > 0 && row.published > 0 ? value / row.published : null;
};

/** HTML for a point's tooltip. */
function pointText(item) {
  const row = item.data.row;
  return row ? `${escaped(row.id)}: ${escaped(row.quantity)}<br>${escaped(row.configuration)}<br>published ${plain(item.value[0])}, `
    + `simulated <b>${plain(item.value[1])}</b> ${escaped(row.unit)}` : escaped(item.seriesName);
}

function scatter(rows, reading, name) {
  const points = rows.filter((row) => ratioOf(row, reading) !== null);
  const kinds = [...new Set(points.map((row) => row.kind))];
  const all = points.flatMap((row) => [row.published, ofReading(row, reading)]);
  const from = 10 ** Math.floor(Math.log10(Math.min(...all))), to = 10 ** Math.ceil(Math.log10(Math.max(...all)));
  return chart(`Simulated over published, ${name}`, 440, () => ({
    grid: { left: 16, right: 24, top: 40, bottom: 36, containLabel: true },
    tooltip: { formatter: pointText },
    xAxis: { type: "log", min: from, max: to, name: "published", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: plain } },
    yAxis: { type: "log", min: from, max: to, name: "simulated", axisLabel: { formatter: plain } },
    series: [{ name: "equal", type: "line", symbol: "none", lineStyle: { type: "dashed", width: 1 }, data: [[from, from], [to, to]] },
      ...kinds.map((kind) => ({ name: kind, type: "scatter", symbolSize: 8, itemStyle: { opacity: 0.8 },
        data: points.filter((row) => row.kind === kind).map((row) => ({ value: [row.published, ofReading(row, reading)], row })) }))],
  }));
}

function errorsPart(data) {
  if (!data.errors?.length) return null;
  const readings = ["as shipped", ...data.readings];
  const groups = data.errors.map((group) => group.name.replace(/_/g, " "));
  const rows = data.errors.map((group, i) => ({ name: groups[i], numbers: group.numbers, ...Object.fromEntries(group.error.map((error, n) => [`r${n}`, error])) }));
  const shown = readings.map((_, n) => n).filter((n) => rows.some((row) => row[`r${n}`] !== null && row[`r${n}`] !== undefined));
  const high = 80 + 24 * Math.ceil(shown.length / 5) + rows.length * Math.max(26, 9 * shown.length);
  return section("Error by figure and reading",
    h("p", { class: "soft" }, "For each figure or table: the geometric mean of its numbers' deviations from the published ones, in either direction: exp(mean |ln ratio|) - 1. "
      + "For each reading, everything was run again under a different assumption."),
    chart("Error by figure and reading", high, () => ({
      grid: { left: 8, right: 24, top: 20 + 24 * Math.ceil(shown.length / 5), bottom: 8, containLabel: true }, tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: percent },
      xAxis: { type: "value", axisLabel: { formatter: percent } }, yAxis: { type: "category", inverse: true, data: groups },
      series: shown.map((n) => ({ name: readings[n].replace(/_/g, " "), type: "bar", barMaxWidth: 10, data: rows.map((row) => row[`r${n}`] ?? null) })),
    })),
    table([{ key: "name", title: "figure or table" }, { key: "numbers", title: "numbers", number: true },
      ...shown.map((n) => ({ key: `r${n}`, title: readings[n].replace(/_/g, " "), number: true, show: (value) => value === null || value === undefined ? "" : percent(value) }))], rows, "errors by figure and reading"));
}

function comparisonPart(data) {
  const readings = ["as shipped", ...data.readings.map((name) => name.replace(/_/g, " "))], place = h("div");
  const show = (index) => {
    const name = readings[index], rows = data.rows.map((row) => ({ ...row, shown: ofReading(row, index - 1), ratio: ratioOf(row, index - 1) }));
    place.replaceChildren(scatter(data.rows, index - 1, name), table([
        { key: "id", title: "id" }, { key: "section", title: "section" }, { key: "quantity", title: "quantity" }, { key: "configuration", title: "configuration" },
        { key: "published", title: "published", number: true, show: (value, row) => row.published_text ?? plain(value) },
        { key: "shown", title: "simulated", number: true, show: plain },
        { key: "ratio", title: "ratio", number: true, show: plain, swatch: ratioColor }, { key: "unit", title: "unit" }, { key: "kind", title: "kind" },
        { key: "follows", title: "follows from" }, { key: "verdict", title: "expected", mark: (value) => value === "holds" ? "good" : value ? "bad" : "" },
        { key: "note", title: "note" }], rows, `published against simulated, ${name}`));
    if (place.isConnected) showIn(place);
  };
  show(0);
  return section("Published against simulated", readings.length > 1 ? choice("Reading", readings, show) : null, place);
}

export function reproduce(data) {
  const judged = data.rows.filter((row) => row.verdict), failed = judged.filter((row) => row.verdict !== "holds");
  const numbers = data.rows.filter((row) => ratioOf(row, -1) !== null && (row.kind === "value" || row.kind === "ratio"));
  const near = numbers.filter((row) => Math.abs(Math.log(ratioOf(row, -1))) <= Math.log(1.1));
  const errors = (data.errors ?? []).map((group) => group.error[0]).filter((error) => typeof error === "number");
  return {
    title: `Reproduction of ${data.paper}`, what: `Levee ${data.versions?.levee ?? ""}`,
    answer: [note("Runs that failed", data.failures ?? [], true),
      note("Not as expected", failed.map((row) => `${row.id}: ${row.quantity}`), true), note("Warnings", data.warnings ?? []),
      h("div", { class: "cards" }, [card("rows", String(data.rows.length), `${numbers.length} values and ratios are published and simulated as numbers`),
        card("within 10 %", `${near.length} of ${numbers.length}`, "values and ratios, simulated over published, as shipped"),
        errors.length ? card("error by figure or table", `${percent(Math.min(...errors))} to ${percent(Math.max(...errors))}`, "geometric mean of each, as shipped") : null,
        card("expectations", `${judged.length - failed.length} of ${judged.length}`, "hold")].filter(Boolean))],
    parts: [comparisonPart(data), errorsPart(data)],
  };
}
