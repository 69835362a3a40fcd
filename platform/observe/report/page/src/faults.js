// SPDX-License-Identifier: Apache-2.0
// A fault campaign: the effects of flipped bits by site and by part.
import { chart } from "./charts.js";
import { card, folded, h, note, section, table } from "./dom.js";
import { percent, plain, si } from "./format.js";

const most = 500; // maximum number of injections in the table

const shown = (share) => share.count === 0 && share.low === 0 ? `0 (to ${percent(share.high)})` : `${percent(share.share)} (${percent(share.low)} to ${percent(share.high)})`;

/** Returns a column for each effect that occurs in `rows`. The table sorts by the effect's share. */
function effectColumns(data, rows) {
  return data.effects.filter(({ name }) => rows.some((row) => row.effects[name].count > 0))
    .map(({ name }) => ({ key: name, title: name.replace(/_/g, " "), number: true, show: (_, row) => shown(row.effects[name]) }));
}

const withShares = (data, row) => ({ ...row, injections: row.effects.injections, ...Object.fromEntries(data.effects.map(({ name }) => [name, row.effects[name].share])) });

function shares(data, title, rows) {
  return chart(title, 70 + rows.length * 28, () => ({
    grid: { left: 8, right: 24, top: 34, bottom: 8, containLabel: true },
    tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: percent },
    xAxis: { type: "value", max: 1, axisLabel: { formatter: percent } }, yAxis: { type: "category", inverse: true, data: rows.map((row) => row.name) },
    series: data.effects.map(({ name }) => ({ name: name.replace(/_/g, " "), type: "bar", stack: "all", barMaxWidth: 18, data: rows.map((row) => row.effects[name].share) })),
  }));
}

function sitesPart(data) {
  return section("Effects of a flipped bit", h("p", { class: "soft" }, `Shares of all injections of a site, with Wilson's ${percent(data.confidence)} interval.`),
    shares(data, "Effects by site", data.sites),
    table([{ key: "name", title: "site" }, { key: "kind", title: "kind" }, { key: "place", title: "place" }, { key: "bits", title: "bits", number: true, show: plain },
      { key: "injections", title: "injections", number: true }, ...effectColumns(data, data.sites)], data.sites.map((site) => withShares(data, site)), "effects by site"),
    h("ul", { class: "soft" }, data.effects.map(({ name, meaning }) => h("li", {}, `${name.replace(/_/g, " ")}: ${meaning}`))));
}

function partsPart(data) {
  const sites = data.sites.filter((site) => site.parts.length > 1);
  if (!sites.length) return null;
  return section("By part", h("p", { class: "soft" }, "Registers, fields of descriptors, or bits of an element."), sites.map((site) => [h("h3", {}, site.name),
    shares(data, `Effects by part of ${site.name}`, site.parts),
    folded("As a table", table([{ key: "name", title: "part" }, { key: "injections", title: "injections", number: true }, ...effectColumns(data, site.parts)],
      site.parts.map((part) => withShares(data, part)), `effects by part of ${site.name}`))]));
}

function detectionsPart(data) {
  const rows = data.sites.flatMap((site) => site.detections.map((one) => ({ site: site.name, ...one })));
  return rows.length ? section("Messages that ended runs", table([{ key: "site", title: "site" }, { key: "by", title: "message, without its numbers" }, { key: "count", title: "runs", number: true }],
    rows, "messages that ended runs")) : null;
}

function injectionsPart(data) {
  const rows = data.sites.flatMap((site) => site.injections.map((one, number) => ({ site: site.name, number, ...one })));
  const told = rows.filter((row) => row.effect !== "masked");
  return section("Injections that were not masked", told.length > most ? h("p", { class: "soft" }, `${most} of ${told.length} are shown; faults.csv has all.`) : null,
    table([{ key: "site", title: "site" }, { key: "number", title: "number", number: true }, { key: "at_ps", title: "time", number: true, show: (ps) => si(ps * 1e-12, "s") },
      { key: "place", title: "place" }, { key: "part", title: "part" }, { key: "effect", title: "effect" },
      { key: "first", title: "first changed token", number: true, show: (token) => token < 0 ? "" : plain(token) }, { key: "changed", title: "changed tokens", number: true }, { key: "by", title: "message" }],
    told.slice(0, most), "injections"));
}

export function faults(data) {
  const broken = data.sites.flatMap((site) => site.injections.filter((one) => one.effect === "host_crash").map((one) => `${site.name}: ${one.place}: ${one.by}`));
  return {
    title: data.name, what: `fault campaign of ${data.scenario}, seed ${data.seed}`,
    answer: [note("Levee itself crashed", broken, true), h("div", { class: "cards" }, data.sites.map((site) =>
      card(site.name, percent(1 - site.effects.masked.share - site.effects.timing.share), `of ${plain(site.effects.injections)} flips have an effect: ${percent(site.effects.text.share)} change the text`)))],
    parts: [sitesPart(data), partsPart(data), detectionsPart(data), injectionsPart(data)],
  };
}
