// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/cim/activity.hpp"
#include "ip/cim/regs.h"
#include "ip/cpq/records.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace levee::cim {

/// Measured properties of compressed keys and values; they replace data in timing-only runs.
struct Statistics {
    Compression compression;
    /// Pairs of a sequence length and the number of quantisation levels up to it, ascending. The
    /// last pair also covers longer sequences.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> levels;

    [[nodiscard]] std::uint32_t levels_of(std::uint64_t tokens) const;
};

struct Config {
    Clock clock;
    std::uint32_t cores = 1;
    Units units;
    Pipeline pipeline = Pipeline::None;
    Reading reading;
    std::optional<Statistics> statistics;  ///< Empty: sizes of keys and values are the actual ones.
    std::optional<cpq::Expected> expected; ///< rows without payload, from statistics
    std::uint32_t input_bytes = 1;         ///< Bytes of an element that macros take.
    CommandQueueConfig queue;

    /// Size of the storage: every core's weights.
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] const Compression* compression() const
    {
        return statistics ? &statistics->compression : nullptr;
    }
    /// Offset of matrix `which` of a layer in the storage.
    [[nodiscard]] std::uint64_t offset_of(std::uint32_t layer, levee_cim_matrix which) const;
};

/// Whether the results of compression are known: the run computes them, or a recording has them.
[[nodiscard]] bool packs(const CommandQueue& queue, const Config& config);

} // namespace levee::cim
