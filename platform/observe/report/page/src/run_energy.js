// SPDX-License-Identifier: Apache-2.0
// Energy by component, event and operation.
import { chart, showIn } from "./charts.js";
import { choice, h, section, table } from "./dom.js";
import { escaped, interval, percent, si } from "./format.js";
import { energyEvents, energyOperations, energyPhases, phases } from "./metrics.js";
import { stacked } from "./run_time.js";

const most = 24; // maximum number of operations in the chart

const joules = (value) => si(value, "J");

function grouped(items, row, part) {
  const cells = new Map(), rows = new Map(), parts = new Map();
  for (const one of items) {
    cells.set(`${one[row]}\n${one[part]}`, one.joules);
    rows.set(one[row], (rows.get(one[row]) ?? 0) + one.joules);
    parts.set(one[part], (parts.get(one[part]) ?? 0) + one.joules);
  }
  const bySize = (map) => [...map.keys()].filter((key) => map.get(key) > 0).sort((a, b) => map.get(b) - map.get(a));
  return { rows: bySize(rows), parts: bySize(parts), value: (a, b) => cells.get(`${a}\n${b}`) ?? 0 };
}

function operationsChart(list) {
  const shown = list.slice(0, most);
  return chart("Energy by operation", 60 + 24 * shown.length, () => ({
    grid: { left: 8, right: 24, top: 8, bottom: 8, containLabel: true }, legend: null,
    tooltip: { trigger: "item", formatter: (item) => `${escaped(item.name)}: <b>${joules(item.value)}</b>` },
    xAxis: { type: "value", axisLabel: { formatter: joules } }, yAxis: { type: "category", inverse: true, data: shown.map((one) => one.operation) },
    series: [{ type: "bar", barMaxWidth: 18, data: shown.map((one) => one.joules) }],
  }));
}

/** The metrics of one price list, with the names of the first list's metrics. */
function pricesOf(metrics, list) {
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => name.startsWith(`${list}.`))
    .map(([name, value]) => [`energy${name.slice(list.length)}`, value]));
}

function pictures(metrics) {
  const total = metrics["energy.total_j"];
  const events = grouped(energyEvents(metrics), "component", "event");
  const byPhase = grouped(energyPhases(metrics), "phase", "component");
  const operations = energyOperations(metrics).filter((one) => one.joules > 0).sort((a, b) => b.joules - a.joules)
    .map((one) => ({ ...one, share: one.joules / total }));
  return [
    h("p", { class: "soft" }, `${joules(total)}${interval(metrics, "energy.total_j", "J")} in all: ${joules(metrics["energy.on_chip_j"])} on the chip, ${joules(metrics["energy.off_chip_j"])} off it. `
      + "Components, operations and phases add up to the same total. The prices hold for the machines that their list names."),
    h("h3", {}, "By component and event"), stacked("Energy by component and event", events.rows, events.parts, events.value, joules, joules),
    h("h3", {}, "By phase and component"),
    stacked("Energy by phase and component", phases.filter((phase) => byPhase.rows.includes(phase)), byPhase.parts, byPhase.value, joules, joules),
    h("h3", {}, "By operation"), operationsChart(operations),
    table([{ key: "operation", title: "operation" }, { key: "joules", title: "energy", number: true, show: joules },
      { key: "share", title: "share", number: true, show: percent }], operations, "energy by operation")];
}

export function energyPart(metrics) {
  const lists = Object.keys(metrics).map((name) => /^(energy(_.+)?)\.total_j$/.exec(name)?.[1]).filter((list) => list && metrics[`${list}.total_j`] > 0)
    .sort((a, b) => (a !== "energy") - (b !== "energy"));
  if (!lists.length) return null;
  const place = h("div"), show = (index) => place.replaceChildren(...pictures(pricesOf(metrics, lists[index])));
  const change = (index) => { show(index); showIn(place); };
  show(0);
  return section("Energy", lists.length > 1 ? choice("Prices of", lists.map((list) => list === "energy" ? "tech.energy" : list.slice("energy_".length)), change) : null, place);
}
