// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/faults/fault.hpp"
#include "platform/observe/faults/place.hpp"
#include "platform/studies/faults/study.hpp"

#include <string>
#include <vector>

namespace levee::campaign {

/// A fault, and the part of its site that it hits.
struct Draw {
    faults::Fault fault;
    std::string part; ///< a register, a field, the number of a bit in its element; or empty
};

/// The bits and the times of a site in this machine: its faults are drawn from it.
class Domain {
public:
    /// Throws config::Error, at its place in the study, for a site that the machine does not have.
    Domain(const Site& site, const faults::Survey& survey);

    [[nodiscard]] const Site& site() const { return *site_; }
    [[nodiscard]] std::uint64_t bits() const { return bits_; }
    /// Fault with this number: the same for the same seed, whatever else is drawn.
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
    /// The register or field that was chosen, and its bits that may flip.
    struct Chosen {
        faults::Piece piece;
        std::vector<unsigned> bits;
    };
    std::vector<Chosen> pieces_;
    std::uint64_t bits_ = 0;
    Picoseconds from_ = 0, to_ = 0; ///< Range of times if no list gives them: [from, to).
};

} // namespace levee::campaign
