// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/rsa/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa {

/// The rows of B that are stored elsewhere, as a levee_rsa_redirect describes. Errors name the
/// descriptor's field `redirect`. Statistical runs have no tables to read.
class StoredRows {
public:
    explicit StoredRows(CommandQueue& queue) : queue_(queue) {}

    /// Begins an operation, with or without redirect.
    void begin(const levee_rsa_operation& gemm);
    [[nodiscard]] bool is_redirected() const { return is_redirected_; }
    [[nodiscard]] bool has_tables() const;
    [[nodiscard]] const levee_rsa_redirect& redirect() const { return redirect_; }

    /// With tables: reads the words of the next product, whose B has `count` rows. Returns how many
    /// of these rows are stored elsewhere.
    std::uint64_t add_product(std::uint32_t o0, std::uint32_t o1, std::uint64_t count);
    /// Without tables: returns how many of the `count` rows are expected to be stored elsewhere.
    std::uint64_t likely(std::uint64_t count);
    /// Without tables: returns how many of the `count` rows are stored elsewhere and shared by all
    /// products.
    [[nodiscard]] std::uint64_t common(std::uint64_t count) const;
    /// Adds a stream of all rows that are stored elsewhere, each of `row_bytes` bytes. The stream
    /// transfers `bytes` bytes, which must not be 0.
    void open(Operation& operation, std::uint64_t row_bytes, std::uint64_t bytes) const;
    /// Reads the rows of product `index`. Rows that are not stored elsewhere are read from `here`.
    void read(std::size_t index, const AccessPattern& here, std::vector<std::uint8_t>& into,
              std::uint32_t field_here) const;

private:
    struct Product {
        std::uint64_t base; ///< Address of the first row elsewhere.
        std::size_t first, count;
    };
    [[nodiscard]] std::uint64_t address(const Product& product, std::uint32_t word) const;
    [[nodiscard]] RowList elsewhere(std::uint64_t row_bytes) const;

    CommandQueue& queue_;
    bool is_redirected_ = false;
    bool are_partial_free_ = false; ///< The flag LEVEE_RSA_PARTIAL_FREE is set.
    levee_rsa_redirect redirect_{};
    std::uint16_t outer_[2]{};
    std::uint64_t most_likely_ = 0; ///< Most rows elsewhere expected in a product.
    std::vector<Product> products_;
    std::vector<std::uint32_t> words_; // Words of the tables, product by product.
};

} // namespace levee::rsa
