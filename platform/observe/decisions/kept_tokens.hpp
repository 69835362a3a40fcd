// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decisions.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Follows a functional run's evictor: which token left which head's cache, and when.
class KeptTokens : public DecisionRecorder {
public:
    /// For a model with `layers` layers of `heads` key/value heads; `budget`: number of tokens that
    /// a cache keeps.
    KeptTokens(std::size_t layers, std::size_t heads, std::size_t budget);

    void decided(const std::string& block, std::uint64_t operation,
                 const Decision& decision) override;

    static constexpr std::int64_t stays = -1;
    /// A sequence's tokens in one head, by position. The value is the position of the token whose
    /// arrival evicted it, or `stays`; for a token of a prompt that exceeds the budget it is the
    /// prompt's length.
    using Head = std::vector<std::int64_t>;
    struct Sequence {
        std::size_t index; ///< Index in the order of the workload.
        std::vector<std::vector<Head>> layers;
    };
    /// All sequences that filled the cache of every layer. `most`: limit on the entries of all
    /// Heads; sequences beyond it are left out.
    [[nodiscard]] std::vector<Sequence> sequences(std::size_t most) const;
    /// Reason why there are none or not all, as a sentence; empty: nothing is missing.
    [[nodiscard]] std::string reason(std::size_t most) const;

    [[nodiscard]] std::size_t budget() const { return budget_; }

private:
    /// A head's cache since its last SELECT.
    struct Track {
        std::size_t selection, iteration;    ///< number of the SELECT operation, and its pair
        std::uint64_t first = 0;             ///< address of the positions
        std::vector<std::int64_t> positions; ///< Positions by slot.
        std::size_t length = 0;              ///< valid slots
        Head gone;
    };
    struct PairWrites {
        const Decision::Write *next = nullptr, *positions = nullptr;
    };

    void select(const PairWrites& writes, std::size_t iteration);
    void evict(const PairWrites& writes);
    [[nodiscard]] std::size_t sequence_of(const Track& track) const;
    [[nodiscard]] std::size_t fitting(std::size_t most) const;

    std::size_t layers_, heads_, budget_;
    std::vector<Track> tracks_;
    std::map<std::uint64_t, std::size_t> current_; ///< tracks_ by address of the word `next`
    std::optional<std::uint64_t> selecting_;       ///< the last SELECT operation
    std::size_t selections_ = 0;
    std::size_t entries_ = 1; ///< entries of the batch in one operation
    std::string block_;
    std::string fault_;
};

} // namespace levee
