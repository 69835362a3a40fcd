// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/observed.hpp"

#include "ip/kv_tables/decided.hpp"
#include "ip/kv_tables/drawn_cache.hpp"
#include "platform/input/config/kv_cache.hpp"
#include "platform/input/config/kv_keys.hpp"
#include "platform/observe/decisions/popular_tokens.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace levee {

namespace {

using kv_tables::Decided;
using kv_tables::DrawnCache;
using kv_tables::Policy;

std::vector<std::uint32_t> words_of(const Decision::Write& write)
{
    std::vector<std::uint32_t> words(write.bytes.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), write.bytes.data(), words.size() * sizeof(std::uint32_t));
    return words;
}

/// One operation's writes for one entry of the batch. Null: the operation has no such
/// write.
struct EntryWrites {
    struct Head {
        const Decision::Write *views = nullptr, *next = nullptr, *positions = nullptr,
                              *gather = nullptr;
    };
    std::vector<Head> heads;
    const Decision::Write *holders = nullptr, *used = nullptr;

    [[nodiscard]] bool is_selection() const { return heads[0].gather && heads[0].next; }
    [[nodiscard]] bool is_popularity() const { return heads[0].gather && !heads[0].next; }
};

void sort_in(const Decision::Write& write, EntryWrites& entry, std::size_t head)
{
    EntryWrites::Head& mine = entry.heads[head];
    switch (static_cast<Decided>(write.what)) {
    case Decided::Views:
        mine.views = &write;
        break;
    case Decided::Next:
        mine.next = &write;
        break;
    case Decided::Positions:
        mine.positions = &write;
        break;
    case Decided::Gather:
        mine.gather = &write;
        break;
    case Decided::Holders:
        entry.holders = &write;
        break;
    case Decided::Used:
        entry.used = &write;
        break;
    default:
        break;
    }
}

/// Reads a recording entry by entry, in the order of the steps.
class Reader {
public:
    explicit Reader(Recording& recording)
        : recording_(recording), heads_(number("model.kv_heads")), policy_(policy())
    {
    }
    [[nodiscard]] std::size_t heads() const { return heads_; }
    [[nodiscard]] bool is_scored() const { return evictor_rule(recording_).scores; }
    [[nodiscard]] const Policy& kept_by() const { return policy_; }

    /// Calls visit(key, writes) for each batch entry of each operation of the evictor. The key
    /// identifies the entry's cache.
    template <typename Visit> void read(Visit visit)
    {
        Recording::Record record;
        while (recording_.next(record)) {
            const auto& writes = record.decision.writes;
            if (writes.empty() || writes.front().what == 0)
                continue; // not an operation of the evictor
            for (const EntryWrites& entry : entries_of(record.decision))
                visit(key_of(entry), entry);
        }
        if (last_ == 0)
            recording_.refuse("has no operation of an evictor; expected at least one");
    }

private:
    std::uint32_t number(const std::string& name) const
    {
        return static_cast<std::uint32_t>(std::stoul(recording_.value(name)));
    }

    /// Returns the recorded policy. The rule for protected tokens is the one in
    /// firmware/cache/policy.c.
    Policy policy() const
    {
        const levee_boot_info stated =
            config::kv_of_texts([this](const std::string& name) { return recording_.find(name); });
        levee_kv_protection protection{};
        evictor_rule(recording_).protect(&stated.kv, &stated.voting, &protection);
        Policy policy;
        policy.capacity = stated.kv.budget;
        policy.sinks = protection.sinks;
        policy.window = protection.window;
        policy.view_bits = stated.kv.view_bits;
        policy.recent_high = stated.kv.recent_high != 0;
        policy.seed = number("seed");
        return policy;
    }

    std::vector<EntryWrites> entries_of(const Decision& decision) const
    {
        const std::size_t pairs = decision.writes.back().iteration + std::size_t{1};
        if (pairs % heads_ != 0)
            recording_.refuse("comes from a run whose entries have heads in several memories; "
                              "expected all heads in one memory, so that they can be compared");
        std::vector<EntryWrites> entries(pairs / heads_);
        for (EntryWrites& entry : entries)
            entry.heads.resize(heads_);
        for (const Decision::Write& write : decision.writes)
            sort_in(write, entries[write.iteration / heads_], write.iteration % heads_);
        return entries;
    }

    /// Returns the key of an entry's cache, which is an address. POPULAR has no address, and refers
    /// to the same entry as the SELECT before it.
    std::uint64_t key_of(const EntryWrites& entry)
    {
        if (entry.heads[0].next != nullptr)
            last_ = entry.heads[0].next->pattern.address;
        return last_;
    }

    Recording& recording_;
    std::size_t heads_;
    Policy policy_;
    std::uint64_t last_ = 0;
};

/// The cache of one batch entry in one layer, reconstructed from a recording.
class SeenCache {
public:
    SeenCache(const Policy& policy, std::size_t heads)
        : policy_(&policy), heads_(heads), popular_(heads)
    {
    }

    void select(const EntryWrites& entry, Observed& observed)
    {
        finish(observed);
        for (std::size_t i = 0; i < heads_.size(); ++i) {
            const EntryWrites::Head& from = entry.heads[i];
            Head& head = heads_[i];
            head.first = from.positions->pattern.address;
            head.positions = words_of(*from.positions);
            head.views = from.views != nullptr ? from.views->bytes : std::vector<std::uint8_t>();
        }
        length_ = static_cast<std::uint32_t>(heads_[0].positions.size());
        seen_ = heads_[0].positions.back() + 1;
        holders_.clear();
        for (const Head& head : heads_)
            popular_.retained(head.positions);
        popular_.find();
    }

    void finish(Observed& observed) { popular_.count(observed.popular, observed.popular_at_end); }

    void popular(const EntryWrites& entry, Observed& observed)
    {
        holders_ = words_of(*entry.holders);
        const std::uint32_t everywhere = std::min(length_, policy_->sinks + policy_->window);
        const std::uint32_t used = words_of(*entry.used)[0];
        if (seen_ <= length_ || used == holders_.size())
            return; // nothing to count: all tokens are kept, or there are too few rows
        observed.others_kept += length_ - everywhere;
        observed.others_popular += used > everywhere ? used - everywhere : 0;
    }

    void evict(const EntryWrites& entry, Observed& observed)
    {
        length_ = std::min(length_ + 1, policy_->capacity + 1);
        ++observed.steps;
        for (std::size_t i = 0; i < heads_.size(); ++i)
            evict_of(entry.heads[i], heads_[i], observed);
        if (entry.holders != nullptr)
            update_rows(words_of(*entry.holders), words_of(*entry.used)[0], observed);
    }

private:
    struct Head {
        std::uint64_t first = 0; // address of the position in slot 0
        std::vector<std::uint32_t> positions;
        std::vector<std::uint8_t> views;
    };

    [[nodiscard]] bool is_full() const { return length_ > policy_->capacity; }

    void evict_of(const EntryWrites::Head& from, Head& head, Observed& observed)
    {
        const auto slot = static_cast<std::uint32_t>(
            (from.positions->pattern.address - head.first) / sizeof(std::uint32_t));
        const std::uint32_t now = words_of(*from.positions)[0];
        const std::uint32_t next = words_of(*from.next)[0];
        head.positions.resize(std::max<std::size_t>(head.positions.size(), length_));
        head.positions.at(slot) = now;
        if (is_full()) {
            const bool is_newest = head.positions.at(next) + policy_->window == now;
            ++observed.evictions;
            popular_.evicted(head.positions.at(next));
            observed.newest += is_newest ? 1 : 0;
            if (!is_newest && next < head.views.size()) {
                ++observed.others_gone;
                observed.high_gone += (head.views[next] & LEVEE_SE_VIEW_HIGH) != 0 ? 1 : 0;
            }
        }
        if (from.views != nullptr && !head.views.empty())
            count_changes(from.views->bytes, head, slot, next, observed);
        if (from.views != nullptr)
            head.views = from.views->bytes;
    }

    void count_changes(const std::vector<std::uint8_t>& views, const Head& head, std::uint32_t slot,
                       std::uint32_t next, Observed& observed) const
    {
        double up = 0, down = 0;
        for (std::uint32_t i = 0; i < std::min(views.size(), head.views.size()); ++i) {
            const bool was = (head.views[i] & LEVEE_SE_VIEW_HIGH) != 0;
            const bool is = (views[i] & LEVEE_SE_VIEW_HIGH) != 0;
            if (i != slot && i != next)
                (is ? up : down) += was != is ? 1 : 0;
        }
        observed.changes += up + down;
        observed.swaps += std::min(up, down);
        observed.token_steps += is_full() ? length_ - 1 : length_;
        if (slot != next || !is_full()) {
            ++observed.arrivals;
            observed.arrivals_high += (views.at(slot) & LEVEE_SE_VIEW_HIGH) != 0 ? 1 : 0;
        }
    }

    void update_rows(const std::vector<std::uint32_t>& holders, std::uint32_t used,
                     Observed& observed)
    {
        double in_use = 0, uses = 0, stored = 0, freed = 0;
        holders_.resize(holders.size());
        for (std::size_t row = 0; row < holders.size(); ++row) {
            in_use += holders[row] != 0 ? 1 : 0;
            uses += holders[row];
            stored += holders_[row] == 0 && holders[row] != 0 ? 1 : 0;
            freed += holders_[row] != 0 && holders[row] == 0 ? 1 : 0;
        }
        if (is_full()) {
            observed.freed += freed;
            observed.exposure += (in_use + freed - std::min<double>(used, policy_->sinks)) /
                                 (policy_->capacity - policy_->sinks);
        }
        observed.rows_in_use += in_use;
        observed.head_rows += uses / static_cast<double>(heads_.size());
        observed.stored += stored;
        observed.recomputed += used;
        holders_ = holders;
    }

    const Policy* policy_;
    std::vector<Head> heads_;
    std::vector<std::uint32_t> holders_;
    PopularTokens popular_;
    std::uint32_t length_ = 0;
    std::uint32_t seen_ = 0;
};

/// Returns how many tokens have another view after the step than before it, without arriving and
/// evicted tokens. Two changes of one token in a step cancel.
std::size_t lasting_changes(const DrawnCache& cache, std::uint32_t arrival)
{
    std::vector<std::uint32_t> slots(cache.changes().begin(), cache.changes().end());
    std::ranges::sort(slots);
    std::size_t count = 0;
    for (auto at = slots.begin(); at != slots.end();) {
        const auto end = std::upper_bound(at, slots.end(), *at);
        count += *at != arrival && *at != cache.next() ? static_cast<std::size_t>(end - at) % 2 : 0;
        at = end;
    }
    return count;
}

double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0.0;
}

} // namespace

const levee_kv_rule& evictor_rule(const Recording& recording)
{
    const auto kind = config::kv_policy_named(recording.value("kv_cache.policy"));
    if (!kind || config::keeps_all(*kind))
        recording.refuse(
            "comes from a run without an evictor; expected a kv_cache.policy that evicts tokens");
    const levee_kv_rule& rule = config::kv_rule(*kind);
    if (rule.votes)
        recording.refuse("comes from a run with a voting policy; expected a policy that evicts by "
                         "scores, because statistics of votes are not supported");
    return rule;
}

Observed& Observed::operator+=(const Observed& other)
{
    for (double Observed::*const sum :
         {&Observed::evictions,      &Observed::newest,        &Observed::others_gone,
          &Observed::high_gone,      &Observed::arrivals,      &Observed::arrivals_high,
          &Observed::token_steps,    &Observed::swaps,         &Observed::others_kept,
          &Observed::others_popular, &Observed::exposure,      &Observed::freed,
          &Observed::rows_in_use,    &Observed::head_rows,     &Observed::steps,
          &Observed::stored,         &Observed::recomputed,    &Observed::changes,
          &Observed::popular,        &Observed::popular_at_end})
        this->*sum += other.*sum;
    return *this;
}

Observed observe(Recording& recording)
{
    Observed observed;
    Reader reader(recording);
    std::map<std::uint64_t, SeenCache> caches;
    reader.read([&](std::uint64_t key, const EntryWrites& entry) {
        SeenCache& cache = caches.try_emplace(key, reader.kept_by(), reader.heads()).first->second;
        if (entry.is_selection())
            cache.select(entry, observed);
        else if (entry.is_popularity())
            cache.popular(entry, observed);
        else
            cache.evict(entry, observed);
    });
    for (auto& [key, cache] : caches)
        cache.finish(observed);
    return observed;
}

Observed draw(Recording& recording, const DecisionStatistics& statistics)
{
    struct Drawn {
        DrawnCache cache;
        std::uint32_t length;
    };
    Observed observed;
    Reader reader(recording);
    const Policy& policy = reader.kept_by();
    std::map<std::uint64_t, Drawn> caches;
    reader.read([&](std::uint64_t key, const EntryWrites& entry) {
        const auto stream = static_cast<std::uint32_t>(caches.size());
        Drawn& drawn =
            caches.try_emplace(key, Drawn{DrawnCache(statistics, stream), 0}).first->second;
        DrawnCache& cache = drawn.cache;
        if (entry.is_selection()) {
            cache.select(policy, words_of(*entry.heads[0].positions).back() + 1);
            drawn.length = cache.next();
        } else if (entry.is_popularity()) {
            cache.popular(policy, static_cast<std::uint32_t>(words_of(*entry.holders).size()));
        } else {
            const auto heads = static_cast<double>(reader.heads());
            const std::uint32_t arrival = cache.next();
            drawn.length = std::min(drawn.length + 1, policy.capacity + 1);
            cache.evict(policy, drawn.length, words_of(*entry.heads[0].positions)[0], arrival,
                        reader.is_scored());
            ++observed.steps;
            observed.evictions += drawn.length > policy.capacity ? heads : 0;
            if (entry.heads[0].views != nullptr)
                observed.changes += heads * static_cast<double>(lasting_changes(cache, arrival));
            observed.rows_in_use += cache.in_use();
            observed.stored += cache.stored() ? 1 : 0;
            observed.recomputed += cache.used();
        }
    });
    return observed;
}

DecisionStatistics calibrated(const Observed& observed)
{
    DecisionStatistics statistics;
    statistics.holders = observed.rows_in_use > 0 ? observed.head_rows / observed.rows_in_use : 1.0;
    statistics.newest_victims = share(observed.newest, observed.evictions);
    statistics.high_victims = share(observed.high_gone, observed.others_gone);
    statistics.popular =
        observed.others_kept > 0 ? observed.others_popular / observed.others_kept : 1.0;
    statistics.turnover = share(observed.freed, observed.exposure);
    statistics.arrivals_high = share(observed.arrivals_high, observed.arrivals);
    statistics.swaps = share(observed.swaps, observed.token_steps);
    return statistics;
}

} // namespace levee
