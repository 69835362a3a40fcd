// SPDX-License-Identifier: Apache-2.0
#include "platform/run/rtl_clocks.hpp"

#include "core/config/quantity.hpp"

#include <algorithm>

namespace levee {

RtlClocks::RtlClocks(const RunContext& run)
{
    const SystemPlan& plan = run.inputs.plan;
    for (std::size_t i = 0; i < plan.components.size(); ++i) {
        Component& block = run.system.components()[i];
        if (block.rtl == nullptr || block.queue == nullptr || !block.rtl->is_clocked_in_time())
            continue;
        const std::string& name = plan.components[i].name;
        blocks_.push_back(
            {&plan.components[i],
             std::make_unique<RtlClock>(name + "_rtl_clock", *block.queue, *block.rtl)});
    }
    std::ranges::sort(blocks_, {}, [](const Block& block) { return block.plan->name; });
}

void RtlClocks::count(const FigureVisitor& visit) const
{
    for (const Block& block : blocks_) {
        const RtlClock::Figures& f = block.clock->figures();
        Stats stats;
        stats.add("rtl_cycle.operations", f.operations);
        stats.add("rtl_cycle.cycles", f.cycles);
        stats.add("rtl_cycle.held_cycles", f.held_cycles);
        stats.add("rtl_cycle.late", f.late);
        stats.add("rtl_cycle.late_cycles", f.late_cycles);
        stats.add("rtl_cycle.most_late_cycles", f.most_late_cycles);
        stats.add("rtl_cycle.early", f.early);
        stats.add("rtl_cycle.early_cycles", f.early_cycles);
        visit(block.plan->name, stats);
    }
}

std::string RtlClocks::text_of(const Block& block)
{
    const RtlClock::Figures& f = block.clock->figures();
    std::string text = block.plan->name +
                       ": RTL in simulated time: " + std::to_string(f.operations) +
                       " operations, " + std::to_string(f.cycles) + " cycles, " +
                       std::to_string(f.held_cycles) + " of them held up by streams; ";
    if (f.late == 0)
        return text + "none ended later than the timing rule says\n";
    std::string opcode = std::to_string(f.latest_opcode);
    for (const Opcode& known : block.plan->declaration().opcodes)
        if (known.value == f.latest_opcode)
            opcode = known.name;
    return text + std::to_string(f.late) + " ended later than the timing rule says, by " +
           std::to_string(f.late_cycles) + " cycles in total, at most " +
           std::to_string(f.most_late_cycles) + " (" + opcode + ", descriptor " +
           std::to_string(f.latest_descriptor) + " of the block, begun at " +
           config::format_quantity(f.latest_begun_ps, config::Dimension::Time) + ")\n";
}

std::string RtlClocks::text() const
{
    std::string text;
    for (const Block& block : blocks_)
        if (block.clock->figures().operations != 0)
            text += text_of(block);
    return text;
}

} // namespace levee
