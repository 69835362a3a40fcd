// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/module.hpp"

#include "ip/sfu/declaration.hpp"
#include "ip/sfu/timing.hpp"
#include "ip/sfu/work.hpp"

#include <cstddef>

namespace levee::sfu {

Sfu::Sfu(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      run_(queue), routes_(queue)
{
    RegisterFile& registers = queue.register_file();
    registers.add({"LANES", LEVEE_SFU_LANES, [this] { return config_.lanes; }, {}});
    registers.add({"CLOCK_KHZ",
                   LEVEE_SFU_CLOCK_KHZ,
                   [this] { return static_cast<std::uint32_t>(config_.clock.hz / 1000); },
                   {}});
}

namespace {

/// Returns the cycles of an operation. With a tap, the last pass takes as long as moving the tap's
/// vectors, which may be longer than the operation's vectors.
std::uint64_t cycles_of(const VectorOperation& op, std::uint32_t passes, std::uint32_t lanes)
{
    const std::uint64_t pass = divide_up(op.n, lanes);
    return op.vectors() * ((passes - 1) * pass + divide_up(op.tap_elements(), lanes));
}

std::uint32_t repeated_passes(const VectorOperation& op)
{
    switch (op.opcode) {
    case LEVEE_SFU_COMBINE:
        return op.summands();
    case LEVEE_SFU_ROUTE:
        return op.seed + (op.weighs_first() ? 1 : 0);
    default:
        return op.hadamard_log2();
    }
}

} // namespace

void Sfu::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const VectorOperation op(descriptor);
    const auto passes =
        passes_of(op.opcode, op.has_codes(), op.is_normalised(), repeated_passes(op));
    if (!passes)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    if (op.opcode == LEVEE_SFU_ROUTE)
        routes_.prepare(op, operation);
    else
        run_.prepare(op, operation);
    const std::uint64_t cycles = cycles_of(op, *passes, config_.lanes) + config_.pipeline_cycles;
    operation.job.activity.minimum = config_.clock.span(cycles);
    count_work(op, operation.work);
    elements_ += op.vectors() * op.n;
    cycles_ += cycles;
}

std::optional<unsigned> Sfu::operand_of(std::uint32_t field) const
{
    switch (field) {
    case operation_field(offsetof(levee_sfu_operation, x)):
        return 0;
    case operation_field(offsetof(levee_sfu_operation, y)):
        return 1;
    default:
        return std::nullopt;
    }
}

void Sfu::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("elements", elements_);
    stats.add("cycles", cycles_);
    run_.overflows().report(stats);
}

} // namespace levee::sfu
