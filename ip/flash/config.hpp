// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/flash/cells/cells.hpp"
#include "ip/flash/failures.hpp"
#include "ip/flash/hierarchy.hpp"
#include "ip/flash/timing/channel.hpp"

#include <cstdint>
#include <vector>

namespace levee::flash {

struct Config {
    CellsConfig cells;
    TimingConfig timing;                ///< Timing of channels without their own rate.
    std::vector<TimingConfig> channels; ///< Timing of each channel.
    bool die_ecc = true;                ///< Pages are corrected before a compute core uses them.
    /// Pages that the NPU reads are corrected at the NPU, so their codes are also sent over the
    /// channel.
    bool npu_ecc = false;
    std::uint64_t link_bytes_per_second = 0; ///< Rate between the flash chiplet and the NPU.
    Picoseconds link_latency = 0;
    std::vector<FailedDie> failed;
    CommandQueueConfig queue;
    PartMakers parts{};

    /// Number of bytes sent on the channel for a page, with or without its code.
    [[nodiscard]] std::uint32_t sent_bytes(bool with_code) const
    {
        const std::uint64_t code = with_code && cells.code ? cells.code->code_bytes() : 0;
        return cells.geometry.page_bytes + static_cast<std::uint32_t>(code);
    }
    /// Peak rate at which pages are read, in bytes of data per second. The arrays, the channels or
    /// the link limit it.
    [[nodiscard]] std::uint64_t read_bytes_per_second() const;
    /// Convert between bytes of data and bytes on the channel and link, which include the codes
    /// sent with them.
    [[nodiscard]] std::uint64_t with_codes(std::uint64_t bytes) const;
    [[nodiscard]] std::uint64_t without_codes(std::uint64_t bytes) const;
};

} // namespace levee::flash
