// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/faults/fault.hpp"
#include "platform/observe/faults/place.hpp"
#include "platform/studies/faults/study.hpp"

#include <string>
#include <vector>

namespace levee::campaign {

struct Draw {
    faults::Fault fault;
    std::string part; ///< a register, a field, or the bit's number in its element; may be empty
};

/// The bits and times of a site in this machine, from which its faults are drawn.
class Domain {
public:
    /// Throws config::Error, with the place in the study, if the machine does not have the site.
    Domain(const Site& site, const faults::Survey& survey);

    [[nodiscard]] const Site& site() const { return *site_; }
    [[nodiscard]] std::uint64_t bits() const { return bits_; }
    /// Returns the fault with this number. It depends only on the seed and the number, not on
    /// faults drawn before.
    [[nodiscard]] Draw draw(std::uint64_t seed, std::uint64_t number) const;

private:
    class Random;

    void choose_pieces(const faults::Place& place);
    void choose_ranges(const faults::Place& place, const faults::Survey& survey);
    void choose_times(const faults::Place& place, const faults::Survey& survey);
    void draw_piece(Random& random, Draw& draw) const;
    void draw_in_memory(Random& random, Draw& draw) const;

    const Site* site_;
    std::vector<faults::BitRange> ranges_;
    /// A register or field in which faults can occur, and its bits.
    struct Chosen {
        faults::Piece piece;
        std::vector<unsigned> bits;
    };
    std::vector<Chosen> pieces_;
    std::uint64_t bits_ = 0;
    Picoseconds from_ = 0, to_ = 0; ///< range of times [from, to) if the study lists no times
};

} // namespace levee::campaign
