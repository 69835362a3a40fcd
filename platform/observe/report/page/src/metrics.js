// SPDX-License-Identifier: Apache-2.0
// Reads the meaning of metrics from their names (docs/results.md).

export const phases = ["prefill", "decode", "other"];

/** The entries of `metrics` whose names match. visit(match, value) converts each, or returns null to omit it. */
export function select(metrics, pattern, visit) {
  const found = [];
  for (const [name, value] of Object.entries(metrics)) {
    const match = pattern.exec(name);
    if (match && typeof value === "number") {
      const item = visit(match, value);
      if (item !== null) found.push(item);
    }
  }
  return found;
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Times by block and cause: [{phase, block, cause, seconds, share}]. `share` is the part of the block's time in the phase. */
export function causes(metrics) {
  const all = select(metrics, /^bounds\.(prefill|decode|other)\.(.+)\.([^.]+)_seconds$/,
    (m, seconds) => ({ phase: m[1], block: m[2], cause: m[3], seconds }));
  const total = {};
  for (const one of all) (total[one.phase] ??= {})[one.block] = (total[one.phase][one.block] ?? 0) + one.seconds;
  for (const one of all) one.share = one.seconds / total[one.phase][one.block];
  return all;
}

/** The phases that took time: [{name, seconds}]. In a system without blocks, the times come from the firmware's marks. */
export function phaseTimes(metrics) {
  const all = causes(metrics);
  return phases.map((name) => {
    const block = all.find((one) => one.phase === name)?.block;
    const seconds = metrics[`${name}.seconds`] ?? sum(all.filter((one) => one.phase === name && one.block === block).map((one) => one.seconds));
    return { name, seconds: seconds ?? 0 };
  }).filter((phase) => phase.seconds > 0);
}

/** The bottleneck of a phase, as in --bounds: {name, share, load}, or null. */
export function boundBy(metrics, phase) {
  const time = phaseTimes(metrics).find((one) => one.name === phase)?.seconds;
  const binds = select(metrics, new RegExp(`^roofline\\.${phase}\\.(.+)\\.binds_seconds$`), (m, seconds) => ({ name: m[1], seconds }));
  if (!binds.length || !time) return null;
  const most = binds.reduce((a, b) => (b.seconds > a.seconds ? b : a));
  return { name: most.name, share: most.seconds / time, load: metrics[`bounds.${phase}.load`] ?? "" };
}

/** Energy by component and event: [{component, event, joules}]. */
export function energyEvents(metrics) {
  return select(metrics, /^energy\.([^.]+)\.([^.]+)_j$/, (m, joules) => m[1] === "operation" || m[1] === "phase" ? null
    : { component: m[1], event: m[2], joules });
}

/** Energy by operation: [{operation, joules}]. */
export function energyOperations(metrics) {
  return select(metrics, /^energy\.operation\.(.+)_j$/, (m, joules) => ({ operation: m[1], joules }));
}

/** Energy by phase and component: [{phase, component, joules}]. */
export function energyPhases(metrics) {
  return select(metrics, /^energy\.phase\.(prefill|decode|other)\.(.+)_j$/, (m, joules) => ({ phase: m[1], component: m[2], joules }));
}

/** The memories in a phase's roofline: [{name, intensity, peak, bytes, rate}], in MACs per byte and bytes per second. */
export function rooflineMemories(metrics, phase) {
  const at = `roofline.${phase}.`;
  return select(metrics, new RegExp(`^roofline\\.${phase}\\.(.+)\\.macs_per_byte$`), (m, intensity) => ({ name: m[1], intensity,
    peak: metrics[`${at}${m[1]}.peak_bytes_per_s`], bytes: metrics[`${at}${m[1]}.bytes`], rate: metrics[`${at}${m[1]}.bytes_per_s`] }));
}
