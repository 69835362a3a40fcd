// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/mistakes/mistakes.hpp"

#include "platform/input/config/error.hpp"
#include "platform/observe/mistakes/access_report.hpp"
#include "platform/observe/mistakes/stack_check.hpp"
#include "platform/observe/mistakes/tensor_check.hpp"
#include "platform/observe/mistakes/wait_report.hpp"

#include <stdexcept>

namespace levee::mistakes {

Checks read_checks(const std::vector<std::string>& words)
{
    Checks checks;
    for (const std::string& word : words) {
        const bool all = word == "all";
        if (!all && word != "overlap" && word != "uninitialised" && word != "stack")
            throw std::runtime_error(
                "--check: there is no check called '" + word +
                "'; expected overlap, uninitialised, stack or all" +
                config::suggestion(word, {"overlap", "uninitialised", "stack", "all"}));
        checks.overlap |= all || word == "overlap";
        checks.uninitialised |= all || word == "uninitialised";
        checks.stack |= all || word == "stack";
    }
    return checks;
}

struct Mistakes::Parts {
    Parts(const riscv::ElfImage& program, const SystemPlan& plan, System& system)
        : symbols(program.symbols), context{system, plan, symbols}, accesses(context)
    {
        for (std::size_t i = 0; i < plan.components.size(); ++i)
            if (system.components()[i].queue != nullptr)
                queues.emplace_back(context, i);
    }
    trace::Symbols symbols;
    Context context;
    AccessReport accesses;
    std::deque<QueueWatch> queues;
    std::optional<TensorCheck> tensors;
    std::optional<StackCheck> stack;
};

Mistakes::Mistakes(const Checks& checks, const riscv::ElfImage& program, const SystemPlan& plan,
                   System& system, std::function<void(const std::string&)> fail)
    : parts_(std::make_unique<Parts>(program, plan, system))
{
    if (checks.overlap || checks.uninitialised)
        parts_->tensors.emplace(parts_->context, checks.overlap, checks.uninitialised);
    if (checks.stack)
        parts_->stack.emplace(parts_->context, program, std::move(fail));
}

Mistakes::~Mistakes() = default;

std::string Mistakes::who_waits() const
{
    return wait_report(parts_->context, parts_->queues);
}

unsigned Mistakes::found() const
{
    return parts_->tensors ? parts_->tensors->found() : 0;
}

} // namespace levee::mistakes
