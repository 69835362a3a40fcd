#include "ip/rsa/module.hpp"

#include "ip/common/boot_info.h"

#include <cstddef>

namespace levee::rsa {

Rsa::Rsa(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, LEVEE_BLOCK_RSA, *this, fabric),
      config_(config), run_(queue, config.array, config.single_pass)
{
    RegisterFile& registers = queue.register_file();
    registers.add({"ROWS", LEVEE_RSA_ROWS, [this] { return config_.array.rows; }, {}});
    registers.add({"COLUMNS", LEVEE_RSA_COLUMNS, [this] { return config_.array.columns; }, {}});
}

void Rsa::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode != LEVEE_RSA_GEMM)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const GemmRun::Cost cost = run_.prepare(descriptor, operation);
    operation.job.activity.minimum = config_.clock.span(cost.cycles);
    macs_ += cost.macs;
    passes_ += cost.passes;
    folds_ += cost.folds;
    cycles_ += cost.cycles;
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
}

} // namespace levee::rsa
