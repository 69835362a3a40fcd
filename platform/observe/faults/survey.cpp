// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/faults/survey.hpp"

#include "core/abi/command_regs.h"
#include "platform/observe/debug/registers.hpp"
#include "platform/observe/faults/tensor_names.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace levee::faults {

namespace {

constexpr std::uint64_t word_bits = 32;
constexpr std::uint64_t column_element_bytes = 2; // only FP16 matrices are stored columns first

/// A set of byte addresses, kept as intervals with gaps between them.
class Bytes {
public:
    void add(std::uint64_t begin, std::uint64_t end)
    {
        auto next = ends_.upper_bound(begin);
        if (next != ends_.begin() && std::prev(next)->second >= begin) {
            --next;
            begin = next->first;
        }
        while (next != ends_.end() && next->first <= end) {
            end = std::max(end, next->second);
            next = ends_.erase(next);
        }
        ends_.emplace_hint(next, begin, end);
    }
    [[nodiscard]] std::vector<BitRange> ranges() const
    {
        std::vector<BitRange> ranges;
        for (const auto& [begin, end] : ends_)
            ranges.push_back({begin, end - begin});
        return ranges;
    }

private:
    std::map<std::uint64_t, std::uint64_t> ends_;
};

/// Adds the bytes of a matrix. If it is stored columns first, each column is contiguous, and other
/// matrices' bytes may follow before the next column.
void add_tensor(const levee_tensor_entry& tensor, std::uint64_t begin, Bytes& bytes)
{
    const bool by_column = (tensor.type & LEVEE_TENSOR_COLUMNS_FIRST) != 0;
    const std::uint64_t rows = tensor.rows;
    const std::uint64_t run = rows * (by_column ? column_element_bytes : tensor.row_bytes);
    const std::uint32_t runs = by_column ? tensor.cols : 1;
    for (std::uint64_t i = 0; i < runs; ++i)
        bytes.add(begin + i * tensor.row_bytes, begin + i * tensor.row_bytes + run);
}

/// Returns whether a write to this register of a queue is a command. A read then does not return
/// the written value.
bool is_command(std::uint32_t offset)
{
    return offset == LEVEE_CMD_CONTROL || offset == LEVEE_CMD_IRQ_STATUS;
}

/// CSRs in which a flipped bit changes the behaviour of the core.
constexpr std::array core_csrs{"mstatus", "mie", "mtvec", "mscratch", "mepc", "mcause", "mtval"};

Place core_registers()
{
    Place core{.kind = PlaceKind::Register, .name = "core"};
    for (unsigned i = 1; i < debug::register_pc; ++i)
        core.pieces.push_back({"x" + std::to_string(i), 0, word_bits});
    core.pieces.push_back({"pc", 0, word_bits});
    for (const char* const name : core_csrs)
        core.pieces.push_back({name, 0, word_bits});
    return core;
}

void add_fields(std::span<const Field> fields, std::size_t begin, std::size_t end, Place& place)
{
    for (const Field& field : fields) {
        const std::size_t first = begin + field.offset;
        const std::size_t bytes = field.bytes * std::max<std::size_t>(field.count, 1);
        if (first + bytes <= end)
            place.pieces.push_back({field.name, 8 * first, 8 * bytes});
    }
}

/// Adds the part of the descriptor to the names of fields that occur both in the head and in the
/// operation.
void tell_fields_apart(std::span<Piece> head, std::span<Piece> operation)
{
    for (Piece& of_operation : operation) {
        const auto of_head = std::ranges::find(head, of_operation.name, &Piece::name);
        if (of_head == head.end())
            continue;
        of_head->name = of_part(descriptor_head, of_head->name);
        of_operation.name = of_part(descriptor_operation, of_operation.name);
    }
}

/// Returns the bits of a descriptor that its component reads: the head, and the part of the
/// operation that is inside the descriptor.
Place descriptor_of(const std::string& name, const Declaration& declaration, Picoseconds last)
{
    constexpr std::size_t head = offsetof(levee_descriptor, operation);
    const bool is_long = declaration.operation_bytes > LEVEE_DESCRIPTOR_BYTES - head;
    Place place{.kind = PlaceKind::Descriptors, .name = name, .until = last};
    add_fields(head_fields, 0, head, place);
    const std::size_t of_head = place.pieces.size();
    add_fields(declaration.fields, head,
               is_long ? LEVEE_DESCRIPTOR_CONTINUATION_AT : LEVEE_DESCRIPTOR_BYTES, place);
    const std::span pieces(place.pieces);
    tell_fields_apart(pieces.first(of_head), pieces.subspan(of_head));
    return place;
}

} // namespace

class PlaceFinder::QueueWatch : private CommandObserver {
public:
    QueueWatch(std::string name, CommandQueue& queue, int initiator)
        : name_(std::move(name)), queue_(queue), initiator_(initiator)
    {
        queue.observe(*this);
    }
    void access(const bus::Transaction& transaction)
    {
        if (transaction.initiator != initiator_ || !prepares_)
            return;
        std::string field =
            trace::field_name(queue_.declaration(), version_, queue_.accessed_field());
        Bytes& covered = operands_[field.substr(0, field.find('['))];
        const AccessPattern& pattern = transaction.bulk->pattern;
        pattern.for_each_run([&](std::uint64_t at) { covered.add(at, at + pattern.run_bytes); });
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const CommandQueue& queue() const { return queue_; }
    [[nodiscard]] std::optional<Picoseconds> last_submission() const { return last_; }
    [[nodiscard]] const std::map<std::string, Bytes>& operands() const { return operands_; }

private:
    void submitted(const CommandQueue&, std::uint64_t, std::uint32_t) override { last_ = now_ps(); }
    void fetched(const CommandQueue&, const levee_descriptor& descriptor) override
    {
        version_ = descriptor.version;
        prepares_ = true;
    }
    void started(const CommandQueue&, const levee_descriptor&, const Activity&, bool) override
    {
        prepares_ = false;
    }
    void finished(const CommandQueue&, std::uint32_t, bool) override { prepares_ = false; }

    std::string name_;
    CommandQueue& queue_;
    int initiator_;
    std::uint8_t version_ = 0;
    bool prepares_ = false;
    std::optional<Picoseconds> last_;
    std::map<std::string, Bytes> operands_;
};

PlaceFinder::PlaceFinder(System& system, const SystemPlan& plan, const ElfImage& program)
    : system_(system), plan_(plan), program_(program)
{
    const std::vector<std::string>& initiators = system.initiators();
    for (std::size_t i = 0; i < plan.components.size(); ++i)
        if (CommandQueue* const queue = system.components()[i].queue) {
            const std::string& name = plan.components[i].name;
            const auto at = std::ranges::find(initiators, name) - initiators.begin();
            queues_.push_back(std::make_unique<QueueWatch>(name, *queue, static_cast<int>(at)));
        }
    system.bus().observe(*this);
}

PlaceFinder::~PlaceFinder() = default;

void PlaceFinder::passed(const bus::Transaction& transaction)
{
    if (transaction.bulk == nullptr || transaction.bulk->phase != BulkExtension::Phase::Open ||
        transaction.window == nullptr || !transaction.payload->is_response_ok())
        return;
    const BulkExtension& bulk = *transaction.bulk;
    if (bulk.direction == Direction::Read && bulk.uses == nullptr)
        return; // only asks about the memory, and reads no data
    for (const auto& queue : queues_)
        queue->access(transaction);
}

std::vector<Place> PlaceFinder::places() const
{
    std::vector<Place> places;
    add_registers(places);
    add_descriptors(places);
    add_memories(places);
    add_operands(places);
    add_tensors(places);
    add_variables(places);
    add_states(places);
    std::erase_if(places, [](const Place& place) { return place.bits() == 0; });
    return places;
}

void PlaceFinder::add_registers(std::vector<Place>& places) const
{
    places.push_back(core_registers());
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        const Component& component = system_.components()[i];
        Place place{.kind = PlaceKind::Register, .name = plan_.components[i].name};
        if (component.register_file == nullptr)
            continue;
        for (const Register& reg : component.register_file->registers())
            if (reg.read && reg.write && !(component.queue != nullptr && is_command(reg.offset)))
                place.pieces.push_back({reg.name, 0, 8 * component.register_file->width()});
        places.push_back(std::move(place));
    }
}

void PlaceFinder::add_descriptors(std::vector<Place>& places) const
{
    for (const auto& watch : queues_)
        if (const auto last = watch->last_submission())
            places.push_back(descriptor_of(watch->name(), watch->queue().declaration(), *last));
}

void PlaceFinder::add_memories(std::vector<Place>& places) const
{
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        const PlannedComponent& planned = plan_.components[i];
        const Component& component = system_.components()[i];
        if (!planned.stores() || component.bytes == nullptr || plan_.ways_at(i) != 1)
            continue;
        places.push_back({.kind = PlaceKind::Memory,
                          .name = planned.name,
                          .ranges = {{planned.base, planned.plan.placement.size_bytes}}});
    }
}

void PlaceFinder::add_operands(std::vector<Place>& places) const
{
    for (const auto& watch : queues_)
        for (const auto& [field, bytes] : watch->operands())
            places.push_back({.kind = PlaceKind::Operand,
                              .name = watch->name() + "." + field,
                              .ranges = bytes.ranges()});
}

/// Adds the matrices of each layer. For each kind of matrix, also adds a place that covers all
/// layers.
void PlaceFinder::add_tensors(std::vector<Place>& places) const
{
    const System::PlacedModel* const model = system_.placed_model();
    if (model == nullptr)
        return;
    const std::uint64_t base = plan_.components[model->component].base + model->offset;
    std::map<std::string, Bytes> all;
    for (const levee_tensor_entry& tensor : model->tensors) {
        const std::string name = tensor_name(tensor.kind);
        if (tensor.data_offset == 0 || name.empty())
            continue;
        const std::uint64_t begin = base + tensor.data_offset;
        add_tensor(tensor, begin, all[name]);
        if (tensor.layer != LEVEE_NO_LAYER)
            add_tensor(tensor, begin, all[name + "." + std::to_string(tensor.layer)]);
    }
    for (const auto& [name, bytes] : all)
        places.push_back({.kind = PlaceKind::Tensor, .name = name, .ranges = bytes.ranges()});
}

void PlaceFinder::add_variables(std::vector<Place>& places) const
{
    std::map<std::string, std::set<std::uint32_t>> addresses;
    for (const ElfSymbol& symbol : program_.symbols)
        if (symbol.is_array())
            addresses[symbol.name].insert(symbol.address);
    for (const ElfSymbol& symbol : program_.symbols)
        if (symbol.is_array())
            add_variable(symbol,
                         addresses[symbol.name].size() == 1
                             ? symbol.name
                             : with_address(symbol.name, symbol.address),
                         places);
}

void PlaceFinder::add_variable(const ElfSymbol& symbol, const std::string& name,
                               std::vector<Place>& places) const
{
    for (const PlannedComponent& memory : plan_.components) {
        const std::uint64_t offset = std::uint64_t{symbol.address} - memory.core_base;
        if (memory.stores() && symbol.address >= memory.core_base && offset < memory.core_size)
            places.push_back({.kind = PlaceKind::Variable,
                              .name = name,
                              .ranges = {{memory.base + offset, symbol.size}}});
    }
}

void PlaceFinder::add_states(std::vector<Place>& places) const
{
    for (std::size_t i = 0; i < plan_.components.size(); ++i)
        for (const Injectable& state : system_.components()[i].injectable) {
            Place place{.kind = PlaceKind::State,
                        .name = plan_.components[i].name + "." + state.name,
                        .own_bits = state.bits};
            if (state.stored)
                for (const StoredBits& stored : state.stored())
                    place.ranges.push_back({plan_.components[i].base + stored.offset, stored.bytes,
                                            mask_of(stored.element_bits, stored.bits)});
            places.push_back(std::move(place));
        }
}

} // namespace levee::faults
