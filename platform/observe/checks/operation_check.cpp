// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/operation_check.hpp"

#include "platform/observe/checks/names.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace levee::checks {

OperationCheck::OperationCheck(const Context& context, const std::deque<QueueWatch>& queues,
                               const ElfImage& program, const ProgramGuard& guard,
                               const ModelGuard& model, Findings& findings)
    : context_(context), guard_(guard), model_(model), findings_(findings)
{
    list_windows();
    follow(program);
    System& system = context.system;
    for (const QueueWatch& watch : queues)
        blocks_.push_back(
            {&watch, index_of_initiator(system, watch.name()), watch.declaration().apart});
    for (Component& component : system.components())
        if (component.queue != nullptr)
            component.queue->observe(*this);
    system.bus().observe(*this);
}

namespace {

/// Reads the value at this byte offset of a descriptor's operation. Returns nothing if it is not in
/// the descriptor itself.
std::optional<std::int64_t> member_at(const Declaration& declaration,
                                      const levee_descriptor& descriptor, std::size_t offset)
{
    const auto behind = std::ranges::upper_bound(declaration.fields, offset, {},
                                                 [](const Field& f) { return f.offset; });
    const std::size_t own_bytes = descriptor.version == LEVEE_DESCRIPTOR_V1
                                      ? sizeof descriptor.operation
                                      : LEVEE_DESCRIPTOR_INLINE_BYTES;
    if (behind == declaration.fields.begin())
        return std::nullopt;
    const Field& field = *std::prev(behind);
    if (offset + field.bytes > own_bytes || field.bytes > sizeof(std::int64_t))
        return std::nullopt;
    std::uint64_t bits = 0;
    std::memcpy(&bits, descriptor.operation + offset, field.bytes);
    const auto unused = static_cast<unsigned>(8 * (sizeof bits - field.bytes));
    if (field.kind == Field::Kind::Signed)
        return static_cast<std::int64_t>(bits << unused) >> unused;
    return static_cast<std::int64_t>(bits);
}

} // namespace

void OperationCheck::list_windows()
{
    for (const PlannedComponent& memory : context_.plan.components)
        if (memory.stores() && memory.core_size != 0)
            windows_.push_back({memory.base, memory.core_base, memory.core_size});
}

void OperationCheck::follow(const ElfImage& program)
{
    arrays_.clear();
    for (const ElfSymbol& symbol : program.symbols)
        for (const Window& memory : windows_) {
            const std::uint64_t offset = std::uint64_t{symbol.address} - memory.core_base;
            if (!symbol.is_array() || symbol.address < memory.core_base || offset >= memory.size)
                continue;
            arrays_.push_back({memory.base + offset, memory.base + offset + symbol.size,
                               name_in_source(symbol.name)});
        }
    std::sort(arrays_.begin(), arrays_.end(),
              [](const Array& a, const Array& b) { return a.begin < b.begin; });
}

OperationCheck::Block& OperationCheck::block(const CommandQueue& queue)
{
    return *std::find_if(blocks_.begin(), blocks_.end(),
                         [&](const Block& block) { return &block.watch->queue() == &queue; });
}

void OperationCheck::fetched(const CommandQueue& queue, const levee_descriptor&)
{
    Block& its = block(queue);
    its.tensors.clear();
    its.prepares = true;
}

void OperationCheck::finished(const CommandQueue& queue, std::uint32_t, bool)
{
    block(queue).prepares = false;
}

/// Collects an operation's tensors as blocks announce them on the bus. Rows placed by a table are
/// announced one by one, and then again together as one stream.
void OperationCheck::passed(const bus::Transaction& transaction)
{
    if (transaction.bulk == nullptr || transaction.bulk->phase != BulkExtension::Phase::Open ||
        transaction.window == nullptr || !transaction.payload->is_response_ok())
        return;
    for (Block& block : blocks_)
        if (block.initiator == transaction.initiator && block.prepares) {
            const BulkExtension& bulk = *transaction.bulk;
            if (bulk.direction == Direction::Read && bulk.uses == nullptr)
                continue; // only asks about the memory, and reads no data
            block.tensors.push_back({block.watch->queue().accessed_field(), bulk.pattern,
                                     bulk.pattern.extent(), !bulk.pattern.scattered,
                                     bulk.direction == Direction::Write});
        }
}

void OperationCheck::started(const CommandQueue& queue, const levee_descriptor&, const Activity&,
                             bool)
{
    Block& its = block(queue);
    its.prepares = false;
    for (const TensorAccess& tensor : its.tensors) {
        if (!tensor.exact)
            continue;
        check_array(its, tensor);
        check_program(its, tensor);
        check_rows(its, tensor);
    }
    for (const Apart& rule : its.apart)
        check_apart(its, rule);
}

/// Reports the first overlap of an operation's result with the operand that the rule names. Both
/// may consist of many patterns, one for each row that a table places.
void OperationCheck::check_apart(const Block& block, const Apart& rule)
{
    Operands operands(block.tensors, operation_field(rule.operand));
    const TensorAccess* last = nullptr;
    for (const TensorAccess& result : block.tensors) {
        if (!result.exact || !result.write || !result.extent ||
            operation_field(rule.result) != result.field ||
            (last != nullptr && is_same(last->pattern, result.pattern)))
            continue;
        last = &result;
        const auto both = operands.overlap(result, rule.in_place);
        if (!both)
            continue;
        report(block,
               text(block, result) + " over its own operand " +
                   trace::field_name(block.watch->declaration(), block.watch->descriptor()->version,
                                     operation_field(rule.operand)) +
                   ": " + hex(both->begin) + " to " + hex(both->end - 1) +
                   " belongs to both, and the block may still read these bytes after writing them" +
                   (rule.in_place ? " (allowed only where both begin at the same address)" : ""));
        return;
    }
    if (operands.complete() || has_warned_)
        return;
    has_warned_ = true; // Incomplete checking is not the program's fault, so it is a warning.
    warn(block.watch->name(),
         "not all bytes of its result and its operand " +
             trace::field_name(block.watch->declaration(), block.watch->descriptor()->version,
                               operation_field(rule.operand)) +
             " were compared, because they have too many parts; overlaps may be missed here and in "
             "later operations; " +
             block.watch->origin());
}

void OperationCheck::check_program(const Block& block, const TensorAccess& tensor) const
{
    const auto& extent = tensor.extent;
    if (!extent)
        return;
    if (const auto part = tensor.write ? model_.part(extent->first, extent->last) : std::nullopt)
        report(block, text(block, tensor) + " over " + *part);
    const std::uint64_t bytes = extent->last - extent->first + 1;
    for (const Window& memory : windows_) {
        const std::uint64_t offset = extent->first - memory.base;
        if (extent->first < memory.base || offset >= memory.size)
            continue;
        // The core cannot reach any part of the tensor that is beyond this memory's
        // window.
        const std::uint64_t reached = std::min(bytes, memory.size - offset);
        const auto where = guard_.read_only(memory.core_base + offset, reached);
        if (where && tensor.write)
            report(block, text(block, tensor) + " over " + *where);
        if (const auto free = guard_.free_stack(memory.core_base + offset, reached))
            report(block, text(block, tensor) + ", in " + *free);
    }
}

/// Checks that the rows do not overlap. The rows are the pattern's innermost loop, unless they are
/// contiguous.
void OperationCheck::check_rows(const Block& block, const TensorAccess& tensor) const
{
    const levee_descriptor& descriptor = *block.watch->descriptor();
    const Declaration& declaration = block.watch->declaration();
    const AccessPattern& pattern = tensor.pattern;
    for (const TensorRows& rows : declaration.rows) {
        if (operation_field(rows.tensor) != tensor.field || pattern.count[2] < 2)
            continue;
        const auto several = [&](std::size_t count) {
            return member_at(declaration, descriptor, count).value_or(0) > 1;
        };
        const auto stride = member_at(declaration, descriptor, rows.stride);
        if (!stride || *stride != pattern.stride[2] || !several(rows.counts[0]) ||
            !several(rows.counts[1]) || (*stride == 0 && rows.repeats))
            continue;
        const auto apart = static_cast<std::uint64_t>(std::abs(*stride));
        if (apart < pattern.run_bytes)
            report(block,
                   text(block, tensor) + ", " + std::to_string(pattern.count[2]) + " rows of " +
                       std::to_string(pattern.run_bytes) + " bytes that are " +
                       std::to_string(apart) + " bytes apart (" +
                       trace::field_name(declaration, descriptor.version,
                                         operation_field(rows.stride)) +
                       "): " + (apart == 0 ? "all are the same bytes" : "they overlap each other"));
    }
}

/// Checks that the tensor stays in its array, which is the array in which its first run begins.
void OperationCheck::check_array(const Block& block, const TensorAccess& tensor) const
{
    const auto& extent = tensor.extent;
    const auto after =
        std::upper_bound(arrays_.begin(), arrays_.end(), tensor.pattern.address,
                         [](std::uint64_t at, const Array& array) { return at < array.begin; });
    if (!extent || after == arrays_.begin())
        return;
    const Array& array = *std::prev(after);
    if (tensor.pattern.address >= array.end ||
        (extent->first >= array.begin && extent->last < array.end))
        return;
    const bool behind = extent->last >= array.end;
    report(block,
           text(block, tensor) + ", " +
               std::to_string(behind ? extent->last + 1 - array.end : array.begin - extent->first) +
               (behind ? " bytes beyond the end of " : " bytes before the begin of ") + array.name +
               ", " + hex(array.begin) + " to " + hex(array.end - 1) + " (" +
               std::to_string(array.end - array.begin) + " bytes)");
}

/// Returns a text such as "FILL, tag 12, writes destination at 0x20000180 to 0x200001bf".
std::string OperationCheck::text(const Block& block, const TensorAccess& tensor) const
{
    const levee_descriptor& descriptor = *block.watch->descriptor();
    const auto& extent = tensor.extent;
    return operation_of(block.watch->declaration(), descriptor) +
           (tensor.write ? ", writes " : ", reads ") +
           trace::field_name(block.watch->declaration(), descriptor.version, tensor.field) +
           " at " + hex(extent->first) + " to " + hex(extent->last);
}

void OperationCheck::report(const Block& block, const std::string& text) const
{
    findings_.report(block.watch->name(), text + "; " + block.watch->origin(), now_ps());
}

} // namespace levee::checks
