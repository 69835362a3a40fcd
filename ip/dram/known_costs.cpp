// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/known_costs.hpp"

#include <bit>
#include <cstring>
#include <memory>
#include <span>

namespace levee::dram {

namespace {

using Key = KnownCosts::Key;

template <typename... Values> void append(Key& words, const Values&... values)
{
    (words.push_back(static_cast<std::uint64_t>(values)), ...);
}

// Names the members of each struct one by one, so that a struct with a new member does not compile
// until the member is added here.

void append_organisation(Key& words, const Organisation& organisation)
{
    const auto& [channels, ranks, groups, banks, rows, page, bits, length, data, rate, capacity] =
        organisation;
    append(words, channels, ranks, groups, banks, rows, page, bits, length, data, rate, capacity);
}

void append_timing(Key& words, const Timing& timing)
{
    const auto& [clock, rl, wl, rcd_read, rcd_write, rp, rp_all, ras, rc, rrd_s, rrd_l, faw, wr,
                 rtp, wtr_s, wtr_l, rfc_all, rfc_bank, refi, refresh_to_activate,
                 refresh_to_refresh, ccd_s, ccd_l, turnaround, rank, ppd, postponed] = timing;
    append(words, clock, rl, wl, rcd_read, rcd_write, rp, rp_all, ras, rc, rrd_s, rrd_l, faw, wr,
           rtp, wtr_s, wtr_l, rfc_all, rfc_bank, refi, refresh_to_activate, refresh_to_refresh,
           ccd_s, ccd_l, turnaround, rank, ppd, postponed);
}

void append_mapping(Key& words, const Mapping& mapping)
{
    const auto& [fields, channel_hash, bank_hash] = mapping;
    append(words, fields.size(), channel_hash, bank_hash);
    for (const auto& [field, values] : fields)
        append(words, field, values);
}

void append_controller(Key& words, const Controller& controller)
{
    const auto& [latency, read_queue, write_queue, write_high, batch, patience, turn, slack,
                 arbitration, batching, prices] = controller;
    append(words, latency, read_queue, write_queue, write_high, batch, patience, turn, slack,
           arbitration, batching, prices);
}

/// The parameters that determine a cost: all except the standard's name. The cost also depends on
/// effort and mix.
Key words_of(const Parameters& parameters)
{
    const auto& [standard, organisation, timing, bus, mapping, controller, refresh] = parameters;
    Key words;
    append_organisation(words, organisation);
    append_timing(words, timing);
    const auto& [activate, column, precharge, refreshing, split, window] = bus;
    append(words, activate, column, precharge, refreshing, split, window, refresh);
    append_mapping(words, mapping);
    append_controller(words, controller);
    return words;
}

void append_list(std::vector<std::uint64_t>& words, const Key& list)
{
    words.push_back(list.size());
    words.insert(words.end(), list.begin(), list.end());
}

/// Reads words of a record in turn; `whole` becomes false if the record ends too early.
struct Reader {
    std::uint64_t word()
    {
        whole = whole && !left.empty();
        if (!whole)
            return 0;
        const std::uint64_t first = left.front();
        left = left.subspan(1);
        return first;
    }
    double number() { return std::bit_cast<double>(word()); }
    Key list()
    {
        const std::uint64_t size = word();
        whole = whole && size <= left.size();
        if (!whole)
            return {};
        const auto part = left.first(size);
        left = left.subspan(size);
        return Key(part.begin(), part.end());
    }

    std::span<const std::uint64_t> left;
    bool whole = true;
};

std::unique_ptr<KnownCosts>& shared()
{
    static std::unique_ptr<KnownCosts> costs;
    return costs;
}

} // namespace

const KnownCosts::OfMemory& KnownCosts::of(const Parameters& parameters)
{
    return all_[words_of(parameters)];
}

void KnownCosts::add(const Parameters& parameters, const Key& key, const MixCost& cost)
{
    const Key memory = words_of(parameters);
    if (!all_[memory].try_emplace(key, cost).second)
        return;
    append_list(new_, memory);
    append_list(new_, key);
    new_.push_back(cost.ps_per_byte.size());
    for (std::size_t i = 0; i < cost.ps_per_byte.size(); ++i)
        for (const double value : {cost.ps_per_byte[i], cost.rows_per_byte[i]})
            new_.push_back(std::bit_cast<std::uint64_t>(value));
    for (const double value : {cost.core_latency_ps, cost.core_service_ps})
        new_.push_back(std::bit_cast<std::uint64_t>(value));
}

std::string KnownCosts::added() const
{
    std::string bytes(new_.size() * sizeof(std::uint64_t), '\0');
    std::memcpy(bytes.data(), new_.data(), bytes.size());
    return bytes;
}

void KnownCosts::take(std::string_view bytes)
{
    std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
    Reader reader{words};
    while (true) {
        const Key memory = reader.list(), key = reader.list();
        MixCost cost;
        for (std::uint64_t streams = reader.word(); reader.whole && streams > 0; --streams) {
            cost.ps_per_byte.push_back(reader.number());
            cost.rows_per_byte.push_back(reader.number());
        }
        cost.core_latency_ps = reader.number();
        cost.core_service_ps = reader.number();
        if (!reader.whole)
            return;
        all_[memory].try_emplace(key, std::move(cost));
    }
}

KnownCosts* known_costs()
{
    return shared().get();
}

KnownCosts& share_costs()
{
    if (!shared())
        shared() = std::make_unique<KnownCosts>();
    return *shared();
}

} // namespace levee::dram
