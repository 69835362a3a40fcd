// SPDX-License-Identifier: Apache-2.0
// Eviction decisions drawn from statistics instead of computed from scores, in O(1) per batch entry
// and step. Like model.hpp, this class has no time and no addresses.
#pragma once

#include "core/command/decision_statistics.hpp"
#include "ip/kv_tables/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::kv_tables {

/// Cache of one batch entry in a layer. All heads store the same tokens in the same slots. Half of
/// the slots have the view HIGH.
class DrawnCache {
public:
    /// `stream` selects the sequence of random words, together with the policy's seed.
    DrawnCache(const DecisionStatistics& statistics, std::uint32_t stream)
        : statistics_(&statistics), stream_(stream)
    {
    }

    /// SELECT for a prompt of `length` tokens. The cache keeps as many tokens as fit. No token is
    /// stored as a recomputed input.
    void select(const Policy& policy, std::uint32_t length);
    /// POPULAR, after SELECT. `input_rows` is the number of available input rows.
    void popular(const Policy& policy, std::uint32_t input_rows);
    /// EVICT: the token at position `now` has arrived at slot `arrival`; `length` slots are valid.
    /// Without scores all tokens are equal, and the lower slots are HIGH.
    ///
    /// If samples skip tokens between the previous token and this one, the state is as if EVICT had
    /// run for each skipped token, except that two slots may have exchanged their numbers. If the
    /// cache keeps neither views nor inputs, only slots matter. Each skipped token then usually
    /// evicts the token that has just left the recent window.
    ///
    /// If a step runs in several variants, the same token arrives again. The repetition changes
    /// nothing and returns the same decisions.
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
    /// POPULAR's decision: slots of the tokens that a head stores as recomputed inputs.
    [[nodiscard]] std::span<const std::uint32_t> popular() const { return popular_; }
    /// SELECT's decision: for each slot, the position of its token in the prompt.
    [[nodiscard]] std::span<const std::uint32_t> positions() const { return positions_; }
    /// EVICT's decision: whether the arriving token is stored as a recomputed input.
    [[nodiscard]] bool stored() const { return stored_; }
    /// EVICT's decision: input rows that are free because no head uses them any more.
    [[nodiscard]] std::span<const std::uint32_t> freed() const { return freed_; }
    /// EVICT's decision: slots whose high-score mark (view) has changed.
    [[nodiscard]] std::span<const std::uint32_t> changes() const { return changes_; }
    [[nodiscard]] bool is_high(std::uint32_t slot) const { return high_[slot] != 0; }

private:
    /// State before the operation. Changes are reported relative to this state.
    struct Before {
        std::uint32_t length, used;
        std::vector<std::uint32_t> free;
        std::vector<std::uint8_t> high;
    };
    void evict_next(const Policy& policy, std::uint32_t length, std::uint32_t now,
                    std::uint32_t arrival, bool is_scored);
    void catch_up(const Policy& policy, std::uint32_t now, std::uint32_t arrival, bool is_scored);
    void replace_newest(const Policy& policy, std::uint32_t until);
    /// Whether only slots matter, because neither views nor inputs depend on the positions of
    /// tokens.
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
    std::uint64_t drawn_ = 0; // Number of random words drawn.

    std::uint32_t now_ = 0;
    bool evicted_ = false; // Whether EVICT has run for the token at `now_`.
    std::uint32_t next_ = 0;
    std::vector<std::uint32_t> positions_; // Positions by slot.
    std::vector<std::uint32_t> recent_;    // Slots of the last window + 1 tokens, by position.
    std::vector<std::uint32_t> reached_;   // Slots of the last `reach` tokens, by position.

    std::uint32_t input_rows_ = 0;
    std::uint32_t used_ = 0, current_ = none;
    std::vector<std::uint32_t> free_; // Free input rows below used_, ascending.
    std::vector<std::uint32_t> freed_;
    std::vector<std::uint32_t> popular_;
    bool stored_ = false;
    double due_ = 0.0; // Number of input rows that are due to be freed.

    std::vector<std::uint8_t> high_; // High-score flags by slot.
    std::uint32_t high_count_ = 0;
    double swaps_due_ = 0.0;
    std::vector<std::uint32_t> changes_;
};

} // namespace levee::kv_tables
