// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/nest.hpp"

#include "core/command/command_queue.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/veda/descriptor_fields.hpp"
#include "ip/veda/timing.hpp"

#include <algorithm>

namespace levee::veda {

void Nest::list(const levee_veda_operation& gemv, std::span<const std::uint32_t> lengths)
{
    gemv_ = gemv;
    blocks_.clear();
    const std::uint32_t shared = group();
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
    const std::uint32_t unseen = gemv_.m - 1 - m; // Elements that a causal vector does not attend
                                                  // to.
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

/// Returns the sum over groups of blocks that run in parallel; each group takes the cycles of its
/// longest block. The blocks of a group differ only in the ragged dimension, so the longest block
/// takes the most cycles for each vector.
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

/// Returns the number of beats that add up partial sums. Such beats follow each sum of more than
/// one beat.
std::uint64_t Nest::merging(const Block& block) const
{
    const Lengths k{block.k, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_K)};
    const Lengths n{block.n, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_N)};
    const std::uint64_t lanes = product_lanes(machine_.arrays, configuration());
    const bool inner = configuration().mode == Mode::Inner;
    const std::uint64_t one = inner ? lanes : 1; // Elements of k in a beat.
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

/// Returns the cycles in which B is read for its transposition. A row of n elements takes as many
/// cycles as in outer mode.
std::uint64_t Nest::transposition(const Block& block) const
{
    const auto index = static_cast<std::size_t>(&block - blocks_.data());
    const Tile shape = tile(index);
    if (shape.heads * shape.rows == 1)
        return beats(block, Mode::Outer);
    const std::uint64_t lanes = product_lanes(machine_.arrays, configuration());
    const std::uint64_t once = block.k * divide_up(block.n, lanes);
    return is_first_of_family(index) ? Blocking::passes(family(index), shape) * once : 0;
}

std::uint64_t Nest::transposed_bytes() const
{
    return is_transposed_first() ? traffic().b : 0;
}

/// Returns the number of elements of A that must have arrived before the first beat. Inner mode
/// needs a complete vector of each parallel block. Outer mode starts with the first element, so
/// none must arrive ahead.
std::uint64_t Nest::elements_ahead() const
{
    return configuration().mode == Mode::Inner ? side_by_side(0) * gemv_.k : 0;
}

/// Whether this block is the first of the adjacent heads that share B.
bool Nest::is_first_of_family(std::size_t block) const
{
    return blocks_[block].o1 % group() == 0;
}

Family Nest::family(std::size_t first) const
{
    const Block& block = blocks_[first];
    const std::uint32_t head = block.o1 - block.o1 % group();
    return {{block.k, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_K)},
            {block.n, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_N)},
            std::min<std::uint64_t>(group(), gemv_.outer[1] - head)};
}

/// Determines how vectors share one read of B. With a tap, each vector must be read completely
/// before the next one.
Blocking Nest::blocking() const
{
    return {machine_,
            {configuration(), gemv_.work_bytes, StreamPorts::is_stream(gemv_.a), gemv_.tap != 0}};
}

Tile Nest::tile(std::size_t first) const
{
    return blocking().choose(family(first));
}

Nest::Traffic Nest::traffic() const
{
    const Blocking blocking = this->blocking();
    Traffic sum;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Lengths n{blocks_[i].n, gemv_.m, is_causal(LEVEE_VEDA_RAGGED_N)};
        sum.out += bytes_of(n.sum(), gemv_.out_type);
        if (!is_first_of_family(i))
            continue;
        const Family heads = family(i);
        const veda::Traffic shared = blocking.traffic(heads, blocking.choose(heads));
        sum.a += shared.a;
        sum.b += shared.b;
        sum.sums += shared.sums;
    }
    return sum;
}

/// Whether A may come from a port. This is impossible if parallel blocks have several vectors each:
/// the blocks would need vectors alternately, but vectors arrive block by block.
bool Nest::can_stream() const
{
    return !(configuration().split && gemv_.m > 1);
}

} // namespace levee::veda
