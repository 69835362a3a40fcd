// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/bottlenecks/block_watch.hpp"

#include <algorithm>
#include <iterator>

namespace levee::bottlenecks {

BlockWatch::BlockWatch(std::string name, CommandQueue& queue, Watched& shared)
    : name_(std::move(name)), shared_(shared)
{
    for (const char* cause : {"pace", "load", "latency", "fetch", "firmware", "idle"})
        causes_.push_back({cause, shared.book.row()});
    macs_ = shared.book.row();
    queue.observe(*this);
    shared.counters.observe(
        [this](std::uint32_t counter) { counter_written(counter, shared_.now()); });
}

TimeBook::Row BlockWatch::row_of(const std::string& cause)
{
    for (const Cause& known : causes_)
        if (known.name == cause)
            return known.row;
    causes_.push_back({cause, shared_.book.row()});
    return causes_.back().row;
}

TimeBook::Row BlockWatch::row_of(const FlowResource* resource)
{
    if (resource == nullptr)
        return causes_[Pace].row;
    for (const auto& [known, row] : resources_)
        if (known == resource)
            return row;
    const std::size_t index = shared_.resources.index_of(*resource);
    resources_.emplace_back(resource, index == Resources::none
                                          ? causes_[Pace].row
                                          : row_of(shared_.resources.all()[index].cause));
    return resources_.back().second;
}

TimeBook::Row BlockWatch::refresh_row_of(const FlowResource& resource)
{
    return row_of(shared_.resources.all()[shared_.resources.index_of(resource)].refresh_cause);
}

void BlockWatch::settle(Picoseconds now)
{
    const Picoseconds spent = now - since_;
    if (spent > 0)
        book(written_, nullptr); // no block's signal has followed at once, so the core wrote the
                                 // counter
    since_ = now;
    TimeBook& book = shared_.book;
    switch (state_) {
    case State::Idle: {
        const Picoseconds slept = shared_.core.slept(now);
        book.add(causes_[Idle].row, slept - slept_);
        book.add(causes_[Firmware].row, spent - (slept - slept_));
        slept_ = slept;
        break;
    }
    case State::Fetch:
        book.add(causes_[Fetch].row, spent);
        break;
    case State::Latency:
        book.add(causes_[Latency].row, spent);
        break;
    case State::Running: {
        const auto refresh =
            static_cast<Picoseconds>(refresh_share_ * static_cast<double>(spent) + 0.5);
        if (refresh > 0)
            book.add(refresh_, refresh);
        book.add(running_, spent - refresh);
        break;
    }
    case State::Counter:
    case State::Partner:
        unknown_[book.phase()] += spent;
        break;
    }
}

void BlockWatch::enter(State state, Picoseconds now)
{
    settle(now);
    if (state == State::Idle)
        slept_ = shared_.core.slept(now);
    state_ = state;
}

void BlockWatch::book(ByPhase& wait, const BlockWatch* who)
{
    if (wait == ByPhase{})
        return;
    auto known = std::find_if(partners_.begin(), partners_.end(),
                              [who](const auto& partner) { return partner.first == who; });
    if (known == partners_.end()) {
        partners_.emplace_back(who, row_of("wait_" + (who != nullptr ? who->name_ : "core")));
        known = partners_.end() - 1;
    }
    shared_.book.add(known->second, wait);
    wait = {};
}

void BlockWatch::taken(const CommandQueue&, std::uint64_t, std::uint32_t)
{
    const Picoseconds now = shared_.now();
    if (shared_.busy == 0)
        shared_.before_change(now);
    ++shared_.busy;
    enter(State::Fetch, now);
}

void BlockWatch::fetched(const CommandQueue&, const levee_descriptor& descriptor)
{
    waits_ = 0;
    for (std::size_t i = std::size(descriptor.wait_counter); i-- > 0;)
        if (descriptor.wait_counter[i] != LEVEE_NO_COUNTER &&
            shared_.counters.has(descriptor.wait_counter[i]))
            wait_[waits_++] = {descriptor.wait_counter[i], descriptor.wait_value[i]};
    enter(next_counter() ? State::Counter : State::Partner, shared_.now());
}

/// Skips waits whose counters have already reached their values. Returns false if no wait remains.
/// The block can then only be waiting for another block at a stream port.
bool BlockWatch::next_counter()
{
    while (waits_ > 0 &&
           shared_.counters.reached(wait_[waits_ - 1].counter, wait_[waits_ - 1].value))
        --waits_;
    return waits_ > 0;
}

void BlockWatch::signalled(const CommandQueue&, std::uint32_t counter)
{
    const Picoseconds now = shared_.now();
    for (BlockWatch* block : shared_.blocks)
        block->counter_changed(*this, counter, now);
}

/// Handles a write to a sync counter, which may end this block's wait. If a block's signal follows
/// at once, that block made the write; otherwise the core did.
void BlockWatch::counter_written(std::uint32_t counter, Picoseconds now)
{
    book(written_, nullptr); // no signal has followed the previous write, so the core made it
    if (state_ != State::Counter || wait_[waits_ - 1].counter != counter ||
        !shared_.counters.reached(counter, wait_[waits_ - 1].value))
        return;
    settle(now);
    std::swap(written_, unknown_);
    if (!next_counter())
        state_ = State::Partner;
}

/// If a signal raises the counter without ending the wait, attributes the time waited until now to
/// the block that signalled.
void BlockWatch::counter_changed(const BlockWatch& by, std::uint32_t counter, Picoseconds now)
{
    book(written_, &by);
    if (state_ != State::Counter || wait_[waits_ - 1].counter != counter)
        return;
    settle(now);
    waited_for(&by);
}

void BlockWatch::costs(const CommandQueue&, const levee_descriptor&, std::span<const FlowUse> uses,
                       std::span<const CountedEvent> work)
{
    for (const FlowUse& use : uses) {
        const std::size_t index = shared_.resources.index_of(*use.resource);
        if (use.accounted && index != Resources::none && shared_.resources.all()[index].is_memory)
            shared_.book.add(shared_.resources.all()[index].bytes, use.bytes);
    }
    for (const CountedEvent& event : work)
        if (event.event->is_mac)
            shared_.book.add(macs_, event.count);
}

void BlockWatch::started(const CommandQueue&, const levee_descriptor&, const Activity& activity,
                         bool streams)
{
    const Picoseconds now = shared_.now();
    settle(now);
    if (streams)
        std::swap(upstream_, unknown_); // until now, the block has waited for the upstream block;
                                        // it now waits for the consumer
    activity_ = &activity;
    minimum_ = activity.minimum; // read now, since the simulation adds the producers' minima later
    produces_ = streams;
    within_ = streams ? nullptr : &activity;
    enter(streams ? State::Partner : State::Latency, now);
}

const FlowResource* BlockWatch::port() const
{
    return produces_ ? activity_->uses.back().resource : nullptr;
}

namespace {

bool passes(const Activity& activity, const FlowResource* port)
{
    return std::any_of(activity.uses.begin(), activity.uses.end(),
                       [port](const FlowUse& use) { return use.resource == port; });
}

} // namespace

/// Called when the running activities change. Chained operations advance as one activity, which
/// belongs to the last consumer.
void BlockWatch::shared(Picoseconds now, std::span<Activity* const> running)
{
    if (activity_ == nullptr)
        return;
    const auto is_ours = [this](const Activity* activity) {
        return within_ != nullptr ? activity == within_ : passes(*activity, port());
    };
    const auto found = std::find_if(running.begin(), running.end(), is_ours);
    if (found == running.end())
        return;
    if (state_ != State::Running)
        begin(**found, now);
    run(now, **found);
}

/// Returns the block whose output this operation consumes in a running chain; null if there is
/// none. The last entries of an activity's `uses` are the chain's ports, in the order of the chain.
const BlockWatch* BlockWatch::upstream_in(const Activity& activity) const
{
    const auto is_own = [this](const FlowUse& use) { return use.resource == port(); };
    const auto own = produces_ ? std::find_if(activity.uses.begin(), activity.uses.end(), is_own)
                               : activity.uses.end();
    if (own == activity.uses.begin())
        return nullptr;
    const FlowResource* before = std::prev(own)->resource;
    for (const BlockWatch* other : shared_.blocks)
        if (other->activity_ != nullptr && other->produces_ && other->port() == before)
            return other;
    return nullptr;
}

/// Called when the operation starts to advance. The block at the other end of a stream port is
/// known only from this time.
void BlockWatch::begin(const Activity& activity, Picoseconds now)
{
    settle(now);
    within_ = &activity;
    const BlockWatch* const upstream = upstream_in(activity);
    book(upstream_, upstream);
    const auto is_consumer = [&](const BlockWatch* other) {
        return other != this && other->activity_ == &activity;
    };
    const auto consumer = std::find_if(shared_.blocks.begin(), shared_.blocks.end(), is_consumer);
    if (!produces_)
        waited_for(upstream);
    else
        waited_for(consumer != shared_.blocks.end() ? *consumer : nullptr);
}

bool BlockWatch::advances_in(const Activity& activity) const
{
    return activity_ == &activity ||
           (activity_ != nullptr && produces_ && passes(activity, port()));
}

/// Returns the block that sets the pace of a chain: the one whose own cycles take longest. If
/// several blocks are equally slow, `this` takes precedence.
const BlockWatch& BlockWatch::pacer_of(const Activity& activity) const
{
    const BlockWatch* slowest = this;
    for (const BlockWatch* other : shared_.blocks)
        if (other->advances_in(activity) && other->minimum_ > slowest->minimum_)
            slowest = other;
    return *slowest;
}

void BlockWatch::run(Picoseconds now, const Activity& activity)
{
    if (state_ == State::Running && activity.bound_by == bound_by_ &&
        activity.refresh_share == refresh_share_)
        return;
    enter(State::Running, now);
    bound_by_ = activity.bound_by;
    running_ = row_of(bound_by_);
    if (bound_by_ == nullptr)
        if (const BlockWatch& pacer = pacer_of(activity); &pacer != this)
            running_ = row_of("wait_" + pacer.name_);
    if (activity.loads && running_ == causes_[Pace].row)
        running_ = causes_[Load].row;
    refresh_share_ = activity.refresh_share;
    if (refresh_share_ > 0.0)
        refresh_ = refresh_row_of(*bound_by_);
}

void BlockWatch::finished(const CommandQueue&, std::uint32_t, bool)
{
    const Picoseconds now = shared_.now();
    finish(now);
    activity_ = nullptr;
    if (shared_.busy == 1)
        shared_.before_change(now);
    --shared_.busy;
    enter(State::Idle, now);
}

/// At the end of an operation or of the run, attributes waits whose partner is unknown to the core,
/// since its program never started the partner.
void BlockWatch::finish(Picoseconds now)
{
    settle(now);
    book(written_, nullptr);
    book(upstream_, nullptr);
    waited_for(nullptr);
}

} // namespace levee::bottlenecks
