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

/// Records, in a functional run, which tokens an evictor removes from each head's cache, and when.
class KeptTokens : public DecisionRecorder {
public:
    /// The model has `layers` layers, each with `heads` key/value heads. Each head's cache keeps
    /// `budget` tokens.
    KeptTokens(std::size_t layers, std::size_t heads, std::size_t budget);

    void decided(const std::string& block, std::uint64_t operation,
                 const Decision& decision) override;

    static constexpr std::int64_t stays = -1;
    /// For each token of a head, by position: the position of the token whose arrival evicted it.
    /// The value is `stays` if it was not evicted, and the prompt's length if the prefill dropped
    /// it.
    using Head = std::vector<std::int64_t>;
    struct Sequence {
        std::size_t index;
        std::vector<std::vector<Head>> layers;
    };
    /// Returns the sequences for which every layer's cache was filled. Omits the last sequences if
    /// all Heads together would have more than `most` tokens.
    [[nodiscard]] std::vector<Sequence> sequences(std::size_t most) const;
    /// Returns a sentence with the reason why sequences are missing; empty if none is missing.
    [[nodiscard]] std::string reason(std::size_t most) const;

    [[nodiscard]] std::size_t budget() const { return budget_; }

private:
    /// The tokens of one head's cache since its last SELECT.
    struct Track {
        std::size_t selection, iteration; ///< number of the SELECT operation, and index of the
                                          ///< pair of entry and head
        std::uint64_t first = 0;          ///< address of the position in slot 0
        std::vector<std::int64_t> positions;
        std::size_t length = 0;
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
    std::map<std::uint64_t, std::size_t> current_; ///< indices in tracks_, by the address of the
                                                   ///< word `next`
    std::optional<std::uint64_t> selecting_;
    std::size_t selections_ = 0;
    std::size_t entries_ = 1;
    std::string block_;
    std::string fault_;
};

} // namespace levee
