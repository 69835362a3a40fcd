// SPDX-License-Identifier: Apache-2.0
// The page of a run.
import { card, folded, h, note, section, table } from "./dom.js";
import { interval, metricText, percent, plain, si } from "./format.js";
import { boundBy, phaseTimes } from "./metrics.js";
import { cachePart, textPart } from "./run_cache.js";
import { energyPart } from "./run_energy.js";
import { failuresPart, refreshPart } from "./run_memory.js";
import { requestsPart } from "./run_requests.js";
import { rooflinePart } from "./run_roofline.js";
import { seriesPart } from "./run_series.js";
import { timePart } from "./run_time.js";
import { systemPart } from "./system.js";

function rateCard(metrics, phase, title) {
  const tokens = metrics[`${phase}.tokens`], rate = metrics[`${phase}.tokens_per_s`], seconds = metrics[`${phase}.seconds`];
  if (!seconds) return null;
  const error = metrics[`sampling.error.${phase}.seconds`];
  return rate > 0 ? card(title, si(rate, "tokens/s"), `${plain(tokens)} tokens in ${si(seconds, "s")}${error === undefined ? "" : `, error up to about ${percent(error)}`}`)
    : card(`${phase}`, si(seconds, "s"), "simulated time");
}

function boundCard(metrics, phase) {
  const bound = boundBy(metrics, phase.name);
  return bound && card(`${phase.name} is bound by`, bound.name,
    `${percent(bound.share)} of its time${bound.load ? `; ${bound.load}` : ""}`);
}

function cards(metrics) {
  const perToken = metrics["energy.decode_per_token_j"], total = metrics["energy.total_j"], time = phaseTimes(metrics);
  const answered = metrics["recall.share"], perplexity = metrics["score.perplexity"];
  const list = [
    rateCard(metrics, "decode", "decode"), rateCard(metrics, "prefill", "prefill"),
    perToken !== undefined ? card("energy of decoding", si(perToken, "J/token") + interval(metrics, "energy.decode_per_token_j", "J/token"), `${si(total, "J")}${interval(metrics, "energy.total_j", "J")} in all, ${si(metrics["energy.average_power_w"], "W")} on average`)
      : total !== undefined ? card("energy", si(total, "J") + interval(metrics, "energy.total_j", "J"), `${si(metrics["energy.average_power_w"], "W")} on average`) : null,
    ...time.filter((phase) => phase.name !== "other" || time.length === 1).reverse().map((phase) => boundCard(metrics, phase)),
    perplexity !== undefined ? card("perplexity", si(perplexity), `over ${si(metrics["score.tokens"])} tokens`) : null,
    answered !== undefined ? card("recall", percent(answered), `chance ${percent(metrics["recall.chance"])}`) : null,
    card("simulated time", si(metrics["sim.seconds"], "s"), metrics["host.wall_s"] ? `in ${si(metrics["host.wall_s"], "s")} on the host` : ""),
  ];
  return h("div", { class: "cards" }, list.filter(Boolean));
}

function samplesPart(metrics) {
  const errors = Object.keys(metrics).filter((name) => name.startsWith("sampling.error."));
  if (!("sampling.steps" in metrics)) return null;
  const rows = errors.map((name) => ({ figure: name.slice("sampling.error.".length), error: metrics[name] }));
  return section("Samples", h("p", {}, `${metrics["sampling.steps"]} of ${metrics["sampling.steps_of"]} decode steps and `
    + `${metrics["sampling.chunks"]} of ${metrics["sampling.chunks_of"]} chunks of the prefill were simulated; all figures stand for the whole run`
    + `${errors.length ? "; the table estimates their errors" : "; their errors cannot be estimated"}. The charts over time show only the simulated parts.`),
  errors.length > 0 && table([{ key: "figure", title: "figure" }, { key: "error", title: "upper estimate", number: true, show: percent }], rows, "upper estimates of errors"));
}

function metricsPart(metrics) {
  const rows = Object.entries(metrics).map(([name, value]) => ({ name, value }));
  const list = table([{ key: "name", title: "name" }, { key: "value", title: "value", number: true, show: (value, row) => metricText(row.name, value) },
    { key: "value", title: "value in results.json", number: true, show: (value) => String(value) }], rows, "all metrics");
  const filter = h("input", { type: "search", placeholder: "part of a name", "aria-label": "show metrics with this in their name", input: () => {
    for (const row of list.querySelectorAll("tbody tr")) row.hidden = !row.cells[0].textContent.includes(filter.value);
  } });
  return section("All figures", h("p", { class: "no-print" }, filter), list);
}

/** A scenario as indented text, without quotes around keys. */
function scenarioText(value, indent = "") {
  if (value === null || typeof value !== "object") return String(JSON.stringify(value));
  if (Array.isArray(value) && value.every((item) => item === null || typeof item !== "object"))
    return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  return Object.entries(value).map(([key, item]) => {
    const nested = item !== null && typeof item === "object" && !(Array.isArray(item) && item.every((one) => one === null || typeof one !== "object"));
    return `\n${indent}${Array.isArray(value) ? "-" : `${key}:`} ${scenarioText(item, nested ? `${indent}  ` : indent)}`;
  }).join("");
}

function scenarioPart(results) {
  const versions = Object.entries(results.versions ?? {}).map(([name, version]) => ({ name, version: String(version) }));
  for (const name of ["host.compiler", "host.build_type"])
    if (name in results.metrics) versions.push({ name, version: results.metrics[name] });
  return section("Scenario and versions", folded("The scenario as resolved", h("pre", { class: "long" }, scenarioText(results.scenario ?? {}).trim())),
    table([{ key: "name", title: "item" }, { key: "version", title: "version" }], versions, "versions"));
}

export function run(data) {
  const { results } = data, { metrics } = results;
  const failed = results.error ? [results.error] : results.exit_code ? [`exit code ${results.exit_code}`] : [];
  return {
    title: results.name, what: `a run of Levee ${results.versions?.levee ?? ""}, seed ${results.seed}`,
    answer: [note("The run failed", failed, true), note("Warnings", results.warnings ?? []), cards(metrics)],
    parts: [timePart(metrics, data.operations), requestsPart(data.requests, data.series?.end), energyPart(metrics), rooflinePart(metrics), seriesPart(data.series, "sampling.steps" in metrics), systemPart(data.system),
      cachePart(data.kept), textPart(results, data.text, data.kept), refreshPart(metrics), failuresPart(metrics), samplesPart(metrics), metricsPart(metrics),
      scenarioPart(results)],
  };
}
