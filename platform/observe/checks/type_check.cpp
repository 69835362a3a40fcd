// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/type_check.hpp"

#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace levee::checks {

namespace {

const TensorType* rule_for(const LoggedOperation& operation, std::uint32_t field)
{
    const auto& rules = operation.queue->declaration().types;
    const auto rule = std::ranges::find_if(
        rules, [field](const TensorType& r) { return operation_field(r.tensor) == field; });
    return rule != rules.end() ? &*rule : nullptr;
}

/// Returns the type that the descriptor states for the tensor; NONE if it states none.
levee_type type_of(const LoggedOperation& operation, const TensorType& rule)
{
    const levee_descriptor& descriptor = operation.descriptor;
    const std::size_t own_bytes = descriptor.version == LEVEE_DESCRIPTOR_V1
                                      ? sizeof descriptor.operation
                                      : LEVEE_DESCRIPTOR_INLINE_BYTES;
    if (rule.type == TensorType::none)
        return rule.by_default;
    if (rule.type >= own_bytes)
        return LEVEE_TYPE_NONE;
    const std::uint8_t type = descriptor.operation[rule.type];
    return type != LEVEE_TYPE_NONE ? static_cast<levee_type>(type) : rule.by_default;
}

const char* name_of(levee_type type)
{
    constexpr std::array<const char*, 8> names{LEVEE_TYPE_NAMES};
    return names.at(type);
}

} // namespace

TypeCheck::TypeCheck(const Context& context, MemoryKeys& keys) : keys_(keys)
{
    if (context.system.placed_model() != nullptr)
        add_model(context);
}

void TypeCheck::add_model(const Context& context)
{
    const System::PlacedModel& model = *context.system.placed_model();
    const std::uint64_t base = context.plan.components[model.component].base + model.offset;
    for (const levee_tensor_entry& entry : model.tensors) {
        const auto at = keys_.of(base + entry.data_offset);
        const std::uint32_t type = entry.type & ~LEVEE_TENSOR_COLUMNS_FIRST;
        if (entry.data_offset == 0 || !at || type != entry.type)
            continue;
        auto name = std::make_shared<const std::string>("the model's image stores in " +
                                                        std::string(tensor_name(entry.kind)));
        shadow_.set(*at, {*at + std::uint64_t{entry.rows} * entry.row_bytes,
                          static_cast<levee_type>(type), std::move(name)});
    }
}

std::optional<std::string> TypeCheck::read(LoggedOperation& reader, std::uint32_t field,
                                           const AccessPattern& pattern)
{
    for (const TensorType& rule : reader.queue->declaration().types)
        if (rule.like != TensorType::none && operation_field(rule.like) == field)
            reader.carried.follow(shadow_, pattern);
    const TensorType* const rule = rule_for(reader, field);
    const levee_type type = rule != nullptr ? type_of(reader, *rule) : LEVEE_TYPE_NONE;
    if (type == LEVEE_TYPE_NONE)
        return std::nullopt;
    const TypeShadow::Part* other = nullptr;
    std::uint64_t where = 0;
    pattern.for_each_run([&](std::uint64_t at) {
        if (other == nullptr) {
            other = shadow_.other(at, at + pattern.run_bytes, type);
            where = at;
        }
    });
    if (other == nullptr)
        return std::nullopt;
    return reader.name() + " reads " + reader.field(field) + " at " + hex(keys_.address(where)) +
           " as " + name_of(type) + ", which " + *other->writer + " as " + name_of(other->type);
}

void TypeCheck::written(const LoggedOperation& writer, std::uint32_t field,
                        const AccessPattern& pattern)
{
    const TensorType* const rule = rule_for(writer, field);
    TypeShadow::Part part;
    if (rule != nullptr && rule->like != TensorType::none) {
        part = writer.carried.part();
    } else if (rule != nullptr) {
        part.type = type_of(writer, *rule);
        part.writer = std::make_shared<const std::string>(
            *writer.block + "'s " + writer.name() + " has written (" + writer.field(field) + ")");
    }
    pattern.for_each_run([&](std::uint64_t at) {
        shadow_.set(at, {at + pattern.run_bytes, part.type, part.writer});
    });
}

} // namespace levee::checks
