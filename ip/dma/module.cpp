// SPDX-License-Identifier: Apache-2.0
#include "ip/dma/module.hpp"

#include "core/command/view.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/dma/declaration.hpp"

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

/// Returns the part of a pattern in iterations [first, last) of its outermost loop.
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

// Limit on the number of runs (contiguous pieces) that the index tables of one descriptor may
// place. Real descriptors have far fewer; more can only come from a corrupt descriptor.
constexpr std::uint64_t most_placed_runs = std::uint64_t{1} << 20;

// A run from statistics copies only the last bytes, as many as this, of a longer table without
// gaps. They contain all words that the run needs.
constexpr std::uint64_t kept_of_tables = std::uint64_t{1} << 16;

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

/// Reads the words of an index table in the order of the runs. Leaves `words` empty if there is no
/// table.
void read_table(CommandQueue& queue, std::uint64_t table, const std::int32_t (&stride)[3],
                const Op& copy, std::uint32_t field, std::vector<std::uint32_t>& words)
{
    words.clear();
    if (table == 0)
        return;
    AccessPattern pattern;
    pattern.address = table;
    pattern.run_bytes = sizeof(std::uint32_t);
    for (std::size_t i = 0; i < 3; ++i) {
        pattern.count[i] = copy.count[i];
        pattern.stride[i] = stride[i];
    }
    words.resize(pattern.runs());
    queue.read_control(pattern, words.data(), field);
}

/// Whether a table gives a separate place for each iteration k of the innermost loop.
bool places_each_run(const Op& copy)
{
    return copy.count[2] > 1 &&
           ((copy.source_index != 0 && copy.source_index_stride[2] != 0) ||
            (copy.destination_index != 0 && copy.destination_index_stride[2] != 0));
}

} // namespace

Dma::Dma(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config)
{
}

void Dma::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    Op copy;
    std::memcpy(&copy, descriptor.operation, sizeof copy);
    if (descriptor.opcode != LEVEE_DMA_COPY && descriptor.opcode != LEVEE_DMA_FILL)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    is_fill_ = descriptor.opcode == LEVEE_DMA_FILL;
    control_ = (copy.flags & LEVEE_DMA_CONTROL) != 0;
    moves_ = control_ || !queue.timing_only();
    check(copy, is_fill_);
    open(copy, operation);
    operation.job.activity.minimum =
        config_.clock.span(divide_up(passing_, config_.bytes_per_cycle));
    operation.iterations = copy.count[0];
    operation.work.push_back({&byte_event, passing_});
    bytes_ += passing_;
}

void Dma::open(const Op& copy, Operation& operation)
{
    const bool is_watched = queue.tracks(copy.destination); // The memory records which rows are
                                                            // valid.
    if (draws(queue) && has_tables(copy) && places_each_run(copy) && !is_watched)
        open_likely(copy, operation);
    else if (has_tables(copy))
        prepare_rows(copy, operation);
    else
        prepare_loops(copy, operation);
}

/// Opens streams in a run from statistics, where index tables contain no data. Spreads the same
/// number of runs over the same range of addresses.
void Dma::open_likely(const Op& copy, Operation& operation)
{
    const AccessPattern from = pattern_of(copy.source, copy.source_stride, copy);
    loops_ = pattern_of(copy.destination, copy.destination_stride, copy);
    passing_ = loops_.bytes();
    moves_ = false;
    end_.run_bytes = 0;
    queue.add_spread(operation, Direction::Write, RowSpread::over(loops_, loops_.runs()), passing_,
                     field_destination);
    if (!is_fill_) {
        queue.add_spread(operation, Direction::Read, RowSpread::over(from, from.runs()), passing_,
                         field_source);
        queue.read(from, nullptr, field_source);
    }
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        write_loops(first, last);
    };
}

void Dma::prepare_loops(const Op& copy, Operation& operation)
{
    const AccessPattern from = pattern_of(copy.source, copy.source_stride, copy);
    loops_ = pattern_of(copy.destination, copy.destination_stride, copy);
    passing_ = loops_.bytes();
    end_.run_bytes = 0;
    queue.add_stream(operation, Direction::Write, loops_, passing_, field_destination);
    if (!is_fill_)
        queue.add_stream(operation, Direction::Read, from, passing_, field_source);
    if (draws(queue) && control_ && passing_ > kept_of_tables)
        prepare_end(copy, from);
    if (moves_ && is_fill_)
        buffer_.assign(passing_, copy.fill);
    else if (moves_)
        buffer_.resize(passing_);
    if (!is_fill_ && control_ && moves_)
        queue.read_control(from, buffer_.data(), field_source);
    else if (!is_fill_)
        queue.read(from, moves_ ? buffer_.data() : nullptr, field_source);
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        write_loops(first, last);
    };
}

/// Prepares a copy of the last bytes of a long table without gaps. If source or destination has
/// gaps, the whole table is copied, because its end is then not contiguous.
void Dma::prepare_end(const Op& copy, const AccessPattern& source)
{
    const AccessPattern to = loops_.merged();
    AccessPattern from = is_fill_ ? to : source.merged();
    if (to.runs() != 1 || from.runs() != 1)
        return;
    moves_ = false;
    const std::uint64_t before = passing_ - kept_of_tables;
    end_ = to;
    end_.address += before;
    end_.run_bytes = kept_of_tables;
    buffer_.assign(kept_of_tables, copy.fill);
    from.address += before;
    from.run_bytes = kept_of_tables;
    if (!is_fill_)
        queue.read_control(from, buffer_.data(), field_source);
}

void Dma::write_loops(std::uint32_t first, std::uint32_t last)
{
    const AccessPattern part = part_of(loops_, first, last);
    const std::uint64_t before = first * (passing_ / loops_.count[0]);
    if (!moves_)
        queue.write(part, nullptr);
    else if (control_)
        queue.write_control(part, buffer_.data() + before);
    else
        queue.write(part, buffer_.data() + before);
    if (end_.run_bytes != 0 && last == loops_.count[0])
        queue.write_control(end_, buffer_.data());
}

/// Lists the runs at the places that the index tables give, without skipped runs.
void Dma::list_runs(const Op& copy)
{
    read_table(queue, copy.source_index, copy.source_index_stride, copy, field_source_index,
               source_words_);
    read_table(queue, copy.destination_index, copy.destination_index_stride, copy,
               field_destination_index, destination_words_);
    const std::size_t runs = std::max(source_words_.size(), destination_words_.size());
    from_.row_bytes = to_.row_bytes = copy.run_bytes;
    from_.addresses.resize(runs);
    to_.addresses.resize(runs);
    first_run_.clear();
    std::size_t run = 0, listed = 0;
    const bool places_source = !source_words_.empty();
    const bool places_destination = !destination_words_.empty();
    for (std::uint32_t i = 0; i < copy.count[0]; ++i) {
        first_run_.push_back(listed);
        std::uint64_t from = offset_by(copy.source, copy.source_stride[0], i);
        std::uint64_t to = offset_by(copy.destination, copy.destination_stride[0], i);
        for (std::uint32_t j = 0; j < copy.count[1]; ++j) {
            for (std::uint32_t k = 0; k < copy.count[2]; ++k, ++run) {
                const std::uint32_t source = places_source ? source_words_[run] : k;
                const std::uint32_t destination = places_destination ? destination_words_[run] : k;
                from_.addresses[listed] = offset_by(from, copy.source_stride[2], source);
                to_.addresses[listed] = offset_by(to, copy.destination_stride[2], destination);
                listed += source != LEVEE_DMA_SKIP && destination != LEVEE_DMA_SKIP ? 1 : 0;
            }
            from = offset_by(from, copy.source_stride[1], 1);
            to = offset_by(to, copy.destination_stride[1], 1);
        }
    }
    first_run_.push_back(listed);
    from_.addresses.resize(listed);
    to_.addresses.resize(listed);
}

void Dma::prepare_rows(const Op& copy, Operation& operation)
{
    list_runs(copy);
    passing_ = to_.bytes();
    queue.add_rows(operation, Direction::Write, to_, passing_, field_destination);
    if (!is_fill_)
        queue.add_rows(operation, Direction::Read, from_, passing_, field_source);
    if (moves_ && is_fill_)
        buffer_.assign(passing_, copy.fill);
    else if (moves_)
        buffer_.resize(passing_);
    if (!is_fill_ && control_)
        queue.read_control_rows(from_, buffer_.data(), field_source);
    else if (!is_fill_)
        queue.read_rows(from_, moves_ ? buffer_.data() : nullptr, field_source);
    operation.commit = [this](std::uint32_t first, std::uint32_t last) { write_rows(first, last); };
}

void Dma::write_rows(std::uint32_t first, std::uint32_t last)
{
    const std::size_t from = first_run_[first], to = first_run_[last];
    if (control_)
        queue.write_control_rows(to_, from, to, buffer_.data());
    else
        queue.write_rows(to_, from, to, moves_ ? buffer_.data() : nullptr);
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
