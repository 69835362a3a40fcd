// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/timing/channel.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace levee::flash {

void Channel::grant()
{
    consider_tile();
    start_free_commands();
    if (bus_busy_)
        return;
    const std::optional<BusUse> next = parts_.slice_control->next(*this);
    if (!next)
        return;
    const Choice choice = granted(*next);
    bus_use_ = choice.use;
    on_bus_.clear();
    (this->*transfer(choice.use).start)(choice);
}

Channel::Choice Channel::granted(BusUse use) const
{
    const std::optional<Choice>& choice = choices_[static_cast<std::size_t>(use)];
    if (!choice)
        throw std::logic_error(
            "flash channel: the bus was granted to a use without a waiting transfer");
    return *choice;
}

std::optional<Time> Channel::waits(BusUse use)
{
    std::optional<Choice>& choice = choices_[static_cast<std::size_t>(use)];
    choice = (this->*transfer(use).candidate)(use);
    return choice ? std::optional(choice->since) : std::nullopt;
}

std::optional<BusUse> ConfiguredSliceControl::next(BusQueues& queues)
{
    using Use = BusUse;
    static constexpr std::array vectors_first{Use::Result, Use::Input, Use::Command, Use::DataOut,
                                              Use::DataIn};
    static constexpr std::array data_first{Use::DataOut, Use::Result, Use::Input, Use::Command,
                                           Use::DataIn};
    std::optional<Use> best;
    Time earliest = 0;
    for (const Use use : arbitration_ == Arbitration::DataFirst ? data_first : vectors_first) {
        const std::optional<Time> since = queues.waits(use);
        if (since && arbitration_ != Arbitration::FirstCome)
            return use;
        if (since && (!best || *since < earliest)) {
            best = use;
            earliest = *since;
        }
    }
    return best;
}

std::uint32_t ConfiguredSliceControl::slice(std::uint32_t left) const
{
    return slice_bytes_ == 0 ? left : std::min(left, slice_bytes_);
}

const Channel::Transfer& Channel::transfer(Use use)
{
    static constexpr std::array transfers{
        // In the order of enum Use.
        Transfer{&Channel::result_that_waits, &Channel::start_result, &Channel::finish_result},
        Transfer{&Channel::input_that_waits, &Channel::start_input, &Channel::finish_input},
        Transfer{&Channel::unit_that_waits, &Channel::start_command, &Channel::finish_command},
        Transfer{&Channel::page_that_waits, &Channel::start_data_out, &Channel::finish_data_out},
        Transfer{&Channel::unit_that_waits, &Channel::start_write, &Channel::finish_write}};
    return transfers[static_cast<std::size_t>(use)];
}

std::optional<Channel::Choice> Channel::result_that_waits(Use use)
{
    return results_.empty() ? std::nullopt : std::optional(Choice{use, 0, results_[0].since});
}

std::optional<Channel::Choice> Channel::input_that_waits(Use use)
{
    if (!tile_ready_ || !has_room(tiles_[next_tiles_.front()])) // A result may have used the space
                                                                // since then.
        return std::nullopt;
    return Choice{use, 0, *tile_ready_};
}

std::optional<Channel::Choice> Channel::page_that_waits(Use use)
{
    return data_out_.empty() ? std::nullopt : std::optional(Choice{use, 0, data_out_[0].since});
}

/// Returns the first unit on the list that can accept a command or a write. Units that became busy
/// are removed; they return when they are free.
std::optional<Channel::Choice> Channel::unit_that_waits(Use use)
{
    std::deque<Waiting>& list = use == Use::Command ? commands_ : writes_;
    for (std::size_t i = 0; i < list.size();) {
        const std::uint32_t unit = list[i].what;
        Unit& queues = units_[unit];
        const bool wanted = use == Use::Command
                                ? !queues.reads.empty()
                                : !queues.programs.empty() || !queues.erases.empty();
        if (!wanted || !is_free(unit)) {
            (use == Use::Command ? queues.read_listed : queues.write_listed) = false;
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        } else if (is_reserved(unit)) {
            ++i;
        } else {
            return Choice{use, i, list[i].since};
        }
    }
    return std::nullopt;
}

void Channel::occupy(Time duration)
{
    bus_busy_ = true;
    bus_from_ = now_;
    bus_until_ = now_ + duration;
    counts_.bus_busy += duration;
    if (bus_use_ == Use::Result || bus_use_ == Use::Input)
        counts_.vector_busy += duration;
}

void Channel::start_result(const Choice& /*choice*/)
{
    on_bus_.push_back(results_.front().what);
    results_.pop_front();
    occupy(config_.transfer(jobs_[on_bus_[0]].request.bytes));
}

/// Sends the next tile's input to all its cores, together with the command that names the pages.
void Channel::start_input(const Choice& /*choice*/)
{
    const Tile& tile = tiles_[next_tiles_.front()];
    on_bus_.push_back(next_tiles_.front());
    next_tiles_.pop_front();
    tile_ready_.reset();
    std::uint32_t last_die = none;
    for (std::uint32_t i = 0; i < tile.count; ++i) {
        const Request& request = jobs_[tile.first + i].request;
        Die& die = dies_[request.die];
        die.to_compute.push_back(tile.first + i);
        if (request.die != last_die) {
            die.inputs += tile.input_bytes;
            counts_.buffered_bytes += tile.input_bytes;
        }
        last_die = request.die;
    }
    counts_.input_bytes += tile.input_bytes;
    ++counts_.commands;
    occupy(config_.command + config_.transfer(tile.input_bytes));
    reserve_next_tile();
}

/// Takes the reads that share one command: the first read of a unit and, with paired planes, the
/// first reads of other planes if they have the same page number.
void Channel::take_reads(const Choice& choice, std::vector<std::uint32_t>& jobs)
{
    Unit& unit = units_[commands_[choice.index].what];
    unit.read_listed = false;
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(choice.index));
    const std::uint32_t page = jobs_[unit.reads.front()].request.page;
    const std::size_t most = config_.planes == PlaneCommands::Independent ? 1 : geometry_.planes;
    for (auto job = unit.reads.begin(); job != unit.reads.end() && jobs.size() < most;) {
        const Request& request = jobs_[*job].request;
        Plane& plane = planes_[plane_of(request)];
        if (request.page == page && plane.data == none) {
            plane.data = *job;
            plane.sensing = true;
            jobs.push_back(*job);
            job = unit.reads.erase(job);
        } else {
            ++job;
        }
    }
    ++counts_.commands;
}

void Channel::start_command(const Choice& choice)
{
    take_reads(choice, on_bus_);
    occupy(on_bus_.size() == 1 ? config_.command : config_.paired_command);
}

/// Starts reads whose commands take no time, so that they need not wait for the bus.
void Channel::start_free_commands()
{
    if (config_.command != 0 || config_.paired_command != 0)
        return;
    while (const std::optional<Choice> choice = unit_that_waits(Use::Command)) {
        std::vector<std::uint32_t> jobs;
        take_reads(*choice, jobs);
        for (const std::uint32_t job : jobs)
            sense(job);
    }
}

void Channel::start_data_out(const Choice& /*choice*/)
{
    const std::uint32_t job = data_out_.front().what;
    data_out_.pop_front();
    const std::uint32_t left = jobs_[job].left;
    bus_bytes_ = std::clamp(parts_.slice_control->slice(left), 1u, left);
    on_bus_.push_back(job);
    occupy(config_.transfer(bus_bytes_));
}

/// Sends a page to be programmed, or the command of an erase.
void Channel::start_write(const Choice& choice)
{
    Unit& unit = units_[writes_[choice.index].what];
    unit.write_listed = false;
    writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(choice.index));
    std::deque<std::uint32_t>& queue = unit.programs.empty() ? unit.erases : unit.programs;
    const std::uint32_t job = queue.front();
    queue.pop_front();
    Plane& plane = planes_[plane_of(jobs_[job].request)];
    plane.data = job;
    plane.sensing = true; // The plane is busy until the page is programmed or erased.
    on_bus_.push_back(job);
    ++counts_.commands;
    const bool erases = jobs_[job].request.kind == RequestKind::Erase;
    occupy(config_.command + (erases ? 0 : config_.transfer(jobs_[job].request.bytes)));
}

void Channel::finish_transfer()
{
    bus_busy_ = false;
    for (const std::uint32_t what : on_bus_)
        (this->*transfer(bus_use_).finish)(what);
}

void Channel::finish_command(std::uint32_t job)
{
    note(job, Step::Command, bus_from_, now_);
    sense(job);
}

void Channel::finish_result(std::uint32_t job)
{
    note(job, Step::Result, bus_from_, now_);
    const Request& request = jobs_[job].request;
    dies_[request.die].results -= request.bytes;
    counts_.result_bytes += request.bytes;
    start_core(request.die);
    finish(job);
}

void Channel::finish_input(std::uint32_t index)
{
    const Tile tile = tiles_[index];
    note(tile.first, Step::Input, bus_from_, now_);
    for (std::uint32_t job = tile.first; job < tile.first + tile.count; ++job) {
        const std::uint32_t plane = plane_of(jobs_[job].request);
        --planes_[plane].reserved;
        planes_[plane].computes.push_back(job);
        start_sense(plane);
    }
}

void Channel::finish_data_out(std::uint32_t job)
{
    note(job, Step::DataOut, bus_from_, now_);
    counts_.data_out_bytes += bus_bytes_;
    jobs_[job].left -= bus_bytes_;
    if (jobs_[job].left != 0) {
        data_out_.push_front({now_, job});
        return;
    }
    const std::uint32_t plane = plane_of(jobs_[job].request);
    release(plane);
    finish(job);
    advance(plane);
}

void Channel::finish_write(std::uint32_t job)
{
    const Request request = jobs_[job].request;
    const bool erases = request.kind == RequestKind::Erase;
    note(job, erases ? Step::Command : Step::DataIn, bus_from_, now_);
    counts_.data_in_bytes += erases ? 0 : request.bytes;
    schedule(now_ + (erases ? config_.erase : config_.program), EventKind::Written,
             plane_of(request));
}

} // namespace levee::flash
