// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/rsa/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa {

/// The stored rows of B that lie elsewhere: levee_rsa_redirect, read and checked. Errors name the
/// descriptor's `redirect`. Statistical decisions have no tables to read.
class StoredRows {
public:
    explicit StoredRows(CommandQueue& queue) : queue_(queue) {}

    /// Begins an operation, with or without a redirect.
    void begin(const levee_rsa_operation& gemm);
    [[nodiscard]] bool is_redirected() const { return is_redirected_; }
    [[nodiscard]] bool has_tables() const;
    [[nodiscard]] const levee_rsa_redirect& redirect() const { return redirect_; }

    /// With tables: reads the words of the next product with `count` stored rows; returns the
    /// number of rows that lie elsewhere.
    std::uint64_t add_product(std::uint32_t o0, std::uint32_t o1, std::uint64_t count);
    /// Without tables: how many of `count` stored rows lie elsewhere.
    std::uint64_t likely(std::uint64_t count);
    /// Without tables: number of these rows that lie elsewhere in every product.
    [[nodiscard]] std::uint64_t common(std::uint64_t count) const;
    /// Adds the stream of all rows that lie elsewhere, of `row_bytes` each; `bytes` (not 0) are
    /// transferred.
    void open(Operation& operation, std::uint64_t row_bytes, std::uint64_t bytes) const;
    /// Reads the rows of product `index` from `here`, except rows that lie elsewhere.
    void read(std::size_t index, const AccessPattern& here, std::vector<std::uint8_t>& into,
              std::uint32_t field_here) const;

private:
    struct Product {
        std::uint64_t base; ///< address of row 0 elsewhere
        std::size_t first, count;
    };
    [[nodiscard]] std::uint64_t address(const Product& product, std::uint32_t word) const;
    [[nodiscard]] RowList elsewhere(std::uint64_t row_bytes) const;

    CommandQueue& queue_;
    bool is_redirected_ = false;
    bool are_partial_free_ = false; ///< LEVEE_RSA_PARTIAL_FREE
    levee_rsa_redirect redirect_{};
    std::uint16_t outer_[2]{};
    std::uint64_t most_likely_ = 0; ///< greatest expected number that is read in any product
    std::vector<Product> products_;
    std::vector<std::uint32_t> words_; // product by product
};

} // namespace levee::rsa
