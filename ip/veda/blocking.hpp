// SPDX-License-Identifier: Apache-2.0
// Passes of B that several vectors share (ip/veda/README.md, "Blocks").
#pragma once

#include "ip/veda/arrays.hpp"
#include "ip/veda/lengths.hpp"

#include <cstdint>
#include <optional>

namespace levee::veda {

/// Heads that have the same B, each with `k.count` vectors.
struct Family {
    Lengths k, n;
    std::uint64_t heads = 1;
};

/// A block of results, and the piece of B that stays while its vectors pass.
struct Tile {
    std::uint64_t heads = 1, rows = 1; ///< Vectors: this many for each of this many heads.
    std::uint64_t columns = 0;         ///< columns of B
    std::uint64_t k = 0;               ///< elements of k of a piece
    bool works = false;                ///< sums wait in memory, not in the buffer
};

/// Bytes that move. `sums`: each way, to memory and back.
struct Traffic {
    std::uint64_t a = 0, b = 0, sums = 0;
};

/// Chooses tiles for the operations of one shape.
class Blocking {
public:
    /// The sizes of an operation.
    struct Request {
        Configuration configuration;
        std::uint64_t work_bytes = 0; ///< Memory for sums.
        bool streams = false;         ///< vectors come once, from a port
        bool in_rows = false;         ///< Each vector is read as a whole.
    };

    Blocking(const Machine& machine, const Request& request);

    /// The tile that moves the fewest bytes.
    [[nodiscard]] Tile choose(const Family& family) const;
    [[nodiscard]] Traffic traffic(const Family& family, const Tile& tile) const;
    /// The number of times that B passes: once for each tile of vectors.
    [[nodiscard]] static std::uint64_t passes(const Family& family, const Tile& tile);

private:
    [[nodiscard]] std::optional<Tile> whole_pieces(const Family& family) const;
    [[nodiscard]] std::optional<Tile> with_sums(const Family& family, std::uint64_t heads,
                                                std::uint64_t rows, bool works) const;
    [[nodiscard]] std::uint64_t whole_lanes(std::uint64_t columns, std::uint64_t n) const;
    [[nodiscard]] std::uint64_t moved(const Family& family, const Tile& tile) const;
    [[nodiscard]] bool can_stream(const Family& family, const Tile& tile) const;

    Request request_;
    std::uint64_t buffer_, work_; ///< bytes for a product
    std::uint64_t lanes_;
    std::uint64_t sum_bytes_; ///< bytes of a result's sums
    std::uint64_t least_k_;   ///< least elements of k in a piece, which has a multiple of them
};

} // namespace levee::veda
