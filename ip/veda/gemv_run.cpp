// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/gemv_run.hpp"

#include "ip/common/clock.hpp"
#include "ip/common/loop_nest.hpp"
#include "ip/common/numerics.hpp"
#include "ip/common/tensor.hpp"
#include "ip/veda/gemv_checks.hpp"
#include "ip/veda/timing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace levee::veda {

namespace {

constexpr std::uint32_t field_a = operation_field(offsetof(levee_veda_operation, a));
constexpr std::uint32_t field_b = operation_field(offsetof(levee_veda_operation, b));
constexpr std::uint32_t field_out = operation_field(offsetof(levee_veda_operation, out));
constexpr std::uint32_t field_lengths = operation_field(offsetof(levee_veda_operation, lengths));

std::uint64_t base_of(std::uint64_t address, const std::int32_t* stride, std::uint32_t o0,
                      std::uint32_t o1)
{
    return offset_by(offset_by(address, stride[0], o0), stride[1], o1);
}

std::uint64_t halves(std::uint64_t elements)
{
    return bytes_of(elements, LEVEE_TYPE_FP16);
}

} // namespace

GemvRun::Cost GemvRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    std::memcpy(&gemv_, descriptor.operation, sizeof gemv_);
    check(gemv_);
    to_stream_ = StreamPorts::is_stream(gemv_.out);
    list_blocks();
    open(operation);
    Cost cost;
    for (const Block& block : blocks_)
        cost.macs += std::uint64_t{gemv_.m} * block.k * block.n;
    operation.iterations = static_cast<std::uint32_t>(blocks_.size());
    if (queue_.phantom()) {
        cost.cycles = cycles();
        touch_operands();
        operation.stream_elements = blocks_.size() * gemv_.m * gemv_.n;
    } else {
        out_.assign(blocks_.back().out + std::size_t{gemv_.m} * row_elements(blocks_.back()), 0);
        core_.begin(configuration());
        multiply();
        cost.cycles = core_.finish();
    }
    if (!to_stream_)
        operation.commit = [this](std::uint32_t first, std::uint32_t last) {
            queue_.phantom() ? touch_results(first, last) : write_blocks(first, last);
        };
    else if (!queue_.phantom())
        fill_stream(operation);
    return cost;
}

void GemvRun::list_blocks()
{
    blocks_.clear();
    const bool is_ragged = gemv_.ragged != LEVEE_VEDA_RAGGED_NONE;
    const std::vector<std::uint32_t> lengths =
        is_ragged ? read_lengths() : std::vector<std::uint32_t>{};
    std::size_t out = 0;
    for (std::uint32_t o0 = 0; o0 < gemv_.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < gemv_.outer[1]; ++o1) {
            Block block{o0, o1, gemv_.k, gemv_.n, out, {}, {}};
            if (is_ragged) {
                std::uint32_t& length = gemv_.ragged == LEVEE_VEDA_RAGGED_K ? block.k : block.n;
                const std::uint64_t actual =
                    gemv_.length_add + std::uint64_t{lengths[blocks_.size()]};
                if (actual == 0 || actual > length)
                    throw CommandFault{LEVEE_ERROR_FIELD, field_lengths};
                length = static_cast<std::uint32_t>(actual);
            }
            out += std::size_t{gemv_.m} * row_elements(block);
            blocks_.push_back(std::move(block));
        }
}

/// Words of a table, one for each block.
std::vector<std::uint32_t> GemvRun::read_lengths()
{
    AccessPattern pattern;
    pattern.address = gemv_.lengths;
    pattern.run_bytes = sizeof(std::uint32_t);
    pattern.count = {1, gemv_.outer[0], gemv_.outer[1]};
    pattern.stride = {0, gemv_.lengths_stride[0], gemv_.lengths_stride[1]};
    std::vector<std::uint32_t> words(pattern.runs());
    queue_.read_control(pattern, words.data(), field_lengths);
    return words;
}

/// Traffic of B: once for each of m vectors. With a buffer, once in all: pieces of B's columns stay
/// in it while all m vectors pass, and the vectors pass once for each piece.
GemvRun::Traffic GemvRun::count_traffic() const
{
    Traffic traffic;
    for (const Block& block : blocks_) {
        const std::uint64_t b = halves(std::uint64_t{block.k} * block.n);
        const bool is_kept = buffer_bytes_ > 0 && gemv_.m > 1;
        traffic.b += is_kept ? b : b * gemv_.m;
        traffic.a +=
            halves(std::uint64_t{block.k} * gemv_.m) * (is_kept ? divide_up(b, buffer_bytes_) : 1);
        traffic.out += bytes_of(std::uint64_t{block.n} * gemv_.m, gemv_.out_type);
    }
    return traffic;
}

/// Opens each operand's stream for the whole loop nest, with the longest of ragged lengths: the
/// extent is what must lie in memory; the bytes are counted exactly, separately.
void GemvRun::open(Operation& operation)
{
    const Traffic traffic = count_traffic();
    Block longest;
    for (const Block& block : blocks_) {
        longest.k = std::max(longest.k, block.k);
        longest.n = std::max(longest.n, block.n);
    }
    const auto stream = [&](std::uint64_t address, const std::int32_t* stride, std::uint64_t rows,
                            std::uint64_t run, std::uint64_t bytes, std::uint32_t field) {
        const auto patterns = patterns_of(
            address, run,
            {{gemv_.outer[0], stride[0]}, {gemv_.outer[1], stride[1]}, {rows, stride[2]}});
        for (const AccessPattern& pattern : patterns)
            queue_.add_stream(operation, Direction::Read, pattern, bytes / patterns.size(), field);
    };
    const AccessPattern b = matrix(longest);
    stream(gemv_.a, gemv_.a_stride, gemv_.m, halves(longest.k), traffic.a, field_a);
    stream(gemv_.b, gemv_.b_stride, b.count[2], b.run_bytes, traffic.b, field_b);
    open_output(operation, longest, traffic.out);
}

void GemvRun::open_output(Operation& operation, const Block& longest, std::uint64_t bytes)
{
    if (to_stream_) {
        operation.produces = queue_.streams().find(gemv_.out);
        if (operation.produces == nullptr)
            throw CommandFault{LEVEE_ERROR_STREAM, field_out};
        operation.produces_field = field_out;
        return;
    }
    const auto patterns = patterns_of(gemv_.out, bytes_of(longest.n, gemv_.out_type),
                                      {{gemv_.outer[0], gemv_.out_stride[0]},
                                       {gemv_.outer[1], gemv_.out_stride[1]},
                                       {gemv_.m, gemv_.out_stride[2]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, Direction::Write, pattern, bytes / patterns.size(), field_out);
}

/// Blocks side by side always have the same o0.
void GemvRun::multiply()
{
    const std::size_t arrays = is_split() ? shape_.arrays : 1;
    for (std::size_t o0 = 0; o0 < gemv_.outer[0]; ++o0)
        for (std::size_t o1 = 0; o1 < gemv_.outer[1]; o1 += arrays)
            multiply_group(&blocks_[o0 * gemv_.outer[1] + o1],
                           std::min<std::size_t>(arrays, gemv_.outer[1] - o1));
}

void GemvRun::multiply_group(Block* first, std::size_t count)
{
    std::vector<Product> products(count);
    for (std::size_t i = 0; i < count; ++i) {
        Block& block = first[i];
        const AccessPattern a = vectors(block);
        const AccessPattern b = matrix(block);
        block.a.resize(a.bytes() / sizeof(std::uint16_t));
        block.b.resize(b.bytes() / sizeof(std::uint16_t));
        queue_.read(a, block.a.data(), field_a);
        queue_.read(b, block.b.data(), field_b);
        products[i] = {block.k,
                       block.n,
                       block.a.data(),
                       block.b.data(),
                       is_transposed() ? block.k : block.n,
                       is_transposed(),
                       &out_[block.out]};
    }
    for (std::uint32_t m = 0; m < gemv_.m; ++m) {
        core_.run(products);
        for (std::size_t i = 0; i < count; ++i) {
            products[i].a += first[i].k;
            products[i].out += row_elements(first[i]);
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        first[i].a = first[i].b = {};
}

void GemvRun::write_blocks(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t i = first; i < last; ++i) {
        const Block& block = blocks_[i];
        const std::uint32_t* const from = &out_[block.out];
        if (gemv_.out_type == LEVEE_TYPE_FP32) {
            queue_.write(results(block), from);
            continue;
        }
        narrow_.assign(from, from + std::size_t{gemv_.m} * block.n);
        queue_.write(results(block), narrow_.data());
    }
}

/// Cycles of the arrays by the timing rule.
std::uint64_t GemvRun::cycles() const
{
    const std::size_t arrays = is_split() ? shape_.arrays : 1;
    std::uint64_t beats = 0;
    for (std::size_t o0 = 0; o0 < gemv_.outer[0]; ++o0)
        for (std::size_t o1 = 0; o1 < gemv_.outer[1]; o1 += arrays) {
            std::uint64_t longest = 0;
            for (std::size_t i = o1; i < std::min<std::size_t>(o1 + arrays, gemv_.outer[1]); ++i) {
                const Block& block = blocks_[o0 * gemv_.outer[1] + i];
                longest = std::max(longest, beats_of(shape_, configuration(), block.k, block.n));
            }
            beats += gemv_.m * longest;
        }
    return beats + fill_cycles(shape_, configuration().mode);
}

void GemvRun::touch_operands()
{
    for (const Block& block : blocks_) {
        const AccessPattern a = vectors(block);
        const AccessPattern b = matrix(block);
        if (queue_.tracks(a.address))
            queue_.read(a, nullptr, field_a);
        if (queue_.tracks(b.address))
            queue_.read(b, nullptr, field_b);
    }
}

void GemvRun::touch_results(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t i = first; i < last; ++i)
        if (const AccessPattern rows = results(blocks_[i]); queue_.tracks(rows.address))
            queue_.write(rows, nullptr);
}

/// Streams carry FP32 in rows of the full width, 0 beyond a ragged length.
void GemvRun::fill_stream(Operation& operation) const
{
    operation.stream.resize(out_.size());
    std::transform(out_.begin(), out_.end(), operation.stream.begin(), [this](std::uint32_t bits) {
        return gemv_.out_type == LEVEE_TYPE_FP16 ? fp16_to_fp32(static_cast<std::uint16_t>(bits))
                                                 : std::bit_cast<float>(bits);
    });
}

bool GemvRun::is_transposed() const
{
    return (gemv_.flags & LEVEE_VEDA_B_TRANSPOSED) != 0;
}

bool GemvRun::is_split() const
{
    return (gemv_.flags & LEVEE_VEDA_SPLIT) != 0;
}

Configuration GemvRun::configuration() const
{
    return {gemv_.mode == LEVEE_VEDA_OUTER ? Mode::Outer : Mode::Inner, is_split(),
            gemv_.out_type == LEVEE_TYPE_FP16};
}

std::uint32_t GemvRun::row_elements(const Block& block) const
{
    return to_stream_ ? gemv_.n : block.n;
}

AccessPattern GemvRun::vectors(const Block& block) const
{
    return rows_at(gemv_.a, gemv_.a_stride, block, halves(block.k));
}

AccessPattern GemvRun::results(const Block& block) const
{
    return rows_at(gemv_.out, gemv_.out_stride, block, bytes_of(block.n, gemv_.out_type));
}

AccessPattern GemvRun::rows_at(std::uint64_t address, const std::int32_t (&stride)[3],
                               const Block& block, std::uint64_t run_bytes) const
{
    AccessPattern pattern;
    pattern.address = base_of(address, stride, block.o0, block.o1);
    pattern.run_bytes = run_bytes;
    pattern.count[2] = gemv_.m;
    pattern.stride[2] = stride[2];
    return pattern;
}

AccessPattern GemvRun::matrix(const Block& block) const
{
    AccessPattern pattern;
    pattern.address = base_of(gemv_.b, gemv_.b_stride, block.o0, block.o1);
    pattern.run_bytes = halves(is_transposed() ? block.k : block.n);
    pattern.count[2] = is_transposed() ? block.n : block.k;
    pattern.stride[2] = gemv_.b_stride[2];
    return pattern;
}

} // namespace levee::veda
