// SPDX-License-Identifier: Apache-2.0
// Eviction decisions drawn from statistics instead of computed from scores: O(1) for a batch entry
// and step. Timeless and without addresses, as model.hpp.
#pragma once

#include "ip/common/decision_statistics.hpp"
#include "ip/kv_tables/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::kv_tables {

/// One batch entry of a layer. Its heads keep the same tokens in the same slots, half of which are
/// HIGH.
class DrawnCache {
public:
    /// `stream`: of the random words, besides the policy's seed.
    DrawnCache(const DecisionStatistics& statistics, std::uint32_t stream)
        : statistics_(&statistics), stream_(stream)
    {
    }

    /// SELECT, of a prompt of `length` tokens: the cache holds as many of them as it can, none of
    /// them as an input.
    void select(const Policy& policy, std::uint32_t length);
    /// POPULAR, after SELECT: how many input rows are in use.
    void popular(const Policy& policy, std::uint32_t x_rows);
    /// EVICT: the token at position `now` has come to slot `arrival`; `length` slots are valid.
    /// Without scores all tokens are equal, and the lower slots are HIGH. Tokens between the last
    /// one and this were skipped (a run of samples): the cache is in the state that an EVICT for
    /// each of them would have left, but for the numbers of two slots.
    void evict(const Policy& policy, std::uint32_t length, std::uint32_t now, std::uint32_t arrival,
               bool is_scored);

    /// The decisions of the last operation.
    [[nodiscard]] std::uint32_t next() const { return next_; }
    [[nodiscard]] std::uint32_t current() const { return current_; }
    [[nodiscard]] std::uint32_t used() const { return used_; }
    [[nodiscard]] std::uint32_t in_use() const
    {
        return used_ - static_cast<std::uint32_t>(free_.size());
    }
    /// By POPULAR: slots whose tokens are stored as inputs, as many as a head holds.
    [[nodiscard]] std::span<const std::uint32_t> popular() const { return popular_; }
    /// By SELECT, of each slot: the token's position in the prompt.
    [[nodiscard]] std::span<const std::uint32_t> positions() const { return positions_; }
    /// By EVICT: the token that came is stored as an input.
    [[nodiscard]] bool stored() const { return stored_; }
    /// By EVICT: input rows that have lost their last holder.
    [[nodiscard]] std::span<const std::uint32_t> freed() const { return freed_; }
    /// By EVICT, with a policy that makes views: slots whose views have changed.
    [[nodiscard]] std::span<const std::uint32_t> changes() const { return changes_; }
    [[nodiscard]] bool is_high(std::uint32_t slot) const { return high_[slot] != 0; }

private:
    /// The state that changes are reported against.
    struct Before {
        std::uint32_t length, used;
        std::vector<std::uint32_t> free;
        std::vector<std::uint8_t> high;
    };
    void evict_next(const Policy& policy, std::uint32_t length, std::uint32_t now,
                    std::uint32_t arrival, bool is_scored);
    void catch_up(const Policy& policy, std::uint32_t now, std::uint32_t arrival, bool is_scored);
    void report_since(const Before& before, std::uint32_t length);
    [[nodiscard]] std::uint32_t random(const Policy& policy);
    [[nodiscard]] bool chance(const Policy& policy, double probability);
    [[nodiscard]] std::uint32_t victim(const Policy& policy, std::uint32_t length);
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
    std::uint32_t next_ = 0;
    std::vector<std::uint32_t> positions_; // by slot
    std::vector<std::uint32_t> recent_;    // slots of the last window + 1 tokens, by position

    std::uint32_t x_rows_ = 0;
    std::uint32_t used_ = 0, current_ = none;
    std::vector<std::uint32_t> free_; // below used_, ascending
    std::vector<std::uint32_t> freed_;
    std::vector<std::uint32_t> popular_;
    bool stored_ = false;
    double due_ = 0.0; // rows that should have been freed by now

    std::vector<std::uint8_t> high_; // by slot
    std::uint32_t high_count_ = 0;
    double swaps_due_ = 0.0;
    std::vector<std::uint32_t> changes_;
};

} // namespace levee::kv_tables
