// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/mistakes/tensor_check.hpp"

#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>

namespace levee::mistakes {

namespace {

constexpr unsigned most_reported = 20;
constexpr unsigned target_shift = 48; // larger than any memory
constexpr std::uint64_t address_mask = (std::uint64_t{1} << target_shift) - 1;

} // namespace

TensorCheck::TensorCheck(const Context& context, bool overlap, bool uninitialised)
    : context_(context), overlap_(overlap), uninitialised_(uninitialised)
{
    System& system = context.system;
    const auto& initiators = system.initiators();
    for (std::size_t i = 0; i < context.plan.components.size(); ++i) {
        CommandQueue* const queue = system.components()[i].queue;
        if (queue == nullptr)
            continue;
        const std::string& name = context.plan.components[i].name;
        const auto at = std::find(initiators.begin(), initiators.end(), name);
        Running block;
        block.queue = queue;
        block.initiator = static_cast<int>(at - initiators.begin());
        block.name = &name;
        blocks_.push_back(std::move(block));
        queue->observe(*this);
    }
    system.bus().observe(*this);
    if (!uninitialised)
        return;
    system.core().observe(*this);
    for (const System::Loaded& loaded : system.loaded())
        if (const auto at = key(context.plan.components[loaded.component].base + loaded.offset))
            written_.mark(*at, loaded.bytes);
}

std::uint64_t TensorCheck::key(const bus::Mapping& window, std::uint64_t address)
{
    return (std::uint64_t{window.target} << target_shift) +
           (address - window.base + window.target_base);
}

std::optional<std::uint64_t> TensorCheck::key(std::uint64_t address) const
{
    for (const bus::Mapping& window : context_.system.bus().mappings())
        if (address >= window.base && address - window.base < window.size)
            return key(window, address);
    return std::nullopt;
}

std::uint64_t TensorCheck::address_of(std::uint64_t key) const
{
    for (const bus::Mapping& window : context_.system.bus().mappings())
        for (const PlannedComponent& memory : context_.plan.components)
            if (window.target == key >> target_shift && memory.stores() &&
                memory.base == window.base)
                return memory.base + (key & address_mask);
    return key & address_mask;
}

TensorCheck::Running& TensorCheck::running(const CommandQueue& queue)
{
    return *std::find_if(blocks_.begin(), blocks_.end(),
                         [&](const Running& block) { return block.queue == &queue; });
}

void TensorCheck::passed(const bus::Transaction& transaction)
{
    const bool ok = transaction.payload->is_response_ok();
    if (transaction.bulk == nullptr || transaction.window == nullptr || !ok)
        return;
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Running& b) {
        return b.initiator == transaction.initiator;
    });
    if (block == blocks_.end() || !block->descriptor)
        return; // the fetch of a descriptor
    const BulkExtension& bulk = *transaction.bulk;
    if (bulk.phase == BulkExtension::Phase::Discard)
        return;
    AccessPattern pattern = bulk.pattern;
    pattern.address = key(*transaction.window, pattern.address);
    if (bulk.phase == BulkExtension::Phase::Open) {
        if (bulk.direction == Direction::Write && !block->started)
            on_announced_write(*block, pattern, bulk.uses == nullptr);
    } else if (bulk.direction == Direction::Read) {
        on_read(*block, pattern);
    } else {
        on_write(*block, pattern);
    }
}

void TensorCheck::debug_wrote(std::uint64_t address, std::uint64_t bytes)
{
    if (const auto at = key(address); at && uninitialised_)
        written_.mark(*at, bytes);
}

void TensorCheck::after_access(std::uint32_t address, std::uint32_t size, bool write)
{
    if (write)
        debug_wrote(address, size);
}

void TensorCheck::fetched(const CommandQueue& queue, const levee_descriptor& descriptor)
{
    running(queue).descriptor = descriptor;
}

void TensorCheck::on_read(Running& reader, const AccessPattern& pattern)
{
    if (overlap_) { // first: overlap is the more specific report for memory not written yet
        Tensor tensor{reader.queue->accessed_field(), {}, true};
        tensor.bytes.add(pattern);
        check_overlap(reader, tensor, "reads", &Running::writes, "has not written yet");
        reader.reads.push_back(std::move(tensor));
    }
    if (uninitialised_)
        check_written(reader, pattern);
}

/// Rows placed by a table are announced one by one and, in addition, as one stream that represents
/// them in the timing only.
void TensorCheck::on_announced_write(Running& writer, const AccessPattern& pattern, bool exact)
{
    if (!overlap_)
        return;
    const std::uint32_t field = writer.queue->accessed_field();
    if (!exact && std::any_of(writer.writes.begin(), writer.writes.end(),
                              [&](const Tensor& t) { return t.field == field && t.exact; }))
        return;
    Tensor tensor{field, {}, exact};
    tensor.bytes.add(pattern);
    writer.writes.push_back(std::move(tensor));
}

void TensorCheck::started(const CommandQueue& queue, const levee_descriptor& descriptor,
                          const Activity&, bool)
{
    Running& now = running(queue);
    now.descriptor = descriptor;
    now.started = true;
    for (const Tensor& tensor : now.writes) {
        check_overlap(now, tensor, "writes", &Running::reads, "still reads");
        check_overlap(now, tensor, "writes", &Running::writes, "writes too");
    }
}

/// Written data may be read from now on. A writer that signals part by part may have released parts
/// of its inputs by then; which parts is not known, so none is checked any more.
void TensorCheck::on_write(Running& writer, const AccessPattern& pattern)
{
    if (uninitialised_)
        pattern.for_each_run([&](std::uint64_t at) { written_.mark(at, pattern.run_bytes); });
    if (!overlap_)
        return;
    Intervals made;
    made.add(pattern);
    for (Tensor& tensor : writer.writes)
        tensor.bytes.remove(made);
    writer.reads.clear();
}

void TensorCheck::finished(const CommandQueue& queue, std::uint32_t, bool)
{
    Running& ended = running(queue);
    ended.descriptor.reset();
    ended.started = false;
    ended.reads.clear();
    ended.writes.clear();
    ended.reported.clear();
}

void TensorCheck::check_written(Running& reader, const AccessPattern& pattern)
{
    bool reported = false;
    pattern.for_each_run([&](std::uint64_t at) {
        const std::uint64_t first = written_.first_unwritten(at, pattern.run_bytes);
        if (first == at + pattern.run_bytes || reported)
            return;
        reported = true;
        const std::uint32_t field = reader.queue->accessed_field();
        report(reader, field,
               name(reader) + " reads " + TensorCheck::field(reader, field) + " at " +
                   hex(address_of(first)) + ", which nobody has written (" +
                   std::to_string(pattern.bytes()) + " bytes from " +
                   hex(address_of(pattern.address)) + ")");
    });
}

void TensorCheck::check_overlap(Running& one, const Tensor& tensor, const char* does,
                                const std::vector<Tensor> Running::*theirs, const char* do_they)
{
    for (const Running& other : blocks_) {
        if (&other == &one || !other.started)
            continue;
        for (const Tensor& their : other.*theirs)
            if (const auto both = tensor.bytes.common(their.bytes)) {
                report(one, tensor.field,
                       name(one) + " " + does + " " + field(one, tensor.field) + " at " +
                           hex(address_of(both->begin)) + " to " + hex(address_of(both->end - 1)) +
                           ", which " + *other.name + "'s " + name(other) + " " + do_they + " (" +
                           field(other, their.field) + ")");
                return;
            }
    }
}

std::string TensorCheck::name(const Running& running)
{
    return operation_of(running.queue->declaration(), *running.descriptor) + ",";
}

std::string TensorCheck::field(const Running& running, std::uint32_t offset)
{
    return trace::field_name(running.queue->declaration(), running.descriptor->version, offset);
}

/// One report covers all rows of a tensor.
void TensorCheck::report(Running& running, std::uint32_t field, const std::string& text)
{
    if (std::find(running.reported.begin(), running.reported.end(), field) !=
        running.reported.end())
        return;
    running.reported.push_back(field);
    const std::string& who = *running.name;
    if (++found_ <= most_reported)
        warn(who, text);
    if (found_ == most_reported)
        warn(who, "further findings of --check are not reported");
}

} // namespace levee::mistakes
