// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline.hpp"

#include <algorithm>
#include <cmath>

namespace levee::trace {

namespace {

constexpr std::uint32_t program_process = 1, core_process = 2, block_process = 3,
                        memory_process = 4, counter_process = 5, interrupt_process = 6,
                        inside_process = 7;
constexpr Track call_stack{core_process, 1};
constexpr std::string_view doorbell = "command"; // name of the arrows that begin at doorbells

/// Returns an identifier below 2^53, since JSON readers may use doubles.
std::uint64_t arrow_id(std::uint64_t line, std::uint64_t id)
{
    return line << 40 | id;
}

/// GB/s with three decimals, from bytes per picosecond.
std::string gigabytes_per_second(double bytes_per_ps)
{
    const auto megabytes = static_cast<std::uint64_t>(bytes_per_ps * 1e6 + 0.5);
    const std::string fraction = std::to_string(megabytes % 1000);
    return std::to_string(megabytes / 1000) + "." + std::string(3 - fraction.size(), '0') +
           fraction;
}

} // namespace

Timeline::Timeline(const riscv::Clock& clock, const TimelinePlan& plan,
                   const std::filesystem::path& path)
    : file_(make_timeline_writer(path)),
      windowed_(plan.window != nullptr ? std::make_optional<WindowedTimeline>(*file_, *plan.window)
                                       : std::nullopt),
      writer_(windowed_ ? static_cast<TimelineWriter&>(*windowed_) : *file_), counters_(writer_),
      tags_(plan.tags), program_(writer_, program_process), interrupts_(writer_, interrupt_process),
      sync_(plan.counters)
{
    writer_.name_process(program_process, "program");
    writer_.name_process(core_process, "core");
    writer_.name_thread(call_stack, "call stack", 1);
    calls_ = writer_.calls(clock, call_stack);
    writer_.name_process(block_process, "blocks");
    for (const TracedBlock& block : plan.blocks) {
        const auto number = static_cast<std::uint32_t>(lines_.size() + 1);
        const Track track{block_process, number};
        writer_.name_thread(track, block.name, number);
        lines_.push_back({block,
                          track,
                          counters_.add(block_process, block.name + " queue", "descriptors"),
                          std::nullopt,
                          {},
                          {},
                          inside_process + number - 1,
                          {}});
    }
    writer_.name_process(memory_process, "memories");
    for (const std::string& memory : plan.memories)
        bandwidths_[memory] = counters_.add(memory_process, memory + " bandwidth", "GB/s");
    writer_.name_process(counter_process, "counters");
    writer_.name_process(interrupt_process, "interrupts");
    for (std::size_t i = 0; i < plan.blocks.size(); ++i)
        if (plan.blocks[i].inside != nullptr)
            look_inside(plan.blocks[i], i);
    if (sync_ != nullptr)
        watch(*sync_);
}

void Timeline::watch(SyncCounters& counters)
{
    waits_.emplace(counters, lines_.size());
    counters.observe([this](std::uint32_t counter) { written(counter); });
}

/// Shows a counter's new value. Its first write creates the counter's track.
void Timeline::written(std::uint32_t counter)
{
    const auto [at, is_new] = written_.try_emplace(counter);
    if (is_new)
        at->second = counters_.add(counter_process, "counter " + std::to_string(counter), "value");
    counters_.set(at->second, now_ps(), std::to_string(sync_->value(counter)));
    waits_->changed(counter, now_ps());
}

void Timeline::program(const std::string& track, const std::string& state, Picoseconds now)
{
    program_.enter(track, state, now);
}

void Timeline::reached(const std::string& track, const std::string& what, Picoseconds now)
{
    program_.reach(track, what, now);
}

void Timeline::interrupt(const std::string& source, const std::string& state, Picoseconds now)
{
    interrupts_.enter(source, state, now);
}

void Timeline::look_inside(const TracedBlock& block, std::size_t number)
{
    const std::uint32_t process = lines_[number].inside;
    writer_.name_process(process, "inside " + block.name);
    std::uint32_t thread = 0;
    for (const std::string& track : block.inside->tracks) {
        ++thread;
        writer_.name_thread({process, thread}, track, thread);
    }
    block.inside->observe(
        [this, number](const InnerSpan& span) { lines_[number].inner.push_back(span); });
}

Timeline::Line& Timeline::line(const CommandQueue& queue)
{
    return *std::find_if(lines_.begin(), lines_.end(),
                         [&](const Line& l) { return l.block.queue == &queue; });
}

void Timeline::submitted(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting)
{
    Line& own = line(queue);
    own.queued.push_back(id);
    writer_.arrow(TimelineWriter::Arrow::Start, arrow_id(own.track.thread, id), call_stack,
                  now_ps(), doorbell);
    counters_.set(own.occupancy, now_ps(), std::to_string(waiting));
}

void Timeline::taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting)
{
    Line& own = line(queue);
    std::erase(own.queued, id);
    own.current = Current{id, now_ps(), std::nullopt, std::nullopt, {}};
    counters_.set(own.occupancy, now_ps(), std::to_string(waiting));
}

void Timeline::fetched(const CommandQueue& queue, const levee_descriptor& descriptor)
{
    Line& own = line(queue);
    own.current->fetched_at = now_ps();
    own.current->descriptor = descriptor;
    if (waits_)
        waits_->fetched(own.track.thread - 1, descriptor);
}

void Timeline::signalled(const CommandQueue& queue, std::uint32_t counter)
{
    const Line& own = line(queue);
    if (waits_ && own.current)
        waits_->raised(counter, own.block.name + ", " + tags_.text(own.current->descriptor.tag));
}

void Timeline::started(const CommandQueue& queue, const levee_descriptor& descriptor,
                       const Activity&, bool)
{
    Current& current = *line(queue).current;
    current.started_at = now_ps();
    current.descriptor = descriptor;
}

void Timeline::finished(const CommandQueue& queue, std::uint32_t error, bool dropped)
{
    Line& own = line(queue);
    const std::string outcome = dropped      ? "dropped by a reset"
                                : error != 0 ? "refused, error " + std::to_string(error)
                                             : "";
    write_operation(own, now_ps(), outcome);
    write_lost(own, now_ps());
}

void Timeline::emptied(const CommandQueue& queue)
{
    Line& own = line(queue);
    own.lost.insert(own.lost.end(), own.queued.begin(), own.queued.end());
    own.queued.clear();
    counters_.set(own.occupancy, now_ps(), "0");
    if (!own.current)
        write_lost(own, now_ps());
}

/// Returns an operation's arguments in the timeline: the descriptor's fields, the tag's name, and
/// the event that ended each wait.
Fields Timeline::fields_of(const Line& own, const std::string& outcome) const
{
    Fields fields;
    if (!outcome.empty())
        fields.emplace_back("outcome", outcome);
    if (!own.current->fetched_at)
        return fields;
    const CommandQueue& queue = *own.block.queue;
    const levee_descriptor& descriptor = own.current->descriptor;
    const std::string named = tags_.name(descriptor.tag);
    if (!named.empty())
        fields.emplace_back("operation", named);
    std::size_t next = 0;
    for (auto& field : operation_fields(queue.declaration(), descriptor, queue.operation())) {
        if (waits_ && field.first.starts_with("wait ")) {
            while (descriptor.wait_counter[next] == LEVEE_NO_COUNTER)
                ++next;
            const std::string when = waits_->satisfied(own.track.thread - 1, next++);
            field.second += when.empty() ? "" : ", " + when;
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

/// Writes an operation's spans. Called when all their times are known, since the spans of a track
/// must begin in order of time.
void Timeline::write_operation(Line& own, Picoseconds end, const std::string& outcome)
{
    const Current& current = *own.current;
    const Picoseconds fetched_at = current.fetched_at.value_or(end);
    const Picoseconds started_at = current.started_at.value_or(end);
    writer_.span(own.track, current.taken_at, end - current.taken_at,
                 current.fetched_at
                     ? operation_name(own.block.queue->declaration(), current.descriptor)
                     : "not fetched",
                 fields_of(own, outcome));
    const auto part = [&](Picoseconds from, Picoseconds to, const std::string& name) {
        if (to > from)
            writer_.span(own.track, from, to - from, name, {});
    };
    part(current.taken_at, fetched_at, "fetch");
    part(fetched_at, started_at,
         "waiting for " + (waits_ ? waits_->blamed(own.track.thread - 1) : "a dependency"));
    part(started_at, end, "executing");
    const std::uint64_t id = arrow_id(own.track.thread, current.id);
    if (current.started_at)
        writer_.arrow(TimelineWriter::Arrow::Step, id, own.track, started_at, doorbell);
    // The arrow ends one picosecond before the span does, since a span does not include its end.
    const Picoseconds last = end > current.taken_at ? end - 1 : end;
    writer_.arrow(TimelineWriter::Arrow::Finish, id, own.track,
                  std::max(last, current.started_at.value_or(last)), doorbell);
    own.current.reset();
    write_inner(own, end);
}

/// Writes the spans inside a block for the operation that ended.
void Timeline::write_inner(Line& own, Picoseconds end)
{
    std::erase_if(own.inner, [end](const InnerSpan& span) { return span.from >= end; });
    std::map<std::uint64_t, std::size_t> steps, passed;
    for (const InnerSpan& span : own.inner)
        for (const std::uint64_t chain : span.chains)
            ++steps[chain];
    for (const InnerSpan& span : own.inner) {
        const Track track{own.inside, span.track + 1};
        writer_.span(track, span.from, std::min(span.to, end) - span.from, span.name, span.details);
        for (const std::uint64_t chain : span.chains) {
            const std::size_t all = steps[chain], step = ++passed[chain];
            using Arrow = TimelineWriter::Arrow;
            const Arrow part = step == all ? Arrow::Finish : step == 1 ? Arrow::Start : Arrow::Step;
            if (all > 1)
                writer_.arrow(part, arrow_id(lines_.size() + own.inside, chain), track, span.from,
                              "request");
        }
    }
    own.inner.clear();
}

void Timeline::write_lost(Line& own, Picoseconds now)
{
    if (own.lost.empty())
        return;
    writer_.span(own.track, now, 0, "never executed", {});
    for (const std::uint64_t id : own.lost)
        writer_.arrow(TimelineWriter::Arrow::Finish, arrow_id(own.track.thread, id), own.track, now,
                      doorbell);
    own.lost.clear();
}

void Timeline::shared(Picoseconds now, std::span<Activity* const> running)
{
    for (const auto& [memory, counter] : bandwidths_) {
        double bytes_per_ps = 0.0;
        for (const Activity* activity : running)
            for (const FlowUse& use : activity->uses)
                if (std::isfinite(activity->speed) && use.accounted &&
                    use.resource->account().kind == FlowAccount::Kind::Storage &&
                    use.resource->account().component == memory)
                    bytes_per_ps += static_cast<double>(use.bytes) * activity->speed;
        counters_.set(counter, now, gigabytes_per_second(bytes_per_ps));
    }
}

void Timeline::finish(Picoseconds now)
{
    for (Line& own : lines_) {
        if (own.current)
            write_operation(own, now, "not finished when the run ended");
        own.lost.insert(own.lost.end(), own.queued.begin(), own.queued.end());
        write_lost(own, now);
    }
    program_.finish(now);
    interrupts_.finish(now);
    counters_.flush();
    writer_.close();
}

} // namespace levee::trace
