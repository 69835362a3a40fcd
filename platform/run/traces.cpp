// SPDX-License-Identifier: Apache-2.0
#include "platform/run/traces.hpp"

#include "core/config/error.hpp"
#include "core/config/output_file.hpp"
#include "core/units/clock.hpp"
#include "platform/observe/phases.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace levee {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<trace::TracedBlock> traced_blocks(const RunContext& run)
{
    const std::vector<PlannedComponent>& planned = run.inputs.plan.components;
    std::vector<trace::TracedBlock> blocks;
    for (std::size_t i = 0; i < planned.size(); ++i)
        if (const CommandQueue* queue = run.system.components()[i].queue)
            blocks.push_back({planned[i].name, queue});
    return blocks;
}

/// Like traced_blocks(), but also includes the inner activity of the requested components.
std::vector<trace::TracedBlock> traced_inside(const RunContext& run)
{
    std::vector<trace::TracedBlock> blocks = traced_blocks(run);
    std::vector<std::string> known;
    for (std::size_t i = 0; i < run.inputs.plan.components.size(); ++i) {
        const InnerSpans& inside = run.system.components()[i].inside;
        if (inside.tracks.empty())
            continue;
        const std::string& name = run.inputs.plan.components[i].name;
        known.push_back(name);
        for (trace::TracedBlock& block : blocks)
            if (block.name == name && contains(run.inputs.traces.inside, name))
                block.inside = &inside;
    }
    for (const std::string& name : run.inputs.traces.inside)
        if (!contains(known, name))
            throw std::runtime_error("--trace-inside: no component '" + name +
                                     "' can show its inner activity" +
                                     (known.empty() ? ": no component of this system does"
                                                    : config::suggestion(name, known)));
    return blocks;
}

std::vector<profile::BlockProfile::Watched> profiled_blocks(const RunContext& run)
{
    std::vector<profile::BlockProfile::Watched> blocks;
    for (const trace::TracedBlock& block : traced_blocks(run))
        blocks.push_back({block.name, block.queue});
    return blocks;
}

void observe_queues(System& system, CommandObserver& observer)
{
    for (Component& block : system.components())
        if (block.queue != nullptr)
            block.queue->observe(observer);
}

std::vector<std::string> memory_names(const SystemPlan& plan)
{
    std::vector<std::string> names;
    for (const PlannedComponent& component : plan.components)
        if (component.stores())
            names.push_back(component.name);
    return names;
}

/// Returns names for the bus's links. A link is named after the windows to which it leads.
std::map<std::string, std::string> link_names(const SystemPlan& plan, System& system)
{
    std::map<std::string, std::string> names;
    for (const bus::Mapping& mapping : system.bus().mappings())
        names.emplace(std::string(system.bus().name()) + ".link" + std::to_string(mapping.target),
                      "the link to " + mapping.name);
    for (const PlannedComponent& component : plan.components) // the links of interleaved memories
        names.emplace(std::string(system.bus().name()) + ".link_" + component.name,
                      "the link to " + component.name);
    return names;
}

std::set<std::string> checked_sockets(const std::vector<std::string>& asked, System& system)
{
    std::vector<std::string> known = system.initiators();
    for (const bus::Mapping& mapping : system.bus().mappings())
        known.push_back(mapping.name);
    for (const std::string& name : asked)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw std::runtime_error("--trace-bus: nothing on the bus is called '" + name + "'" +
                                     config::suggestion(name, known));
    return {asked.begin(), asked.end()};
}

trace::TimelinePlan timeline_plan(const RunContext& run, const trace::Window* window)
{
    trace::TimelinePlan plan{traced_inside(run), memory_names(run.inputs.plan), nullptr,
                             trace::Tags(run.inputs.program.image.tag_names), window};
    for (const Component& component : run.system.components())
        if (component.counters != nullptr)
            plan.counters = component.counters;
    return plan;
}

std::string phase_name(levee_phase phase)
{
    return phase == LEVEE_PHASE_OTHER ? "" : phase_names[phase];
}

std::string mark_name(levee_mark kind)
{
    return kind == LEVEE_MARK_PREFILL_CHUNK ? "prefill chunk"
           : kind == LEVEE_MARK_SELECTION   ? "selection"
           : kind == LEVEE_MARK_LEFT_OUT    ? "left out"
                                            : "decode step";
}

std::string request_name(riscv::Plic::Request request)
{
    using Request = riscv::Plic::Request;
    return request == Request::Pending ? "pending" : request == Request::Claimed ? "claimed" : "";
}

/// Returns the number of layers of the model, or of its draft if that has more; 0 without a model.
std::uint32_t layers_of(const Work& work)
{
    std::uint32_t layers = 0;
    for (const std::optional<ModelImage>* model : {&work.model, &work.draft})
        if (*model)
            layers = std::max(layers, (*model)->shape().layers);
    return layers;
}

/// Returns the core's cycle at the end of the run. A sleeping core is counted as asleep until the
/// end.
std::uint64_t last_cycle(System& system)
{
    const riscv::Core& core = system.core();
    return std::max(core.cycles(), core.clock().first_edge(now_ps()));
}

} // namespace

TracedPart::TracedPart(const RunContext& run, const trace::WindowPlan& plan)
{
    if (plan.is_everything())
        return;
    window_.emplace(plan);
    if (!plan.layer)
        return;
    if (run.inputs.program.image.tag_names.empty())
        throw std::runtime_error("--trace @layer: the program does not name its operations; "
                                 "expected one with a table of tags (core/abi/tag_names.h)");
    const std::uint32_t layers = layers_of(run.inputs.work);
    if (layers != 0 && *plan.layer >= layers)
        throw std::runtime_error("--trace @layer:" + std::to_string(*plan.layer) +
                                 ": the model has " + std::to_string(layers) +
                                 " layers; expected a number from 0 to " +
                                 std::to_string(layers - 1));
    observe_queues(run.system, *this);
}

void TracedPart::token(std::uint32_t sequence, std::uint64_t ps)
{
    if (sequence >= tokens_.size())
        tokens_.resize(sequence + 1);
    const std::uint32_t number = tokens_[sequence]++;
    if (window_)
        window_->token(number, ps);
}

void TracedPart::report(Results& results, const char* trace) const
{
    if (!window_)
        return;
    const std::string who = std::string("--trace ") + trace + ": ";
    const std::vector<std::string> beyond = window_->beyond(now_ps());
    for (const std::string& sentence : beyond)
        results.warnings.push_back(who + sentence);
    if (beyond.empty() && !window_->covers_before(now_ps()))
        results.warnings.push_back(
            who + "no part of the run satisfies all of the @ limits, so the file has no events");
}

void TracedPart::started(const CommandQueue& queue, const levee_descriptor& descriptor,
                         const Activity&, bool)
{
    executing_[&queue] = descriptor.tag;
    window_->began(descriptor.tag, now_ps());
}

void TracedPart::finished(const CommandQueue& queue, std::uint32_t, bool)
{
    const auto executing = executing_.find(&queue);
    if (executing == executing_.end())
        return; // refused before it started
    window_->ended(executing->second);
    executing_.erase(executing);
}

InstructionTracer::InstructionTracer(const RunContext& run)
    : part_(run, run.inputs.traces.instructions->window),
      symbols_(run.inputs.program.image.symbols),
      trace_(run.system.core().hart(), run.system.core().clock(), symbols_,
             run.inputs.traces.instructions->in(run.folder.path()), part_.window())
{
    run.system.core().observe(trace_);
}

BusTracer::BusTracer(const RunContext& run)
    : part_(run, run.inputs.traces.bus->window),
      trace_(run.system.initiators(), checked_sockets(run.inputs.traces.sockets, run.system),
             run.inputs.traces.bus->in(run.folder.path()), part_.window())
{
    run.system.bus().observe(trace_);
}

TimelineTracer::TimelineTracer(const RunContext& run)
    : system_(run.system), part_(run, run.inputs.traces.timeline->window),
      symbols_(run.inputs.program.image.symbols),
      timeline_(system_.core().clock(), timeline_plan(run, part_.window()),
                run.inputs.traces.timeline->in(run.folder.path())),
      calls_(system_.core().hart(), symbols_, timeline_.calls())
{
    system_.core().observe(calls_);
    observe_queues(system_, timeline_);
    system_.flows().observe(timeline_);
    system_.observe_interrupts([this](const std::string& source, riscv::Plic::Request request) {
        timeline_.interrupt(source, request_name(request), now_ps());
    });
}

void InstructionTracer::token(std::uint32_t sequence, std::uint32_t, std::uint64_t ps)
{
    part_.token(sequence, ps);
}

void BusTracer::token(std::uint32_t sequence, std::uint32_t, std::uint64_t ps)
{
    part_.token(sequence, ps);
}

void InstructionTracer::program_changed(const ElfImage& program)
{
    symbols_.replace(program.symbols);
}

void TimelineTracer::program_changed(const ElfImage& program)
{
    symbols_.replace(program.symbols);
    calls_.program_changed();
    timeline_.follow(trace::Tags(program.tag_names));
}

void Profiler::program_changed(const ElfImage& program)
{
    symbols_.replace(program.symbols);
    profile_.program_changed();
}

void TimelineTracer::phase(levee_phase phase, std::uint64_t ps)
{
    timeline_.program("phase", phase_name(phase), ps);
}

void TimelineTracer::mark(const Mark& mark)
{
    timeline_.program(
        "part",
        mark.begins ? mark_name(mark.part.kind) + " " + std::to_string(mark.part.index) : "",
        mark.ps);
}

void TimelineTracer::token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps)
{
    part_.token(sequence, ps);
    if (sequence >= tokens_.size())
        tokens_.resize(sequence + 1);
    timeline_.reached("sequence " + std::to_string(sequence),
                      "token " + std::to_string(tokens_[sequence]++) + ": " + std::to_string(id),
                      ps);
}

void TimelineTracer::finish()
{
    calls_.finish(last_cycle(system_));
    timeline_.finish(now_ps());
}

/// SystemC's kernel adds the extension to the file's name, and ends the program if it cannot open
/// the file. So this function first creates the file itself, to report an error properly.
SignalTracer::SignalTracer(const RunContext& run)
{
    const std::span<const Component> components = run.system.components();
    if (std::none_of(components.begin(), components.end(),
                     [](const Component& each) { return each.trace_signals != nullptr; }))
        throw std::runtime_error("--trace signals: no component of this system has signals to "
                                 "trace; expected another kind of trace");
    std::filesystem::path path =
        std::filesystem::weakly_canonical(run.inputs.traces.signals->in(run.folder.path()));
    lock_ = std::shared_ptr<void>(nullptr,
                                  [file = config::open_new_output(path)](void*) { ::close(file); });
    sc_core::sc_report_handler::set_actions("tracing timescale unit set", sc_core::SC_INFO,
                                            sc_core::SC_DO_NOTHING);
    file_.reset(sc_core::sc_create_vcd_trace_file(path.replace_extension().c_str()));
    file_->set_time_unit(1, sc_core::SC_PS);
    for (const Component& component : components)
        if (component.trace_signals)
            component.trace_signals(*file_);
}

void SignalTracer::Close::operator()(sc_core::sc_trace_file* file) const
{
    sc_core::sc_close_vcd_trace_file(file);
}

Profiler::Profiler(const RunContext& run)
    : system_(run.system), folder_(run.folder), symbols_(run.inputs.program.image.symbols),
      profile_(system_.core().hart(), system_.core().clock(), symbols_, profiled_blocks(run),
               link_names(run.inputs.plan, system_))
{
    system_.core().observe(profile_.core_observer());
    observe_queues(system_, profile_.blocks());
    system_.flows().observe(profile_.blocks());
}

void Profiler::finish()
{
    profile_.finish(last_cycle(system_), now_ps());
    text_ = profile_.text();
    folder_.write("profile.txt", text_);
    folder_.write("profile.folded", profile_.folded());
}

} // namespace levee
