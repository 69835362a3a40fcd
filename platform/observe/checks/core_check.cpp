// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/core_check.hpp"

namespace levee::checks {

namespace {

constexpr std::uint64_t page_bytes = 4096;

} // namespace

CoreCheck::CoreCheck(const Context& context, AccessChecks checks, Ordering& ordering,
                     OperationLog& log, Shadow& written, ArrayUse& arrays, TypeCheck& types,
                     Findings& findings)
    : context_(context), checks_(checks), ordering_(ordering), log_(log), written_(written),
      arrays_(arrays), types_(types), findings_(findings), keys_(context)
{
    context.system.core().observe(*this);
}

std::uint32_t CoreCheck::word_at(std::uint32_t address)
{
    std::uint32_t word = 0;
    const auto key = keys_.of(address);
    if (key && keys_.stores(*key))
        context_.system.core().debug_read(address,
                                          {reinterpret_cast<std::uint8_t*>(&word), sizeof word});
    return word;
}

bool CoreCheck::before_instruction(std::uint32_t at, std::uint64_t)
{
    if (checks_.uninitialised)
        arrays_.executes(at);
    const riscv::Hart& hart = context_.system.core().hart();
    const riscv::Op& op = hart.instruction();
    if (checks_.overlap && op.code == riscv::Code::sw)
        before_ = word_at(hart.reg(op.rs1) + static_cast<std::uint32_t>(op.imm));
    silent_ = op.code == riscv::Code::sw && before_ == hart.reg(op.rs2);
    return true;
}

void CoreCheck::after_access(std::uint32_t address, std::uint32_t size, bool write)
{
    const auto key = keys_.of(address);
    if (!key)
        return;
    if (checks_.overlap) {
        check_operations(*key, address, size, write);
        shadow_.mark(*key, size, write, pc(), ordering_.of_core().stamp(Ordering::core_party),
                     write && silent_);
    }
    if (checks_.uninitialised && !write)
        check_written(*key, address, size);
    else if (checks_.uninitialised)
        written_.mark(*key, size);
    if (checks_.uninitialised)
        arrays_.accessed(*key, size, write, pc());
    if (checks_.types && write)
        types_.written(*key, size);
}

/// Returns the logged tensors that have bytes in the page of `key`. The list is computed again only
/// if the log has changed.
const std::vector<CoreCheck::Near>& CoreCheck::near(std::uint64_t key)
{
    Page& page = pages_[key / page_bytes];
    if (page.generation == log_.generation())
        return page.near;
    const std::uint64_t begin = key / page_bytes * page_bytes;
    page.generation = log_.generation();
    page.near.clear();
    for (LoggedOperation& operation : log_.all())
        for (const bool writes : {true, false})
            for (Tensor& tensor : writes ? operation.writes : operation.reads)
                if (tensor.bytes.meets(begin, begin + page_bytes))
                    page.near.push_back({&operation, &tensor, writes});
    return page.near;
}

void CoreCheck::check_operations(std::uint64_t key, std::uint32_t address, std::uint32_t size,
                                 bool write)
{
    if (forgot_at_ != ordering_.changes()) {
        forgot_at_ = ordering_.changes();
        log_.forget(ordering_.known_to_all());
    }
    for (const Near& near : near(key))
        if ((near.write || (write && !(silent_ && near.tensor->bytes.is_word()))) &&
            near.operation->started &&
            !ordering_.of_core().knows(near.operation->party, near.tensor->stamp) &&
            near.tensor->bytes.meets(key, key + size))
            report(near, address, size, write);
}

void CoreCheck::report(const Near& near, std::uint32_t address, std::uint32_t size, bool write)
{
    LoggedOperation& operation = *near.operation;
    const std::uint32_t field = near.tensor->field;
    auto& reported = operation.reported;
    if (std::find(reported.begin(), reported.end(), field) != reported.end())
        return;
    reported.push_back(field);
    const std::string what = operation.field(field);
    std::string text = std::string(write ? "writes " : "reads ") + std::to_string(size) +
                       " bytes at " + hex(address) + ", which " + *operation.block + "'s " +
                       operation.name();
    if (operation.ended || near.tensor->performed)
        text += near.write ? " has written (" + what + ")" : " has read (" + what + ")";
    else if (near.write)
        text += write ? " writes too (" + what + ")" : " has not written yet (" + what + ")";
    else
        text += " still reads (" + what + ")";
    text += operation.ended || near.tensor->performed
                ? ": the core has not seen a counter, status or interrupt that reports it"
                : ": the core does not wait for the operation to end";
    findings_.report(
        "core", text + "; pc " + context_.place(pc()) + "; that operation was " + operation.origin,
        context_.core_ps());
}

void CoreCheck::check_written(std::uint64_t key, std::uint32_t address, std::uint32_t size)
{
    if (!keys_.stores(key) || written_.first_unwritten(key, size) == key + size ||
        !reported_.insert(pc()).second)
        return;
    findings_.report("core",
                     "reads " + std::to_string(size) + " bytes at " + hex(address) +
                         ", which nobody has written; pc " + context_.place(pc()),
                     context_.core_ps());
}

std::optional<Interval> CoreCheck::find_unordered(const Tensor& tensor, bool reads,
                                                  const VectorClock& known, std::string& what) const
{
    const auto touch = shadow_.unknown(tensor.bytes, known, reads);
    if (!touch)
        return std::nullopt;
    what = std::string("the core ") + (touch->write ? "writes" : "reads") + " at pc " +
           context_.place(touch->pc);
    return Interval{touch->key, touch->key + 1};
}

} // namespace levee::checks
