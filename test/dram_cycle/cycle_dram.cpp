// SPDX-License-Identifier: Apache-2.0
#include "test/dram_cycle/cycle_dram.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace levee::dram_cycle {

namespace {

constexpr std::size_t core_owner = std::numeric_limits<std::size_t>::max();
constexpr std::uint64_t not_yet = std::numeric_limits<std::uint64_t>::max();

} // namespace

CycleDram::CycleDram(const dram::Parameters& parameters, Manner manner)
    : parameters_(parameters), manner_(manner)
{
    if (const auto faults = dram::validate(parameters_); !faults.empty())
        throw std::invalid_argument("cycle-level DRAM: " + faults.front());
}

Outcome CycleDram::run(const std::vector<Stream>& streams, std::optional<CoreReads> core)
{
    channels_.clear();
    for (unsigned c = 0; c < parameters_.organisation.channels; ++c)
        channels_.emplace_back(parameters_, manner_);
    requestors_.clear();
    const Picoseconds period = parameters_.timing.clock;
    for (const Stream& stream : streams) {
        requestors_.push_back(
            Requestor{AddressWalk(stream.pattern, stream.bytes, parameters_.burst_bytes(),
                                  stream.seed, stream.draw),
                      stream.direction == Direction::Write, (stream.start + period - 1) / period,
                      static_cast<double>(stream.bytes), stream.activity});
        Requestor& made = requestors_.back();
        made.next = made.walk.next();
        made.catches_up = stream.catches_up;
        if (stream.least_time > 0)
            made.bytes_per_clock =
                made.bytes * static_cast<double>(period) / static_cast<double>(stream.least_time);
    }
    turn_ = 0;
    completed_.assign(streams.size(), not_yet);
    complete_ = 0;
    core_.reset();
    if (core)
        core_ = Core{*core};
    std::uint64_t clock = 0;
    for (; running(); ++clock) {
        core_asks(clock);
        arbitrate(clock);
        count_stalls(clock);
        for (ChannelController& channel : channels_)
            if (const auto done = channel.tick(clock))
                finished(*done);
    }
    return outcome(clock);
}

bool CycleDram::running() const
{
    return complete_ < requestors_.size() || (core_ && core_->done < core_->reads.at_least);
}

bool CycleDram::asks(const Requestor& requestor, std::uint64_t clock) const
{
    if (!requestor.next || clock < requestor.start || ahead(requestor))
        return false;
    return requestor.bytes_per_clock == 0.0 || requestor.asked_bytes <= paced(requestor, clock);
}

/// Returns how many bytes the requestor's pace has allowed so far.
double CycleDram::paced(const Requestor& requestor, std::uint64_t clock) const
{
    return requestor.bytes_per_clock *
           static_cast<double>(clock - requestor.start - requestor.stalled);
}

/// Counts this clock as stalled for each block whose buffer is empty. Call it after all requests
/// of the clock.
void CycleDram::count_stalls(std::uint64_t clock)
{
    for (Requestor& requestor : requestors_)
        if (requestor.next && !requestor.catches_up && clock >= requestor.start &&
            requestor.bytes_per_clock > 0.0 &&
            requestor.asked_bytes + static_cast<double>(lockstep_bytes) <= paced(requestor, clock))
            ++requestor.stalled;
}

/// Returns whether the requestor is ahead of another stream of the same activity by more than the
/// block's buffer.
bool CycleDram::ahead(const Requestor& requestor) const
{
    if (requestor.activity == 0)
        return false;
    const double done = std::max(0.0, requestor.asked_bytes - static_cast<double>(lockstep_bytes)) /
                        requestor.bytes;
    return std::any_of(requestors_.begin(), requestors_.end(), [&](const Requestor& other) {
        return other.activity == requestor.activity && other.asked_bytes / other.bytes < done;
    });
}

/// Deficit round robin in bytes: each requestor in turn makes requests until it has used up its
/// byte credit. A full queue stops all requestors, so that none gets ahead.
void CycleDram::arbitrate(std::uint64_t clock)
{
    std::size_t passed = 0;
    while (passed < requestors_.size()) {
        Requestor& requestor = requestors_[turn_];
        const bool asking = asks(requestor, clock);
        if (!asking || requestor.credit <= 0) {
            passed = asking ? 0 : passed + 1;
            if (!asking)
                requestor.credit = 0; // A requestor with nothing to request loses its credit.
            turn_ = (turn_ + 1) % requestors_.size();
            requestors_[turn_].credit += parameters_.controller.bytes_per_turn;
            continue;
        }
        passed = 0;
        const Site site = site_of(requestor.next->address, parameters_);
        ChannelController& channel = channels_[site.channel];
        if (!channel.accepts(requestor.write))
            return;
        channel.accept(Request{turn_, site.rank, site.bank, site.row, requestor.write, false});
        ask_next(requestor, clock);
    }
}

void CycleDram::ask_next(Requestor& requestor, std::uint64_t clock)
{
    requestor.credit -= requestor.next->useful_bytes;
    requestor.asked_bytes += requestor.next->useful_bytes;
    ++requestor.in_flight;
    requestor.next = requestor.walk.next();
    if (!requestor.next && requestor.write) {
        completed_[turn_] = clock; // The controller has accepted the last burst.
        ++complete_;
    }
}

void CycleDram::core_asks(std::uint64_t clock)
{
    if (!core_ || core_->missing > 0 || clock < core_->next_at)
        return;
    const AccessPattern::Extent& within = core_->reads.within;
    const std::uint64_t places = (within.last - within.first + 1) / core_->reads.bytes;
    const std::uint64_t place = core_->reads.ascending ? core_->done : core_->draw();
    const std::uint64_t address = within.first + place % places * core_->reads.bytes;
    const std::uint64_t burst = parameters_.burst_bytes();
    for (std::uint64_t b = address / burst; b <= (address + core_->reads.bytes - 1) / burst; ++b) {
        const Site site = site_of(b * burst, parameters_);
        channels_[site.channel].accept(
            Request{core_owner, site.rank, site.bank, site.row, false, true});
        ++core_->missing;
    }
    core_->asked_at = clock;
    core_->last_data = 0;
}

void CycleDram::finished(const ChannelController::Done& done)
{
    if (done.request.owner == core_owner) {
        core_->last_data = std::max(core_->last_data, done.data_end);
        if (--core_->missing > 0)
            return;
        ++core_->done;
        core_->latency += core_->last_data - core_->asked_at;
        core_->next_at = core_->last_data + core_->reads.interval / parameters_.timing.clock;
        return;
    }
    Requestor& requestor = requestors_[done.request.owner];
    --requestor.in_flight;
    if (requestor.write || requestor.next || requestor.in_flight > 0)
        return;
    completed_[done.request.owner] = done.data_end;
    ++complete_;
}

Outcome CycleDram::outcome(std::uint64_t clock)
{
    Outcome result;
    for (const std::uint64_t at : completed_) {
        result.completed.push_back(at * parameters_.timing.clock + parameters_.controller.latency);
        result.total = std::max(result.total, result.completed.back());
    }
    for (const Requestor& requestor : requestors_) {
        const double least =
            requestor.bytes_per_clock > 0.0 ? requestor.bytes / requestor.bytes_per_clock : 0.0;
        const double clocks = static_cast<double>(requestor.start + requestor.stalled) + least;
        result.paced.push_back(
            static_cast<Picoseconds>(clocks * static_cast<double>(parameters_.timing.clock)));
    }
    if (core_ && core_->done > 0) {
        result.core_reads = core_->done;
        result.core_latency_ps = static_cast<double>(core_->latency * parameters_.timing.clock) /
                                     static_cast<double>(core_->done) +
                                 static_cast<double>(parameters_.controller.latency);
    }
    for (ChannelController& channel : channels_) {
        channel.checker().finish(clock);
        result.commands_checked += channel.checker().checked();
        result.activates += channel.issued(CommandKind::Activate);
        result.reads += channel.issued(CommandKind::Read);
        result.writes += channel.issued(CommandKind::Write);
        result.refreshes +=
            channel.issued(CommandKind::RefreshBank) + channel.issued(CommandKind::RefreshAll);
        const auto& faults = channel.checker().faults();
        result.faults.insert(result.faults.end(), faults.begin(), faults.end());
    }
    return result;
}

double achieved_bytes_per_s(const dram::Parameters& parameters, const AccessPattern& pattern,
                            Direction direction)
{
    // Measures streams of two lengths. Their difference excludes the costs of start and end.
    constexpr std::uint64_t some = std::uint64_t{1} << 19;
    CycleDram dram(parameters);
    const Outcome less = dram.run({Stream{pattern, direction, some, 1, 0}});
    const Outcome more = dram.run({Stream{pattern, direction, 3 * some, 1, 0}});
    return 2.0 * static_cast<double>(some) * 1e12 / static_cast<double>(more.total - less.total);
}

} // namespace levee::dram_cycle
