// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/module.hpp"

#include "core/flow/plain_access.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::reram {

namespace {

std::uint32_t nanoseconds(Picoseconds time)
{
    return static_cast<std::uint32_t>(divide_up(time, 1000));
}

} // namespace

Reram::Reram(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), port("port"),
      config_(config), crossbars_(config.array), times_(config.array, config.timing, config.groups),
      operands_(queue)
{
    port.register_b_transport(this, &Reram::transport);
    port.register_transport_dbg(this, &Reram::transport_debug);
    describe_registers();
}

void Reram::describe_registers()
{
    RegisterFile& registers = queue.register_file();
    const Crossbar& crossbar = config_.array.crossbar;
    const auto constant = [&](const char* name, std::uint32_t offset, std::uint32_t value) {
        registers.add({name, offset, [value] { return value; }, {}});
    };
    constant("ROWS", LEVEE_RERAM_ROWS, crossbar.rows);
    constant("COLUMNS", LEVEE_RERAM_COLUMNS, crossbar.columns);
    constant("UNITS", LEVEE_RERAM_UNITS, config_.array.units);
    constant("UNITS_16", LEVEE_RERAM_UNITS_16, crossbars_.units_per_tile(16));
    constant("WRITE_NS", LEVEE_RERAM_WRITE_NS, nanoseconds(config_.timing.write));
    constant("VECTOR_NS", LEVEE_RERAM_VECTOR_NS,
             nanoseconds(config_.timing.product(15, crossbar.columns)));
    registers.add({"WORST_WRITES",
                   LEVEE_RERAM_WORST_WRITES,
                   [this] { return static_cast<std::uint32_t>(crossbars_.worst_writes()); },
                   {}});
}

void Reram::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    crossbars_.storage().load(offset, bytes, name());
}

InnerSpans Reram::inside()
{
    return {times_.view().tracks(),
            [this](InnerSpanSink sink) { times_.view().observe(std::move(sink)); }};
}

/// Serves reads by address, which are for inspection only. Programs use matrices through products.
void Reram::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (const auto* const bulk = payload.get_extension<BulkExtension>(); bulk != nullptr) {
        const bool discards = bulk->phase == BulkExtension::Phase::Discard;
        payload.set_response_status(discards ? tlm::TLM_OK_RESPONSE
                                             : tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (!payload.is_read()) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (access_storage(crossbars_.storage(), payload))
        delay += sc_core::sc_time::from_value(config_.timing.pulse);
}

unsigned Reram::transport_debug(tlm::tlm_generic_payload& payload)
{
    return payload.is_read() ? debug_access_storage(crossbars_.storage(), payload) : 0;
}

void Reram::report(Stats& stats) const
{
    queue.report(stats);
    times_.report(stats);
    stats.add("column_writes", crossbars_.column_writes());
    stats.add("worst_writes", crossbars_.worst_writes(), FigureKind::Level);
    stats.add("worn_columns", crossbars_.worn_columns(), FigureKind::Level);
}

} // namespace levee::reram
