// SPDX-License-Identifier: Apache-2.0
// Titanus's cores as configured by their public simulator
// (peilin-chen/Titanus-for-LLM-acceleration, commit 8af1fbaf), and the readings that reproduce its
// figures.
#pragma once

#include "ip/cim/activity.hpp"

#include <algorithm>
#include <cmath>

namespace levee::test {

/// The parameters of one published run: cores, model and compression.
struct Titanus {
    cim::Units units;
    cim::Shape shape;
    cim::Compression compression;
    std::uint32_t layers, levels;
    double buffer_mb, scale_buffer_mb;
};

inline cim::Units titanus_units(std::uint32_t hidden, std::uint32_t heads, std::uint32_t quantisers)
{
    cim::Units units;
    units.hidden = hidden;
    units.feed_forward = 4 * hidden;
    units.macro_inputs = 256;
    units.macro_outputs = 32;
    units.macro_cycles = 9;
    units.accumulator_cycles = 2;
    units.keys = units.values = {heads, 256, 3};
    units.softmax = {heads, 16, 46};
    units.norm = {48, 16, 189};
    units.activation = {1, 256, 2};
    units.pruning = {quantisers, 32, 2};
    units.quantisation = {quantisers, 32, 3};
    units.dequantisation = {quantisers, 32, 2};
    units.rotation.count = 0;
    units.buffer_bits_per_cycle = 370.0 * 1073741824 * 8 / 200e6;
    units.off_chip_bits_per_cycle = 256.0 * 1073741824 * 8 / 200e6;
    units.scale_bits = 9;
    return units;
}

inline Titanus titanus_125m()
{
    Titanus t{titanus_units(768, 12, 1),
              {768, 3072, 3072, 12, 12, 64, false},
              {0.338, 0.510, 0.405, 2.585},
              12,
              5,
              4,
              0.064};
    t.units.global_buffer_bytes = 4 << 20;
    return t;
}

inline Titanus titanus_6_7b()
{
    Titanus t{titanus_units(4096, 32, 8),
              {4096, 16384, 16384, 32, 32, 128, false},
              {0.358, 0.451, 0.372, 3.985},
              32,
              11,
              64,
              1};
    t.units.global_buffer_bytes = 64 << 20;
    return t;
}

/// Returns the reading that reproduces the published figures.
inline cim::Reading sample_reading()
{
    cim::Reading reading;
    reading.sample_prompt = reading.sample_generated = 8;
    reading.log_block = 100;
    reading.operands_awaited = false;
    reading.off_chip_timed = false;
    reading.off_chip_factor = 1024;
    reading.labels_needed = false;
    reading.quantiser_once = false;
    reading.dequantises_codes = false;
    reading.own_beats = false;
    reading.projections_beside = false;
    reading.inputs_once = false;
    reading.buffers_read = false;
    reading.buffer_holds_its_size = false;
    return reading;
}

/// Returns the cycles of a whole run: a prompt, then one token at a time.
inline double run_cycles(const Titanus& t, const cim::Reading& reading, cim::Pipeline pipeline,
                         std::uint64_t prompt, std::uint64_t generated)
{
    const cim::Timing timing(t.units, t.shape, &t.compression, reading);
    double sum = timing.cycles_of({prompt, 0}, pipeline, t.layers);
    for (std::uint64_t i = 0; i < generated; ++i)
        sum += timing.cycles_of({1, prompt + i}, pipeline, t.layers);
    return sum;
}

inline double tokens_per_s(const Titanus& t, const cim::Reading& reading, cim::Pipeline pipeline,
                           std::uint64_t prompt, std::uint64_t generated)
{
    return static_cast<double>(prompt + generated) * 200e6 /
           run_cycles(t, reading, pipeline, prompt, generated);
}

/// Sums the busy units and the bytes moved in one layer over a whole run.
struct RunActivity {
    cim::Activity sum;
    std::uint64_t input_bytes = 0;
};

inline void add(cim::Activity& sum, const cim::Activity& one)
{
    sum.macros += one.macros;
    sum.accumulators += one.accumulators;
    sum.engines_on += one.engines_on;
    sum.engines_active += one.engines_active;
    sum.pruning += one.pruning;
    sum.quantisation_on += one.quantisation_on;
    sum.quantisation_active += one.quantisation_active;
    sum.dequantisation_on += one.dequantisation_on;
    sum.dequantisation_active += one.dequantisation_active;
    sum.softmax += one.softmax;
    sum.norm += one.norm;
    sum.activation += one.activation;
    sum.buffer_on += one.buffer_on;
    sum.scale_buffer_on += one.scale_buffer_on;
    sum.stored_bytes += one.stored_bytes;
    sum.scale_stored_bytes += one.scale_stored_bytes;
    sum.kv_bytes += one.kv_bytes;
}

inline RunActivity run_activity(const Titanus& t, const cim::Accounts& accounts,
                                std::uint64_t prompt, std::uint64_t generated)
{
    RunActivity run;
    cim::LayerWork work{{prompt, 0}, t.levels, 0, prompt + generated, true};
    add(run.sum, accounts.activity(work));
    run.input_bytes += accounts.input_bytes(work);
    for (std::uint64_t i = 0; i < generated; ++i) {
        work.work = {1, prompt + i};
        work.levels_before = t.levels;
        add(run.sum, accounts.activity(work));
        run.input_bytes += accounts.input_bytes(work);
    }
    return run;
}

/// Energy in nJ of a whole run on all cores, from the published powers.
struct Energy {
    double compute = 0; ///< energy without buffers
    double buffers = 0; ///< energy of buffers and off-chip memory, including weights
    double scales = 0;
    double without_weights = 0, with_weights = 0; ///< energy per token, without and with weights
};

inline Energy run_energy(const Titanus& t, std::uint64_t prompt, std::uint64_t generated)
{
    const cim::Accounts accounts(t.units, t.shape, &t.compression, sample_reading(), 1);
    const auto [a, input] = run_activity(t, accounts, prompt, generated);
    const double cycle = 5e-3; // Energy in nJ that 1 mW takes per cycle.
    const double store = 0.0856588 / 64, off_chip = 26.5569841 / 64, leak = 210.40467 * cycle;
    Energy e;
    e.compute = cycle * (23.65 * a.macros + (1.4399 + 0.0715092) * a.accumulators +
                         2.8640 * a.engines_active + 1.3381 * a.engines_on +
                         (0.1605425 + 0.0541255) * a.pruning + 44.6438 * a.quantisation_active +
                         7.1502 * a.quantisation_on + 1.3315 * a.dequantisation_active +
                         0.1725232 * a.dequantisation_on + (0.4459328 + 0.3583871) * a.softmax +
                         (0.0388803 + 0.0824012) * a.norm + (0.2007864 + 0.1483522) * a.activation);
    const double moved = static_cast<double>(a.kv_bytes + input);
    const auto loaded = static_cast<double>(accounts.loaded_bytes());
    e.buffers = off_chip * (moved + loaded) +
                store * std::sqrt(t.buffer_mb) * static_cast<double>(a.stored_bytes) +
                leak * t.buffer_mb * (a.buffer_on + accounts.loading_cycles());
    e.scales = store * std::sqrt(t.scale_buffer_mb) * static_cast<double>(a.scale_stored_bytes) +
               leak * t.scale_buffer_mb * a.scale_buffer_on;
    for (double* const one : {&e.compute, &e.buffers, &e.scales})
        *one *= t.layers;
    const auto tokens = static_cast<double>(prompt + generated);
    e.with_weights = (e.compute + e.buffers + e.scales) / tokens;
    e.without_weights =
        (e.compute + e.buffers * moved / (moved + loaded) + e.scales) / tokens; // shared in
                                                                                // proportion to
                                                                                // bytes
    return e;
}

} // namespace levee::test
