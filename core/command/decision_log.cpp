// SPDX-License-Identifier: Apache-2.0
#include "core/command/decision_log.hpp"

#include <stdexcept>
#include <string>

namespace levee {

void DecisionLog::decide(Decision decision)
{
    for (const Decision::Write& write : decision.writes)
        carry_out(write);
    if (decisions_.recorder == nullptr)
        return;
    decision.descriptor = descriptor_.hash();
    decisions_.recorder->decided(name_, operations_, decision);
}

const Decision& DecisionLog::recorded() const
{
    if (decisions_.source == nullptr)
        throw std::logic_error(std::string(name_) +
                               ": this run replays decisions, but has no source for them");
    const Decision& decision = decisions_.source->decision(name_, operations_);
    if (decision.descriptor != descriptor_.hash())
        throw std::runtime_error(std::string(name_) + ": operation " + std::to_string(operations_) +
                                 " differs from the recorded run; record it again");
    return decision;
}

void DecisionLog::replay(std::uint32_t first, std::uint32_t last)
{
    for (const Decision::Write& write : recorded().writes)
        if (write.iteration >= first && write.iteration < last)
            carry_out(write);
}

void DecisionLog::carry_out(const Decision::Write& write)
{
    if (write.bytes.empty())
        access_.discard(write.pattern);
    else
        access_.write_control(write.pattern, write.bytes.data());
}

} // namespace levee
