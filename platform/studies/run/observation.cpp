// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/observation.hpp"

#include "platform/input/config/error.hpp"
#include "platform/observe/profile/profile.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/trace/bus_trace.hpp"
#include "platform/observe/trace/instruction_trace.hpp"
#include "platform/observe/trace/timeline.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace levee {

namespace fs = std::filesystem;

namespace {

std::vector<trace::TracedBlock> traced_blocks(const SystemPlan& plan, System& system)
{
    std::vector<trace::TracedBlock> blocks;
    for (std::size_t i = 0; i < plan.blocks.size(); ++i)
        if (const CommandQueue* queue = system.blocks()[i].queue)
            blocks.push_back({plan.blocks[i].name, plan.blocks[i].type->id, queue});
    return blocks;
}

std::vector<profile::BlockProfile::Watched> watched_blocks(const SystemPlan& plan, System& system)
{
    std::vector<profile::BlockProfile::Watched> blocks;
    for (const trace::TracedBlock& block : traced_blocks(plan, system))
        blocks.push_back({block.name, block.queue});
    return blocks;
}

std::vector<std::string> memory_names(const SystemPlan& plan)
{
    std::vector<std::string> names;
    for (const PlannedMemory& memory : plan.memories)
        names.push_back(memory.name);
    return names;
}

/// A link of the bus by the window it leads to.
std::map<std::string, std::string> link_names(const SystemPlan& plan, System& system)
{
    std::map<std::string, std::string> names;
    for (const bus::Mapping& mapping : system.bus().mappings())
        names.emplace(std::string(system.bus().name()) + ".link" + std::to_string(mapping.target),
                      "the link to " + mapping.name);
    for (const PlannedMemory& memory : plan.memories) // those of striped ones
        names.emplace(std::string(system.bus().name()) + ".link_" + memory.name,
                      "the link to " + memory.name);
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

fs::path file_of(const ObservationPlan::Trace& trace, const fs::path& folder, const char* name)
{
    return trace.file.value_or(folder / name);
}

} // namespace

ObservationPlan plan_observation(const RunRequest& request)
{
    ObservationPlan plan;
    plan.profile = request.profile;
    plan.sockets = request.trace_sockets;
    for (const std::string& text : request.traces) {
        const auto colon = text.find(':');
        const std::string kind = text.substr(0, colon);
        ObservationPlan::Trace trace;
        if (colon != std::string::npos && colon + 1 < text.size())
            trace.file = text.substr(colon + 1);
        if (kind == "instr")
            plan.instructions = trace;
        else if (kind == "bus")
            plan.bus = trace;
        else if (kind == "timeline")
            plan.timeline = trace;
        else
            throw std::runtime_error(
                "--trace: there is no kind of trace called '" + kind +
                "'; expected instr, bus or timeline, and behind a colon a file" +
                config::suggestion(kind, {"instr", "bus", "timeline"}));
    }
    if (!plan.sockets.empty() && !plan.bus)
        throw std::runtime_error(
            "--trace-bus chooses what '--trace bus' writes; expected that too");
    return plan;
}

struct Observation::Parts {
    Parts(const riscv::ElfImage& program, System& system_, const fs::path& folder_)
        : symbols(program.symbols), system(system_), folder(folder_)
    {
    }
    trace::Symbols symbols;
    System& system;
    fs::path folder;
    std::optional<trace::InstructionTrace> instructions;
    std::optional<trace::BusTrace> bus;
    std::optional<trace::Timeline> timeline;
    std::optional<trace::CallTracker> timeline_calls;
    std::optional<profile::Profile> profile;

    void watch_blocks(CommandObserver& observer)
    {
        for (Block& block : system.blocks())
            if (block.queue != nullptr)
                block.queue->observe(observer);
    }
    void trace_timeline(const SystemPlan& plan, const fs::path& file)
    {
        riscv::Core& core = system.core();
        timeline.emplace(core.clock(), traced_blocks(plan, system), memory_names(plan), file);
        timeline_calls.emplace(core.hart(), symbols, *timeline);
        core.observe(*timeline_calls);
        watch_blocks(*timeline);
        system.flows().observe(*timeline);
    }
    void make_profile(const SystemPlan& plan)
    {
        riscv::Core& core = system.core();
        profile.emplace(core.hart(), core.clock(), symbols, watched_blocks(plan, system),
                        link_names(plan, system));
        core.observe(profile->core_observer());
        watch_blocks(profile->blocks());
        system.flows().observe(profile->blocks());
    }
};

Observation::Observation(const ObservationPlan& plan, const riscv::ElfImage& program,
                         const SystemPlan& system_plan, System& system, const fs::path& folder)
    : parts_(std::make_unique<Parts>(program, system, folder))
{
    riscv::Core& core = system.core();
    if (plan.instructions) {
        parts_->instructions.emplace(core.hart(), core.clock(), parts_->symbols,
                                     file_of(*plan.instructions, folder, "instr.txt"));
        core.observe(*parts_->instructions);
    }
    if (plan.bus) {
        parts_->bus.emplace(system.initiators(), checked_sockets(plan.sockets, system),
                            file_of(*plan.bus, folder, "bus.txt"));
        system.bus().observe(*parts_->bus);
    }
    if (plan.timeline)
        parts_->trace_timeline(system_plan, file_of(*plan.timeline, folder, "timeline.json.gz"));
    if (plan.profile)
        parts_->make_profile(system_plan);
}

Observation::~Observation() = default;

std::string Observation::finish()
{
    riscv::Core& core = parts_->system.core();
    // A core that sleeps when the run ends has slept until then.
    const std::uint64_t cycle = std::max(core.cycles(), core.clock().first_edge(now_ps()));
    if (parts_->instructions)
        parts_->instructions->finish();
    if (parts_->bus)
        parts_->bus->finish();
    if (parts_->timeline) {
        parts_->timeline_calls->finish(cycle);
        parts_->timeline->finish(now_ps());
    }
    if (!parts_->profile)
        return {};
    parts_->profile->finish(cycle, now_ps());
    std::string text = parts_->profile->text();
    write_atomically(parts_->folder / "profile.txt", text);
    write_atomically(parts_->folder / "profile.folded", parts_->profile->folded());
    return text;
}

} // namespace levee
