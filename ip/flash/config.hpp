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
    TimingConfig timing;                ///< Timing of each channel, unless it is listed separately.
    std::vector<TimingConfig> channels; ///< Timing of each channel.
    bool die_ecc = true;                ///< cores compute with decoded pages
    /// Pages for the NPU are decoded at the NPU, so their codes pass the channel, too.
    bool npu_ecc = false;
    std::uint64_t link_bytes_per_second = 0; ///< between the dies' chiplet and the NPU's
    Picoseconds link_latency = 0;
    std::vector<FailedDie> failed;
    CommandQueueConfig queue;
    PartMakers parts{};

    /// Bytes of a page on the channel, alone or with its code.
    [[nodiscard]] std::uint32_t sent_bytes(bool with_code) const
    {
        const std::uint64_t code = with_code && cells.code ? cells.code->code_bytes() : 0;
        return cells.geometry.page_bytes + static_cast<std::uint32_t>(code);
    }
    /// Peak rate of reading pages, limited by arrays, channels and the link; codes on the way are
    /// not counted.
    [[nodiscard]] std::uint64_t read_bytes_per_second() const;
    /// Converts a number of bytes of pages to one that includes the share of their codes that
    /// passes channel and link, and back.
    [[nodiscard]] std::uint64_t with_codes(std::uint64_t bytes) const;
    [[nodiscard]] std::uint64_t without_codes(std::uint64_t bytes) const;
};

} // namespace levee::flash
