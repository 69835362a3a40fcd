#include "ip/dma/module.hpp"

#include "ip/common/boot_info.h"
#include "ip/common/tensor.hpp"

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

using Op = levee_dma_operation;

constexpr std::uint32_t field_source = operation_field(offsetof(Op, source));
constexpr std::uint32_t field_destination = operation_field(offsetof(Op, destination));
constexpr std::uint32_t field_source_index = operation_field(offsetof(Op, source_index));
constexpr std::uint32_t field_destination_index = operation_field(offsetof(Op, destination_index));

// Runs that tables place in one descriptor: beyond any use, and what a garbled one may claim of the
// host.
constexpr std::uint64_t most_placed_runs = std::uint64_t{1} << 20;

void check_table(std::uint64_t table, const std::int32_t (&stride)[3], std::size_t table_member,
                 std::size_t stride_member)
{
    constexpr std::int32_t word = sizeof(std::uint32_t);
    need_field(table % word == 0, LEVEE_ERROR_ADDRESS, table_member);
    for (std::size_t i = 0; table != 0 && i < 3; ++i)
        need_field(stride[i] % word == 0, LEVEE_ERROR_ADDRESS, stride_member + word * i);
}

bool has_tables(const Op& copy)
{
    return copy.source_index != 0 || copy.destination_index != 0;
}

void check(const Op& copy, bool is_fill)
{
    std::uint64_t runs = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t member = offsetof(Op, count) + sizeof copy.count[0] * i;
        need_field(copy.count[i] != 0, LEVEE_ERROR_FIELD, member);
        if (!has_tables(copy))
            continue;
        need_field(copy.count[i] <= most_placed_runs / runs, LEVEE_ERROR_FIELD, member);
        runs *= copy.count[i];
    }
    need_field(copy.run_bytes != 0, LEVEE_ERROR_FIELD, offsetof(Op, run_bytes));
    need_field((copy.flags & ~LEVEE_DMA_CONTROL) == 0, LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!is_fill || copy.source_index == 0, LEVEE_ERROR_FIELD, offsetof(Op, source_index));
    need_field(!has_tables(copy) || copy.run_bytes <= UINT32_MAX / runs, LEVEE_ERROR_FIELD,
               offsetof(Op, run_bytes));
    check_table(copy.source_index, copy.source_index_stride, offsetof(Op, source_index),
                offsetof(Op, source_index_stride));
    check_table(copy.destination_index, copy.destination_index_stride,
                offsetof(Op, destination_index), offsetof(Op, destination_index_stride));
}

/// The word of each run, in order; k's if there is no table.
std::vector<std::uint32_t> read_table(CommandQueue& queue, std::uint64_t table,
                                      const std::int32_t (&stride)[3], const Op& copy,
                                      std::uint32_t field)
{
    AccessPattern pattern;
    pattern.address = table;
    pattern.run_bytes = sizeof(std::uint32_t);
    for (std::size_t i = 0; i < 3; ++i) {
        pattern.count[i] = copy.count[i];
        pattern.stride[i] = stride[i];
    }
    std::vector<std::uint32_t> words(pattern.runs());
    if (table != 0)
        queue.read(pattern, words.data(), field);
    else
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = static_cast<std::uint32_t>(i % copy.count[2]);
    return words;
}

std::uint64_t run_at(std::uint64_t base, const std::int64_t (&stride)[3], std::uint32_t i,
                     std::uint32_t j, std::uint32_t k)
{
    return offset_by(offset_by(offset_by(base, stride[0], i), stride[1], j), stride[2], k);
}

} // namespace

Dma::Dma(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, LEVEE_BLOCK_DMA, *this, fabric), config_(config)
{
}

void Dma::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    Op copy;
    std::memcpy(&copy, descriptor.operation, sizeof copy);
    if (descriptor.opcode != LEVEE_DMA_COPY && descriptor.opcode != LEVEE_DMA_FILL)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const bool is_fill = descriptor.opcode == LEVEE_DMA_FILL;
    check(copy, is_fill);
    if (has_tables(copy))
        prepare_rows(is_fill, copy, operation);
    else
        prepare_loops(is_fill, copy, operation);
    operation.job.activity.minimum =
        config_.clock.span(divide_up(buffer_.size(), config_.bytes_per_cycle));
    operation.iterations = copy.count[0];
    bytes_ += buffer_.size();
}

void Dma::prepare_loops(bool is_fill, const Op& copy, Operation& operation)
{
    const AccessPattern to = pattern_of(copy.destination, copy.destination_stride, copy);
    const AccessPattern from = pattern_of(copy.source, copy.source_stride, copy);
    const std::uint64_t bytes = to.bytes();
    queue.add_stream(operation, Direction::Write, to, bytes, field_destination);
    if (is_fill) {
        buffer_.assign(bytes, copy.fill);
    } else {
        queue.add_stream(operation, Direction::Read, from, bytes, field_source);
        buffer_.resize(bytes);
        queue.read(from, buffer_.data(), field_source);
    }
    operation.commit = [this, to](std::uint32_t first, std::uint32_t last) {
        const std::uint64_t bytes_each = to.bytes() / to.count[0];
        queue.write(part_of(to, first, last), buffer_.data() + first * bytes_each);
    };
}

void Dma::list_runs(const Op& copy)
{
    const auto sources =
        read_table(queue, copy.source_index, copy.source_index_stride, copy, field_source_index);
    const auto destinations =
        read_table(queue, copy.destination_index, copy.destination_index_stride, copy,
                   field_destination_index);
    from_ = to_ = {{}, copy.run_bytes};
    first_run_.clear();
    std::size_t run = 0;
    for (std::uint32_t i = 0; i < copy.count[0]; ++i) {
        first_run_.push_back(to_.addresses.size());
        for (std::uint32_t j = 0; j < copy.count[1]; ++j)
            for (std::uint32_t k = 0; k < copy.count[2]; ++k, ++run) {
                if (sources[run] == LEVEE_DMA_SKIP || destinations[run] == LEVEE_DMA_SKIP)
                    continue;
                from_.addresses.push_back(
                    run_at(copy.source, copy.source_stride, i, j, sources[run]));
                to_.addresses.push_back(
                    run_at(copy.destination, copy.destination_stride, i, j, destinations[run]));
            }
    }
    first_run_.push_back(to_.addresses.size());
}

void Dma::prepare_rows(bool is_fill, const Op& copy, Operation& operation)
{
    list_runs(copy);
    queue.add_rows(operation, Direction::Write, to_, to_.bytes(), field_destination);
    if (is_fill) {
        buffer_.assign(to_.bytes(), copy.fill);
    } else {
        buffer_.resize(from_.bytes());
        queue.add_rows(operation, Direction::Read, from_, from_.bytes(), field_source);
        for (std::size_t run = 0; run < from_.addresses.size(); ++run)
            queue.read(from_.row(run), buffer_.data() + run * from_.row_bytes, field_source);
    }
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        for (std::size_t run = first_run_[first]; run < first_run_[last]; ++run)
            queue.write(to_.row(run), buffer_.data() + run * to_.row_bytes);
    };
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
