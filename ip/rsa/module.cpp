// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/module.hpp"

#include "ip/rsa/declaration.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace levee::rsa {

Rsa::Rsa(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
         std::unique_ptr<Engine> engine)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      engine_(std::move(engine)), array_(this->name()),
      run_(queue, config.array, config.single_pass)
{
    run_.use(engine_.get());
    RegisterFile& registers = queue.register_file();
    registers.add({"ROWS", LEVEE_RSA_ROWS, [this] { return config_.array.rows; }, {}});
    registers.add({"COLUMNS", LEVEE_RSA_COLUMNS, [this] { return config_.array.columns; }, {}});
    registers.add(
        {"PASSES", LEVEE_RSA_PASSES, [this] { return config_.single_pass ? 1u : 2u; }, {}});
    registers.add({"LOAD_BYTES",
                   LEVEE_RSA_LOAD_BYTES,
                   [this] { return config_.array.load_bytes_per_cycle; },
                   {}});
    registers.add({"CLOCK_KHZ",
                   LEVEE_RSA_CLOCK_KHZ,
                   [this] { return static_cast<std::uint32_t>(config_.clock.hz / 1000); },
                   {}});
    registers.add(
        {"SHARED_ROWS",
         LEVEE_RSA_SHARED_ROWS,
         [this] { return config_.array.share_reads ? config_.array.accumulator_rows : 0; },
         {}});
    registers.add({"STREAM_ROWS",
                   LEVEE_RSA_STREAM_ROWS,
                   [this] {
                       return config_.array.dataflow == Dataflow::WeightStationary
                                  ? config_.array.accumulator_rows
                                  : config_.array.rows;
                   },
                   {}});
    for (unsigned ring = 0; ring < 2; ++ring)
        run_.ring(ring).describe(registers, ring);
}

void Rsa::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode != LEVEE_RSA_GEMM)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const GemmCost cost = run_.prepare(descriptor, operation);
    operation.job.activity.minimum = config_.clock.span(cost.cycles);
    operation.job.activity.loads = 2 * cost.load_cycles > cost.cycles;
    operation.work.push_back({&mac_event, cost.byte_macs});
    if (cost.scalings > 0)
        operation.work.push_back({&scale_event, cost.scalings});
    macs_ += cost.macs;
    passes_ += cost.passes;
    folds_ += cost.folds;
    cycles_ += cost.cycles;
    load_cycles_ += cost.load_cycles;
}

void Rsa::share_array(Rsa& other)
{
    queue.share_units(other.array_);
    other.queue.share_units(other.array_);
    run_.use(other.engine_.get());
}

void Rsa::Array::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                       std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(), 1.0);
}

std::optional<unsigned> Rsa::operand_of(std::uint32_t field) const
{
    switch (field) {
    case operation_field(offsetof(levee_rsa_operation, a)):
    case operation_field(offsetof(levee_rsa_operation, a_scale)):
        return 0;
    case operation_field(offsetof(levee_rsa_operation, b)):
    case operation_field(offsetof(levee_rsa_operation, b_scale)):
    case operation_field(offsetof(levee_rsa_operation, redirect)):
        return 1;
    default:
        return std::nullopt;
    }
}

void Rsa::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("macs", macs_);
    stats.add("folds", folds_);
    stats.add("passes", passes_);
    stats.add("cycles", cycles_);
    stats.add("load_cycles", load_cycles_);
    run_.overflows().report(stats);
}

} // namespace levee::rsa
