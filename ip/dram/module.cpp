// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/module.hpp"

#include "core/flow/flow_engine.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace levee::dram {

namespace {

/// Shorter streams than this are not held to what prices by kind promise (README.md).
constexpr std::uint64_t least_by_kind = 64 * 1024;
/// Least share of the peak that makes them matter: 10 % of a quarter of the time.
constexpr double busy_share = 0.25;

} // namespace

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
    ++activates_; // streams have moved to other rows since the core's last access
    const Picoseconds wakes = self_refresh_.wake(now);
    return wakes + timing_.core_latency(direction, address, bytes, now + wakes);
}

Picoseconds Dram::begun(const BulkExtension& stream, std::uint64_t last)
{
    use(last);
    (stream.direction == Direction::Read ? read_bytes_ : written_bytes_) += stream.bytes;
    stream_bytes_ += stream.bytes;
    short_stream_bytes_ += stream.bytes < least_by_kind ? stream.bytes : 0;
    activates_ += timing_.activates(stream.pattern, stream.bytes);
    return self_refresh_.wake(now_ps()) + timing_.unloaded_latency(stream.direction);
}

void Dram::report(Stats& stats) const
{
    stats.add("read_bytes", read_bytes_);
    stats.add("write_bytes", written_bytes_);
    stats.add("activates", activates_);
    const std::uint64_t capacity = config_.parameters.organisation.capacity_bytes;
    if (storage().size() > capacity)
        stats.add("overcommitted_bytes", used_bytes_ - std::min(used_bytes_, capacity),
                  FigureKind::Level);
    stats.add("refreshes", refreshes(), FigureKind::Time);
    if (self_refresh_.configured())
        stats.add("self_refresh_seconds", seconds(self_refreshed()));
}

/// Most of what it moves is priced by kind and too short for that, and it is a good deal of the
/// time that it moves it.
bool Dram::short_streams_weigh() const
{
    const double least_ps =
        static_cast<double>(stream_bytes_) * 1e12 / config_.parameters.peak_bytes_per_s();
    return !timing_.schedules() && 2 * short_stream_bytes_ > stream_bytes_ &&
           least_ps > busy_share * static_cast<double>(now_ps());
}

std::string Dram::caveat(const std::string& by_schedule) const
{
    if (!short_streams_weigh())
        return {};
    const double percent = 100.0 * static_cast<double>(short_stream_bytes_);
    return std::to_string(std::lround(percent / static_cast<double>(stream_bytes_))) +
           " % of what its streams move is in such under 64 KiB. Priced by kind of mix, most of "
           "these end over 10 % too early or too late; how far off the run is, one with --set " +
           by_schedule + " tells";
}

std::uint64_t Dram::rows_opened() const
{
    return timing_.core_rows() + stream_activity_.rows(now_ps());
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
