// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/lockstep_watch.hpp"

#include "platform/input/config/quantity.hpp"
#include "platform/observe/trace/operation_text.hpp"

namespace levee {

LockstepWatch::LockstepWatch(const RunContext& run) : folder_(run.folder.path())
{
    const SystemPlan& plan = run.inputs.plan;
    for (std::size_t i = 0; i < plan.components.size(); ++i) {
        Component& block = run.system.components()[i];
        if (block.rtl == nullptr || block.queue == nullptr)
            continue;
        order_.emplace(plan.components[i].name, block.queue);
        watched_[block.queue] = Watched{&plan.components[i], block.rtl, 0, 0, {}, false};
        block.queue->observe(*this);
    }
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

void LockstepWatch::finished(const CommandQueue& queue, std::uint32_t, bool)
{
    watched_[&queue].busy = false;
}

std::string LockstepWatch::operation_text(const Watched& watched)
{
    const Declaration& type = watched.plan->declaration();
    std::string text = "  operation  " + trace::operation_name(type, watched.descriptor) +
                       ", descriptor " + std::to_string(watched.id) + " of the block, tag " +
                       std::to_string(watched.descriptor.tag) + "\n  time       " +
                       config::format_quantity(now_ps(), config::Dimension::Time) +
                       "; it was fetched at " +
                       config::format_quantity(watched.fetched_ps, config::Dimension::Time) + "\n";
    text += "  descriptor";
    for (const auto& [name, value] :
         trace::operation_fields(type, watched.descriptor, watched.descriptor.operation))
        text += " " + name + "=" + value;
    return text + "\n";
}

std::optional<RunFault> LockstepWatch::explain_exception()
{
    for (const auto& [name, queue] : order_) {
        const Watched& watched = watched_.at(queue);
        if (const auto& failure = watched.rtl->failure())
            return RunFault{run_lockstep_failed, name + ": the RTL differs from its reference\n" +
                                                     operation_text(watched) +
                                                     describe(failure->difference) +
                                                     waves_text(name, *failure)};
    }
    return std::nullopt;
}

std::string LockstepWatch::waves_text(const std::string& block,
                                      const LockstepDifference& failure) const
{
    const std::filesystem::path fst = folder_ / (block + ".fst");
    try {
        return "  waves      " + fst.string() +
               (failure.waves(fst) ? ", up to the difference"
                                   : "; from reset, the last operations alone do not show it");
    } catch (const std::runtime_error& error) {
        return std::string("  waves      none: ") + error.what();
    }
}

std::optional<RunFault> LockstepWatch::fault()
{
    const std::optional<std::string> text = unfinished();
    return text ? std::optional(RunFault{run_lockstep_failed, *text}) : std::nullopt;
}

std::optional<std::string> LockstepWatch::unfinished() const
{
    for (const auto& [name, queue] : order_) {
        const Watched& watched = watched_.at(queue);
        if (watched.busy)
            return name + ": an operation was still under way when the program ended\n" +
                   operation_text(watched);
        if (const auto left = watched.rtl->outstanding())
            return name + ": the RTL was not done when the program ended\n" + describe(*left);
        if (watched.rtl->in_lockstep() && watched.rtl->comparisons() == 0)
            return name + ": 'impl: lockstep', but nothing was compared: the program gave it "
                          "nothing to do";
    }
    return std::nullopt;
}

void LockstepWatch::count(const FigureVisitor& visit) const
{
    for (const auto& [name, queue] : order_) {
        const RtlStatus& rtl = *watched_.at(queue).rtl;
        Stats stats;
        stats.add("rtl.cycles", rtl.rtl_cycles());
        if (rtl.in_lockstep())
            stats.add("lockstep.comparisons", rtl.comparisons());
        visit(name, stats);
    }
}

} // namespace levee
