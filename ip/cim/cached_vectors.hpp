// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/cim/pass.hpp"

#include <cstddef>
#include <cstdint>

namespace levee::cim {

/// Uncompressed keys and values in memory: one vector of codes, with a scale, in each slot.
class CachedVectors {
public:
    CachedVectors(CommandQueue& queue, const Config& config) : queue_(queue), config_(config) {}

    /// Opens the streams of all layers and entries: earlier vectors are read and new ones written.
    void open(const Pass& pass, Operation& operation);
    /// Reads the vectors of all earlier tokens. The result has space for the new ones.
    void fetch(const Pass& pass, Stored& stored);
    void write(const Pass& pass, const Stored& stored);
    /// Reads a prompt's keys (`kind` 0) or values for compression.
    void take_prompt(const Pass& pass, std::size_t kind, Stored& stored, Operation& operation);

private:
    [[nodiscard]] AccessPattern rows_of(const Pass& pass, std::uint64_t address, bool scales,
                                        std::uint32_t layer, std::uint32_t entry,
                                        std::uint64_t first, std::uint64_t count) const;
    void open_one(const Pass& pass, Direction direction, std::uint32_t layer, std::uint32_t entry,
                  Operation& operation);
    void open_measured(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                       Operation& operation);

    CommandQueue& queue_;
    const Config& config_;
};

} // namespace levee::cim
