// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/stats.hpp"
#include "ip/cim/cached_vectors.hpp"
#include "ip/cim/cores.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace levee::cim {

/// Packed rows of keys and values in memory. The rows of a prompt determine level 0 of each
/// channel. The length of a compressed row depends on its data, and the place of the next row
/// depends on that length. A core therefore keeps a record of each row in every kind of run, and
/// all accesses follow from these records. Functional runs compress rows to get the records;
/// timing-only runs take them from a recording or from statistics.
class PackedCache {
public:
    PackedCache(CommandQueue& queue, const Config& config, Cores& cores)
        : queue_(queue), config_(config), cores_(cores)
    {
    }

    /// Resets the state for the next operation.
    void begin() { next_record_ = 0; }
    /// Reads and decompresses all earlier tokens, which must have been compressed with the same
    /// shape and settings. All functions from here on throw CommandFault.
    void fetch(const Pass& pass, Stored& stored, Operation& operation);
    /// Compresses the new tokens' keys and values.
    void compress_new(const Pass& pass, Stored& stored, Operation& operation);
    /// Compresses the vectors of an entry's prompt.
    void compress_prompt(const Pass& pass, CachedVectors& vectors, Stored& stored,
                         Operation& operation);
    /// Writes the rows of all entries, and records their results for timing-only runs.
    void commit(const Pass& pass, std::span<const Stored> all);

    /// Sums over all rows; `levels` is the largest number of levels of a channel.
    struct Counts {
        std::uint64_t values = 0, survivors = 0, non_zeros = 0, clamped = 0, levels = 0;
    };
    [[nodiscard]] const Counts& counts() const { return counts_; }

private:
    [[nodiscard]] AccessPattern rows_at(const Pass& pass, std::size_t kind, const Stored& stored,
                                        std::uint64_t first, std::uint64_t count,
                                        std::uint64_t bytes) const;
    [[nodiscard]] AccessPattern record_at(const Pass& pass, std::size_t kind, const Stored& stored,
                                          std::size_t row) const;
    [[nodiscard]] cpq::Settings settings_of(const Pass& pass, std::size_t kind,
                                            std::uint32_t layer);
    [[nodiscard]] levee_cpq_record next_record(const Pass& pass, std::size_t kind);
    void note_rows(const Pass& pass, std::size_t kind, CompressedRows& rows, std::size_t count);
    void add_rows(const Pass& pass, Direction direction, std::size_t kind, Stored& stored,
                  std::uint64_t first, std::uint64_t count, Operation& operation);
    void check_write(const Pass& pass, std::size_t kind, const Stored& stored);
    void count_rows(const CompressedRows& rows, const cpq::Counts& before, std::uint64_t values);
    void write(const Pass& pass, const Stored& stored);
    void record(const Pass& pass, std::span<const Stored> all);

    CommandQueue& queue_;
    const Config& config_;
    Cores& cores_;
    std::size_t next_record_ = 0; ///< Timing-only: position in the operation's recorded results.
    Counts counts_;
};

} // namespace levee::cim
