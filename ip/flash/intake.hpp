// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/intake.hpp"
#include "core/memory/model_matrix.hpp"
#include "ip/flash/layout.h"
#include "ip/flash/module.hpp"

namespace levee::flash {

/// Cost of programming matrices into a flash: an erase of every affected block, then the pages with
/// their codes, with as much parallelism as channels and planes permit.
class MatrixIntake {
public:
    /// `config` must outlive it.
    explicit MatrixIntake(const Config& config);

    /// Adds a placed matrix.
    void add(const levee_flash_kept& kept);
    /// Result, after the last matrix.
    [[nodiscard]] Intake result();

    /// Writes a page as it is programmed: its number (8 bytes, little endian), its bytes, its spare
    /// area with the code, 0xFF beyond it.
    void write_page(std::uint64_t number, std::span<const std::uint8_t> bytes,
                    const RawSink& sink) const;

private:
    void add_page(const PageAccess& page, std::uint64_t weights, std::uint32_t bits);
    [[nodiscard]] Time run(RequestKind kind, ChannelCounts& counts) const;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const;

    const Config& config_;
    Failures failures_;
    std::vector<PagePlace> pages_;
    std::vector<PagePlace> blocks_; ///< first page of each block that was used
    std::vector<bool> touched_;     ///< blocks, by number
    std::uint64_t core_pages_ = 0, lost_pages_ = 0;
    std::uint64_t weights_ = 0, weight_bits_ = 0, protected_ = 0;
};

} // namespace levee::flash
