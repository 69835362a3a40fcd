// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/module.hpp"

#include "core/flow/plain_access.hpp"
#include "ip/cim/declaration.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace levee::cim {

namespace {

constexpr std::uint64_t page_bytes = 4096;

} // namespace

std::uint32_t Statistics::levels_of(std::uint64_t tokens) const
{
    for (const auto& [most, count] : levels)
        if (tokens <= most)
            return count;
    return levels.empty() ? 1 : levels.back().second;
}

std::uint64_t Config::bytes() const
{
    return divide_up(cores * units.weights(), page_bytes) * page_bytes;
}

std::uint64_t Config::offset_of(std::uint32_t layer, levee_cim_matrix which) const
{
    const std::uint64_t square = std::uint64_t{units.hidden} * units.hidden;
    const std::uint64_t wide = std::uint64_t{units.hidden} * units.feed_forward;
    const std::uint64_t begins[LEVEE_CIM_MATRICES] = {0, 3 * square, 4 * square, 4 * square + wide};
    return layer * units.weights() + begins[which];
}

Cim::Cim(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
         std::unique_ptr<cim_macro::Engine> macro)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), port("port"),
      config_(config), storage_(config.bytes()), macro_(std::move(macro)), cores_(config.cores),
      view_(config.cores)
{
    port.register_b_transport(this, &Cim::transport);
    port.register_transport_dbg(this, &Cim::transport_debug);
    RegisterFile& registers = queue.register_file();
    const auto constant = [&](const char* its_name, std::uint32_t offset, std::uint32_t value) {
        registers.add({its_name, offset, [value] { return value; }, {}});
    };
    constant("CORES", LEVEE_CIM_CORES, config.cores);
    constant("INPUT_BYTES", LEVEE_CIM_INPUT_BYTES, config.input_bytes);
    constant("CHAINED", LEVEE_CIM_CHAINED, config.pipeline == Pipeline::InterCore ? 1 : 0);
    constant("ROTATES", LEVEE_CIM_ROTATES, config.units.rotation.count != 0 ? 1 : 0);
    constant("PACKS", LEVEE_CIM_PACKS, packs() ? 1 : 0);
    constant("SCALE_BYTES", LEVEE_CIM_SCALE_BYTES,
             static_cast<std::uint32_t>(config.units.scale_buffer_bytes));
    constant("SCALE_BYTES_HI", LEVEE_CIM_SCALE_BYTES_HI,
             static_cast<std::uint32_t>(config.units.scale_buffer_bytes >> 32));
    constant("WHOLE_PROMPTS", LEVEE_CIM_WHOLE_PROMPTS, config.reading.sample() != 0 ? 1 : 0);
}

/// Whether this run knows what compression makes: it computes that, or a recording has it.
bool Cim::packs() const
{
    const bool told = queue.decisions().source != nullptr || config_.expected;
    return !config_.statistics && (!queue.timing_only() || told);
}

InnerSpans Cim::inside()
{
    return {view_.tracks(), [this](InnerSpanSink sink) { inside_ = std::move(sink); }};
}

void Cim::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    storage_.load(offset, bytes, name());
}

/// Weights stay in their macros.
void Cim::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    const auto* const bulk = payload.get_extension<BulkExtension>();
    payload.set_response_status(bulk != nullptr && bulk->phase == BulkExtension::Phase::Discard
                                    ? tlm::TLM_OK_RESPONSE
                                    : tlm::TLM_COMMAND_ERROR_RESPONSE);
}

unsigned Cim::transport_debug(tlm::tlm_generic_payload& payload)
{
    return debug_access_storage(storage_, payload);
}

Picoseconds Cim::time_of(double cycles) const
{
    return static_cast<Picoseconds>(
        std::llround(cycles * 1e12 / static_cast<double>(config_.clock.hz)));
}

void Cim::add_work(const Activity& activity, std::uint64_t off_chip, Operation& operation) const
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

/// What it took to get a layer's weights into its macros, once in a run.
void Cim::add_loading(const Accounts& accounts, std::uint32_t layer, Operation& operation)
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

/// A layer's work for an entry. `stored`: what it has made of compressed rows; null: nothing.
void Cim::account_one(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
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
        one.levels = std::max(
            {1u, pair_of(pass, layer, entry)[0].levels(), pair_of(pass, layer, entry)[1].levels()});
    one.levels_before = work.before == 0 ? 0 : written;
    written = one.levels;
    const Compression* const shares = stored != nullptr ? &stored->measured : compression();
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

void Cim::account(const Pass& pass, const std::vector<Stored>& stored, Operation& operation)
{
    const bool packed = pass.op.packed != 0;
    double cycles = 0;
    std::size_t index = 0; // stored: layer by layer, entry by entry
    for (std::uint32_t layer = pass.op.layer; layer < pass.op.layer + pass.op.layers; ++layer)
        for (std::uint32_t entry = 0; entry < pass.op.entries; ++entry) {
            const Stored* const one = packed ? &stored[index++] : nullptr;
            const Timing timing(config_.units, pass.shape, one ? &one->measured : compression(),
                                config_.reading);
            // Of unlike layers each takes its own time; of like ones all are taken at once.
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
    // Where nothing overlaps, what is read and written takes its time after the rest.
    const bool alone = config_.pipeline == Pipeline::None && config_.reading.off_chip_timed;
    (alone ? operation.lead : operation.job.activity.minimum) += time_of(cycles);
}

void Cim::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("tokens", tokens_);
    stats.add("layer_tokens", layer_tokens_);
    stats.add("macs", macs_);
    stats.add("kv_bytes", kv_bytes_);
    stats.add("input_bytes", input_bytes_);
    stats.add("loaded_bytes", loaded_bytes_);
    stats.add("compressed_values", compressed_.values);
    stats.add("survivors", compressed_.survivors);
    stats.add("non_zeros", compressed_.non_zeros);
    stats.add("clamped", compressed_.clamped);
    overflows_.report(stats);
    stats.add("most_levels", compressed_.levels, FigureKind::Level);
}

} // namespace levee::cim
