// SPDX-License-Identifier: Apache-2.0
#include "platform/run/lockstep_watch.hpp"

#include "core/config/output_file.hpp"
#include "core/config/quantity.hpp"
#include "core/rtl/fst_file.hpp"
#include "platform/observe/trace/operation_text.hpp"
#include "platform/run/time_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace levee {

namespace {

std::vector<std::string> names_of(std::span<const Opcode> opcodes)
{
    std::vector<std::string> names;
    for (const Opcode& opcode : opcodes) {
        names.resize(std::max<std::size_t>(names.size(), opcode.value + std::size_t{1}), "none");
        names[opcode.value] = opcode.name;
    }
    return names;
}

} // namespace

LockstepWatch::LockstepWatch(const RunContext& run)
    : folder_(run.folder.path()), waves_(run.inputs.waves), format_(run.inputs.wave_format)
{
    const SystemPlan& plan = run.inputs.plan;
    for (std::size_t i = 0; i < plan.components.size(); ++i) {
        Component& block = run.system.components()[i];
        if (block.rtl == nullptr || block.queue == nullptr)
            continue;
        Design& design = designs_[plan.components[i].name] = Design{block.rtl, {}, nullptr};
        for (std::size_t j = 0; j < plan.components.size(); ++j)
            if (j == i || plan.components[j].plan.shares == plan.components[i].name)
                watch(plan.components[j], run.system.components()[j].queue, design);
        RtlRun around{now_ps, names_of(plan.components[i].declaration().opcodes)};
        if (waves_) {
            around.fst = folder_ / (plan.components[i].name + ".waves.fst");
            around.from_ps = waves_->from_ps;
            around.to_ps = waves_->to_ps;
            config::check_output(around.fst);
        }
        block.rtl->attach(std::move(around));
    }
    if (waves_ && designs_.empty())
        throw std::runtime_error("waves: no block runs RTL; expected 'impl: rtl', 'rtl_cycle' or "
                                 "'lockstep' in one of system.blocks");
}

void LockstepWatch::watch(const PlannedComponent& plan, CommandQueue* queue, Design& design)
{
    if (queue == nullptr)
        return;
    Watched& watched = watched_[queue] = Watched{&plan, &design, 0, 0, {}, false};
    design.queues.push_back(&watched);
    queue->observe(*this);
}

void LockstepWatch::taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t)
{
    watched_[&queue].id = id;
    watched_[&queue].busy = true;
}

void LockstepWatch::fetched(const CommandQueue& queue, const levee_descriptor& descriptor)
{
    watched_[&queue].descriptor = descriptor;
    watched_[&queue].fetched_ps = now_ps();
}

/// Records the operation that the design now begins. fetched() cannot do this, because another
/// queue that shares the design may fetch a descriptor before the operation begins.
void LockstepWatch::ready(const CommandQueue& queue, const levee_descriptor& descriptor)
{
    const Watched& watched = watched_[&queue];
    watched.design->begun = &watched;
    watched.design->rtl->begin_operation({watched.id, descriptor.opcode, descriptor.tag});
}

void LockstepWatch::finished(const CommandQueue& queue, std::uint32_t, bool)
{
    watched_[&queue].busy = false;
}

std::string LockstepWatch::operation_text(const Watched& watched)
{
    const Declaration& type = watched.plan->declaration();
    std::string text;
    if (!watched.plan->plan.shares.empty())
        text = "  block      " + watched.plan->name + ", which uses the RTL of " +
               watched.plan->plan.shares + "\n";
    text += "  operation  " + trace::operation_name(type, watched.descriptor) + ", descriptor " +
            std::to_string(watched.id) + " of the block, tag " +
            std::to_string(watched.descriptor.tag) + "\n  time       " + time_text(now_ps()) +
            "; it was fetched at " + time_text(watched.fetched_ps) + "\n";
    text += "  descriptor";
    for (const auto& [name, value] :
         trace::operation_fields(type, watched.descriptor, watched.descriptor.operation))
        text += " " + name + "=" + value;
    return text + "\n";
}

std::optional<RunFault> LockstepWatch::explain_exception()
{
    for (const auto& [name, design] : designs_)
        if (const auto& failure = design.rtl->failure())
            return RunFault{run_lockstep_failed, name + ": the RTL differs from its reference\n" +
                                                     operation_text(*design.begun) +
                                                     describe(failure->difference) +
                                                     waves_text(name, *failure)};
    return std::nullopt;
}

std::string LockstepWatch::waves_text(const std::string& block,
                                      const LockstepDifference& failure) const
{
    const std::filesystem::path fst = folder_ / (block + ".fst");
    try {
        config::check_output(fst);
        const RtlEvidence evidence = failure.waves(fst);
        const std::filesystem::path file = in_format(fst);
        return evidence.cause + "  waves      " + file.string() + ", from " +
               time_text(evidence.from_ps) +
               (evidence.recurs ? " up to the difference"
                                : "; the difference does not appear in this file");
    } catch (const std::runtime_error& error) {
        return std::string("  waves      none: ") + error.what();
    }
}

/// Returns the waveforms of a finished FST file as a file in the requested format.
std::filesystem::path LockstepWatch::in_format(const std::filesystem::path& fst) const
{
    if (format_ != config::WaveFormat::Vcd)
        return fst;
    std::filesystem::path vcd = fst;
    vcd.replace_extension(".vcd");
    config::check_output(vcd);
    write_vcd(fst, vcd);
    std::filesystem::remove(fst);
    return vcd;
}

void LockstepWatch::finish()
{
    if (!waves_)
        return;
    for (const auto& [name, design] : designs_) {
        if (design.rtl->finish_waves())
            text_ +=
                name + ": waves in " + in_format(folder_ / (name + ".waves.fst")).string() + "\n";
        else {
            std::filesystem::remove(folder_ / (name + ".waves.fst")); // removes an empty file
            text_ += name + ": no waves: its RTL was not clocked from " +
                     time_text(waves_->from_ps) + " to " + time_text(waves_->to_ps) + "\n";
        }
    }
}

std::optional<RunFault> LockstepWatch::fault()
{
    const std::optional<std::string> text = unfinished();
    return text ? std::optional(RunFault{run_lockstep_failed, *text}) : std::nullopt;
}

std::optional<std::string> LockstepWatch::unfinished() const
{
    for (const auto& [name, design] : designs_) {
        const auto busy = std::ranges::find_if(design.queues, &Watched::busy);
        if (busy != design.queues.end())
            return name + ": an operation was still under way when the program ended\n" +
                   operation_text(**busy);
        if (const auto left = design.rtl->outstanding())
            return name + ": the RTL was not done when the program ended\n" + describe(*left);
        if ((design.rtl->in_lockstep() || design.rtl->is_clocked_in_time()) &&
            design.rtl->comparisons() == 0)
            return name +
                   (design.rtl->in_lockstep() ? ": 'impl: lockstep'" : ": 'impl: rtl_cycle'") +
                   ", but nothing was compared: the program gave this "
                   "block no operation";
    }
    return std::nullopt;
}

void LockstepWatch::count(const FigureVisitor& visit) const
{
    for (const auto& [name, design] : designs_) {
        const RtlStatus& rtl = *design.rtl;
        Stats stats;
        stats.add("rtl.cycles", rtl.rtl_cycles());
        if (rtl.in_lockstep())
            stats.add("lockstep.comparisons", rtl.comparisons());
        visit(name, stats);
    }
}

} // namespace levee
