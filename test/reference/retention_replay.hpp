// SPDX-License-Identifier: Apache-2.0
// Applies the decay that a run has logged (observe.retention_log) to the reference's cache. A row's
// flipped bits follow from its ages alone (ip/edram/retention.hpp).
#pragma once

#include "ip/edram/retention.hpp"
#include "test/reference/evicting_transformer.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace levee::test {

enum class Stored { Keys, Values, Inputs };

// Describes where a memory holds a layer's rows of codes: [entries][heads][rows] without gaps,
// beginning with the given first sequence and head. Inputs have one head.
struct StoredRows {
    Stored what = Stored::Keys;
    std::uint32_t layer = 0;
    std::uint32_t first_entry = 0, entries = 1;
    std::uint32_t first_head = 0, heads = 1;
    std::uint32_t rows = 0;
    std::uint32_t row_elements = 0;
    std::uint64_t offset = 0; // Offset in bytes.
    unsigned bits = 16;       // Bits of one code.
};

// One line of the log.
struct LoggedFailure {
    std::uint32_t pass = 0; // Number of logits vectors that the run had produced before.
    std::string memory;
    edram::RowFailure row;
};

// Throws std::runtime_error for a line that does not match the header.
std::vector<LoggedFailure> parse_retention_log(const std::string& csv);

// The failures of one memory.
class RetentionReplay {
public:
    RetentionReplay(const std::vector<LoggedFailure>& log, const std::string& memory,
                    std::uint32_t seed, std::vector<StoredRows> places);

    RetentionReplay(const RetentionReplay&) = delete; // Not copyable, because failures point to the
                                                      // places.

    // Applies the pass's failures to the codes of one layer of a sequence.
    void apply(std::uint32_t pass, std::uint32_t layer, std::uint32_t entry, LayerCache& cache);

    std::size_t applied() const { return applied_; }
    // Returns how many failures changed codes of this kind.
    std::size_t applied(Stored what) const { return applied_to_.at(static_cast<int>(what)); }
    std::size_t flipped() const { return flipped_; }
    std::size_t size() const { return size_; }

private:
    struct Place {
        const StoredRows* rows = nullptr; // Null if the place holds no data of the model.
        std::uint32_t head = 0, row = 0, element = 0;
    };
    struct Failure {
        edram::RowFailure row;
        std::vector<Place> places; // Places of the codes of the unit.
    };
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>; // by pass, layer and entry
    void add(std::uint32_t pass, const edram::RowFailure& row);
    static std::int16_t* code(const Place& place, LayerCache& cache);

    edram::CellSeed seed_;
    std::vector<StoredRows> places_;
    std::map<Key, std::vector<Failure>> failures_; // Failures in the order of the log.
    std::size_t size_ = 0, applied_ = 0, flipped_ = 0;
    std::array<std::size_t, 3> applied_to_{}; // Counts by kind of stored data.
};

} // namespace levee::test
