// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/drawn_cache.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>

namespace levee::kv_tables {

namespace {

constexpr unsigned most_draws = 64; // After this many draws, takes any permitted slot.

} // namespace

std::uint32_t DrawnCache::random(const Policy& policy)
{
    return random_word(policy.seed, stream_, drawn_++);
}

bool DrawnCache::chance(const Policy& policy, double probability)
{
    return unit_interval(random(policy)) < probability;
}

void DrawnCache::select(const Policy& policy, std::uint32_t length)
{
    const std::uint32_t kept = std::min(length, policy.capacity);
    const std::uint32_t passed = policy.passed_of(length);
    const std::uint32_t sinks = std::min(policy.sinks > passed ? policy.sinks - passed : 0, kept);
    const std::uint32_t window = std::min(policy.window, kept - sinks);
    const std::uint64_t others = kept - sinks - window;
    positions_.assign(kept + std::size_t{1}, 0); // One more element for the next token.
    recent_.assign(policy.window + std::size_t{1}, none);
    reached_.assign(policy.reach, none);
    for (std::uint32_t slot = 0; slot < kept; ++slot) {
        std::uint32_t position = passed + slot;
        if (slot >= kept - window)
            position = length - (kept - slot);
        else if (slot >= sinks)
            position = static_cast<std::uint32_t>(
                passed + sinks +
                (slot - sinks) * std::uint64_t{length - passed - sinks - window} / others);
        positions_[slot] = position;
        if (!reached_.empty())
            reached_[position % reached_.size()] = slot;
        recent_[position % recent_.size()] = slot;
    }
    now_ = length - 1;
    evicted_ = false;
    next_ = kept;
    input_rows_ = used_ = 0;
    current_ = none;
    free_.clear();
    popular_.clear();
    due_ = unit_interval(random(policy));
    high_.assign(positions_.size(), 0);
    high_count_ = (kept + 1) / 2;
    std::fill_n(policy.recent_high ? high_.begin() + (kept - high_count_) : high_.begin(),
                high_count_, std::uint8_t{1});
}

void DrawnCache::popular(const Policy& policy, std::uint32_t input_rows)
{
    const std::uint32_t kept = next_, length = now_ + 1;
    const std::uint32_t everywhere = std::min(kept, policy.sinks + policy.window);
    const double share = length <= policy.capacity ? 1.0 : statistics_->popular;
    const auto others = static_cast<std::uint32_t>(share * (kept - everywhere));
    input_rows_ = input_rows;
    used_ = std::min(input_rows, everywhere + others);
    find_current();
    popular_.clear();
    const auto stored = static_cast<std::uint32_t>(statistics_->holders * used_ + 0.5);
    for (std::uint32_t i = 0; i < stored; ++i) // The stored tokens are spread evenly.
        popular_.push_back(static_cast<std::uint32_t>(std::uint64_t{i} * kept / stored));
}

void DrawnCache::evict(const Policy& policy, std::uint32_t length, std::uint32_t now,
                       std::uint32_t arrival, bool is_scored)
{
    if (evicted_ && now == now_)
        return;
    if (arrival >= length)
        throw Refusal(Refusal::Reason::Arrival, "the arriving token's slot is not valid");
    evicted_ = true;
    if (positions_.empty() || now <= now_ + 1) {
        evict_next(policy, length, now, arrival, is_scored);
        return;
    }
    if (only_slots(policy)) { // Without views and inputs, slots are the only decisions.
        catch_up(policy, now, arrival, is_scored);
        evict_next(policy, length, now, arrival, is_scored);
        return;
    }
    const Before before{std::min(now_, policy.capacity) + 1, used_, free_, high_};
    catch_up(policy, now, arrival, is_scored);
    evict_next(policy, length, now, arrival, is_scored);
    report_since(before, length);
}

/// Processes the skipped tokens before `now`, then swaps the free slot with slot `arrival`.
void DrawnCache::catch_up(const Policy& policy, std::uint32_t now, std::uint32_t arrival,
                          bool is_scored)
{
    while (now_ + 1 < now) {
        const std::uint32_t next = now_ + 1;
        if (only_slots(policy) && next > policy.capacity)
            replace_newest(policy, now);
        else
            evict_next(policy, std::min(next, policy.capacity) + 1, next, next_, is_scored);
    }
    const std::size_t slots = std::max<std::size_t>(positions_.size(), next_ + std::size_t{1});
    positions_.resize(slots, 0);
    high_.resize(slots, 0);
    std::swap(positions_[arrival], positions_[next_]);
    if (is_scored)
        std::swap(high_[arrival], high_[next_]);
    else // Without scores, views depend only on the slot.
        set_high(next_, next_ < (policy.capacity + 1) / 2);
    std::ranges::replace(recent_, arrival, next_);
    std::ranges::replace(reached_, arrival, next_);
    next_ = arrival;
}

/// Processes the skipped tokens before `until`. Each token takes the slot of the previous victim,
/// which usually is the token that has just left the recent window. There may be millions of
/// tokens, so the index into the ring of recent slots is incremented; a division for each token
/// would be slow.
void DrawnCache::replace_newest(const Policy& policy, std::uint32_t until)
{
    recent_.resize(policy.window + std::size_t{1}, none);
    reached_.resize(policy.reach, none);
    std::size_t place = (now_ + std::size_t{1}) % recent_.size();
    while (now_ + 1 < until) {
        ++now_;
        positions_[next_] = now_;
        recent_[place] = next_;
        place = place + 1 == recent_.size() ? 0 : place + 1; // The token that arrived `window`
                                                             // positions earlier.
        const std::uint32_t newest = recent_[place];
        if (!reached_.empty())
            reached_[now_ % reached_.size()] = next_;
        if (const std::uint32_t slot = passed(policy); slot != none) {
            next_ = slot;
            continue;
        }
        next_ = newest != none && may_leave(policy, newest) ? newest
                                                            : victim(policy, policy.capacity + 1);
    }
}

void DrawnCache::report_since(const Before& before, std::uint32_t length)
{
    changes_.clear();
    for (std::uint32_t slot = 0; slot < length; ++slot)
        if (slot >= before.length || high_[slot] != before.high[slot])
            changes_.push_back(slot);
    const auto is_free = [](const std::vector<std::uint32_t>& rows, std::uint32_t used,
                            std::uint32_t row) {
        return row >= used || std::ranges::binary_search(rows, row);
    };
    freed_.clear();
    for (std::uint32_t row = 0; row < before.used; ++row)
        if (is_free(free_, used_, row) && !is_free(before.free, before.used, row))
            freed_.push_back(row);
}

void DrawnCache::evict_next(const Policy& policy, std::uint32_t length, std::uint32_t now,
                            std::uint32_t arrival, bool is_scored)
{
    if (positions_.size() <= length) {
        positions_.resize(length + std::size_t{1}, 0);
        high_.resize(positions_.size(), 0);
    }
    recent_.resize(policy.window + std::size_t{1}, none);
    reached_.resize(policy.reach, none);
    now_ = now;
    positions_[arrival] = now;
    if (!reached_.empty())
        reached_[now % reached_.size()] = arrival;
    recent_[now % recent_.size()] = arrival;
    changes_.clear();
    freed_.clear();
    store_arrival();
    const bool leaves = length > policy.capacity;
    next_ = leaves ? victim(policy, length) : length;
    if (leaves)
        free_rows(policy);
    find_current();
    if (policy.view_bits == 0)
        return;
    if (is_scored)
        update_views(policy, length, arrival);
    else
        update_equal_views(policy, length, arrival);
}

bool DrawnCache::may_leave(const Policy& policy, std::uint32_t slot) const
{
    return positions_[slot] >= policy.sinks &&
           std::uint64_t{positions_[slot]} + policy.window <= now_;
}

/// Returns the slot of the latest token that the next token no longer attends to; none if no such
/// token is left.
std::uint32_t DrawnCache::passed(const Policy& policy) const
{
    const std::uint32_t count = policy.passed_of(now_ + 1);
    if (count == 0)
        return none;
    const std::uint32_t slot = reached_[(count - 1) % reached_.size()];
    return slot < positions_.size() && positions_[slot] == count - 1 ? slot : none;
}

/// Chooses the victim. A token that attention no longer reaches is evicted first. Otherwise, a
/// random draw may choose the token that has just left the recent window, unless that token's view
/// is high. Otherwise, the victim is a random unprotected token; another draw decides whether its
/// view is high or low.
std::uint32_t DrawnCache::victim(const Policy& policy, std::uint32_t length)
{
    const std::uint32_t newest =
        now_ >= policy.window ? recent_[(now_ - policy.window) % recent_.size()] : none;
    if (const std::uint32_t slot = passed(policy); slot != none)
        return slot;
    const bool is_there = newest < length && may_leave(policy, newest);
    const bool stays = policy.view_bits != 0 && is_there && high_[newest] != 0;
    if (is_there && !stays && chance(policy, statistics_->newest_victims))
        return newest;
    const bool has_views = policy.view_bits != 0;
    const bool is_high = has_views && chance(policy, statistics_->high_victims);
    for (unsigned i = 0; i < most_draws; ++i) {
        const std::uint32_t slot = random(policy) % length;
        const bool is_due = !has_views || (high_[slot] != 0) == is_high || i >= most_draws / 2;
        if (is_due && may_leave(policy, slot))
            return slot;
    }
    if (is_there)
        return newest;
    for (std::uint32_t slot = 0; slot < length; ++slot)
        if (may_leave(policy, slot))
            return slot;
    throw Refusal(Refusal::Reason::Protected, "the cache is full and every token is protected");
}

/// Stores the arriving token as a recomputed input if a row is free.
void DrawnCache::store_arrival()
{
    stored_ = current_ != none;
    if (!stored_)
        return;
    if (!free_.empty())
        free_.erase(free_.begin());
    else
        ++used_;
}

/// Frees random input rows, at the rate in the statistics. Sinks were stored first and have the
/// lowest rows. Sinks are evicted only if attention has a limited reach.
void DrawnCache::free_rows(const Policy& policy)
{
    const std::uint32_t lasting = policy.reach != 0 ? 0 : std::min(used_, policy.sinks);
    const std::uint32_t leaving = policy.capacity - policy.sinks;
    due_ += statistics_->turnover * (in_use() - lasting) / leaving;
    while (due_ >= 1.0 && in_use() > lasting) {
        due_ -= 1.0;
        std::uint32_t row = 0;
        do
            row = lasting + random(policy) % (used_ - lasting);
        while (std::ranges::binary_search(free_, row));
        free_.insert(std::ranges::lower_bound(free_, row), row);
        freed_.push_back(row);
        while (!free_.empty() && free_.back() + 1 == used_) {
            free_.pop_back();
            --used_;
        }
    }
}

void DrawnCache::find_current()
{
    if (!free_.empty())
        current_ = free_.front();
    else
        current_ = used_ < input_rows_ ? used_ : none;
}

void DrawnCache::set_high(std::uint32_t slot, bool is_high)
{
    if ((high_[slot] != 0) == is_high)
        return;
    high_[slot] = is_high ? 1 : 0;
    high_count_ += is_high ? 1u : ~0u;
    changes_.push_back(slot);
}

/// Draws a valid slot with a high view, or with a low view. If recent tokens must stay high, high
/// slots of recent tokens are avoided.
std::uint32_t DrawnCache::draw_slot(const Policy& policy, std::uint32_t length, bool is_high)
{
    const std::uint32_t absent = length > policy.capacity ? next_ : none;
    std::uint32_t found = none;
    for (unsigned i = 0; i < most_draws; ++i) {
        const std::uint32_t slot = random(policy) % length;
        if (slot == absent || (high_[slot] != 0) != is_high)
            continue;
        found = slot;
        const bool is_recent = std::uint64_t{positions_[slot]} + policy.window > now_;
        if (!is_high || !policy.recent_high || !is_recent)
            break;
    }
    for (std::uint32_t slot = 0; slot < length && found == none; ++slot)
        if (slot != absent && (high_[slot] != 0) == is_high)
            found = slot;
    return found;
}

/// Updates the views as the reference does if all tokens are equally important: the lower half of
/// the valid slots is high. Only the arrival, the victim and the slots at the middle change.
void DrawnCache::update_equal_views(const Policy& policy, std::uint32_t length,
                                    std::uint32_t arrival)
{
    const std::uint32_t absent = length > policy.capacity ? next_ : none;
    const std::uint32_t valid = absent == none ? length : length - 1;
    const std::uint32_t half = (valid + 1) / 2;
    const std::uint32_t end = absent < half ? half + 1 : half; // End of the high slots.
    set_high(arrival, arrival < end && arrival != absent);
    if (absent != none)
        set_high(absent, false);
    for (std::uint32_t slot = half > 2 ? half - 2 : 0; slot < std::min(half + 2, length); ++slot)
        set_high(slot, slot < end && slot != absent);
}

/// Swaps the views of some tokens, then restores the required number of high views.
void DrawnCache::update_views(const Policy& policy, std::uint32_t length, std::uint32_t arrival)
{
    const bool leaves = length > policy.capacity;
    const std::uint32_t valid = leaves ? length - 1 : length;
    if (leaves)
        set_high(next_, false);
    if (!leaves || next_ != arrival)
        set_high(arrival, policy.recent_high || chance(policy, statistics_->arrivals_high));
    swaps_due_ += statistics_->swaps * valid;
    for (; swaps_due_ >= 1.0; swaps_due_ -= 1.0) {
        const std::uint32_t up = draw_slot(policy, length, false);
        const std::uint32_t down = draw_slot(policy, length, true);
        if (up == none || down == none)
            continue;
        set_high(up, true);
        set_high(down, false);
    }
    while (high_count_ < (valid + 1) / 2)
        set_high(draw_slot(policy, length, false), true);
    while (high_count_ > (valid + 1) / 2)
        set_high(draw_slot(policy, length, true), false);
}

} // namespace levee::kv_tables
