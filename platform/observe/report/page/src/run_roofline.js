// SPDX-License-Identifier: Apache-2.0
// The roofline of each phase.
import { chart } from "./charts.js";
import { h, section, table } from "./dom.js";
import { escaped, percent, plain, si } from "./format.js";
import { phases, rooflineMemories } from "./metrics.js";

function pointsOf(metrics) {
  return phases.flatMap((phase) => {
    const macs = metrics[`roofline.${phase}.macs_per_s`];
    return macs > 0 ? rooflineMemories(metrics, phase).map((memory) => ({ phase, memory: memory.name, intensity: memory.intensity, macs,
      bandwidth: memory.peak, rate: memory.rate, peak: metrics[`roofline.${phase}.peak_macs_per_s`],
      attainable: metrics[`roofline.${phase}.attainable_macs_per_s`] })) : [];
  });
}

function roofs(points, from, to) {
  const peak = points[0].peak, memories = new Map(points.map((point) => [point.memory, point.bandwidth]));
  return [...memories].map(([memory, bandwidth]) => {
    const ridge = Math.min(Math.max(peak / bandwidth, from), to);
    const roof = (x) => [x, Math.min(peak, x * bandwidth)];
    return { name: `${memory}, ${si(bandwidth, "B/s")}`, type: "line", symbol: "none", data: [roof(from), roof(ridge), roof(to)] };
  });
}

const seldom = 1e-3; // Points at a smaller share of a memory's peak are not drawn, since they would
                     // stretch the scale.

export function rooflinePart(metrics) {
  const all = pointsOf(metrics);
  if (!all.length) return null;
  const busy = all.filter((point) => point.rate >= seldom * point.bandwidth), points = busy.length ? busy : all;
  const intensities = points.map((point) => point.intensity).concat(points.map((point) => point.peak / point.bandwidth));
  const from = Math.min(...intensities) / 4, to = Math.max(...intensities) * 4;
  const low = Math.min(...points.map((point) => point.macs)) / 10;
  const symbols = { prefill: "diamond", decode: "circle", other: "rect" };
  const phaseSeries = [...new Set(points.map((point) => point.phase))].map((phase) => ({ name: phase, type: "scatter", symbol: symbols[phase], symbolSize: 13,
    label: { show: true, position: "right", formatter: (item) => item.data.memory, color: "inherit" },
    data: points.filter((point) => point.phase === phase).map((point) => ({ value: [point.intensity, point.macs], memory: point.memory })) }));
  return section("Roofline",
    chart("Roofline: MACs per second over MACs per byte", 420, () => ({
      grid: { left: 16, right: 60, top: 64, bottom: 36, containLabel: true },
      tooltip: { trigger: "item", formatter: (item) => `${escaped(item.seriesName)}${item.data.memory ? `, ${escaped(item.data.memory)}` : ""}<br>${si(item.value[0], "MAC/B")}, ${si(item.value[1], "MAC/s")}` },
      xAxis: { type: "log", name: "MAC/B", nameLocation: "middle", nameGap: 26, min: from, max: to, axisLabel: { formatter: (value) => si(value) } },
      yAxis: { type: "log", name: "MAC/s", min: low, axisLabel: { formatter: (value) => si(value) } },
      series: [...roofs(points, from, to), ...phaseSeries],
    })),
    table([{ key: "phase", title: "phase" }, { key: "memory", title: "memory" },
      { key: "intensity", title: "MACs per byte", number: true, show: plain },
      { key: "macs", title: "achieved", number: true, show: (value) => si(value, "MAC/s") },
      { key: "attainable", title: "attainable in the phase", number: true, show: (value) => si(value, "MAC/s") },
      { key: "peak", title: "peak of the arrays", number: true, show: (value) => si(value, "MAC/s") },
      { key: "rate", title: "bandwidth used", number: true, show: (value) => si(value, "B/s") },
      { key: "used", title: "share of its peak", number: true, show: percent }],
    all.map((point) => ({ ...point, used: point.rate / point.bandwidth })), "roofline"),
    h("p", {}, "A memory of which a phase uses less than 0.1 % of the bandwidth is only in the table. The roofline does not model waits between array and memory (the causes wait_ above), "
      + "refresh and row misses that keep a memory below its peak, latencies, and the work of blocks other than arrays. The peak counts every array, used or "
      + "not. A MAC multiplies 8 by 8 bits; an operand of 16 bits takes two passes. The core's own accesses are not counted."));
}
