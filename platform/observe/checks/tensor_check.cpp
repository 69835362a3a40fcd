// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/tensor_check.hpp"

#include "core/units/clock.hpp"

#include <algorithm>
#include <iterator>

namespace levee::checks {

TensorCheck::TensorCheck(const Context& context, AccessChecks checks, const ElfImage& program,
                         const std::deque<QueueWatch>& queues, Findings& findings)
    : checks_(checks), findings_(findings), keys_(context), ordering_(context),
      arrays_(context, program, keys_), types_(context, keys_),
      core_(context, checks, ordering_, log_, written_, arrays_, types_, findings)
{
    System& system = context.system;
    for (const QueueWatch& watch : queues)
        blocks_.push_back({&watch, &watch.queue(), index_of_initiator(system, watch.name())});
    for (Component& component : system.components())
        if (component.queue != nullptr)
            component.queue->observe(*this);
    system.bus().observe(*this);
    for (const System::Loaded& loaded : system.loaded())
        if (const auto at =
                keys_.of(context.plan.components[loaded.component].base + loaded.offset))
            written_.mark(*at, loaded.bytes);
}

TensorCheck::Block& TensorCheck::block(const CommandQueue& queue)
{
    return *std::find_if(blocks_.begin(), blocks_.end(),
                         [&](const Block& block) { return block.queue == &queue; });
}

void TensorCheck::passed(const bus::Transaction& transaction)
{
    const bool ok = transaction.payload->is_response_ok();
    if (transaction.bulk == nullptr || transaction.window == nullptr || !ok)
        return;
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) {
        return b.initiator == transaction.initiator;
    });
    if (block == blocks_.end() || block->now == nullptr)
        return; // the access fetches a descriptor, not a tensor
    const BulkExtension& bulk = *transaction.bulk;
    if (bulk.phase == BulkExtension::Phase::Discard)
        return;
    AccessPattern pattern = bulk.pattern;
    pattern.address = MemoryKeys::of(*transaction.window, pattern.address);
    if (bulk.phase == BulkExtension::Phase::Open) {
        if (bulk.direction == Direction::Write && !block->now->started)
            on_announced_write(*block->now, pattern, bulk.uses == nullptr);
    } else if (bulk.direction == Direction::Read) {
        on_read(*block->now, pattern);
    } else {
        on_write(*block->now, pattern);
    }
}

void TensorCheck::debug_wrote(std::uint64_t address, std::uint64_t bytes)
{
    const auto at = keys_.of(address);
    if (!at)
        return;
    if (checks_.uninitialised)
        written_.mark(*at, bytes);
    arrays_.written(*at, bytes);
    types_.written(*at, bytes);
}

void TensorCheck::fetched(const CommandQueue& queue, const levee_descriptor& descriptor)
{
    Block& its = block(queue);
    its.now = &log_.add(
        {&queue, &its.watch->name(), ordering_.party(queue), descriptor, its.watch->origin()});
}

void TensorCheck::on_read(LoggedOperation& reader, const AccessPattern& pattern)
{
    if (checks_.overlap) { // checked first, since an overlap is a more specific error than a read
                           // of unwritten memory
        const std::uint64_t stamp = ordering_.of_queue(*reader.queue).stamp(reader.party);
        Tensor tensor{reader.queue->accessed_field(), {}, true, false, stamp};
        tensor.bytes.add(pattern);
        check_overlap(reader, tensor, false);
        reader.reads.push_back(std::move(tensor));
        log_.changed();
    }
    if (checks_.uninitialised)
        check_written(reader, pattern);
    const std::uint32_t field = reader.queue->accessed_field();
    if (!checks_.types)
        return;
    if (const auto text = types_.read(reader, field, pattern))
        report(reader, field, *text);
}

/// Handles an announced write. Rows placed by a table are announced one by one, and then again as
/// one stream. The stream is ignored here, since it only serves timing.
void TensorCheck::on_announced_write(LoggedOperation& writer, const AccessPattern& pattern,
                                     bool exact)
{
    if (!checks_.overlap && !checks_.types)
        return;
    const std::uint32_t field = writer.queue->accessed_field();
    if (!exact && std::any_of(writer.writes.begin(), writer.writes.end(),
                              [&](const Tensor& t) { return t.field == field && t.exact; }))
        return;
    Tensor tensor{field, {}, exact, false, UINT64_MAX};
    tensor.bytes.add(pattern);
    writer.writes.push_back(std::move(tensor));
    log_.changed();
}

void TensorCheck::started(const CommandQueue& queue, const levee_descriptor& descriptor,
                          const Activity&, bool)
{
    LoggedOperation& now = *block(queue).now;
    now.descriptor = descriptor;
    now.started = true;
    follow_stream(now);
    for (const Tensor& tensor : now.writes)
        if (checks_.overlap)
            check_overlap(now, tensor, true);
}

/// Moves a producer's reads to its consumer. Their bytes may be overwritten only after the consumer
/// has ended.
void TensorCheck::follow_stream(LoggedOperation& consumer)
{
    const CommandQueue* const producer = ordering_.producer(*consumer.queue);
    const std::uint64_t stamp = ordering_.of_queue(*consumer.queue).stamp(consumer.party);
    for (Block& block : blocks_) {
        if (block.now == nullptr || block.queue != producer)
            continue;
        for (Tensor& tensor : block.now->reads)
            tensor.stamp = stamp;
        consumer.reads.insert(consumer.reads.end(),
                              std::make_move_iterator(block.now->reads.begin()),
                              std::make_move_iterator(block.now->reads.end()));
        block.now->reads.clear();
        log_.changed();
    }
}

/// Records a write that has happened. If the operation also signals before its end, its next signal
/// publishes the data. The signal may also release some of the operation's inputs. It is unknown
/// which, so the inputs are no longer checked.
void TensorCheck::on_write(LoggedOperation& writer, const AccessPattern& pattern)
{
    if (checks_.uninitialised)
        pattern.for_each_run([&](std::uint64_t at) {
            written_.mark(at, pattern.run_bytes);
            arrays_.written(at, pattern.run_bytes);
        });
    if (!checks_.overlap && !checks_.types)
        return;
    Tensor made{writer.queue->accessed_field(),
                {},
                true,
                true,
                ordering_.of_queue(*writer.queue).stamp(writer.party)};
    made.bytes.add(pattern);
    for (Tensor& tensor : writer.writes) {
        if (tensor.performed)
            continue;
        if (tensor.bytes.common(made.bytes))
            made.field = tensor.field;
        tensor.bytes.remove(made.bytes);
    }
    if (checks_.types)
        types_.written(writer, made.field, pattern);
    writer.writes.push_back(std::move(made));
    if (writer.is_partial())
        writer.reads.clear();
    log_.changed();
}

/// Removes announced writes that have not happened. A refused or dropped operation has written
/// nothing.
void TensorCheck::finished(const CommandQueue& queue, std::uint32_t error, bool dropped)
{
    Block& its = block(queue);
    if (its.now == nullptr)
        return;
    LoggedOperation& ended = *its.now;
    its.now = nullptr;
    ended.ended = true;
    for (const UnwrittenRead& read : ended.unwritten)
        if (written_.first_unwritten(read.first, 1) == read.first)
            report(ended, read.field, read.text);
    std::erase_if(ended.writes, [](const Tensor& t) { return !t.performed; });
    if (error != LEVEE_ERROR_NONE || dropped)
        log_.remove(ended);
    else
        log_.forget(ordering_.known_to_all());
    log_.changed();
}

/// Checks that the rows have been written. If only a row's beginning was written, the operation
/// itself may still write the end. The row is then checked again at the operation's end.
void TensorCheck::check_written(LoggedOperation& reader, const AccessPattern& pattern)
{
    bool found = false;
    pattern.for_each_run([&](std::uint64_t at) {
        const std::uint64_t first = written_.first_unwritten(at, pattern.run_bytes);
        if (first == at + pattern.run_bytes || found)
            return;
        const std::uint32_t field = reader.queue->accessed_field();
        const std::string text = reader.name() + " reads " + reader.field(field) + " at " +
                                 hex(keys_.address(first)) + ", which nobody has written (" +
                                 std::to_string(pattern.bytes()) + " bytes from " +
                                 hex(keys_.address(pattern.address)) + ")";
        found = true;
        if (first == at)
            report(reader, field, text);
        else
            reader.unwritten.push_back({field, first, text});
    });
}

void TensorCheck::check_overlap(LoggedOperation& one, const Tensor& tensor, bool writes)
{
    if (!check_operations(one, tensor, writes))
        check_core(one, tensor, writes);
}

/// Reports the first other operation that accesses the same bytes without being ordered before this
/// one. Returns false if there is no such operation.
bool TensorCheck::check_operations(LoggedOperation& one, const Tensor& tensor, bool writes)
{
    const VectorClock& known = ordering_.of_queue(*one.queue);
    const auto find = [&](LoggedOperation& other, bool they_write) {
        for (const Tensor& their : they_write ? other.writes : other.reads) {
            if (known.knows(other.party, their.stamp))
                continue;
            const auto both = tensor.bytes.common(their.bytes);
            if (!both)
                continue;
            const bool over = other.ended || their.performed;
            const std::string they = !they_write ? (over ? "has read" : "still reads")
                                     : over      ? "has written"
                                                 : (writes ? "writes too" : "has not written yet");
            report(one, tensor.field,
                   one.name() + (writes ? " writes " : " reads ") + one.field(tensor.field) +
                       " at " + hex(keys_.address(both->begin)) + " to " +
                       hex(keys_.address(both->end - 1)) + ", which " + *other.block + "'s " +
                       other.name() + " " + they + " (" + other.field(their.field) + ")" +
                       (over ? ": earlier in this run, but nothing enforces this order" : ""));
            return true;
        }
        return false;
    };
    for (LoggedOperation& other : log_.all())
        if (other.party != one.party && other.started &&
            (find(other, true) || (writes && find(other, false))))
            return true;
    return false;
}

void TensorCheck::check_core(LoggedOperation& one, const Tensor& tensor, bool writes)
{
    std::string what;
    const auto at = core_.find_unordered(tensor, writes, ordering_.of_queue(*one.queue), what);
    if (at)
        report(one, tensor.field,
               one.name() + (writes ? " writes " : " reads ") + one.field(tensor.field) + " at " +
                   hex(keys_.address(at->begin)) + ", which " + what +
                   " after the doorbell, without waiting for it");
}

/// Reports at most one error for each tensor.
void TensorCheck::report(LoggedOperation& operation, std::uint32_t field, const std::string& text)
{
    if (std::find(operation.reported.begin(), operation.reported.end(), field) !=
        operation.reported.end())
        return;
    operation.reported.push_back(field);
    findings_.report(*operation.block, text + "; " + operation.origin, now_ps());
}

} // namespace levee::checks
