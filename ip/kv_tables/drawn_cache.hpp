// SPDX-License-Identifier: Apache-2.0
// Eviction decisions drawn from statistics instead of computed from scores: O(1) for a batch entry
// and step. Without time and addresses, like model.hpp.
#pragma once

#include "core/command/decision_statistics.hpp"
#include "ip/kv_tables/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::kv_tables {

/// The cache of one batch entry in a layer. Its heads store the same tokens in the same slots; half
/// of the slots are HIGH.
class DrawnCache {
public:
    /// `stream`: number of the stream of random words, in addition to the policy's seed.
    DrawnCache(const DecisionStatistics& statistics, std::uint32_t stream)
        : statistics_(&statistics), stream_(stream)
    {
    }

    /// SELECT from a prompt of `length` tokens: the cache stores as many as fit, none of them as a
    /// recomputed input.
    void select(const Policy& policy, std::uint32_t length);
    /// POPULAR, after SELECT: the number of input rows in use.
    void popular(const Policy& policy, std::uint32_t input_rows);
    /// EVICT: the token at position `now` has arrived at slot `arrival`; `length` slots are valid.
    /// Without scores all tokens are equal, and the lower slots are HIGH. Tokens between the last
    /// one and this one were skipped (a run of samples): the state is as if EVICT had run for each
    /// of them, except for the numbers of two slots. If the cache keeps neither views nor inputs,
    /// only slots matter, and each skipped token evicts the one that has just left the recent
    /// window. Repeating the same token, as in a step that runs in several variants, changes
    /// nothing: the earlier decisions are returned.
    void evict(const Policy& policy, std::uint32_t length, std::uint32_t now, std::uint32_t arrival,
               bool is_scored);

    /// Decisions of the last operation.
    [[nodiscard]] std::uint32_t next() const { return next_; }
    [[nodiscard]] std::uint32_t current() const { return current_; }
    [[nodiscard]] std::uint32_t used() const { return used_; }
    [[nodiscard]] std::uint32_t in_use() const
    {
        return used_ - static_cast<std::uint32_t>(free_.size());
    }
    /// POPULAR's decision: slots of the tokens stored as recomputed inputs, as many as a head
    /// stores.
    [[nodiscard]] std::span<const std::uint32_t> popular() const { return popular_; }
    /// SELECT's decision: the position in the prompt of each slot's token.
    [[nodiscard]] std::span<const std::uint32_t> positions() const { return positions_; }
    /// EVICT's decision: the arriving token is stored as a recomputed input.
    [[nodiscard]] bool stored() const { return stored_; }
    /// EVICT's decision: input rows whose last holder was evicted.
    [[nodiscard]] std::span<const std::uint32_t> freed() const { return freed_; }
    /// EVICT's decision under policies with views: slots whose views have changed.
    [[nodiscard]] std::span<const std::uint32_t> changes() const { return changes_; }
    [[nodiscard]] bool is_high(std::uint32_t slot) const { return high_[slot] != 0; }

private:
    /// The state relative to which changes are reported.
    struct Before {
        std::uint32_t length, used;
        std::vector<std::uint32_t> free;
        std::vector<std::uint8_t> high;
    };
    void evict_next(const Policy& policy, std::uint32_t length, std::uint32_t now,
                    std::uint32_t arrival, bool is_scored);
    void catch_up(const Policy& policy, std::uint32_t now, std::uint32_t arrival, bool is_scored);
    void replace_newest(const Policy& policy, std::uint32_t until);
    /// Whether neither views nor inputs depend on the positions of tokens.
    [[nodiscard]] bool only_slots(const Policy& policy) const
    {
        return policy.view_bits == 0 && input_rows_ == 0;
    }
    void report_since(const Before& before, std::uint32_t length);
    [[nodiscard]] std::uint32_t random(const Policy& policy);
    [[nodiscard]] bool chance(const Policy& policy, double probability);
    [[nodiscard]] std::uint32_t victim(const Policy& policy, std::uint32_t length);
    [[nodiscard]] std::uint32_t passed(const Policy& policy) const;
    [[nodiscard]] bool may_leave(const Policy& policy, std::uint32_t slot) const;
    void store_arrival();
    void free_rows(const Policy& policy);
    void find_current();
    void set_high(std::uint32_t slot, bool is_high);
    [[nodiscard]] std::uint32_t draw_slot(const Policy& policy, std::uint32_t length, bool is_high);
    void update_equal_views(const Policy& policy, std::uint32_t length, std::uint32_t arrival);
    void update_views(const Policy& policy, std::uint32_t length, std::uint32_t arrival);

    const DecisionStatistics* statistics_;
    std::uint32_t stream_;
    std::uint64_t drawn_ = 0; // random words

    std::uint32_t now_ = 0;
    bool evicted_ = false; // Whether a token was evicted at `now_`.
    std::uint32_t next_ = 0;
    std::vector<std::uint32_t> positions_; // Positions by slot.
    std::vector<std::uint32_t> recent_;    // slots of the last window + 1 tokens, by position
    std::vector<std::uint32_t> reached_;   // Tokens within the last `reach` positions, by slot.

    std::uint32_t input_rows_ = 0;
    std::uint32_t used_ = 0, current_ = none;
    std::vector<std::uint32_t> free_; // below used_, ascending
    std::vector<std::uint32_t> freed_;
    std::vector<std::uint32_t> popular_;
    bool stored_ = false;
    double due_ = 0.0; // number of rows that should have been freed so far

    std::vector<std::uint8_t> high_; // High-score flags by slot.
    std::uint32_t high_count_ = 0;
    double swaps_due_ = 0.0;
    std::vector<std::uint32_t> changes_;
};

} // namespace levee::kv_tables
