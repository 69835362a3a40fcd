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

/// Measured properties of compressed keys and values. Timing-only runs use them in place of data.
struct Statistics {
    Compression compression;
    /// Pairs, in ascending order, of a sequence length and the number of quantisation levels up to
    /// that length. The last pair also covers longer sequences.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> levels;

    [[nodiscard]] std::uint32_t levels_of(std::uint64_t tokens) const;
};

struct Config {
    Clock clock;
    std::uint32_t cores = 1;
    Units units;
    Pipeline pipeline = Pipeline::None;
    Reading reading;
    std::optional<Statistics> statistics;  ///< Empty: sizes of keys and values follow from the
                                           ///< data.
    std::optional<cpq::Expected> expected; ///< Expected rows, for timing-only runs from statistics.
    std::uint32_t input_bytes = 1;         ///< Bytes of an input element of the macros.
    CommandQueueConfig queue;

    /// Bytes of the weights of all cores.
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] const Compression* compression() const
    {
        return statistics ? &statistics->compression : nullptr;
    }
    /// Offset of a layer's matrix `which` in the storage.
    [[nodiscard]] std::uint64_t offset_of(std::uint32_t layer, levee_cim_matrix which) const;
};

/// Whether the sizes of compressed rows are known: the run computes them, or a recording has them.
[[nodiscard]] bool packs(const CommandQueue& queue, const Config& config);

} // namespace levee::cim
