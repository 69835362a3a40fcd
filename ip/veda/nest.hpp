// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/arrays.hpp"
#include "ip/veda/blocking.hpp"
#include "ip/veda/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::veda {

/// The products of a LEVEE_VEDA_GEMV: their sizes and costs. The host's work grows with the number
/// of (o0, o1), not with m, k or n.
class Nest {
public:
    /// Products of one (o0, o1): m vectors with the same B. The size is that of the last vector,
    /// which is the longest.
    struct Block {
        std::uint32_t o0 = 0, o1 = 0;
        std::uint32_t k = 0, n = 0;
        std::size_t out = 0; ///< Index of its first result, each row with `n` results (to a port:
                             ///< all).
    };
    struct Size {
        std::uint32_t k = 0, n = 0;
    };
    struct Traffic {
        std::uint64_t a = 0, b = 0, out = 0; // bytes
        std::uint64_t sums = 0;              // Sums in each direction.
    };

    explicit Nest(const Machine& machine) : machine_(machine) {}

    /// `lengths`: for each (o0, o1 / group); not used if nothing is ragged. Throws CommandFault.
    void list(const levee_veda_operation& gemv, std::span<const std::uint32_t> lengths);

    [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
    /// Size of vector `m` of a block.
    [[nodiscard]] Size size(const Block& block, std::uint32_t m) const;
    /// Elements from one row of results to the next.
    [[nodiscard]] std::uint32_t row_elements(const Block& block) const;
    /// Elements of all blocks' rows of results.
    [[nodiscard]] std::size_t result_elements() const;
    [[nodiscard]] Size longest() const;
    [[nodiscard]] bool is_causal(levee_veda_ragged dimension) const;
    /// Configuration of the arrays as built, for any operation.
    [[nodiscard]] Configuration configuration() const;
    /// Blocks side by side from block `first` on; they always have the same o0.
    [[nodiscard]] std::size_t side_by_side(std::size_t first) const;

    [[nodiscard]] std::uint64_t macs() const;
    /// Cycles in which the arrays take operands of products.
    [[nodiscard]] std::uint64_t beats() const;
    /// Cycles in which B passes to be transposed.
    [[nodiscard]] std::uint64_t transposition() const;
    [[nodiscard]] std::uint64_t transposed_bytes() const;
    /// A from a port: elements that have to come before the first cycle that takes operands.
    [[nodiscard]] std::uint64_t elements_ahead() const;
    [[nodiscard]] Traffic traffic() const;
    /// The vectors that share passes of the B that block `first` has, and how they do.
    [[nodiscard]] Family family(std::size_t first) const;
    [[nodiscard]] Tile tile(std::size_t first) const;
    /// Whether vectors of A may come only once.
    [[nodiscard]] bool can_stream() const;

private:
    [[nodiscard]] Blocking blocking() const;
    [[nodiscard]] bool is_first_of_family(std::size_t block) const;
    [[nodiscard]] bool is_transposed_first() const;
    [[nodiscard]] std::uint64_t macs(const Block& block) const;
    [[nodiscard]] std::uint64_t beats(const Block& block, Mode mode) const;
    [[nodiscard]] std::uint64_t merging(const Block& block) const;
    [[nodiscard]] std::uint64_t transposition(const Block& block) const;
    [[nodiscard]] std::uint32_t group() const { return gemv_.group > 0 ? gemv_.group : 1; }
    /// Sum over blocks side by side of the largest cycles(block).
    [[nodiscard]] std::uint64_t sum_of_groups(auto cycles) const;

    Machine machine_;
    levee_veda_operation gemv_{};
    std::vector<Block> blocks_;
};

} // namespace levee::veda
