// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/intake.hpp"
#include "core/memory/model_matrix.hpp"
#include "ip/flash/layout.h"
#include "ip/flash/module.hpp"

namespace levee::flash {

/// Cost of programming matrices into a flash. Every affected block is erased, then the pages are
/// programmed with their codes. Channels and planes work in parallel.
class MatrixIntake {
public:
    /// `config` must outlive this object.
    explicit MatrixIntake(const Config& config);

    /// Adds a matrix that has been placed.
    void add(const levee_flash_kept& kept);
    /// Call after the last add().
    [[nodiscard]] Intake result();

    /// Writes a page in its programmed form: its number (8 bytes, little endian), its bytes, then
    /// the spare area with the code. Unused spare bytes are 0xFF.
    void write_page(std::uint64_t number, std::span<const std::uint8_t> bytes,
                    const RawSink& sink) const;

private:
    void add_page(const PageAccess& page, std::uint64_t weights, std::uint32_t bits);
    [[nodiscard]] Time run(RequestKind kind, ChannelCounts& counts) const;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const;

    const Config& config_;
    Failures failures_;
    std::vector<PagePlace> pages_;
    std::vector<PagePlace> blocks_; ///< First page of each used block.
    std::vector<bool> touched_;     ///< Blocks that are used, by number.
    std::uint64_t core_pages_ = 0, lost_pages_ = 0;
    std::uint64_t weights_ = 0, weight_bits_ = 0, protected_ = 0;
};

} // namespace levee::flash
