#include "ip/dma/module.hpp"

#include "ip/common/boot_info.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace levee::dma {

namespace {

AccessPattern pattern_of(std::uint64_t address, const std::int64_t (&stride)[3],
                         const levee_dma_operation& copy)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = copy.run_bytes;
    for (std::size_t i = 0; i < 3; ++i) {
        pattern.count[i] = copy.count[i];
        pattern.stride[i] = stride[i];
    }
    return pattern;
}

/// Iterations [first, last) of the outermost loop.
AccessPattern part_of(AccessPattern pattern, std::uint32_t first, std::uint32_t last)
{
    pattern.address += static_cast<std::uint64_t>(pattern.stride[0]) * first;
    pattern.count[0] = last - first;
    return pattern;
}

void check(const levee_dma_operation& copy)
{
    for (std::size_t i = 0; i < 3; ++i)
        if (copy.count[i] == 0)
            throw CommandFault{LEVEE_ERROR_FIELD,
                               operation_field(offsetof(levee_dma_operation, count) + 4 * i)};
    if (copy.run_bytes == 0)
        throw CommandFault{LEVEE_ERROR_FIELD,
                           operation_field(offsetof(levee_dma_operation, run_bytes))};
}

} // namespace

Dma::Dma(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, LEVEE_BLOCK_DMA, *this, fabric), config_(config)
{
}

void Dma::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    levee_dma_operation copy;
    std::memcpy(&copy, descriptor.operation, sizeof copy);
    if (descriptor.opcode != LEVEE_DMA_COPY && descriptor.opcode != LEVEE_DMA_FILL)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    check(copy);

    const AccessPattern to = pattern_of(copy.destination, copy.destination_stride, copy);
    const AccessPattern from = pattern_of(copy.source, copy.source_stride, copy);
    const std::uint64_t bytes = to.bytes();
    const std::uint32_t source = operation_field(offsetof(levee_dma_operation, source));
    queue.add_stream(operation, Direction::Write, to, bytes,
                     operation_field(offsetof(levee_dma_operation, destination)));
    if (descriptor.opcode == LEVEE_DMA_COPY) {
        queue.add_stream(operation, Direction::Read, from, bytes, source);
        buffer_.resize(bytes);
        queue.read(from, buffer_.data(), source);
    } else {
        buffer_.assign(bytes, copy.fill);
    }

    operation.job.activity.minimum = config_.clock.span(divide_up(bytes, config_.bytes_per_cycle));
    operation.iterations = copy.count[0];
    operation.commit = [this, to](std::uint32_t first, std::uint32_t last) {
        const std::uint64_t bytes_each = to.bytes() / to.count[0];
        queue.write(part_of(to, first, last), buffer_.data() + first * bytes_each);
    };
    bytes_ += bytes;
}

std::optional<unsigned> Dma::operand_of(std::uint32_t field) const
{
    if (field == operation_field(offsetof(levee_dma_operation, source)))
        return 0;
    return std::nullopt;
}

void Dma::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("moved_bytes", bytes_);
}

} // namespace levee::dma
