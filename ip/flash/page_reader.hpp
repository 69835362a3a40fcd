// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/config.hpp"
#include "ip/flash/page_accesses.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::flash {

/// Reads pages of the cells, and corrects them if their code is used. Timing-only runs only count
/// the reads.
class PageReader {
public:
    PageReader(const Config& config, const Failures& failures, Cells& cells, DataMode data)
        : config_(config), failures_(failures), cells_(cells), data_(data)
    {
    }

    [[nodiscard]] bool timing_only() const { return data_ == DataMode::TimingOnly; }
    /// Reads a page. If its die has failed, the bytes are zero.
    void read(const PageAccess& page, std::span<std::uint8_t> to, bool decode);
    /// Appends the data pages of an operation as the NPU receives them, with remaining bit errors.
    /// Appends nothing in timing-only runs.
    void append_data(const PageAccesses& pages, std::vector<std::uint8_t>& bytes);
    /// Appends the rows of all tiles in order, for FETCH. Appends nothing in timing-only runs.
    void fetch_rows(const levee_flash_operation& op, const PageAccesses& pages,
                    std::vector<std::uint8_t>& bytes);
    /// Reads bytes by address, as the NPU receives them.
    void read_bytes(std::uint64_t address, std::uint64_t bytes, std::uint8_t* to);

    /// Number of reads that failed because the page's die had failed.
    [[nodiscard]] std::uint64_t lost_pages() const { return lost_pages_; }

private:
    const Config& config_;
    const Failures& failures_;
    Cells& cells_;
    DataMode data_;
    std::uint64_t lost_pages_ = 0;
};

} // namespace levee::flash
