// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/storage.hpp"
#include "ip/flash/cells/bit_errors.hpp"
#include "ip/flash/ecc/decoder.hpp"

#include <memory>
#include <optional>
#include <unordered_map>

namespace levee::flash {

/// Place of a page: channel, die of the channel, plane of the die, page of the plane.
struct PagePlace {
    std::uint32_t channel, die, plane, page;
};

/// Returns the number of a page. The channel changes fastest, then the die, the plane, and the page
/// of the plane. Page n begins at byte n x page_bytes.
[[nodiscard]] std::uint64_t number_of(const Geometry& geometry, const PagePlace& place);
[[nodiscard]] PagePlace place_of(const Geometry& geometry, std::uint64_t number);

struct CellsConfig {
    Geometry geometry;
    std::optional<CodeFormat> code;   ///< Code of every page; empty: errors are not corrected.
    std::optional<ErrorCurve> errors; ///< Empty: no bit ever flips.
    std::uint64_t initial_cycles = 0; ///< Program/erase cycles of every block before the run.
    std::uint64_t endurance = 0;      ///< Program/erase cycles that a block is rated for; 0:
                                      ///< unknown.
    Time initial_age = 0;             ///< Age, at the start of the run, of the data that are loaded
                                      ///< before it.
    std::uint64_t seed = 1;
};

/// Counts of operations on cells, and of decoding results.
struct CellCounts {
    std::uint64_t reads = 0, programs = 0, erases = 0; ///< Pages read, pages programmed, blocks
                                                       ///< erased.
    std::uint64_t loaded = 0;                          ///< Pages loaded before the run.
    std::uint64_t raw_bit_errors = 0;                  ///< Bit errors in pages and codes as read,
                                                       ///< before correction.
    std::uint64_t worn_blocks = 0; ///< Blocks erased more often than they are rated for.
    /// Records that were read with a wrong but valid address. No decoder can detect these.
    std::uint64_t misplaced = 0;
    DecodeCounts decoding;
};

/// Contents of a flash: pages with their codes, and the wear of blocks. Callers pass the time.
class Cells {
public:
    /// `decoder` decodes the pages; null selects the reference. Throws std::invalid_argument if the
    /// code or the error curve is invalid, or if the code does not fit in the spare area.
    explicit Cells(const CellsConfig& config, std::unique_ptr<Decoder> decoder = nullptr);

    [[nodiscard]] const Geometry& geometry() const { return config_.geometry; }
    [[nodiscard]] std::uint64_t bytes() const { return data_.size(); }

    /// Whether the page is erased. Only erased pages can be programmed.
    [[nodiscard]] bool is_erased(std::uint64_t page) const;
    /// Programs a page. `bytes` has page_bytes bytes; the function computes the code.
    void program(std::uint64_t page, std::span<const std::uint8_t> bytes, Time now);
    /// Erases the block that contains the page. The block's bytes then read as 0, like bytes that
    /// were never written.
    void erase(std::uint64_t page);
    /// Writes bytes before the run, regardless of the pages' contents. Codes are computed when a
    /// page is first read.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// Reads a page with its bit errors. Decodes the page if `decode` is set and pages have a code.
    /// `to` has page_bytes bytes.
    void read(std::uint64_t page, std::span<std::uint8_t> to, bool decode, Time now);
    /// Counts a read and its disturbance without reading data (timing-only runs).
    void note_read(std::uint64_t page);
    /// Returns the bytes as they were written, without bit errors, for debuggers.
    [[nodiscard]] Storage& written() { return data_; }

    [[nodiscard]] const CellCounts& counts() const { return counts_; }
    /// Largest number of erases of any block, including erases before the run.
    [[nodiscard]] std::uint64_t most_cycles() const { return most_cycles_; }

private:
    struct Block {
        std::uint64_t erases = 0;
        std::uint64_t reads = 0; ///< Reads since the last erase.
    };
    struct Page {
        Time programmed = 0;
        bool before_run = false;
        bool has_code = false; ///< Whether the page has an entry in codes_.
    };

    [[nodiscard]] std::uint64_t block_of(std::uint64_t page) const;
    [[nodiscard]] std::span<std::uint8_t> data_of(std::uint64_t page);
    [[nodiscard]] std::span<std::uint8_t> code_of(std::uint64_t page);
    void encode(std::uint64_t page);

    CellsConfig config_;
    std::unique_ptr<Decoder> decoder_;
    Storage data_;
    Storage codes_;
    std::unordered_map<std::uint64_t, Page> pages_; ///< Programmed pages.
    std::unordered_map<std::uint64_t, Block> blocks_;
    std::uint64_t most_cycles_;
    CellCounts counts_;
};

} // namespace levee::flash
