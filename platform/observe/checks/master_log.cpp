// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/master_log.hpp"

#include "core/units/clock.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>

namespace levee::checks {

std::string MasterAccess::operation() const
{
    if (!executes)
        return "the fetch of a descriptor";
    levee_descriptor descriptor{};
    descriptor.opcode = opcode;
    descriptor.tag = tag;
    return operation_of(watch->declaration(), descriptor);
}

std::string MasterAccess::who() const
{
    return watch == nullptr ? *master : *master + "'s " + operation();
}

std::string MasterAccess::tensor() const
{
    return field != 0 ? trace::field_name(watch->declaration(), version, field) + " " : "";
}

std::string MasterAccess::origin() const
{
    return executes ? "; that operation was " + watch->from(doorbell) : "";
}

MasterLog::MasterLog(const Context& context, const std::deque<QueueWatch>& queues)
    : context_(context), core_(index_of_initiator(context.system, "core")),
      watches_(context.system.initiators().size())
{
    for (const PlannedComponent& memory : context.plan.components) {
        if (memory.core_size == 0 || !memory.stores())
            continue;
        windows_.push_back({memory.core_base, memory.core_size, memory.core_base});
        if (memory.base != memory.core_base)
            windows_.push_back({memory.base, memory.core_size, memory.core_base});
    }
    for (const QueueWatch& watch : queues)
        watches_.at(static_cast<std::size_t>(index_of_initiator(context.system, watch.name()))) =
            &watch;
}

bool MasterLog::concerns(const bus::Mapping& mapped) const
{
    return std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) {
        return window.base < mapped.base + mapped.size && mapped.base < window.base + window.bytes;
    });
}

const MasterAccess* MasterLog::access(const bus::Transaction& transaction)
{
    const bool moves =
        transaction.payload->get_command() != tlm::TLM_IGNORE_COMMAND &&
        (transaction.bulk == nullptr || transaction.bulk->phase == BulkExtension::Phase::Data);
    if (transaction.initiator == core_ || transaction.window == nullptr || !moves ||
        !transaction.payload->is_response_ok())
        return nullptr;
    const auto index = static_cast<std::size_t>(transaction.initiator);
    now_ = {};
    now_.master = &context_.system.initiators()[index];
    now_.watch = watches_[index];
    now_.ps = now_ps();
    logged_ = false;
    if (now_.watch != nullptr && now_.watch->descriptor()) {
        const levee_descriptor& descriptor = *now_.watch->descriptor();
        now_.executes = true;
        now_.opcode = descriptor.opcode;
        now_.version = descriptor.version;
        now_.tag = descriptor.tag;
        if (transaction.payload->is_read()) // not for writes: when results are written,
                                            // accessed_field() already names another tensor
            now_.field = now_.watch->queue().accessed_field();
        now_.doorbell = now_.watch->doorbell();
    }
    return &now_;
}

void MasterLog::wrote(const Run& run)
{
    if (logged_) { // the latest entry belongs to the same access
        Run& last = written_[(next_ + written_.size() - 1) % written_.size()].run;
        if (last.address + last.bytes == run.address) {
            last.bytes += run.bytes;
            return;
        }
    }
    logged_ = true;
    if (written_.size() < remembered) {
        written_.push_back({run, now_});
        return;
    }
    forgotten_ = written_[next_].by.ps;
    written_[next_] = {run, now_};
    next_ = (next_ + 1) % remembered;
}

const MasterAccess* MasterLog::writer(std::uint32_t address, std::uint64_t bytes,
                                      std::uint64_t ps) const
{
    for (std::size_t i = written_.size(); i-- > 0;) {
        const Written& one = written_[(next_ + i) % written_.size()];
        if (one.run.address < address + bytes && address < one.run.address + one.run.bytes)
            return one.by.ps >= ps ? &one.by : nullptr;
    }
    return nullptr;
}

} // namespace levee::checks
