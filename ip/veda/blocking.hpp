// SPDX-License-Identifier: Apache-2.0
// Determines how several vectors share one read of B (ip/veda/README.md, "Blocks").
#pragma once

#include "ip/veda/arrays.hpp"
#include "ip/veda/lengths.hpp"

#include <cstdint>
#include <optional>

namespace levee::veda {

/// Heads with the same B. Each head has `k.count` vectors.
struct Family {
    Lengths k, n;
    std::uint64_t heads = 1;
};

/// A block of results. A piece of B stays in the buffer while the block's vectors use it.
struct Tile {
    std::uint64_t heads = 1, rows = 1; ///< Number of heads, and of vectors of each of these heads.
    std::uint64_t columns = 0;         ///< Number of columns of B.
    std::uint64_t k = 0;               ///< Elements of k in a piece.
    bool works = false;                ///< Sums wait in memory, not in the buffer.
};

/// Bytes that are transferred. `sums` counts one direction: they are written and read back.
struct Traffic {
    std::uint64_t a = 0, b = 0, sums = 0;
};

class Blocking {
public:
    /// Properties of an operation that determine how it can be divided.
    struct Request {
        Configuration configuration;
        std::uint64_t work_bytes = 0; ///< Bytes of memory available for sums.
        bool streams = false;         ///< A port supplies the vectors, each only once.
        bool in_rows = false;         ///< Each vector must be read completely before the next one.
    };

    Blocking(const Machine& machine, const Request& request);

    /// Returns the tile that transfers the fewest bytes of A and B.
    [[nodiscard]] Tile choose(const Family& family) const;
    [[nodiscard]] Traffic traffic(const Family& family, const Tile& tile) const;
    /// Number of times that B is read: once for each tile of vectors.
    [[nodiscard]] static std::uint64_t passes(const Family& family, const Tile& tile);

private:
    [[nodiscard]] std::optional<Tile> whole_pieces(const Family& family) const;
    [[nodiscard]] std::optional<Tile> with_sums(const Family& family, std::uint64_t heads,
                                                std::uint64_t rows, bool works) const;
    [[nodiscard]] std::uint64_t whole_lanes(std::uint64_t columns, std::uint64_t n) const;
    [[nodiscard]] std::uint64_t moved(const Family& family, const Tile& tile) const;
    [[nodiscard]] bool can_stream(const Family& family, const Tile& tile) const;

    Request request_;
    std::uint64_t buffer_, work_; ///< Bytes available to one product.
    std::uint64_t lanes_;
    std::uint64_t sum_bytes_; ///< Bytes of the sums of one result.
    std::uint64_t least_k_;   ///< Fewest elements of k in a piece, which has a multiple of them.
};

} // namespace levee::veda
