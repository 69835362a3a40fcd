// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/symbols.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <tuple>

namespace levee::trace {

namespace {

constexpr std::uint64_t address_space = std::uint64_t{1} << 32;
const std::string unknown = "[unknown]";

/// Returns whether a symbol names code: functions, labels, and arrays, which may contain code.
/// Numbers and labels of data do not, nor do symbols that assemblers emit for other tools (RISC-V
/// ELF psABI, mapping symbols) or for their own branches.
bool names_code(const ElfSymbol& symbol)
{
    const bool may_run = symbol.place == ElfSymbol::Place::Code || symbol.is_array();
    return may_run && !symbol.name.empty() && symbol.name[0] != '$' &&
           !symbol.name.starts_with(".L");
}

} // namespace

void Symbols::replace(const std::vector<ElfSymbol>& symbols)
{
    std::vector<Function>& functions = programs_.emplace_back();
    std::vector<ElfSymbol> named;
    std::copy_if(symbols.begin(), symbols.end(), std::back_inserter(named), names_code);
    // Several names may have the same address. Functions precede labels, and labels precede
    // names from linker scripts. Among names of one kind, fewer leading underscores come
    // first.
    std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.address, b.size, a.name.find_first_not_of('_')) <
               std::tuple(b.address, a.size, b.name.find_first_not_of('_'));
    });
    std::uint64_t covered = 0; // end of the addresses that functions cover so far
    for (std::size_t i = 0; i < named.size(); ++i) {
        const ElfSymbol& symbol = named[i];
        if (symbol.address < covered || (i > 0 && symbol.address == named[i - 1].address))
            continue;
        if (symbol.address > covered)
            functions.push_back({unknown, static_cast<std::uint32_t>(covered), symbol.address});
        // A function ends after its stated size, or at the next function. A label ends at the next
        // name. Neither extends beyond its section.
        const auto next = std::find_if(named.begin() + static_cast<std::ptrdiff_t>(i), named.end(),
                                       [&](const ElfSymbol& other) {
                                           return other.address > symbol.address &&
                                                  (symbol.size == 0 || other.size != 0);
                                       });
        std::uint64_t end = next != named.end() ? next->address : address_space;
        end = std::min(end, std::max(symbol.section_end, std::uint64_t{symbol.address} + 1));
        if (symbol.size != 0)
            end = std::min(end, std::uint64_t{symbol.address} + symbol.size);
        functions.push_back({symbol.name, symbol.address, end});
        covered = end;
    }
    if (covered < address_space)
        functions.push_back({unknown, static_cast<std::uint32_t>(covered), address_space});
}

const Function& Symbols::at(std::uint32_t pc) const
{
    const auto after = std::upper_bound(
        functions().begin(), functions().end(), pc,
        [](std::uint32_t address, const Function& f) { return address < f.begin; });
    return *std::prev(after);
}

std::string Symbols::locate(std::uint32_t pc) const
{
    const Function& function = at(pc);
    if (function.name == unknown)
        return "??";
    std::array<char, 16> offset{};
    if (pc != function.begin)
        std::snprintf(offset.data(), offset.size(), "+0x%x", pc - function.begin);
    return function.name + offset.data();
}

} // namespace levee::trace
