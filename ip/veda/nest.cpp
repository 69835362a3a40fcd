// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/nest.hpp"

#include "ip/common/command_queue.hpp"
#include "ip/common/tensor.hpp"
#include "ip/veda/descriptor_fields.hpp"
#include "ip/veda/timing.hpp"

#include <algorithm>

namespace levee::veda {

namespace {

std::uint64_t halves(std::uint64_t elements)
{
    return bytes_of(elements, LEVEE_TYPE_FP16);
}

/// Lengths of a block's vectors in one dimension: all the same, or each one more than that before.
struct Lengths {
    std::uint64_t last;
    std::uint64_t count;
    bool grows;

    /// Sum over the vectors of ⌈length × factor / unit⌉.
    [[nodiscard]] std::uint64_t sum(std::uint64_t factor = 1, std::uint64_t unit = 1) const
    {
        return grows ? sum_of_units(last - count + 1, count, factor, unit)
                     : count * divide_up(last * factor, unit);
    }
    /// Number of lengths above `limit`.
    [[nodiscard]] std::uint64_t above(std::uint64_t limit) const
    {
        const std::uint64_t longer = last > limit ? last - limit : 0;
        return grows ? std::min(longer, count) : longer > 0 ? count : 0;
    }
};

} // namespace

void Nest::list(const levee_veda_operation& gemv, std::span<const std::uint32_t> lengths)
{
    gemv_ = gemv;
    blocks_.clear();
    const std::uint32_t shared = std::max(gemv.group, 1u);
    const std::size_t length_words = divide_up(gemv.outer[1], shared);
    const bool causal = (gemv.flags & LEVEE_VEDA_CAUSAL) != 0;
    std::size_t out = 0;
    for (std::uint32_t o0 = 0; o0 < gemv.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < gemv.outer[1]; ++o1) {
            Block block{o0, o1, gemv.k, gemv.n, out};
            if (gemv.ragged != LEVEE_VEDA_RAGGED_NONE) {
                std::uint32_t& length = gemv.ragged == LEVEE_VEDA_RAGGED_K ? block.k : block.n;
                const std::uint64_t actual =
                    gemv.length_add + std::uint64_t{lengths[o0 * length_words + o1 / shared]};
                if (actual < (causal ? gemv.m : 1) || actual > length)
                    throw CommandFault{LEVEE_ERROR_FIELD, field_lengths};
                length = static_cast<std::uint32_t>(actual);
            }
            out += std::size_t{gemv.m} * row_elements(block);
            blocks_.push_back(block);
        }
}

Nest::Size Nest::size(const Block& block, std::uint32_t m) const
{
    const std::uint32_t unseen = gemv_.m - 1 - m; // by a causal vector
    return {block.k - (is_causal(LEVEE_VEDA_RAGGED_K) ? unseen : 0),
            block.n - (is_causal(LEVEE_VEDA_RAGGED_N) ? unseen : 0)};
}

std::uint32_t Nest::row_elements(const Block& block) const
{
    return StreamPorts::is_stream(gemv_.out) ? gemv_.n : block.n;
}

std::size_t Nest::result_elements() const
{
    return blocks_.back().out + std::size_t{gemv_.m} * row_elements(blocks_.back());
}

Nest::Size Nest::longest() const
{
    Size longest;
    for (const Block& block : blocks_) {
        longest.k = std::max(longest.k, block.k);
        longest.n = std::max(longest.n, block.n);
    }
    return longest;
}

bool Nest::is_causal(levee_veda_ragged dimension) const
{
    return (gemv_.flags & LEVEE_VEDA_CAUSAL) != 0 && gemv_.ragged == dimension;
}

Configuration Nest::configuration() const
{
    const bool outer = gemv_.mode == LEVEE_VEDA_OUTER && machine_.dataflow == Dataflow::Flexible;
    return {outer ? Mode::Outer : Mode::Inner, (gemv_.flags & LEVEE_VEDA_SPLIT) != 0,
            gemv_.out_type == LEVEE_TYPE_FP16};
}

std::size_t Nest::side_by_side(std::size_t first) const
{
    const std::size_t left = gemv_.outer[1] - first % gemv_.outer[1];
    return std::min<std::size_t>(configuration().split ? machine_.arrays.arrays : 1, left);
}

std::uint64_t Nest::macs() const
{
    std::uint64_t macs = 0;
    for (const Block& block : blocks_)
        macs += this->macs(block);
    return macs;
}

std::uint64_t Nest::macs(const Block& block) const
{
    const Lengths k{block.k, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_K)};
    const Lengths n{block.n, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_N)};
    return k.grows ? k.sum() * block.n : n.sum() * block.k;
}

/// Side by side, blocks differ in the ragged dimension only: the longest takes the most cycles with
/// each of its vectors.
std::uint64_t Nest::sum_of_groups(auto cycles) const
{
    std::uint64_t sum = 0;
    for (std::size_t first = 0; first < blocks_.size(); first += side_by_side(first)) {
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < side_by_side(first); ++i)
            most = std::max<std::uint64_t>(most, cycles(blocks_[first + i]));
        sum += most;
    }
    return sum;
}

std::uint64_t Nest::beats() const
{
    return sum_of_groups(
        [&](const Block& block) { return beats(block, configuration().mode) + merging(block); });
}

std::uint64_t Nest::beats(const Block& block, Mode mode) const
{
    const Lengths k{block.k, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_K)};
    const Lengths n{block.n, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_N)};
    const std::uint64_t lanes = product_lanes(machine_.arrays, configuration());
    if (mode == Mode::Inner)
        return k.grows ? k.sum(1, lanes) * block.n : n.sum() * divide_up(block.k, lanes);
    return n.grows ? n.sum(1, lanes) * block.k : k.sum() * divide_up(block.n, lanes);
}

/// Beats that add up partial sums: behind each sum of more than one beat.
std::uint64_t Nest::merging(const Block& block) const
{
    const Lengths k{block.k, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_K)};
    const Lengths n{block.n, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_N)};
    const std::uint64_t lanes = product_lanes(machine_.arrays, configuration());
    const bool inner = configuration().mode == Mode::Inner;
    const std::uint64_t one = inner ? lanes : 1; // elements of k of a beat
    const std::uint64_t sums = inner ? n.sum() : n.sum(1, lanes);
    const std::uint64_t long_sums = k.grows        ? k.above(one) * (sums / n.count)
                                    : k.last > one ? sums
                                                   : 0;
    return long_sums * merging_beats(machine_.arrays, 2);
}

bool Nest::is_transposed_first() const
{
    return machine_.dataflow == Dataflow::AdderTree && machine_.transposes &&
           (gemv_.flags & LEVEE_VEDA_B_TRANSPOSED) == 0;
}

std::uint64_t Nest::transposition() const
{
    return is_transposed_first()
               ? sum_of_groups([this](const Block& block) { return transposition(block); })
               : 0;
}

/// A row of n elements takes the cycles that it would as an operand of outer.
std::uint64_t Nest::transposition(const Block& block) const
{
    const std::uint64_t lanes = product_lanes(machine_.arrays, configuration());
    return is_kept() ? block.k * divide_up(block.n, lanes) : beats(block, Mode::Outer);
}

std::uint64_t Nest::transposed_bytes() const
{
    return is_transposed_first() ? traffic().b : 0;
}

/// Inner takes vectors as a whole, outer element by element.
std::uint64_t Nest::elements_ahead() const
{
    return configuration().mode == Mode::Inner ? side_by_side(0) * gemv_.k : 0;
}

bool Nest::is_kept() const
{
    return machine_.buffer_bytes > 0 && gemv_.m > 1;
}

/// B passes once for each of m vectors. With a buffer, once in all: pieces of B's columns stay in
/// it while all m vectors pass, and each vector passes once for each piece that it has results of.
Nest::Traffic Nest::traffic() const
{
    Traffic traffic;
    for (const Block& block : blocks_) {
        const Lengths k{block.k, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_K)};
        const Lengths n{block.n, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_N)};
        const std::uint64_t b = halves(std::uint64_t{block.k} * block.n);
        traffic.out += bytes_of(n.sum(), gemv_.out_type);
        if (!is_kept()) {
            traffic.b += halves(macs(block));
            traffic.a += halves(k.sum());
            continue;
        }
        traffic.b += b;
        traffic.a += n.grows ? halves(block.k) * n.sum(halves(block.k), machine_.buffer_bytes)
                             : halves(k.sum()) * divide_up(b, machine_.buffer_bytes);
    }
    if (StreamPorts::is_stream(gemv_.a))
        traffic.a = 0;
    return traffic;
}

/// Vectors pass again for each piece of B; and side by side, the second of several vectors would
/// come before the other array's first.
bool Nest::can_stream() const
{
    const Size size = longest();
    const bool in_pieces =
        is_kept() && halves(std::uint64_t{size.k} * size.n) > machine_.buffer_bytes;
    return !in_pieces && !(configuration().split && gemv_.m > 1);
}

} // namespace levee::veda
