// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/module.hpp"

#include "core/flow/plain_access.hpp"
#include "ip/cim/declaration.hpp"

#include <utility>

namespace levee::cim {

Cim::Cim(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
         std::unique_ptr<cim_macro::Engine> macro)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), port("port"),
      config_(config), macro_(std::move(macro)), cores_(queue, config_), cached_(queue, config_),
      packed_(queue, config_, cores_), books_(config_, cores_)
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
    constant("PACKS", LEVEE_CIM_PACKS, packs(queue, config_) ? 1 : 0);
    constant("SCALE_BYTES", LEVEE_CIM_SCALE_BYTES,
             static_cast<std::uint32_t>(config.units.scale_buffer_bytes));
    constant("SCALE_BYTES_HI", LEVEE_CIM_SCALE_BYTES_HI,
             static_cast<std::uint32_t>(config.units.scale_buffer_bytes >> 32));
    constant("WHOLE_PROMPTS", LEVEE_CIM_WHOLE_PROMPTS, config.reading.sample() != 0 ? 1 : 0);
}

InnerSpans Cim::inside()
{
    return {books_.view().tracks(),
            [this](InnerSpanSink sink) { books_.observe(std::move(sink)); }};
}

void Cim::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    cores_.storage().load(offset, bytes, name());
}

void Cim::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    const auto* const bulk = payload.get_extension<BulkExtension>();
    payload.set_response_status(bulk != nullptr && bulk->phase == BulkExtension::Phase::Discard
                                    ? tlm::TLM_OK_RESPONSE
                                    : tlm::TLM_COMMAND_ERROR_RESPONSE);
}

unsigned Cim::transport_debug(tlm::tlm_generic_payload& payload)
{
    return debug_access_storage(cores_.storage(), payload);
}

void Cim::report(Stats& stats) const
{
    queue.report(stats);
    books_.report(stats);
    const PackedCache::Counts& counts = packed_.counts();
    stats.add("compressed_values", counts.values);
    stats.add("survivors", counts.survivors);
    stats.add("non_zeros", counts.non_zeros);
    stats.add("clamped", counts.clamped);
    overflows_.report(stats);
    stats.add("most_levels", counts.levels, FigureKind::Level);
}

} // namespace levee::cim
