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

/// Number of a page: first page by page of all planes, then plane by plane, then die by die, with
/// channels first. Bytes of page n begin at n x page_bytes.
[[nodiscard]] std::uint64_t number_of(const Geometry& geometry, const PagePlace& place);
[[nodiscard]] PagePlace place_of(const Geometry& geometry, std::uint64_t number);

struct CellsConfig {
    Geometry geometry;
    std::optional<CodeFormat> code;   ///< Code of every page; empty: errors are not corrected.
    std::optional<ErrorCurve> errors; ///< none: no bit ever flips
    std::uint64_t initial_cycles = 0; ///< Cycles of every block before the run.
    std::uint64_t endurance = 0;      ///< cycles that a block is rated for; 0: unknown
    Time initial_age = 0;             ///< Age of the data that are loaded before the run.
    std::uint64_t seed = 1;
};

/// Counts of operations on cells, and of decoding results.
struct CellCounts {
    std::uint64_t reads = 0, programs = 0, erases = 0; ///< pages, pages, blocks
    std::uint64_t loaded = 0;                          ///< number of pages written before the run
    std::uint64_t raw_bit_errors = 0;                  ///< Errors in pages and codes as read.
    std::uint64_t worn_blocks = 0; ///< blocks erased more often than they endure
    /// Records that were read with a wrong address, which no decoder can detect.
    std::uint64_t misplaced = 0;
    DecodeCounts decoding;
};

/// Bits of a flash: pages with their codes, blocks with their wear. They have no notion of time.
class Cells {
public:
    /// `decoder`: of pages of this code; null: the reference. Throws std::invalid_argument for a
    /// code or curve with a fault, or a code that does not fit in the spare area.
    explicit Cells(const CellsConfig& config, std::unique_ptr<Decoder> decoder = nullptr);

    [[nodiscard]] const Geometry& geometry() const { return config_.geometry; }
    [[nodiscard]] std::uint64_t bytes() const { return data_.size(); }

    /// Whether the page is erased, as programming requires.
    [[nodiscard]] bool is_erased(std::uint64_t page) const;
    /// Programs a page with page_bytes and their code.
    void program(std::uint64_t page, std::span<const std::uint8_t> bytes, Time now);
    /// Erases the block that contains the page, in its plane: its bytes read as 0, as those never
    /// written do.
    void erase(std::uint64_t page);
    /// Writes bytes before the run, whatever pages contain: their codes follow when first read.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// Reads a page with its errors, decoded if `decode` is set and there is a code. `to` has
    /// page_bytes.
    void read(std::uint64_t page, std::span<std::uint8_t> to, bool decode, Time now);
    /// The same without data (timing-only runs): counts, disturbs.
    void note_read(std::uint64_t page);
    /// Bytes as they were written, without errors; for debuggers.
    [[nodiscard]] Storage& written() { return data_; }

    [[nodiscard]] const CellCounts& counts() const { return counts_; }
    /// Erases of the block that was erased most, including those before the run.
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
