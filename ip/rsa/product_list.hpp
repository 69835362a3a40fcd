// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/rsa/gemm_operation.hpp"
#include "ip/rsa/stored_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa {

/// The products of an operation. Consecutive products of the same size form a group. Ragged lengths
/// are words in memory.
class ProductList {
public:
    /// Both arguments must outlive this object.
    ProductList(CommandQueue& queue, const GemmOperation& gemm) : queue_(queue), gemm_(gemm) {}

    /// Lists the products of a checked operation. `stored` reads which rows of B are stored
    /// elsewhere. Throws CommandFault.
    void read(StoredRows& stored);

    [[nodiscard]] std::span<const ProductGroup> groups() const { return groups_; }
    /// Ragged M: for each row of results, the index of its row of A.
    [[nodiscard]] std::span<const std::uint32_t> rows_listed() const { return rows_listed_; }
    /// Number of results of all products.
    [[nodiscard]] std::size_t elements() const;
    /// Calls visit(group) for products [first, last). A group is one product or, in timing-only
    /// runs, all consecutive products of equal size.
    template <typename Visit> void for_each(std::size_t first, std::size_t last, Visit visit) const
    {
        for (const ProductGroup& group : groups_) {
            const std::size_t begin = std::max(first, group.first);
            const std::size_t end = std::min(last, group.first + group.count);
            if (begin < end && queue_.timing_only())
                visit(some_of(group, begin, end - begin));
            for (std::size_t i = begin; i < end && !queue_.timing_only(); ++i)
                visit(some_of(group, i, 1));
        }
    }

private:
    void list_lengths();
    void list_shares();
    void add(std::size_t count, std::uint64_t k, std::uint64_t n);
    [[nodiscard]] std::vector<std::uint32_t> read_lengths();
    void find_rows_elsewhere(StoredRows& stored);
    [[nodiscard]] ProductGroup some_of(const ProductGroup& group, std::size_t first,
                                       std::size_t count) const;

    CommandQueue& queue_;
    const GemmOperation& gemm_;
    std::vector<ProductGroup> groups_;
    std::vector<std::uint32_t> rows_listed_;
};

} // namespace levee::rsa
