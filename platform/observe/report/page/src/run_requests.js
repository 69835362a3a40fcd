// SPDX-License-Identifier: Apache-2.0
// Requests over time, with a bar for each: its wait, its prefill and its answer.
import { chart } from "./charts.js";
import { h, section } from "./dom.js";
import { si } from "./format.js";

/** The parts of a bar, one after another. A part without an end lasts until the end of the run. */
function parts(request, end) {
  const taken = Math.max(request.taken ?? end, request.arrives), left = Math.max(request.left ?? end, taken);
  const first = Math.min(request.first_token ?? left, left);
  return { queue: taken - request.arrives, prompt: first - taken, answer: left - first };
}

export function requestsPart(requests, end) {
  const list = (requests?.list ?? []).filter((request) => request.arrives < end);
  if (!list.length) return null;
  const bars = list.map((request) => parts(request, end)), shown = (value) => si(value, "s");
  const series = (name, values, style) => ({ name, type: "bar", stack: "request", barCategoryGap: "15%", itemStyle: style, data: values,
    emphasis: { disabled: true } });
  return section("Requests",
    h("p", { class: "soft" }, `A request waits in the queue from its arrival. Then its prompt is processed until the first token, and its answer until `
      + `the last.${list.length < requests.count ? ` ${list.length} of ${requests.count} requests are shown.` : ""}`),
    chart("Requests over time", Math.min(80 + 16 * list.length, 1200), () => ({
      grid: { left: 8, right: 24, top: 32, bottom: 8, containLabel: true },
      legend: { data: ["queue", "prompt", "answer"] },
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, formatter: (items) => {
        const i = items[0].dataIndex, bar = bars[i];
        return `request ${i}, arrived at ${shown(list[i].arrives)}<br>` + Object.entries(bar).map(([name, value]) => `${name}: ${shown(value)}`).join("<br>");
      } },
      xAxis: { type: "value", min: 0, max: end, axisLabel: { formatter: shown } },
      yAxis: { type: "category", inverse: true, data: list.map((_, i) => String(i)), axisTick: { show: false } },
      series: [series("arrival", list.map((request) => request.arrives), { color: "transparent" }),
        series("queue", bars.map((bar) => bar.queue), { color: "#9aa4b0" }),
        series("prompt", bars.map((bar) => bar.prompt), { color: "#e08214" }),
        series("answer", bars.map((bar) => bar.answer), { color: "#2f6fc4" })],
    })));
}
