// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/timing/channel.hpp"

#include "core/units/clock.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace levee::flash {

Time TimingConfig::transfer(std::uint64_t bytes) const
{
    return Clock{channel_bytes_per_second}.span(bytes);
}

Time TimingConfig::compute(std::uint64_t macs) const
{
    return Clock{core_macs_per_second}.span(macs);
}

const char* name_of(Step step)
{
    static constexpr const char* names[] = {"command",  "input",   "sense",   "compute", "result",
                                            "data_out", "data_in", "program", "erase",   "hold"};
    return names[static_cast<std::size_t>(step)];
}

const char* name_of(RequestKind kind)
{
    static constexpr const char* names[] = {"read", "read-compute", "program", "erase"};
    return names[static_cast<std::size_t>(kind)];
}

void ChannelCounts::add(const ChannelCounts& other)
{
    for (std::size_t i = 0; i < 4; ++i)
        requests[i] += other.requests[i];
    input_bytes += other.input_bytes;
    buffered_bytes += other.buffered_bytes;
    result_bytes += other.result_bytes;
    data_out_bytes += other.data_out_bytes;
    data_in_bytes += other.data_in_bytes;
    commands += other.commands;
    macs += other.macs;
    bus_busy += other.bus_busy;
    vector_busy += other.vector_busy;
    sense_busy += other.sense_busy;
    compute_busy += other.compute_busy;
    last_compute = std::max(last_compute, other.last_compute);
    last_read = std::max(last_read, other.last_read);
}

Channel::Channel(const Geometry& geometry, const TimingConfig& config, ChannelParts parts)
    : geometry_(geometry), config_(config), parts_(std::move(parts)),
      planes_(geometry.planes_per_channel()), dies_(geometry.dies_per_channel()),
      units_(unit_of(geometry.planes_per_channel()))
{
    if (planes_.empty() || config.channel_bytes_per_second == 0)
        throw std::invalid_argument(
            "flash channel: expected at least one plane, and a bus rate above 0");
    if (parts_.slice_control == nullptr) {
        own_slice_control_ = std::make_unique<ConfiguredSliceControl>(config);
        parts_.slice_control = own_slice_control_.get();
    }
    if (parts_.cores.empty()) {
        own_core_ = std::make_unique<ConfiguredCore>(config);
        parts_.cores.assign(dies_.size(), own_core_.get());
    }
    if (parts_.cores.size() != dies_.size())
        throw std::invalid_argument("flash channel: " + std::to_string(parts_.cores.size()) +
                                    " cores for " + std::to_string(dies_.size()) + " dies");
}

void Channel::check(const Request& request) const
{
    if (request.die >= dies_.size() || request.plane >= geometry_.planes)
        throw std::invalid_argument(
            "flash channel: die " + std::to_string(request.die) + ", plane " +
            std::to_string(request.plane) + "; expected die and plane below " +
            std::to_string(dies_.size()) + " and " + std::to_string(geometry_.planes));
}

std::uint32_t Channel::submit(const Request& request, Time at)
{
    check(request);
    if (request.kind == RequestKind::ReadCompute)
        throw std::invalid_argument(
            "flash channel: a read-compute needs an input; expected submit_tile()");
    const auto number = static_cast<std::uint32_t>(jobs_.size());
    jobs_.push_back({request, none, request.bytes});
    if (at > now_)
        schedule(at, EventKind::Arrival, number);
    else
        arrive(number);
    return number;
}

std::uint32_t Channel::submit_tile(std::span<const Request> requests, std::uint32_t input_bytes,
                                   Time at)
{
    if (config_.core_macs_per_second == 0 || requests.empty())
        throw std::invalid_argument(
            "flash channel: expected a tile with requests, and dies with cores");
    std::uint64_t most = input_bytes;
    std::vector<std::uint32_t> pages(dies_.size(), 0);
    for (const Request& request : requests) {
        check(request);
        most = std::max<std::uint64_t>(most, std::uint64_t{input_bytes} + request.bytes);
        if (++pages[request.die] > config_.in_flight)
            throw std::invalid_argument("flash channel: " + std::to_string(pages[request.die]) +
                                        " pages of a tile in one die; expected at most " +
                                        std::to_string(config_.in_flight) + " (in_flight)");
    }
    if (most > config_.buffer_bytes)
        throw std::invalid_argument("flash channel: an input and a result take " +
                                    std::to_string(most) + " bytes; a core's buffer has " +
                                    std::to_string(config_.buffer_bytes));
    if (!std::is_sorted(requests.begin(), requests.end(),
                        [](const Request& a, const Request& b) { return a.die < b.die; }))
        throw std::invalid_argument("flash channel: the requests of a tile are not ordered by die");
    const auto first = static_cast<std::uint32_t>(jobs_.size());
    const auto tile = static_cast<std::uint32_t>(tiles_.size());
    tiles_.push_back({first, static_cast<std::uint32_t>(requests.size()), input_bytes});
    for (const Request& request : requests) {
        jobs_.push_back({request, tile, 1});
        jobs_.back().request.kind = RequestKind::ReadCompute;
    }
    schedule(std::max(at, now_), EventKind::TileArrival, tile);
    return first;
}

Time Channel::run()
{
    while (step(std::numeric_limits<Time>::max()))
        ;
    return now_;
}

void Channel::run_until(Time until)
{
    while (step(until))
        ;
    now_ = std::max(now_, until);
}

void Channel::forget()
{
    if (pending() != 0)
        throw std::logic_error("flash channel: forget() was called while requests were pending");
    jobs_.clear();
    tiles_.clear();
    done_ = 0;
}

std::optional<Time> Channel::next_time()
{
    if (events_.empty() || events_.top().at > now_)
        grant(); // Grants the bus to newly submitted requests.
    if (events_.empty())
        return bus_busy_ ? std::optional(bus_until_) : std::nullopt;
    return bus_busy_ ? std::min(events_.top().at, bus_until_) : events_.top().at;
}

/// Advances to the next event and handles all events at its time. Returns false if no event is due
/// up to `until`.
bool Channel::step(Time until)
{
    const std::optional<Time> next = next_time();
    if (!next || *next > until)
        return false;
    now_ = *next;
    while (!events_.empty() && events_.top().at == now_) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
    }
    if (bus_busy_ && bus_until_ == now_)
        finish_transfer();
    return true;
}

void Channel::schedule(Time at, EventKind kind, std::uint32_t what)
{
    events_.push({at, order_++, kind, what});
}

void Channel::note(std::uint32_t job, Step step, Time from, Time to)
{
    if (!on_span)
        return;
    const Request& request = jobs_[job].request;
    const std::uint32_t requests = step == Step::Input ? tiles_[jobs_[job].tile].count : 1;
    on_span(
        {job, requests, request.kind, step, request.die, request.plane, request.page, from, to});
}

void Channel::finish(std::uint32_t job)
{
    const RequestKind kind = jobs_[job].request.kind;
    ++counts_.requests[static_cast<std::size_t>(kind)];
    if (kind == RequestKind::ReadCompute)
        counts_.last_compute = now_;
    else if (kind == RequestKind::Read)
        counts_.last_read = now_;
    ++done_;
    if (on_done)
        on_done(job, now_);
}

void Channel::handle(const Event& event)
{
    switch (event.kind) {
    case EventKind::Arrival:
        arrive(event.what);
        break;
    case EventKind::TileArrival:
        next_tiles_.push_back(event.what);
        if (next_tiles_.size() == 1)
            reserve_next_tile();
        break;
    case EventKind::Sensed:
        note(planes_[event.what].data, Step::Sense, now_ - config_.read, now_);
        planes_[event.what].sensing = false;
        planes_[event.what].sensed_at = now_;
        advance(event.what);
        break;
    case EventKind::Computed:
        computed(event.what);
        break;
    case EventKind::Written: {
        const std::uint32_t job = planes_[event.what].data;
        const bool erases = jobs_[job].request.kind == RequestKind::Erase;
        note(job, erases ? Step::Erase : Step::Program,
             now_ - (erases ? config_.erase : config_.program), now_);
        planes_[event.what].data = none;
        finish(job);
        advance(event.what);
        break;
    }
    }
}

void Channel::arrive(std::uint32_t job)
{
    const std::uint32_t unit = unit_of(plane_of(jobs_[job].request));
    const RequestKind kind = jobs_[job].request.kind;
    Unit& queues = units_[unit];
    (kind == RequestKind::Read      ? queues.reads
     : kind == RequestKind::Program ? queues.programs
                                    : queues.erases)
        .push_back(job);
    list(unit);
}

/// Whether the plane can sense another page into its data register.
bool Channel::can_sense(const Plane& plane) const
{
    const bool held = !config_.cache_read && plane.cache != none &&
                      jobs_[plane.cache].request.kind == RequestKind::Read;
    return plane.data == none && !held;
}

/// Whether the unit can accept a command.
bool Channel::is_free(std::uint32_t unit) const
{
    if (config_.planes == PlaneCommands::Independent)
        return can_sense(planes_[unit]);
    const auto first = planes_.begin() + unit * geometry_.planes;
    return std::all_of(first, first + geometry_.planes, [](const Plane& plane) {
        return plane.data == none && plane.cache == none;
    });
}

/// Whether the unit must not start a read or a write, because a tile needs it.
bool Channel::is_reserved(std::uint32_t unit) const
{
    const std::uint32_t planes = config_.planes == PlaneCommands::Paired ? geometry_.planes : 1;
    const auto first = planes_.begin() + unit * planes;
    return std::any_of(first, first + planes, [](const Plane& plane) {
        return plane.reserved != 0 || !plane.computes.empty();
    });
}

/// Adds the unit to the list of units that wait for the bus, if it is free and has a waiting
/// request.
void Channel::list(std::uint32_t unit)
{
    Unit& queues = units_[unit];
    if (!is_free(unit))
        return;
    if (!queues.reads.empty() && !queues.read_listed) {
        commands_.push_back({now_, unit});
        queues.read_listed = true;
    }
    if ((!queues.programs.empty() || !queues.erases.empty()) && !queues.write_listed) {
        writes_.push_back({now_, unit});
        queues.write_listed = true;
    }
}

/// Starts sensing the job's page. The plane's data register must be free or already contain this
/// job.
void Channel::sense(std::uint32_t job)
{
    const std::uint32_t plane = plane_of(jobs_[job].request);
    planes_[plane].data = job;
    planes_[plane].sensing = true;
    counts_.sense_busy += config_.read;
    schedule(now_ + config_.read, EventKind::Sensed, plane);
}

/// Moves a sensed page to the cache register and starts its next step.
void Channel::advance(std::uint32_t index)
{
    Plane& plane = planes_[index];
    if (plane.data != none && !plane.sensing && plane.cache == none) {
        plane.cache = plane.data;
        plane.cached_at = now_;
        plane.data = none;
        const Request& request = jobs_[plane.cache].request;
        if (request.kind == RequestKind::ReadCompute) {
            dies_[request.die].core_queue.push_back(plane.cache);
            start_core(request.die);
        } else {
            queue_data_out({plane.sensed_at, plane.cache});
        }
    }
    const std::uint32_t unit = unit_of(index);
    if (config_.planes == PlaneCommands::Independent)
        start_sense(index);
    else
        for (std::uint32_t i = 0; i < geometry_.planes; ++i)
            start_sense(unit * geometry_.planes + i);
    list(unit);
}

void Channel::release(std::uint32_t index)
{
    Plane& plane = planes_[index];
    note(plane.cache, Step::Hold, plane.cached_at, now_);
    plane.cache = none;
}

/// Starts the next read-compute whose input has arrived, if the plane is free.
void Channel::start_sense(std::uint32_t index)
{
    Plane& plane = planes_[index];
    if (plane.computes.empty() || !is_free(unit_of(index)))
        return;
    const std::uint32_t job = plane.computes.front();
    plane.computes.pop_front();
    sense(job);
}

/// Queues a page for data out, in the order in which pages were sensed. A page that is already
/// partly sent stays first.
void Channel::queue_data_out(Waiting page)
{
    auto at = data_out_.end();
    while (at != data_out_.begin() && std::prev(at)->since > page.since &&
           jobs_[std::prev(at)->what].left == jobs_[std::prev(at)->what].request.bytes)
        --at;
    data_out_.insert(at, page);
}

} // namespace levee::flash
