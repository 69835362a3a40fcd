// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/config.hpp"
#include "ip/flash/page_accesses.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::flash {

/// Reads pages of the cells, and decodes them where codes are used. Without payload it only counts
/// the reads.
class PageReader {
public:
    PageReader(const Config& config, const Failures& failures, Cells& cells, DataMode data)
        : config_(config), failures_(failures), cells_(cells), data_(data)
    {
    }

    [[nodiscard]] bool timing_only() const { return data_ == DataMode::TimingOnly; }
    /// Reads a page; zeroes if its die has failed.
    void read(const PageAccess& page, std::span<std::uint8_t> to, bool decode);
    /// Appends an operation's data pages as delivered to the NPU; nothing without payload.
    void append_data(const PageAccesses& pages, std::vector<std::uint8_t>& bytes);
    /// FETCH: the rows of the tiles, in order; nothing without payload.
    void fetch_rows(const levee_flash_operation& op, const PageAccesses& pages,
                    std::vector<std::uint8_t>& bytes);
    /// Reads the bytes that the NPU receives from an address.
    void read_bytes(std::uint64_t address, std::uint64_t bytes, std::uint8_t* to);

    /// Pages not read, because their die had failed.
    [[nodiscard]] std::uint64_t lost_pages() const { return lost_pages_; }

private:
    const Config& config_;
    const Failures& failures_;
    Cells& cells_;
    DataMode data_;
    std::uint64_t lost_pages_ = 0;
};

} // namespace levee::flash
