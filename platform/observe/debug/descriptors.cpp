// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/descriptors.hpp"

#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace levee::debug {

namespace {

/// A descriptor and all bytes of its operation, including bytes outside the
/// descriptor.
struct Whole {
    levee_descriptor descriptor{};
    std::vector<std::uint8_t> operation;
};

/// Reads a descriptor that its queue has not yet fetched. Returns nothing if memory cannot be read
/// there.
std::optional<Whole> read_descriptor(const MachineView& machine, const Declaration& declaration,
                                     std::uint64_t address)
{
    Whole whole;
    std::array<std::uint8_t, LEVEE_DESCRIPTOR_BYTES> bytes{};
    if (machine.read(address, bytes) != bytes.size())
        return std::nullopt;
    std::memcpy(&whole.descriptor, bytes.data(), bytes.size());
    const auto& inside = whole.descriptor.operation;
    whole.operation.assign(std::begin(inside), std::end(inside));
    if (whole.descriptor.version != LEVEE_DESCRIPTOR_V2)
        return whole;
    constexpr std::size_t inline_bytes = LEVEE_DESCRIPTOR_INLINE_BYTES;
    std::uint64_t more = 0;
    std::memcpy(&more, inside + inline_bytes, sizeof more);
    whole.operation.resize(inline_bytes);
    if (declaration.operation_bytes <= inline_bytes)
        return whole;
    std::vector<std::uint8_t> rest(declaration.operation_bytes - inline_bytes);
    if (machine.read(more, rest) == rest.size())
        whole.operation.insert(whole.operation.end(), rest.begin(), rest.end());
    return whole;
}

/// Returns the places of the addresses in a field, such as "dram+0x40". Empty if the field contains
/// no address, or only null addresses.
std::string places_of(const MachineView& machine, const Declaration& declaration,
                      const std::string& name, std::span<const std::uint8_t> operation)
{
    std::string text;
    for (const Field& field : declaration.fields) {
        if (field.kind != Field::Kind::Address || name != field.name)
            continue;
        for (std::size_t i = 0; i < std::max<std::size_t>(field.count, 1); ++i) {
            std::uint64_t address = 0;
            std::memcpy(&address, operation.data() + field.offset + i * field.bytes,
                        sizeof address);
            const std::string place = address == 0 ? "unused" : machine.place_of(address);
            text += (i == 0 ? "  " : ", ") + (place.empty() ? "nothing is mapped there" : place);
        }
    }
    return text;
}

std::string fields_text(const MachineView& machine, const Declaration& declaration,
                        const levee_descriptor& descriptor, std::span<const std::uint8_t> operation)
{
    std::string text;
    const bool fence = descriptor.opcode == LEVEE_OPCODE_FENCE;
    for (const auto& [name, value] :
         trace::operation_fields(declaration, descriptor, fence ? operation.first(0) : operation))
        if (name != "tag")
            text += format("    %-24s ", name.c_str()) + value +
                    places_of(machine, declaration, name, operation) + "\n";
    return text;
}

/// Returns the operations that are executing or next in their queues and that signal a counter.
std::string raisers(const MachineView& machine, std::uint32_t counter)
{
    std::string names;
    for (std::size_t i = 0; i < machine.plan().components.size(); ++i) {
        const QueueView* const view = machine.queue(i);
        if (view == nullptr || !view->executing() || !view->descriptor())
            continue;
        const levee_descriptor& descriptor = *view->descriptor();
        if (std::ranges::find(descriptor.signal_counter, counter) !=
            std::end(descriptor.signal_counter))
            names += (names.empty() ? "" : " and ") + machine.plan().components[i].name + "'s " +
                     trace::operation_name(view->queue().declaration(), descriptor) + ", tag " +
                     std::to_string(descriptor.tag);
    }
    return names.empty() ? "no executing operation adds to it" : names + ", adds to it";
}

/// Returns one line for each counter that a descriptor is still waiting for.
std::string waits_text(const MachineView& machine, const levee_descriptor& descriptor)
{
    std::string text;
    const Component* const sync = machine.sync();
    for (std::size_t i = 0; i < std::size(descriptor.wait_counter); ++i) {
        const std::uint32_t index = descriptor.wait_counter[i];
        if (index == LEVEE_NO_COUNTER || sync == nullptr)
            continue;
        if (!sync->counters->has(index))
            text += "    waits for counter " + std::to_string(index) + ", which does not exist\n";
        else if (!sync->counters->reached(index, descriptor.wait_value[i]))
            text += format("    waits for counter %u to reach %u; it is %u; ", index,
                           static_cast<unsigned>(descriptor.wait_value[i]),
                           machine.counter(index).value_or(0)) +
                    raisers(machine, index) + "\n";
    }
    return text;
}

std::string submitter(const MachineView& machine, const QueueView::Submission& submission)
{
    const trace::Symbols& symbols = machine.symbols();
    std::string text =
        "    submitted at " + microseconds(submission.ps) + " by " + symbols.locate(submission.pc);
    if (&symbols.at(submission.pc) != &symbols.at(submission.ra)) // equal if ra is a return address
                                                                  // from an earlier call
        text += ", called from " + symbols.locate(submission.ra);
    return text + "\n";
}

std::string title(const Declaration& declaration, const levee_descriptor& descriptor)
{
    return trace::operation_name(declaration, descriptor) + ", tag " +
           std::to_string(descriptor.tag);
}

/// Returns whether an operand of the operation is a stream port.
bool streams(const Declaration& declaration, std::span<const std::uint8_t> operation)
{
    for (const Field& field : declaration.fields) {
        std::uint64_t address = 0;
        if (field.kind != Field::Kind::Address || field.offset + sizeof address > operation.size())
            continue;
        std::memcpy(&address, operation.data() + field.offset, sizeof address);
        if (address >= LEVEE_STREAM_BASE)
            return true;
    }
    return false;
}

std::string executed(const MachineView& machine, const QueueView& view)
{
    const std::string number = "  " + std::to_string(view.submission().id) + ": ";
    if (!view.descriptor())
        return number + "is being fetched\n" + submitter(machine, view.submission());
    const levee_descriptor& descriptor = *view.descriptor();
    const Declaration& declaration = view.queue().declaration();
    std::string waits = view.running() ? "" : waits_text(machine, descriptor);
    const std::string state = view.streams()
                                  ? "waits for a consumer at the stream port it writes to"
                              : view.running() ? "running since " + microseconds(view.started_ps())
                              : !waits.empty() ? "waiting"
                              : streams(declaration, view.queue().operation())
                                  ? "waits for a producer at the stream port it reads from"
                                  : "about to begin";
    return number + title(declaration, descriptor) + ", " + state + "\n" + waits +
           submitter(machine, view.submission()) +
           fields_text(machine, declaration, descriptor, view.queue().operation());
}

std::string queued(const MachineView& machine, const QueueView& view,
                   const Submissions::Pending& entry, const QueueView::Submission& submission)
{
    const Declaration& declaration = view.queue().declaration();
    std::string text = "  " + std::to_string(entry.id) + ": ";
    const auto whole = read_descriptor(machine, declaration, entry.address);
    const std::string at = format("queued, at 0x%" PRIx64, entry.address);
    if (!whole)
        return text + at + ", where nothing can be read\n" + submitter(machine, submission);
    if (whole->descriptor.magic != LEVEE_DESCRIPTOR_MAGIC)
        return text + at + ", which holds no descriptor now\n" + submitter(machine, submission);
    return text + title(declaration, whole->descriptor) + ", " + at + "\n" +
           waits_text(machine, whole->descriptor) + submitter(machine, submission) +
           fields_text(machine, declaration, whole->descriptor, whole->operation);
}

} // namespace

std::string descriptors_of(const MachineView& machine, std::size_t component)
{
    const std::string& name = machine.plan().components[component].name;
    const QueueView* const view = machine.queue(component);
    if (view == nullptr)
        return name + " executes no descriptors\n";
    if (view->idle())
        return name + " has no descriptors\n";
    std::string text = name + "\n";
    if (view->executing())
        text += executed(machine, *view);
    const auto waiting = view->queue().queued();
    for (std::size_t i = 0; i < waiting.size() && i < view->submissions().size(); ++i)
        text += queued(machine, *view, waiting[i], view->submissions()[i]);
    return text;
}

std::string all_descriptors(const MachineView& machine)
{
    std::string text;
    for (std::size_t i = 0; i < machine.plan().components.size(); ++i)
        if (machine.queue(i) != nullptr && !machine.queue(i)->idle())
            text += descriptors_of(machine, i);
    return text.empty() ? "no block has descriptors\n" : text;
}

} // namespace levee::debug
