// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/beats.hpp"

#include "ip/veda/timing.hpp"

#include <algorithm>

namespace levee::veda {

BeatSource::BeatSource(const ArrayShape& shape, const Configuration& configuration,
                       std::span<const Product> side_by_side)
    : shape_(shape), configuration_(configuration), products_(side_by_side),
      lanes_(product_lanes(shape, configuration)),
      count_(beats_of(shape, configuration, side_by_side))
{
}

bool BeatSource::next(Beat& beat)
{
    if (index_ == count_)
        return false;
    beat.configuration = configuration_;
    beat.enabled = beat.first = beat.last = beat.odd = beat.merge = 0;
    beat.lane.assign(shape_.lanes(), 0);
    // Lanes without operands get NaN, so that errors show if these lanes affect results.
    constexpr std::uint16_t no_operand = 0x7E00;
    beat.a.assign(shape_.lanes(), no_operand);
    beat.b.assign(shape_.lanes(), no_operand);
    beat.target.assign(shape_.arrays, {});
    for (std::size_t i = 0; i < products_.size(); ++i)
        if (index_ < beats_of(shape_, configuration_, products_[i].k, products_[i].n))
            place(beat, i, products_[i], piece_at(products_[i], index_));
    ++index_;
    return true;
}

BeatSource::Piece BeatSource::piece_at(const Product& product, std::uint64_t index) const
{
    const bool inner = configuration_.mode == Mode::Inner;
    const std::uint64_t beats = inner ? divide_up(product.k, lanes_) : product.k;
    const std::uint64_t all = beats + merging_beats(shape_, beats);
    const std::uint64_t sum = index / all;
    const std::uint64_t which = index % all;
    Piece piece;
    piece.first = which < shape_.partial_sums && which < beats;
    piece.last = which == all - 1;
    piece.merge = which >= beats;
    piece.odd = !piece.merge && which % shape_.partial_sums == 1;
    if (inner) {
        piece.n = static_cast<std::uint32_t>(sum);
        piece.k = static_cast<std::uint32_t>(which * lanes_);
        piece.count = piece.merge ? 0 : std::min(lanes_, product.k - piece.k);
    } else {
        piece.n = static_cast<std::uint32_t>(sum * lanes_);
        piece.k = static_cast<std::uint32_t>(which);
        piece.count = std::min(lanes_, product.n - piece.n);
    }
    return piece;
}

void BeatSource::place(Beat& beat, std::size_t array, const Product& product,
                       const Piece& piece) const
{
    const std::uint32_t arrays = configuration_.split ? 1u << array : (1u << shape_.arrays) - 1;
    const std::size_t lane = array * lanes_;
    const bool inner = configuration_.mode == Mode::Inner;
    beat.enabled |= arrays;
    beat.first |= piece.first ? arrays : 0;
    beat.last |= piece.last ? arrays : 0;
    beat.odd |= piece.odd ? arrays : 0;
    beat.merge |= piece.merge ? arrays : 0;
    if (piece.last)
        beat.target[array] = {product.out + piece.n, piece.n, inner ? 1 : piece.count};
    if (piece.merge)
        return;
    std::fill_n(beat.lane.begin() + static_cast<std::ptrdiff_t>(lane), piece.count, 1);
    if (!inner)
        beat.a[lane] = product.a[piece.k];
    for (std::uint32_t i = 0; i < piece.count; ++i) {
        if (inner)
            beat.a[lane + i] = product.a[piece.k + i];
        beat.b[lane + i] =
            inner ? product.b_at(piece.k + i, piece.n) : product.b_at(piece.k, piece.n + i);
    }
}

} // namespace levee::veda
