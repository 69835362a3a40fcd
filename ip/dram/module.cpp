// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/module.hpp"

#include "core/flow/flow_engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace levee::dram {

Dram::Dram(const sc_core::sc_module_name& name, const Config& config)
    : StorageModule(name,
                    std::max(config.address_bytes, config.parameters.organisation.capacity_bytes),
                    {false, config.allow_dmi, 0}),
      config_(config), timing_(this->name(), config.parameters), bursts_(config.parameters),
      self_refresh_(config.self_refresh), stream_activity_(timing_, self_refresh_)
{
}

void Dram::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    StorageModule::load(offset, bytes);
    if (!bytes.empty())
        use(offset + bytes.size() - 1);
}

Picoseconds Dram::accessed(Direction direction, std::uint64_t address, unsigned bytes,
                           Picoseconds now)
{
    use(address + bytes - 1);
    (direction == Direction::Read ? read_bytes_ : written_bytes_) += bytes;
    const Picoseconds wakes = self_refresh_.wake(now);
    return wakes + timing_.core_latency(direction, address, bytes, now + wakes);
}

Picoseconds Dram::begun(const BulkExtension& stream, std::uint64_t last)
{
    use(last);
    (stream.direction == Direction::Read ? read_bytes_ : written_bytes_) += stream.bytes;
    timing_.begins(stream.bytes, now_ps());
    return self_refresh_.wake(now_ps()) + timing_.unloaded_latency(stream.direction);
}

void Dram::report(Stats& stats) const
{
    stats.add("read_bytes", read_bytes_);
    stats.add("write_bytes", written_bytes_);
    if (counts_rows())
        stats.add("activates", rows_opened());
    if (timing_.choice().scheduled_bytes() > 0)
        stats.add("scheduled_bytes", timing_.choice().scheduled_bytes());
    const std::uint64_t capacity = config_.parameters.organisation.capacity_bytes;
    if (storage().size() > capacity)
        stats.add("overcommitted_bytes", used_bytes_ - std::min(used_bytes_, capacity),
                  FigureKind::Level);
    stats.add("refreshes", refreshes(), FigureKind::Time);
    if (self_refresh_.configured())
        stats.add("self_refresh_seconds", seconds(self_refreshed()));
}

std::string Dram::caveat(const std::string& by_schedule) const
{
    const PriceChoice& choice = timing_.choice();
    if (!choice.misprices(now_ps())) {
        const std::string refresh = refresh_caveat(by_schedule);
        return refresh.empty() && mixed_paces() >= PriceChoice::weighs_from
                   ? pace_caveat(by_schedule)
                   : refresh;
    }
    const double percent = 100.0 * static_cast<double>(choice.short_by_kind());
    return std::to_string(std::lround(percent / static_cast<double>(choice.bytes()))) +
           " % of its traffic is in streams under 64 KiB, priced by kind of mix. Most of these end "
           "over 10 % too early or too late, so the run may be off by 2.5 % or more. Run with "
           "--set " +
           by_schedule + " to measure the difference";
}

double Dram::mixed_paces() const
{
    const Picoseconds now = std::max<Picoseconds>(1, now_ps());
    return static_cast<double>(stream_activity_.paces().time(now)) / static_cast<double>(now);
}

std::string Dram::pace_caveat(const std::string& by_schedule) const
{
    return "has, for " + std::to_string(std::lround(100.0 * mixed_paces())) +
           " % of the time, one operation that uses it at a limited rate of its own while the "
           "memory limits another. Without `prices: by_schedule`, the first can end up to 25 % too "
           "early. Run with --set " +
           by_schedule + " to measure the difference";
}

std::string Dram::refresh_caveat(const std::string& by_schedule) const
{
    constexpr double weighs_from = 0.2; // share of the time in refresh (exactness.md)
    const Parameters& parameters = config_.parameters;
    const PriceChoice& choice = timing_.choice();
    const double share = static_cast<double>(parameters.timing.rfc_all) /
                         static_cast<double>(parameters.timing.refi);
    const bool often = share >= weighs_from;
    if (choice.scheduled_bytes() == choice.bytes())
        return {};
    if (refreshed_banks_hold_up(parameters))
        return bank_refresh_caveat(by_schedule);
    if (parameters.refresh != RefreshMode::AllBank ||
        (!often && parameters.organisation.ranks == 1))
        return {};
    return "refreshes all banks together for " + std::to_string(std::lround(100.0 * share)) +
           " % of the time" + (often ? "" : ", rank by rank") +
           ". Without `prices: by_schedule`, times may be off by a " + (often ? "third" : "fifth") +
           ", either way. Run with --set " + by_schedule + " to measure the difference";
}

std::string Dram::bank_refresh_caveat(const std::string& by_schedule) const
{
    const Parameters& parameters = config_.parameters;
    char banks[32];
    std::snprintf(banks, sizeof banks, "%.1f of %u", banks_in_refresh(parameters),
                  parameters.banks_per_rank());
    return "refreshes banks one by one, on average " + std::string(banks) +
           " at a time. Without `prices: by_schedule`, times may be off by a third or more, either "
           "way. Run with "
           "--set " +
           by_schedule + " to measure the difference";
}

std::uint64_t Dram::rows_opened() const
{
    return timing_.core_rows() + stream_activity_.rows(now_ps());
}

bool Dram::counts_rows() const
{
    return stream_activity_.is_enabled() ||
           timing_.choice().scheduled_bytes() == timing_.choice().bytes();
}

std::uint64_t Dram::refreshes() const
{
    return timing_.refreshes(now_ps() - self_refreshed()) *
           config_.parameters.organisation.channels;
}

Picoseconds Dram::self_refreshed() const
{
    return self_refresh_.slept(now_ps());
}

} // namespace levee::dram
