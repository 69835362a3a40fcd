// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/pokes.hpp"

#include "core/abi/descriptor.h"
#include "core/config/error.hpp"
#include "ip/sync/regs.h"
#include "platform/observe/debug/registers.hpp"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstring>
#include <sstream>

namespace levee::debug {

namespace {

constexpr const char* poke_forms =
    "expected set BLOCK.REGISTER = VALUE, set counter N = VALUE, set word ADDRESS = VALUE, "
    "set memory ADDRESS = BYTE ..., flip BLOCK.REGISTER bit N, flip counter N bit N or "
    "flip memory ADDRESS bit N";
constexpr unsigned most_memory_bits = 64;

std::optional<std::uint64_t> parse_digits(std::string_view digits, int base)
{
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, base);
    return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

std::uint64_t need_number(const std::string& word, std::uint64_t most, const std::string& what)
{
    const auto value = parse_number(word);
    if (!value || *value > most)
        throw PokeError("'" + word + "' is not a valid " + what + "; expected a number from 0 to " +
                        std::to_string(most));
    return *value;
}

ComponentRegister register_of(const MachineView::Registers& owner, const std::string& name)
{
    std::vector<std::string> known;
    for (const Register& reg : owner.file->registers()) {
        known.push_back(reg.name);
        if (reg.name == name)
            return {owner.owner, &reg, 8 * owner.file->width()};
    }
    const std::string near = config::nearest(name, known);
    throw PokeError(owner.owner + " has no register '" + name + "'" +
                    (near.empty() ? "; 'describe' lists them" : "; did you mean '" + near + "'?"));
}

std::string name_of(const PokeTarget& target)
{
    if (const auto* reg = std::get_if<ComponentRegister>(&target))
        return reg->owner + "." + reg->reg->name;
    if (const auto* reg = std::get_if<CoreRegister>(&target))
        return "core." + reg->name;
    return format("memory 0x%" PRIx64, std::get<MemoryBytes>(target).address);
}

unsigned bits_of(const PokeTarget& target)
{
    if (const auto* reg = std::get_if<ComponentRegister>(&target))
        return reg->bits;
    return std::holds_alternative<CoreRegister>(target) ? 32 : most_memory_bits;
}

/// Throws PokeError if the register cannot be changed in this way.
void check_access(const PokeTarget& target, bool flips)
{
    const auto* const reg = std::get_if<ComponentRegister>(&target);
    if (reg == nullptr)
        return;
    if (!reg->reg->write)
        throw PokeError(name_of(target) + " is read-only");
    if (flips && !reg->reg->read)
        throw PokeError(name_of(target) +
                        " is write-only, so its bits cannot be flipped; use 'set'");
}

/// Parses the target that `words` names, beginning at index `at`. Advances `at` past the target.
PokeTarget parse_target(const MachineView& machine, const std::vector<std::string>& words,
                        std::size_t& at)
{
    if (at >= words.size())
        throw PokeError(poke_forms);
    const std::string& first = words[at++];
    if (first != "counter" && first != "memory" && first != "word")
        return parse_register(machine, first);
    if (at >= words.size())
        throw PokeError(poke_forms);
    const std::string& which = words[at++];
    if (first != "counter") {
        const std::uint64_t address = parse_address(machine, which);
        if (address >= LEVEE_STREAM_BASE || machine.place_of(address).empty())
            throw PokeError("nothing is stored at " + which);
        return MemoryBytes{address};
    }
    if (machine.sync() == nullptr)
        throw PokeError("this system has no sync unit, and no counters");
    const std::uint64_t index = need_number(which, LEVEE_SYNC_MAX_COUNTERS - 1, "counter");
    if (!machine.sync()->counters->has(static_cast<std::uint32_t>(index)))
        throw PokeError("there is no counter " + which);
    for (const MachineView::Registers& owner : machine.register_files())
        if (owner.file == machine.sync()->register_file)
            for (const Register& reg : owner.file->registers())
                if (reg.offset == LEVEE_SYNC_VALUE(index) && reg.write)
                    return ComponentRegister{owner.owner, &reg, 32};
    throw PokeError("there is no counter " + which);
}

std::vector<std::uint8_t> parse_bytes(const std::vector<std::string>& words, std::size_t at)
{
    std::vector<std::uint8_t> bytes;
    for (; at < words.size(); ++at) {
        const auto value = parse_digits(words[at], 16);
        if (!value || *value > UINT8_MAX || words[at].size() > 2)
            throw PokeError("'" + words[at] +
                            "' is not a byte; expected one or two hexadecimal digits");
        bytes.push_back(static_cast<std::uint8_t>(*value));
    }
    return bytes;
}

void write_register(const MachineView& machine, const PokeTarget& target, std::uint32_t value)
{
    if (const auto* reg = std::get_if<ComponentRegister>(&target))
        return reg->reg->write(value);
    riscv::Hart& hart = machine.system().core().hart();
    const std::uint32_t index = std::get<CoreRegister>(target).index;
    if (index < register_pc)
        hart.set_reg(index, value);
    else if (index == register_pc)
        hart.set_pc(value);
    else if (!hart.write_csr(index - register_first_csr, value))
        throw PokeError(name_of(target) + " is read-only");
}

std::string bytes_text(std::span<const std::uint8_t> bytes)
{
    std::string text;
    for (const std::uint8_t byte : bytes)
        text += format(" %02x", unsigned{byte});
    return text;
}

std::string make_in_memory(const MachineView& machine, const Poke& poke)
{
    std::uint64_t address = std::get<MemoryBytes>(poke.target).address;
    std::vector<std::uint8_t> after = poke.bytes;
    if (poke.flip) {
        address += *poke.flip / 8;
        after.resize(1);
    }
    std::vector<std::uint8_t> before(after.size());
    if (machine.read(address, before) != before.size())
        throw PokeError(
            format("memory 0x%" PRIx64 ": cannot be read; expected an address in memory", address));
    if (poke.flip)
        after[0] = static_cast<std::uint8_t>(before[0] ^ (1u << (*poke.flip % 8)));
    if (machine.write(address, after) != after.size())
        throw PokeError(format(
            "memory 0x%" PRIx64 ": cannot be written; expected an address in memory", address));
    const std::string place = machine.place_of(address);
    return format("memory 0x%" PRIx64, address) + (place.empty() ? "" : " (" + place + ")") + ":" +
           bytes_text(before) + " ->" + bytes_text(after);
}

} // namespace

std::vector<std::string> words_of(const std::string& line)
{
    std::string spaced;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool compares = line[i] == '>' || (i > 0 && line[i - 1] == '>');
        spaced += line[i] == '=' && !compares ? std::string(" = ") : std::string(1, line[i]);
    }
    std::istringstream stream(spaced);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

std::optional<std::uint64_t> parse_number(std::string word)
{
    std::erase(word, '_');
    const bool hex = word.starts_with("0x");
    return parse_digits(std::string_view(word).substr(hex ? 2 : 0), hex ? 16 : 10);
}

std::uint64_t parse_address(const MachineView& machine, const std::string& word)
{
    if (const auto number = parse_number(word))
        return *number;
    const std::size_t plus = word.find('+');
    const std::string name = word.substr(0, plus);
    const auto offset = plus == std::string::npos ? std::optional<std::uint64_t>(0)
                                                  : parse_number(word.substr(plus + 1));
    // Compilers append numbers to the names of a function's static variables, such as "sent.2".
    std::vector<std::string> known;
    std::vector<const ElfSymbol*> alike;
    for (const ElfSymbol& symbol : machine.named()) {
        if (symbol.name == name && offset)
            return symbol.address + *offset;
        if (symbol.name.substr(0, symbol.name.rfind('.')) == name)
            alike.push_back(&symbol);
        known.push_back(symbol.name);
    }
    if (alike.size() == 1 && offset)
        return alike[0]->address + *offset;
    const std::string near = offset ? config::nearest(name, known) : "";
    throw PokeError("'" + word +
                    "' is not an address; expected a number or a name of the program, as in " +
                    (near.empty() ? "0x80000000 or main+0x10" : near));
}

PokeTarget parse_register(const MachineView& machine, const std::string& word)
{
    const std::size_t dot = word.find('.');
    const std::string owner = word.substr(0, dot);
    const std::string name = dot == std::string::npos ? "" : word.substr(dot + 1);
    if (owner == "core" && dot != std::string::npos) {
        if (const auto index = register_number(name))
            return CoreRegister{name, *index};
        throw PokeError("the core has no register '" + name +
                        "'; expected a name such as pc, a0 or mstatus");
    }
    std::vector<std::string> known{"core", "counter", "memory", "word"};
    for (const MachineView::Registers& registers : machine.register_files()) {
        if (registers.owner == owner && dot != std::string::npos)
            return register_of(registers, name);
        known.push_back(registers.owner);
    }
    if (dot == std::string::npos)
        throw PokeError("'" + word + "': " + poke_forms);
    throw PokeError("'" + owner + "' has no registers" + config::suggestion(owner, known));
}

std::uint32_t value_of(const MachineView& machine, const PokeTarget& target)
{
    if (const auto* reg = std::get_if<ComponentRegister>(&target)) {
        if (!reg->reg->read)
            throw PokeError(name_of(target) + " is write-only");
        return reg->reg->value();
    }
    riscv::Hart& hart = machine.system().core().hart();
    const std::uint32_t index = std::get<CoreRegister>(target).index;
    if (index < register_pc)
        return hart.reg(index);
    return index == register_pc ? hart.pc() : hart.read_csr(index - register_first_csr).value_or(0);
}

Poke parse_poke(const MachineView& machine, const std::vector<std::string>& words)
{
    const bool flips = words[0] == "flip";
    std::size_t at = 1;
    Poke poke;
    poke.target = parse_target(machine, words, at);
    check_access(poke.target, flips);
    const bool complete = at + 1 < words.size() && words[at] == (flips ? "bit" : "=");
    const bool memory = std::holds_alternative<MemoryBytes>(poke.target);
    const bool many = memory && !flips && words[1] == "memory";
    if (!complete || (!many && words.size() != at + 2))
        throw PokeError(poke_forms);
    if (flips) {
        const unsigned bits = bits_of(poke.target);
        poke.flip = static_cast<unsigned>(need_number(words[at + 1], bits - 1, "bit"));
    } else if (many) {
        poke.bytes = parse_bytes(words, at + 1);
    } else {
        const std::uint64_t most = (std::uint64_t{1} << std::min(bits_of(poke.target), 32u)) - 1;
        poke.value = static_cast<std::uint32_t>(need_number(words[at + 1], most, "value"));
        if (memory) {
            poke.bytes.resize(sizeof poke.value);
            std::memcpy(poke.bytes.data(), &poke.value, sizeof poke.value);
        }
    }
    return poke;
}

std::string make(const MachineView& machine, const Poke& poke)
{
    if (std::holds_alternative<MemoryBytes>(poke.target))
        return make_in_memory(machine, poke);
    const auto* const reg = std::get_if<ComponentRegister>(&poke.target);
    const bool readable = reg == nullptr || reg->reg->read;
    const std::uint32_t before = readable ? value_of(machine, poke.target) : 0;
    const std::uint32_t value = poke.flip ? before ^ (1u << *poke.flip) : poke.value;
    write_register(machine, poke.target, value);
    if (!readable)
        return name_of(poke.target) + format(": written 0x%08x", value);
    const std::uint32_t after = value_of(machine, poke.target);
    return name_of(poke.target) + format(": 0x%08x -> 0x%08x", before, after) +
           (after == value ? "" : format(" (wrote 0x%08x)", value));
}

} // namespace levee::debug
