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

/// The products of a LEVEE_VEDA_GEMV: their sizes and costs. The host time grows with the number of
/// iterations (o0, o1), not with m, k or n.
class Nest {
public:
    /// Products of one iteration (o0, o1): m vectors with the same B. `k` and `n` are the sizes of
    /// the last vector, which is the longest.
    struct Block {
        std::uint32_t o0 = 0, o1 = 0;
        std::uint32_t k = 0, n = 0;
        std::size_t out = 0; ///< Index of its first result. Rows have `n` results; for a port, the
                             ///< full width.
    };
    struct Size {
        std::uint32_t k = 0, n = 0;
    };
    struct Traffic {
        std::uint64_t a = 0, b = 0, out = 0; // Bytes of each operand.
        std::uint64_t sums = 0;              // Bytes of sums in each direction.
    };

    explicit Nest(const Machine& machine) : machine_(machine) {}

    /// Lists the products. `lengths` has one word for each (o0, o1 / group), and is used only if a
    /// dimension is ragged. Throws CommandFault.
    void list(const levee_veda_operation& gemv, std::span<const std::uint32_t> lengths);

    [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
    /// Size of vector `m` of a block.
    [[nodiscard]] Size size(const Block& block, std::uint32_t m) const;
    /// Distance of rows of results, in elements.
    [[nodiscard]] std::uint32_t row_elements(const Block& block) const;
    /// Number of elements in the result rows of all blocks.
    [[nodiscard]] std::size_t result_elements() const;
    [[nodiscard]] Size longest() const;
    [[nodiscard]] bool is_causal(levee_veda_ragged dimension) const;
    /// Returns the configuration of the arrays for this operation; arrays without outer products
    /// always use inner mode.
    [[nodiscard]] Configuration configuration() const;
    /// Number of blocks, all with the same o0, that run in parallel from block `first` on.
    [[nodiscard]] std::size_t side_by_side(std::size_t first) const;

    [[nodiscard]] std::uint64_t macs() const;
    /// Cycles in which the arrays take operands.
    [[nodiscard]] std::uint64_t beats() const;
    /// Cycles in which B is read for its transposition.
    [[nodiscard]] std::uint64_t transposition() const;
    [[nodiscard]] std::uint64_t transposed_bytes() const;
    /// For A from a port: number of elements that must have arrived before the first cycle that
    /// takes operands.
    [[nodiscard]] std::uint64_t elements_ahead() const;
    [[nodiscard]] Traffic traffic() const;
    /// Returns the heads that share B with block `first`.
    [[nodiscard]] Family family(std::size_t first) const;
    [[nodiscard]] Tile tile(std::size_t first) const;
    /// Whether A may come from a port, where each vector arrives only once.
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
    /// Returns the sum, over groups of parallel blocks, of the largest cycles(block) in the group.
    [[nodiscard]] std::uint64_t sum_of_groups(auto cycles) const;

    Machine machine_;
    levee_veda_operation gemv_{};
    std::vector<Block> blocks_;
};

} // namespace levee::veda
