// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/perfetto_timeline.hpp"

#include "platform/observe/trace/perfetto_fields.hpp"

#include <algorithm>
#include <charconv>

namespace levee::trace {

namespace {

using namespace perfetto;

constexpr std::uint64_t ps_per_ns = 1000;
/// A packet sequence numbers this many values, so that later events can refer to the numbers. For a
/// text of at most short_value characters, the number would be longer than the text.
constexpr std::size_t most_values = 1 << 14, short_value = 2;

std::uint64_t process_uuid(std::uint32_t process)
{
    return std::uint64_t{1} << 62 | process;
}

} // namespace

/// A track of calls. Its events are in order of time, except that an arrow may be reported at a
/// time before a jump that is still in progress. The arrow is then drawn from the jump.
class PerfettoTimeline::Calls final : public CallListener {
public:
    Calls(PerfettoTimeline& file, const riscv::Clock& clock, Sequence& sequence)
        : file_(file), clock_(clock), sequence_(sequence)
    {
    }
    void enter(const Function& function, std::uint64_t cycle) override
    {
        auto [at, is_new] = numbers_.try_emplace(&function);
        if (is_new)
            at->second = file_.number(sequence_.names, interned_data::event_names, function.name);
        file_.event_.add(track_event::type, track_event::slice_begin);
        file_.event_.add(track_event::name_iid, at->second);
        file_.write_event(sequence_, time(cycle));
    }
    void leave(std::uint64_t cycle) override { file_.write_end(sequence_, time(cycle)); }

private:
    [[nodiscard]] std::uint64_t time(std::uint64_t cycle) const
    {
        return clock_.edge_ps(cycle).value_or(UINT64_MAX);
    }

    PerfettoTimeline& file_;
    const riscv::Clock& clock_;
    Sequence& sequence_;
    std::unordered_map<const Function*, std::uint64_t> numbers_;
};

PerfettoTimeline::PerfettoTimeline(const std::filesystem::path& path) : file_(path)
{
    begin_sequence(values_, 0);
}

/// Begins a sequence of packets, each with its time since the previous one. Its events are on the
/// track `uuid`, unless they name another.
void PerfettoTimeline::begin_sequence(Sequence& sequence, std::uint64_t uuid)
{
    sequence.id = ++sequences_;
    ProtoMessage boot, own, clocks, defaults, event_defaults;
    boot.add(clock::clock_id, clock::boot_time);
    boot.add(clock::timestamp, 0);
    own.add(clock::clock_id, clock::first_of_a_sequence);
    own.add(clock::timestamp, 0);
    own.add(clock::is_incremental, 1);
    clocks.add(clock_snapshot::clocks, boot);
    clocks.add(clock_snapshot::clocks, own);
    if (uuid != 0) {
        event_defaults.add(track_event_defaults::track_uuid, uuid);
        defaults.add(trace_packet_defaults::track_event_defaults, event_defaults);
    }
    defaults.add(trace_packet_defaults::timestamp_clock_id, clock::first_of_a_sequence);
    packet_.add(trace_packet::timestamp, 0);
    packet_.add(trace_packet::timestamp_clock_id, clock::boot_time);
    packet_.add(trace_packet::clock_snapshot, clocks);
    packet_.add(trace_packet::trace_packet_defaults, defaults);
    write_packet(sequence, trace_packet::incremental_state_cleared);
}

void PerfettoTimeline::write_packet(const Sequence& sequence, std::uint64_t flags)
{
    packet_.add(trace_packet::trusted_packet_sequence_id, sequence.id);
    packet_.add(trace_packet::sequence_flags, flags);
    ProtoMessage framed;
    framed.add(trace_file::packet, packet_);
    file_.write(framed.bytes());
    packet_.clear();
}

void PerfettoTimeline::write_event(Sequence& sequence, std::uint64_t ps)
{
    const std::uint64_t ns = std::max(ps / ps_per_ns, sequence.now_ns);
    packet_.add(trace_packet::timestamp, ns - sequence.now_ns);
    sequence.now_ns = ns;
    if (!interned_.empty())
        packet_.add(trace_packet::interned_data, interned_);
    packet_.add(trace_packet::track_event, event_);
    write_packet(sequence, trace_packet::needs_incremental_state);
    interned_.clear();
    event_.clear();
}

std::uint64_t PerfettoTimeline::number(Numbers& numbers, ProtoField kind, std::string_view text)
{
    const auto [at, is_new] = numbers.try_emplace(std::string(text), numbers.size() + 1);
    if (is_new) {
        ProtoMessage entry;
        entry.add(interned::iid, at->second);
        entry.add(interned::text, text);
        interned_.add(kind, entry);
    }
    return at->second;
}

void PerfettoTimeline::annotate(Sequence& sequence, const Arguments& arguments)
{
    for (const auto& [key, value] : arguments) {
        ProtoMessage one;
        one.add(debug_annotation::name_iid,
                number(sequence.keys, interned_data::debug_annotation_names, key));
        const bool is_known = sequence.values.contains(value);
        if (value.size() > short_value && (is_known || sequence.values.size() < most_values))
            one.add(debug_annotation::string_value_iid,
                    number(sequence.values, interned_data::debug_annotation_string_values, value));
        else
            one.add(debug_annotation::string_value, value);
        event_.add(track_event::debug_annotations, one);
    }
}

void PerfettoTimeline::name_process(std::uint32_t process, const std::string& name)
{
    ProtoMessage descriptor, own;
    own.add(process_descriptor::pid, process);
    own.add(process_descriptor::process_name, name);
    descriptor.add(track_descriptor::uuid, process_uuid(process));
    descriptor.add(track_descriptor::process, own);
    descriptor.add(track_descriptor::child_ordering, track_descriptor::by_rank);
    packet_.add(trace_packet::track_descriptor, descriptor);
    write_packet(values_, trace_packet::needs_incremental_state);
}

PerfettoTimeline::Line& PerfettoTimeline::line(Track track)
{
    Line& own = lines_[{track.process, track.thread}];
    if (own.uuid == 0)
        own.uuid = ++uuids_;
    return own;
}

void PerfettoTimeline::name_thread(Track track, const std::string& name, std::uint32_t order)
{
    Line& own = line(track);
    ProtoMessage descriptor;
    descriptor.add(track_descriptor::uuid, own.uuid);
    descriptor.add(track_descriptor::parent_uuid, process_uuid(track.process));
    descriptor.add(track_descriptor::name, name);
    descriptor.add(track_descriptor::sibling_order_rank, order);
    packet_.add(trace_packet::track_descriptor, descriptor);
    write_packet(values_, trace_packet::needs_incremental_state);
    begin_sequence(own.sequence, own.uuid);
}

void PerfettoTimeline::span(Track track, std::uint64_t ps, std::uint64_t duration_ps,
                            std::string_view name, const Arguments& arguments)
{
    Line& own = line(track);
    if (!own.open.empty() && ps >= own.open.front().end_ps)
        write_spans(own);
    own.open.push_back({ps, ps + duration_ps, std::string(name), arguments, {}, {}});
}

/// Adds a point of an arrow. Points belong to spans, and Perfetto joins them in order of time. On a
/// track of calls, points are separate instant events.
void PerfettoTimeline::arrow(Arrow part, std::uint64_t id, Track track, std::uint64_t ps,
                             std::string_view name)
{
    Line& own = line(track);
    const auto around = std::find_if(own.open.rbegin(), own.open.rend(), [ps](const Span& span) {
        return span.ps <= ps && (ps < span.end_ps || span.ps == ps);
    });
    if (around != own.open.rend()) {
        std::erase(around->arrows, id);
        (part == Arrow::Finish ? around->last_arrows : around->arrows).push_back(id);
        return;
    }
    event_.add(track_event::type, track_event::instant);
    event_.add(track_event::name_iid, number(own.sequence.names, interned_data::event_names, name));
    event_.add_fixed(
        part == Arrow::Finish ? track_event::terminating_flow_ids : track_event::flow_ids, id);
    write_event(own.sequence, ps);
}

void PerfettoTimeline::write_begin(Sequence& sequence, const Span& span)
{
    event_.add(track_event::type, track_event::slice_begin);
    event_.add(track_event::name_iid,
               number(sequence.names, interned_data::event_names, span.name));
    annotate(sequence, span.arguments);
    for (const std::uint64_t id : span.arrows)
        event_.add_fixed(track_event::flow_ids, id);
    for (const std::uint64_t id : span.last_arrows)
        event_.add_fixed(track_event::terminating_flow_ids, id);
    write_event(sequence, span.ps);
}

void PerfettoTimeline::write_end(Sequence& sequence, std::uint64_t ps)
{
    event_.add(track_event::type, track_event::slice_end);
    write_event(sequence, ps);
}

void PerfettoTimeline::write_spans(Line& own)
{
    std::vector<std::uint64_t> ends;
    const auto end_before = [&](std::uint64_t ps) {
        for (; !ends.empty() && ends.back() <= ps; ends.pop_back())
            write_end(own.sequence, ends.back());
    };
    for (const Span& span : own.open) {
        end_before(span.ps);
        write_begin(own.sequence, span);
        ends.push_back(span.end_ps);
    }
    end_before(UINT64_MAX);
    own.open.clear();
}

void PerfettoTimeline::counter(std::uint32_t process, std::uint64_t ps, std::string_view name,
                               std::string_view unit, std::string_view value)
{
    auto [at, is_new] = counters_.try_emplace({process, std::string(name)});
    if (is_new) {
        at->second = ++uuids_;
        ProtoMessage descriptor, own;
        own.add(counter_descriptor::unit_name, unit);
        descriptor.add(track_descriptor::uuid, at->second);
        descriptor.add(track_descriptor::parent_uuid, process_uuid(process));
        descriptor.add(track_descriptor::name, name);
        descriptor.add(track_descriptor::counter, own);
        packet_.add(trace_packet::track_descriptor, descriptor);
        write_packet(values_, trace_packet::needs_incremental_state);
    }
    event_.add(track_event::type, track_event::counter);
    event_.add(track_event::track_uuid, at->second);
    const char* const end = value.data() + value.size();
    std::uint64_t whole = 0;
    if (std::from_chars(value.data(), end, whole).ptr == end)
        event_.add(track_event::counter_value, whole);
    else {
        double real = 0;
        std::from_chars(value.data(), end, real);
        event_.add_double(track_event::double_counter_value, real);
    }
    write_event(values_, ps);
}

std::unique_ptr<CallListener> PerfettoTimeline::calls(const riscv::Clock& clock, Track track)
{
    return std::make_unique<Calls>(*this, clock, line(track).sequence);
}

void PerfettoTimeline::close()
{
    for (auto& [track, own] : lines_)
        write_spans(own);
    file_.close();
}

} // namespace levee::trace
