// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/master_watch.hpp"

namespace levee::checks {

namespace {

constexpr std::uint32_t longest_instruction = 4; // bytes

} // namespace

MasterWatch::MasterWatch(const Context& context, const std::deque<QueueWatch>& queues,
                         Findings& findings)
    : context_(context), findings_(findings), log_(context, queues)
{
    const auto& dcache = context.plan.config.core.dcache;
    if (dcache && !dcache->snooped)
        cache_.emplace(context, findings);
    context.system.bus().observe(*this);
    context.system.core().on_stale_fetch = [this](std::uint32_t pc) { on_stale_fetch(pc); };
}

MasterWatch::~MasterWatch()
{
    context_.system.core().on_stale_fetch = nullptr;
}

MasterWatch::Sight MasterWatch::needs(const bus::Mapping& window) const
{
    if (cache_)
        return Sight::Everything;
    return log_.concerns(window) ? Sight::Stores : Sight::Nothing;
}

void MasterWatch::passed(const bus::Transaction& transaction)
{
    const bool write = transaction.payload->is_write();
    const MasterAccess* const access = write || cache_ ? log_.access(transaction) : nullptr;
    if (access == nullptr)
        return;
    const std::uint8_t* const data = transaction.payload->get_data_ptr();
    riscv::Hart& hart = context_.system.core().hart();
    log_.for_each_run(transaction, [&](const MasterLog::Run& run) {
        if (write) {
            log_.wrote(run);
            hart.code_overwritten(run.address, run.bytes);
        }
        if (cache_)
            cache_->passed(*access, run.address, {data + run.offset, run.bytes}, write);
    });
}

void MasterWatch::on_stale_fetch(std::uint32_t pc)
{
    if (!stale_.insert(pc).second)
        return;
    const riscv::Core& core = context_.system.core();
    const std::uint64_t fenced = core.clock().edge_ps(core.hart().fenced_at()).value_or(0);
    const MasterAccess* const by = log_.writer(pc, longest_instruction, fenced);
    if (by != nullptr && !stale_writes_.emplace(by->master, by->ps).second)
        return;
    const std::string who = by != nullptr         ? by->who() + " has"
                            : log_.forgot(fenced) ? "a store or another master has"
                                                  : "a store has";
    findings_.report("core",
                     "executes at pc " + context_.place(pc) + " instructions that " + who +
                         " written there " +
                         (by != nullptr ? "at " + time_text(by->ps) + " " : "") +
                         "since the last fence.i: a core with an instruction cache may execute the "
                         "previous code; ra " +
                         context_.place(core.hart().reg(ra)) + (by != nullptr ? by->origin() : ""),
                     context_.core_ps());
}

} // namespace levee::checks
