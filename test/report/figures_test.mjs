// SPDX-License-Identifier: Apache-2.0
// Tests the computations of report pages with vectors that were worked out by hand.
import assert from "node:assert/strict";
import test from "node:test";
import { alike, escaped, metricText, percent, plain, si, unitOf } from "./src/format.js";
import { boundBy, causes, energyEvents, energyOperations, phaseTimes, rooflineMemories } from "./src/metrics.js";
import { partText } from "./src/run_time.js";
import { betweenGroups, explained, ranks } from "./src/sensitivity.js";

test("Numbers have four digits, a prefix and a unit", () => {
  assert.equal(si(1234.56, "B"), "1.235 kB");
  assert.equal(si(0.00045, "s"), "450 µs");
  assert.equal(si(999.96, "W"), "1 kW");
  assert.equal(si(5843.9, "s"), "5844 s");
  assert.equal(si(0, "J"), "0 J");
  assert.equal(si(-2e9, "B/s"), "-2 GB/s");
  assert.equal(si(undefined, "s"), "");
  assert.equal(percent(0.12345), "12.3 %");
  assert.equal(percent(0.9999), "100 %");
  assert.equal(percent(-1.234), "-123 %");
  assert.equal(percent(-0.12345), "-12.3 %");
  assert.equal(percent(-1e-6), "> -0.001 %");
  assert.equal(percent(1e-6), "< 0.001 %");
  assert.equal(plain(1234567), "1 234 567");
});

test("Names in a tooltip are text, whatever they contain", () => {
  assert.equal(escaped(`<img src="x" onerror='a()'> & b`), "&lt;img src=&quot;x&quot; onerror=&#39;a()&#39;&gt; &amp; b");
  assert.equal(escaped(null) + escaped(3), "3");
  assert.equal(partText((value) => si(value, "J"))({ marker: "<span></span>", seriesName: "a<b>", name: "<i>&", value: 2 }),
    "<span></span>a&lt;b&gt;<br>&lt;i&gt;&amp;: <b>2 J</b>");
});

test("Numbers are alike where they are written alike", () => {
  assert.ok(alike([22.4301, 22.4309, null, "dram"]) && alike([]));
  assert.ok(!alike([22.43, 22.44]));
});

test("A metric's unit follows from its name, rates before times", () => {
  for (const [name, unit] of [["decode.tokens_per_s", "tokens/s"], ["roofline.decode.dram.bytes_per_s", "B/s"], ["roofline.decode.peak_macs_per_s", "MAC/s"],
    ["host.wall_s", "s"], ["sim.seconds", "s"], ["rsa.busy_seconds", "s"], ["energy.per_token_j", "J"], ["energy.average_power_w", "W"], ["sram.read_bytes", "B"],
    ["edram.interval_s.high_msb", "s"], ["area.sram_mm2", "mm²"], ["core.cycles", ""], ["score.tokens", ""], ["sampling.error.decode.seconds", ""], ["sampling.error.energy.per_token_j", ""], ["roofline.decode.dram.macs_per_byte", ""]])
    assert.equal(unitOf(name), unit, name);
  assert.equal(metricText("decode.tokens_per_s", 10), "10 tokens/s");
  assert.equal(metricText("sampling.error.decode.seconds", 0.0123), "1.2 %");
});

const metrics = { "prefill.seconds": 1, "decode.seconds": 4, "bounds.decode.rsa.memory_dram_seconds": 3, "bounds.decode.rsa.wait_sfu_seconds": 1,
  "bounds.decode.load": "array load: 32 of 64 GB/s", "roofline.decode.dram.binds_seconds": 3, "roofline.decode.rsa.binds_seconds": 0.5,
  "roofline.decode.dram.macs_per_byte": 2, "roofline.decode.dram.peak_bytes_per_s": 64e9, "roofline.decode.dram.bytes": 8, "roofline.decode.dram.bytes_per_s": 2,
  "energy.dram.read_j": 5, "energy.dram_j": 7, "energy.operation.rsa.gemm_j": 2, "energy.phase.decode.dram_j": 1, "energy.total_j": 9 };

test("A run's metrics are told apart by their names", () => {
  assert.deepEqual(causes(metrics), [{ phase: "decode", block: "rsa", cause: "memory_dram", seconds: 3, share: 0.75 },
    { phase: "decode", block: "rsa", cause: "wait_sfu", seconds: 1, share: 0.25 }]);
  assert.deepEqual(phaseTimes(metrics), [{ name: "prefill", seconds: 1 }, { name: "decode", seconds: 4 }]);
  assert.deepEqual(boundBy(metrics, "decode"), { name: "dram", share: 0.75, load: "array load: 32 of 64 GB/s" });
  assert.equal(boundBy(metrics, "prefill"), null);
  assert.deepEqual(energyEvents(metrics), [{ component: "dram", event: "read", joules: 5 }]);
  assert.deepEqual(energyOperations(metrics), [{ operation: "rsa.gemm", joules: 2 }]);
  assert.deepEqual(rooflineMemories(metrics, "decode"), [{ name: "dram", intensity: 2, peak: 64e9, bytes: 8, rate: 2 }]);
});

test("What an axis explains: groups", () => {
  // For the values 1, 3 and 7, 9 the mean is 5. The squares add up to 16 + 4 + 4 + 16 = 40. The
  // groups' means 2 and 8 give 4 x 9 = 36.
  assert.equal(betweenGroups(["a", "a", "b", "b"], [1, 3, 7, 9]), 0.9);
  assert.deepEqual(explained([1, 3, 7, 9].map((y, i) => ({ label: i < 2 ? "a" : "b", value: null, y }))), { share: 0.9, how: "groups" });
});

test("What an axis explains: ranks, where each point has its own value", () => {
  assert.deepEqual(ranks([10, 30, 20, 20]), [0, 3, 1.5, 1.5]);
  const points = (ys) => ys.map((y, i) => ({ label: String(i), value: i, y }));
  assert.deepEqual(explained(points([1, 10, 100, 1000])), { share: 1, how: "ranks" });
  // Ranks 0 1 2 3 and 1 0 3 2, minus their mean 1.5: the products add up to 3, the squares to 5.
  // The correlation is 3 / 5, and its square 0.36.
  assert.ok(Math.abs(explained(points([2, 1, 4, 3])).share - 0.36) < 1e-12);
});

test("Too little to say is not said", () => {
  assert.equal(explained([{ label: "a", value: null, y: 1 }, { label: "b", value: null, y: 2 }]), null);
  assert.equal(explained([1, 2, 3].map((y) => ({ label: "a", value: 1, y }))), null);
  assert.equal(explained([1, 2, 3].map((y, i) => ({ label: String(i), value: null, y }))), null);
});
