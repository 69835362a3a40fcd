// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/blocking.hpp"

#include <algorithm>

namespace levee::veda {

namespace {

constexpr std::uint64_t element_bytes = sizeof(std::uint16_t);

/// Returns the smallest number of elements of k in a piece of B. In inner mode, a piece consists of
/// whole beats, equally many for each partial sum. In outer mode, the piece must take long enough
/// to load and store a row of sums through a port as wide as a row of B.
std::uint64_t least_k(const Configuration& configuration, std::uint64_t lanes,
                      std::uint64_t sum_bytes, std::uint64_t partial_sums)
{
    return configuration.mode == Mode::Inner ? lanes * partial_sums : 2 * sum_bytes / element_bytes;
}

} // namespace

Blocking::Blocking(const Machine& machine, const Request& request)
    : request_(request), lanes_(product_lanes(machine.arrays, request.configuration)),
      sum_bytes_(sizeof(float) * machine.arrays.partial_sums),
      least_k_(least_k(request.configuration, lanes_, sum_bytes_, machine.arrays.partial_sums))
{
    const std::uint64_t products = request.configuration.split ? machine.arrays.arrays : 1;
    buffer_ = machine.buffer_bytes / products;
    work_ = request.work_bytes / products;
}

/// Rounds the number of columns down to a multiple of the lanes: in outer mode, columns are
/// assigned to lanes, and only the last columns may leave lanes idle.
std::uint64_t Blocking::whole_lanes(std::uint64_t columns, std::uint64_t n) const
{
    if (columns >= n)
        return n;
    return request_.configuration.mode == Mode::Outer ? columns - columns % lanes_ : columns;
}

/// Returns a tile with pieces of whole columns of B, which all vectors use.
std::optional<Tile> Blocking::whole_pieces(const Family& family) const
{
    const std::uint64_t columns =
        whole_lanes(buffer_ / (element_bytes * family.k.last), family.n.last);
    if (columns == 0)
        return std::nullopt;
    return Tile{family.heads, family.k.count, columns, family.k.last};
}

/// Returns a tile with pieces of columns, while the sums of these vectors are kept in memory
/// (`works`), or in the buffer together with the piece.
std::optional<Tile> Blocking::with_sums(const Family& family, std::uint64_t heads,
                                        std::uint64_t rows, bool works) const
{
    const std::uint64_t sums = heads * rows * sum_bytes_; // Sums of one column.
    const std::uint64_t least = element_bytes * std::min(least_k_, family.k.last);
    const std::uint64_t most =
        works ? std::min(work_ / sums, buffer_ / least) : buffer_ / (sums + least);
    const std::uint64_t columns = whole_lanes(most, family.n.last);
    if (columns == 0)
        return std::nullopt;
    const std::uint64_t room = buffer_ - (works ? 0 : sums * columns);
    const std::uint64_t k = room / (element_bytes * columns);
    const bool whole = k >= family.k.last;
    return Tile{heads, rows, columns, whole ? family.k.last : k - k % least_k_, works && !whole};
}

std::uint64_t Blocking::passes(const Family& family, const Tile& tile)
{
    return divide_up(family.heads, tile.heads) * divide_up(family.k.count, tile.rows);
}

/// Returns the bytes that are transferred with this tile. A vector is read once for each tile of
/// columns in which it has results.
Traffic Blocking::traffic(const Family& family, const Tile& tile) const
{
    const Lengths &k = family.k, &n = family.n;
    const std::uint64_t head_tiles = divide_up(family.heads, tile.heads);
    const std::uint64_t elements =
        k.grows ? k.sum_of_last(tile.rows) * n.last : n.sum_of_last(tile.rows) * k.last;
    const std::uint64_t vectors =
        n.grows ? k.last * n.sum(1, tile.columns) : k.sum() * divide_up(n.last, tile.columns);
    const std::uint64_t pieces =
        k.grows ? k.sum(1, tile.k) * n.last : n.sum() * divide_up(k.last, tile.k);
    const std::uint64_t results = k.grows ? k.count * n.last : n.sum();
    return {request_.streams ? 0 : element_bytes * family.heads * vectors,
            element_bytes * head_tiles * elements,
            tile.works ? sum_bytes_ * family.heads * (pieces - results) : 0};
}

std::uint64_t Blocking::moved(const Family& family, const Tile& tile) const
{
    const Traffic bytes = traffic(family, tile);
    return bytes.a + bytes.b;
}

/// Whether a stream can supply the elements of A in the order that the tile needs.
bool Blocking::can_stream(const Family& family, const Tile& tile) const
{
    const bool in_order = tile.k == family.k.last || !request_.in_rows;
    return !request_.streams || (tile.columns >= family.n.last && in_order);
}

/// Chooses the tile that transfers the fewest bytes of A and B. Without a tile, B is read again for
/// every vector. With fewer vectors per tile, B is read more often; but the tile then has more
/// columns, so each vector is read less often.
Tile Blocking::choose(const Family& family) const
{
    Tile best{1, 1, family.n.last, family.k.last};
    if (buffer_ == 0)
        return best;
    std::uint64_t least = moved(family, best);
    const auto consider = [&](const std::optional<Tile>& tile) {
        if (!tile || !can_stream(family, *tile))
            return true;
        const std::uint64_t bytes = moved(family, *tile);
        if (bytes < least) {
            least = bytes;
            best = *tile;
        }
        return traffic(family, *tile).b <= least;
    };
    consider(whole_pieces(family));
    const std::uint64_t rows = family.k.count;
    for (const bool works : {false, true}) {
        bool hopeful = true;
        for (std::uint64_t tiles = 1; hopeful && tiles <= rows; ++tiles)
            hopeful = consider(with_sums(family, family.heads, divide_up(rows, tiles), works));
        for (std::uint64_t tiles = 2; hopeful && tiles <= family.heads; ++tiles)
            hopeful = consider(with_sums(family, divide_up(family.heads, tiles), 1, works));
    }
    return best;
}

} // namespace levee::veda
