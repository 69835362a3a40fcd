// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/array_use.hpp"

#include "platform/observe/checks/program_guard.hpp"

#include <algorithm>

namespace levee::checks {

namespace {

constexpr std::uint32_t least_bytes = 32; ///< smaller arrays seldom receive results of operations

/// Returns whether the file has bytes for this address. If not, start-up code clears the address.
bool is_loaded(const ElfImage& program, std::uint32_t address)
{
    return std::ranges::any_of(program.segments, [address](const ElfSegment& segment) {
        return address >= segment.address && address - segment.address < segment.data.size();
    });
}

} // namespace

ArrayUse::ArrayUse(const Context& context, const ElfImage& program, MemoryKeys& keys)
    : context_(context), main_(symbol_address(program, "main"))
{
    for (const ElfSymbol& symbol : program.symbols) {
        const auto key = keys.of(symbol.address);
        if (main_ && key && symbol.is_array() && symbol.size >= least_bytes &&
            !is_loaded(program, symbol.address))
            arrays_.push_back({*key, *key + symbol.size, name_in_source(symbol.name)});
    }
    std::ranges::sort(arrays_, {}, &Array::begin);
    // End of the arrays seen so far. An array that begins before it is an alias of an earlier
    // array, and is removed.
    std::uint64_t covered = 0;
    std::erase_if(arrays_, [&covered](const Array& array) {
        const bool is_behind = array.begin >= covered;
        covered = std::max(covered, array.end);
        return !is_behind;
    });
}

std::vector<ArrayUse::Array>::iterator ArrayUse::first_behind(std::uint64_t key)
{
    return std::ranges::upper_bound(arrays_, key, {}, [](const Array& a) { return a.end; });
}

/// Returns whether pc is in the start-up code, or in the memset that it calls to clear memory.
bool ArrayUse::clears(std::uint32_t pc) const
{
    const std::string& name = context_.symbols.at(pc).name;
    return !started_ && (name == "_start" || name == "_cstart" || name == "memset");
}

void ArrayUse::accessed(std::uint64_t key, std::uint64_t bytes, bool write, std::uint32_t pc)
{
    const auto array = first_behind(key);
    if (array == arrays_.end() || array->written || array->begin >= key + bytes)
        return;
    if (write) {
        array->written = !clears(pc);
        return;
    }
    if (array->read_bytes == 0)
        array->read_pc = pc;
    array->read_bytes += bytes;
}

void ArrayUse::written(std::uint64_t key, std::uint64_t bytes)
{
    for (auto array = first_behind(key); array != arrays_.end() && array->begin < key + bytes;
         ++array)
        array->written = true;
}

/// Reports an array that nothing has written, if the program has read at least half of
/// it. A table of the program that is zero on purpose is usually read less, or also
/// written.
void ArrayUse::report(Findings& findings) const
{
    for (const Array& array : arrays_)
        if (!array.written && 2 * array.read_bytes >= array.end - array.begin)
            findings.report("core",
                            "has read " + array.name + " (" +
                                std::to_string(array.end - array.begin) + " bytes), first at pc " +
                                context_.place(array.read_pc) +
                                ", which nothing has written since it was cleared at the start: "
                                "no operation has written a result there",
                            context_.core_ps());
}

} // namespace levee::checks
