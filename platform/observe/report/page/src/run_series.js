// SPDX-License-Identifier: Apache-2.0
// Bandwidth and occupancy over time.
import { chart } from "./charts.js";
import { h, section } from "./dom.js";
import { percent, si } from "./format.js";

const shades = { prefill: "rgba(224,130,20,0.10)", decode: "rgba(47,111,196,0.08)", other: "rgba(128,128,128,0.05)" };

function phaseAreas(phases) {
  return { silent: true, label: { show: true, position: "insideTop", color: "inherit", fontSize: 10 },
    data: phases.map((phase, i) => [{ xAxis: phase.begin, name: i === 0 || phases[i - 1].name !== phase.name ? phase.name : "",
      itemStyle: { color: shades[phase.name] } }, { xAxis: phase.end }]) };
}

/** A chart of lines over time. lines: [{name, values}], with a value for each bin. */
function binned(label, series, lines, show, peak) {
  const width = series.bin_seconds, rows = Math.ceil(lines.length / 6);
  return chart(label, 240 + 24 * rows, () => ({
    grid: { left: 8, right: 24, top: 20 + 24 * rows, bottom: 8, containLabel: true },
    tooltip: { trigger: "axis", valueFormatter: show, axisPointer: { label: { formatter: (item) => si(item.value, "s") } } },
    xAxis: { type: "value", min: 0, max: series.end, axisLabel: { formatter: (value) => si(value, "s") } },
    yAxis: { type: "value", max: peak, axisLabel: { formatter: show } },
    series: lines.map((line, i) => ({ name: line.name, type: "line", step: "end", symbol: "none", lineStyle: { width: 1.5 },
      data: [[0, line.values[0]], ...line.values.map((value, bin) => [Math.min((bin + 1) * width, series.end), value])],
      markArea: i === 0 ? phaseAreas(series.phases) : undefined })),
  }));
}

export function seriesPart(series, sampled) {
  if (!series) return null;
  const memories = series.memories.filter((memory) => memory.bytes.some((bytes) => bytes > 0));
  const blocks = series.blocks.filter((block) => block.busy.some((seconds) => seconds > 0));
  if (!memories.length && !blocks.length) return null;
  const span = (bin) => Math.max(Math.min((bin + 1) * series.bin_seconds, series.end) - bin * series.bin_seconds, 1e-15);
  return section("Over time",
    h("p", { class: "soft" }, `Averages over ${si(series.bin_seconds, "s")}. The bytes of an operation are spread evenly from its start to its end; `
      + "a block is occupied while it executes an operation. The core's own accesses are not counted." + (sampled ? " The times cover only the simulated parts, one after the other." : "")),
    h("h3", {}, "Bandwidth of memories"),
    binned("Bandwidth of memories over time", series, memories.map((memory) => ({
      name: memory.peak_bytes_per_s ? `${memory.name} (peak ${si(memory.peak_bytes_per_s, "B/s")})` : memory.name,
      values: memory.bytes.map((bytes, bin) => bytes / span(bin)) })), (value) => si(value, "B/s")),
    h("h3", {}, "Occupancy of blocks"),
    binned("Occupancy of blocks over time", series, blocks.map((block) => ({ name: block.name,
      values: block.busy.map((seconds, bin) => Math.min(1, seconds / span(bin))) })), percent, 1));
}
