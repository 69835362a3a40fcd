// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/checks.hpp"

#include "core/config/error.hpp"
#include "platform/observe/checks/access_report.hpp"
#include "platform/observe/checks/counter_use.hpp"
#include "platform/observe/checks/master_watch.hpp"
#include "platform/observe/checks/operation_check.hpp"
#include "platform/observe/checks/program_guard.hpp"
#include "platform/observe/checks/queue_feeders.hpp"
#include "platform/observe/checks/stack_check.hpp"
#include "platform/observe/checks/tensor_check.hpp"
#include "platform/observe/checks/trap_watch.hpp"
#include "platform/observe/checks/wait_history.hpp"
#include "platform/observe/checks/wait_report.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace levee::checks {

namespace {

struct Word {
    const char* word;
    bool Selection::*check;
};
constexpr std::array words{Word{"overlap", &Selection::overlap},
                           Word{"uninitialised", &Selection::uninitialised},
                           Word{"types", &Selection::types}, Word{"stack", &Selection::stack}};

} // namespace

Selection read_checks(const std::vector<std::string>& asked)
{
    Selection checks;
    std::vector<std::string> known;
    for (const Word& each : words)
        known.emplace_back(each.word);
    known.emplace_back("all");
    for (const std::string& word : asked) {
        if (std::ranges::find(known, word) == known.end())
            throw std::runtime_error("--check: there is no check called '" + word + "'" +
                                     config::suggestion(word, known));
        for (const Word& each : words)
            checks.*each.check |= word == "all" || word == each.word;
    }
    return checks;
}

struct Checks::Parts {
    Parts(const ElfImage& program, const SystemPlan& plan, System& system, const Ends& ends,
          bool quiet)
        : symbols(program.symbols), context{system, plan, symbols}, history(context),
          accesses(context, quiet), traps(context, ends.hang), stacks(program),
          guard(context, program, stacks, findings, ends.fail), model(context, findings)
    {
        for (std::size_t i = 0; i < plan.components.size(); ++i)
            if (system.components()[i].queue != nullptr)
                queues.emplace_back(context, i, findings);
        operations.emplace(context, queues, program, guard, model, findings);
        masters.emplace(context, queues, findings);
        feeders.emplace(context, queues, findings);
        counters.emplace(context, queues, findings);
    }
    void add_access_checks(const Selection& checks, const ElfImage& program)
    {
        // A timing-only run has no data, so operations' inputs are never written and these two
        // checks cannot work.
        const bool has_data = context.plan.config.data == DataMode::Functional;
        for (const Word& each : words)
            if (checks.*each.check && !has_data &&
                (each.check == &Selection::uninitialised || each.check == &Selection::types))
                warn("platform", std::string("--check ") + each.word +
                                     " is skipped: a timing-only run has no data");
        const AccessChecks access{checks.overlap, checks.uninitialised && has_data,
                                  checks.types && has_data};
        if (access.overlap || access.uninitialised || access.types)
            tensors.emplace(context, access, program, queues, findings);
    }

    trace::Symbols symbols;
    Context context;
    WaitHistory history;
    Findings findings;
    AccessReport accesses;
    TrapWatch traps;
    Stacks stacks;
    ProgramGuard guard;
    ModelGuard model;
    std::deque<QueueWatch> queues;
    std::optional<OperationCheck> operations;
    std::optional<MasterWatch> masters;
    std::optional<QueueFeeders> feeders;
    std::optional<CounterUse> counters;
    std::optional<TensorCheck> tensors;
    std::optional<StackCheck> stack;
};

Checks::Checks(const Selection& checks, const ElfImage& program, const SystemPlan& plan,
               System& system, Ends ends, bool quiet)
    : parts_(std::make_unique<Parts>(program, plan, system, ends, quiet))
{
    Parts& parts = *parts_;
    parts.add_access_checks(checks, program);
    if (checks.stack)
        parts.stack.emplace(parts.context, parts.stacks, std::move(ends.fail));
    if (checks.stack && !parts.stacks.first())
        warn("platform",
             "--check stack does not check the program's first stack, because the program has no "
             "symbols __heap_end and __stack; it checks only stacks that are objects of the "
             "program");
    system.plic().on_unclaimed = [&parts](std::uint32_t irq) {
        parts.findings.report("core",
                              "completes interrupt " + std::to_string(irq) +
                                  " of the plic, which it has not claimed",
                              parts.context.core_ps());
    };
    system.core().on_interrupt = [&parts](riscv::Interrupt interrupt, std::uint32_t pc) {
        if (interrupt == riscv::Interrupt::external && parts.tensors)
            parts.tensors->interrupted();
        parts.history.interrupted(interrupt, pc);
        parts.feeders->interrupted(interrupt);
        parts.traps.on_interrupt(interrupt, pc);
    };
    system.core().on_exception = [&parts](riscv::Cause cause, std::uint32_t value,
                                          std::uint32_t pc) {
        parts.accesses.on_exception(cause, value, pc);
        parts.traps.on_exception(cause, value, pc);
    };
}

Checks::~Checks()
{
    riscv::Core& core = parts_->context.system.core();
    core.on_interrupt = nullptr;
    parts_->context.system.plic().on_unclaimed = nullptr;
    core.on_exception = nullptr;
}

void Checks::stack_declared(std::uint32_t bottom, std::uint32_t top)
{
    parts_->stacks.declare(bottom, top);
    if (parts_->stack)
        parts_->stack->stacks_changed();
}

void Checks::program_changed(const ElfImage& program)
{
    Parts& parts = *parts_;
    parts.symbols.replace(program.symbols);
    parts.stacks.follow(program);
    parts.guard.follow(program);
    parts.operations->follow(program);
    if (parts.tensors)
        parts.tensors->program_changed();
    if (parts.stack)
        parts.stack->stacks_changed();
}

std::string Checks::who_waits() const
{
    return wait_report(parts_->context, parts_->queues, parts_->history);
}

void Checks::ended(int code)
{
    if (parts_->tensors)
        parts_->tensors->ended();
    if (code != 0)
        return parts_->accesses.failed();
    for (const QueueWatch& queue : parts_->queues)
        if (const std::string left = queue.left(); !left.empty())
            parts_->findings.report(queue.name(),
                                    "the program ends before this queue is empty: " + left,
                                    sc_core::sc_time_stamp().value());
}

unsigned Checks::found() const
{
    return parts_->findings.count();
}

} // namespace levee::checks
