// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline.hpp"

#include <algorithm>
#include <cmath>

namespace levee::trace {

namespace {

constexpr std::uint32_t core_process = 1, function_process = 2, block_process = 3,
                        memory_process = 4, inside_process = 5;
constexpr Track call_stack{core_process, 1};

/// Integral below 2^53: JSON readers may use doubles.
std::uint64_t arrow_id(std::uint64_t line, std::uint64_t id)
{
    return line << 40 | id;
}

std::string json(const Fields& fields)
{
    std::string text;
    for (const auto& [name, value] : fields)
        text += (text.empty() ? "" : ",") + json_string(name) + ":" + json_string(value);
    return text;
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

Timeline::Timeline(const riscv::Clock& clock, const std::vector<TracedBlock>& blocks,
                   const std::vector<std::string>& memories, const std::filesystem::path& path)
    : clock_(clock), writer_(path), counters_(writer_)
{
    writer_.name_process(core_process, "core");
    writer_.name_thread(call_stack, "call stack", 1);
    writer_.name_process(function_process, "firmware functions");
    writer_.name_process(block_process, "blocks");
    for (const TracedBlock& block : blocks) {
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
    for (const std::string& memory : memories)
        bandwidths_[memory] = counters_.add(memory_process, memory + " bandwidth", "GB/s");
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].inside != nullptr)
            look_inside(blocks[i], i);
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

Picoseconds Timeline::time_of(std::uint64_t cycle) const
{
    return clock_.edge_ps(cycle).value_or(UINT64_MAX);
}

Timeline::FunctionLine& Timeline::line(const Function& function)
{
    const auto [at, is_new] = functions_.try_emplace({function.begin, function.name});
    if (is_new) {
        const auto number = static_cast<std::uint32_t>(functions_.size());
        at->second.track = {function_process, number};
        writer_.name_thread(at->second.track, function.name, number);
    }
    return at->second;
}

void Timeline::enter(const Function& function, std::uint64_t cycle)
{
    const Picoseconds now = time_of(cycle);
    ++line(function).depth;
    stack_.push_back({&function, now});
    writer_.begin(call_stack, now, function.name);
}

void Timeline::leave(std::uint64_t cycle)
{
    const Picoseconds now = time_of(cycle);
    const Span span = stack_.back();
    stack_.pop_back();
    writer_.end(call_stack, now);
    FunctionLine& own = line(*span.function);
    if (--own.depth == 0)
        writer_.span(own.track, span.began, now - span.began, span.function->name, "");
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
                  now_ps());
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
    Current& current = *line(queue).current;
    current.fetched_at = now_ps();
    current.descriptor = descriptor;
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

/// Writes an operation's spans once all its times are known: within a track, spans must begin in
/// order of time.
void Timeline::write_operation(Line& own, Picoseconds end, const std::string& outcome)
{
    const Current& current = *own.current;
    const Picoseconds fetched_at = current.fetched_at.value_or(end);
    const Picoseconds started_at = current.started_at.value_or(end);
    Fields fields;
    if (!outcome.empty())
        fields.emplace_back("outcome", outcome);
    const CommandQueue& queue = *own.block.queue;
    if (current.fetched_at)
        for (auto& field :
             operation_fields(queue.declaration(), current.descriptor, queue.operation()))
            fields.push_back(std::move(field));
    writer_.span(own.track, current.taken_at, end - current.taken_at,
                 current.fetched_at ? operation_name(queue.declaration(), current.descriptor)
                                    : "not fetched",
                 json(fields));
    const auto part = [&](Picoseconds from, Picoseconds to, const char* name) {
        if (to > from)
            writer_.span(own.track, from, to - from, name, "");
    };
    part(current.taken_at, fetched_at, "fetch");
    part(fetched_at, started_at, "waiting for a dependency");
    part(started_at, end, "executing");
    const std::uint64_t id = arrow_id(own.track.thread, current.id);
    if (current.started_at)
        writer_.arrow(TimelineWriter::Arrow::Step, id, own.track, started_at);
    // The arrow ends in the span's last picosecond; the span's end lies outside it.
    const Picoseconds last = end > current.taken_at ? end - 1 : end;
    writer_.arrow(TimelineWriter::Arrow::Finish, id, own.track,
                  std::max(last, current.started_at.value_or(last)));
    own.current.reset();
    write_inner(own, end);
}

/// Writes what went on inside a block until its operation ended.
void Timeline::write_inner(Line& own, Picoseconds end)
{
    std::erase_if(own.inner, [end](const InnerSpan& span) { return span.from >= end; });
    std::map<std::uint64_t, std::size_t> steps, passed; // by chain
    for (const InnerSpan& span : own.inner)
        for (const std::uint64_t chain : span.chains)
            ++steps[chain];
    for (const InnerSpan& span : own.inner) {
        const Track track{own.inside, span.track + 1};
        writer_.span(track, span.from, std::min(span.to, end) - span.from, span.name,
                     json(span.details));
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
    writer_.span(own.track, now, 0, "never executed", "");
    for (const std::uint64_t id : own.lost)
        writer_.arrow(TimelineWriter::Arrow::Finish, arrow_id(own.track.thread, id), own.track,
                      now);
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
    counters_.flush();
    writer_.close();
}

} // namespace levee::trace
