// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/bookkeeping.hpp"

#include "ip/cim/declaration.hpp"

#include <algorithm>
#include <cmath>

namespace levee::cim {

Picoseconds Bookkeeping::time_of(double cycles) const
{
    return config_.clock.nearest(cycles);
}

void Bookkeeping::add_work(const Activity& activity, std::uint64_t off_chip,
                           Operation& operation) const
{
    const auto add = [&](const EnergyEvent& event, std::uint64_t count) {
        if (count != 0)
            operation.work.push_back({&event, count});
    };
    const std::pair<const EnergyEvent*, double> times[] = {
        {&macro_event, activity.macros},
        {&accumulator_event, activity.accumulators},
        {&engine_on_event, activity.engines_on},
        {&engine_active_event, activity.engines_active},
        {&pruning_event, activity.pruning},
        {&quantisation_on_event, activity.quantisation_on},
        {&quantisation_active_event, activity.quantisation_active},
        {&dequantisation_on_event, activity.dequantisation_on},
        {&dequantisation_active_event, activity.dequantisation_active},
        {&softmax_event, activity.softmax},
        {&norm_event, activity.norm},
        {&activation_event, activity.activation},
        {&rotation_event, activity.rotation},
        {&buffer_on_event, activity.buffer_on},
        {&scale_buffer_on_event, activity.scale_buffer_on}};
    for (const auto& [event, cycles] : times)
        add(*event, time_of(cycles));
    add(buffer_event, activity.stored_bytes);
    add(scale_buffer_event, activity.scale_stored_bytes);
    add(off_chip_event, off_chip);
    add(mac_event, activity.macs);
}

/// Accounts for loading a layer's weights into its macros, which happens once in a run.
void Bookkeeping::add_loading(const Accounts& accounts, std::uint32_t layer, Operation& operation)
{
    Core& core = cores_[layer];
    if (core.loaded)
        return;
    core.loaded = true;
    const std::uint64_t bytes = accounts.loaded_bytes();
    operation.work.push_back({&loaded_event, bytes});
    operation.work.push_back({&loading_event, time_of(accounts.loading_cycles())});
    loaded_bytes_ += bytes;
}

/// Accounts for a layer's work on one entry. `stored` has the results for its compressed rows; null
/// if there are none.
void Bookkeeping::account_one(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                              const Stored* stored, Operation& operation)
{
    const Work work = pass.work(entry);
    const std::uint64_t final = pass.op.final_tokens, now = work.before + work.tokens;
    LayerWork one{work, 1, 0, final, layer == 0};
    std::uint32_t& written = cores_[layer].levels[pass.op.first_entry + entry];
    if (config_.statistics)
        one.levels = config_.statistics->levels_of(
            config_.reading.sample() != 0 && final > now ? final : now);
    if (stored != nullptr)
        one.levels = std::max({1u, cores_.pair_of(pass, layer, entry)[0].levels(),
                               cores_.pair_of(pass, layer, entry)[1].levels()});
    one.levels_before = work.before == 0 ? 0 : written;
    written = one.levels;
    const Compression* const shares = stored != nullptr ? &stored->measured : config_.compression();
    const Accounts accounts(config_.units, pass.shape, shares, config_.reading,
                            config_.input_bytes);
    Activity activity = accounts.activity(one);
    if (stored != nullptr)
        activity.kv_bytes = stored->moved;
    const std::uint64_t input = accounts.input_bytes(one);
    add_work(activity, config_.reading.off_chip_timed ? 0 : activity.kv_bytes + input, operation);
    kv_bytes_ += activity.kv_bytes;
    input_bytes_ += input;
    macs_ += activity.macs;
    add_loading(accounts, layer, operation);
}

void Bookkeeping::account(const Pass& pass, std::span<const Stored> stored, Operation& operation)
{
    const bool packed = pass.op.packed != 0;
    double cycles = 0;
    std::size_t index = 0; // Index into `stored`, which is ordered by layer, then by entry.
    for (std::uint32_t layer = pass.op.layer; layer < pass.op.layer + pass.op.layers; ++layer)
        for (std::uint32_t entry = 0; entry < pass.op.entries; ++entry) {
            const Stored* const one = packed ? &stored[index++] : nullptr;
            const Timing timing(config_.units, pass.shape,
                                one ? &one->measured : config_.compression(), config_.reading);
            // With compressed rows, each layer has its own time. Otherwise all layers are equal and
            // accounted for together.
            if (packed || layer == pass.op.layer) {
                const std::uint32_t layers = packed ? 1 : pass.op.layers;
                if (inside_)
                    view_.add(timing.steps_of(pass.work(entry), config_.pipeline, layers), layer,
                              cycles);
                cycles += timing.cycles_of(pass.work(entry), config_.pipeline, layers);
            }
            account_one(pass, layer, entry, one, operation);
        }
    const std::uint64_t tokens = std::uint64_t{pass.op.entries} * pass.op.rows;
    layer_tokens_ += tokens * pass.op.layers;
    tokens_ += pass.op.layer == 0 ? tokens : 0;
    if (inside_)
        view_.tell(now_ps(), config_.clock, inside_);
    // Without overlap, off-chip transfers start only after these cycles, which therefore count as
    // latency (Operation::lead).
    const bool alone = config_.pipeline == Pipeline::None && config_.reading.off_chip_timed;
    (alone ? operation.lead : operation.job.activity.minimum) += time_of(cycles);
}

/// Accounts for compressing a prompt. Pruning and quantisation units process the rows in parallel;
/// then the rows pass through the buffers. Scales of level 0, and of levels that the prompt opens,
/// are written to the scale buffer.
void Bookkeeping::account_prompt(const Pass& pass, const Stored& stored, Operation& operation)
{
    const Work work{pass.lengths[stored.entry], 0};
    const Timing timing(config_.units, pass.shape, &stored.measured, config_.reading);
    const CompressedPair& pair = cores_.pair_of(pass, stored.layer, stored.entry);
    LayerWork one{work, std::max({1u, pair[0].levels(), pair[1].levels()}), 0, 0, false};
    cores_[stored.layer].levels[pass.op.first_entry + stored.entry] = one.levels;
    Activity activity =
        Accounts(config_.units, pass.shape, &stored.measured, config_.reading, config_.input_bytes)
            .packing(one);
    activity.kv_bytes = stored.moved;
    add_work(activity, config_.reading.off_chip_timed ? 0 : stored.moved, operation);
    kv_bytes_ += stored.moved;
    const ByKind<std::uint64_t> n = timing.operations(work), each = timing.cycles();
    const auto cycles = [&](Kind kind) { return n[at(kind)] * (each[at(kind)] + 1); };
    operation.job.activity.minimum +=
        time_of(static_cast<double>(std::max(cycles(Kind::Prune), cycles(Kind::Quantise))));
}

void Bookkeeping::account_linear(const Pass& pass, const Matrix& matrix, Operation& operation)
{
    const Units& units = config_.units;
    const auto macros = static_cast<double>(units.macros(matrix.columns, matrix.rows));
    Activity activity;
    activity.macros = macros * pass.op.rows * units.macro_cycles;
    activity.accumulators =
        static_cast<double>(matrix.rows) * pass.op.rows * units.accumulator_cycles;
    activity.macs = std::uint64_t{pass.op.rows} * matrix.rows * matrix.columns;
    macs_ += activity.macs;
    add_work(activity, 0, operation);
    operation.job.activity.minimum +=
        time_of(static_cast<double>(pass.op.rows) * (units.macro_cycles + 1));
}

void Bookkeeping::report(Stats& stats) const
{
    stats.add("tokens", tokens_);
    stats.add("layer_tokens", layer_tokens_);
    stats.add("macs", macs_);
    stats.add("kv_bytes", kv_bytes_);
    stats.add("input_bytes", input_bytes_);
    stats.add("loaded_bytes", loaded_bytes_);
}

} // namespace levee::cim
