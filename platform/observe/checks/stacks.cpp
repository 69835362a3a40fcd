// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/stacks.hpp"

#include <algorithm>
#include <iterator>

namespace levee::checks {

std::string Stack::overflow(const Context& context, std::uint32_t pc) const
{
    const riscv::Hart& hart = context.system.core().hart();
    return "stack overflow: sp " + hex(hart.reg(sp)) + " is " +
           std::to_string(bottom - hart.reg(sp)) + " bytes below the stack" +
           (name.empty() ? "" : " " + name) + ", " + hex(bottom) + " to " + hex(top) + " (" +
           std::to_string(top - bottom) + " bytes); pc " + context.place(pc) + ", ra " +
           context.place(hart.reg(ra)) + "; at " + time_text(context.core_ps());
}

std::optional<std::uint32_t> symbol_address(const ElfImage& program, const std::string& name)
{
    const auto found = std::find_if(program.symbols.begin(), program.symbols.end(),
                                    [&](const ElfSymbol& s) { return s.name == name; });
    return found != program.symbols.end() ? std::optional(found->address) : std::nullopt;
}

void Stacks::follow(const ElfImage& program)
{
    first_.reset();
    declared_.clear();
    objects_.clear();
    const auto bottom = symbol_address(program, "__heap_end");
    const auto top = symbol_address(program, "__stack");
    if (bottom && top && *bottom < *top)
        first_ = Stack{*bottom, *top, {}};
    for (const ElfSymbol& symbol : program.symbols)
        if (symbol.is_array())
            objects_.push_back({symbol.address, symbol.address + symbol.size, symbol.name});
}

const Stack& Stacks::declare(std::uint32_t bottom, std::uint32_t top)
{
    std::erase_if(declared_,
                  [&](const Stack& other) { return other.bottom < top && bottom < other.top; });
    const Stack* const object = object_below(top);
    std::string name = "at " + hex(bottom);
    if (object != nullptr && object->bottom <= bottom)
        name = object->bottom == bottom && object->top == top ? object->name : "in " + object->name;
    return declared_.emplace_back(Stack{bottom, top, std::move(name)});
}

/// Returns the object that contains the byte below the pointer. If one object has several names,
/// returns one of them.
const Stack* Stacks::object_below(std::uint32_t pointer) const
{
    const auto behind =
        std::lower_bound(objects_.begin(), objects_.end(), pointer,
                         [](const Stack& object, std::uint32_t at) { return object.bottom < at; });
    const auto found =
        std::find_if(std::make_reverse_iterator(behind), objects_.rend(),
                     [pointer](const Stack& object) { return object.holds(pointer); });
    return found != objects_.rend() ? &*found : nullptr;
}

bool Stacks::is_declared(std::uint32_t pointer) const
{
    return std::ranges::any_of(declared_,
                               [pointer](const Stack& stack) { return stack.holds(pointer); });
}

std::optional<Stack> Stacks::at(std::uint32_t pointer) const
{
    for (const Stack& stack : declared_)
        if (stack.holds(pointer))
            return stack;
    if (first_ && first_->holds(pointer))
        return first_;
    const Stack* const object = object_below(pointer);
    return object != nullptr ? std::optional(*object) : std::nullopt;
}

} // namespace levee::checks
