// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/script.hpp"

#include "core/config/error.hpp"
#include "core/config/quantity.hpp"
#include "core/config/regular_file.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

namespace levee::debug {

namespace {

using Words = std::vector<std::string>;

constexpr const char* pause_forms =
    "expected at start, at time TIME, at pc ADDRESS [nth N], at counter N >= VALUE or "
    "at BLOCK [OPCODE] [tag N] [nth N] [ends]";

std::uint64_t count_at(const Words& words, std::size_t at, std::uint64_t least, std::uint64_t most)
{
    const auto value = at < words.size() ? parse_number(words[at]) : std::nullopt;
    if (value && *value >= least && *value <= most)
        return *value;
    throw PokeError((at < words.size() ? "'" + words[at] + "'" : "nothing") + " after '" +
                    words[at - 1] + "'; expected a number from " + std::to_string(least) + " to " +
                    std::to_string(most));
}

Pause parse_time(const Words& words)
{
    std::string text;
    for (std::size_t i = 2; i < words.size(); ++i)
        text += (i == 2 ? "" : " ") + words[i];
    const auto time = config::parse_quantity(text, config::Dimension::Time);
    if (!time.error.empty())
        throw PokeError("'" + text + "' is not a time; expected " +
                        std::string(config::describe(config::Dimension::Time)));
    return AtTime{time.value};
}

Pause parse_pc(const MachineView& machine, const Words& words)
{
    if (words.size() != 3 && !(words.size() == 5 && words[3] == "nth"))
        throw PokeError("expected at pc ADDRESS [nth N]");
    const std::uint64_t pc = parse_address(machine, words[2]);
    if (pc > UINT32_MAX || pc % 2 != 0)
        throw PokeError("'" + words[2] +
                        "' is not the address of an instruction; expected an even one "
                        "below 2^32");
    return AtPc{static_cast<std::uint32_t>(pc),
                words.size() == 5 ? count_at(words, 4, 1, UINT64_MAX) : 1};
}

Pause parse_counter(const MachineView& machine, const Words& words)
{
    if (words.size() != 5 || words[3] != ">=")
        throw PokeError("expected at counter N >= VALUE");
    const auto counter = static_cast<std::uint32_t>(count_at(words, 2, 0, UINT32_MAX));
    if (machine.sync() == nullptr || !machine.sync()->counters->has(counter))
        throw PokeError("there is no counter " + words[2]);
    return AtCounter{counter, static_cast<std::uint32_t>(count_at(words, 4, 0, UINT32_MAX))};
}

std::uint8_t parse_opcode(const Declaration& declaration, const std::string& word)
{
    Words known{"FENCE", "tag", "nth", "ends"};
    if (word == known[0])
        return LEVEE_OPCODE_FENCE;
    for (const Opcode& opcode : declaration.opcodes) {
        if (word == opcode.name)
            return opcode.value;
        known.emplace_back(opcode.name);
    }
    throw PokeError("'" + word + "' is not an operation of " + declaration.type +
                    config::suggestion(word, known));
}

Pause parse_operation(const MachineView& machine, const Words& words)
{
    Words known{"start", "time", "pc", "counter"};
    for (std::size_t i = 0; i < machine.plan().components.size(); ++i)
        if (machine.queue(i) != nullptr)
            known.push_back(machine.plan().components[i].name);
    const auto component = machine.find(words[1]);
    if (!component || machine.queue(*component) == nullptr)
        throw PokeError("'" + words[1] + "' is not a block with a queue" +
                        config::suggestion(words[1], known));
    AtOperation pause;
    pause.component = *component;
    for (std::size_t at = 2; at < words.size(); ++at) {
        if (words[at] == "tag")
            pause.tag = static_cast<std::uint32_t>(count_at(words, ++at, 0, UINT32_MAX));
        else if (words[at] == "nth")
            pause.nth = count_at(words, ++at, 1, UINT64_MAX);
        else if (words[at] == "ends")
            pause.ends = true;
        else if (at == 2)
            pause.opcode =
                parse_opcode(machine.queue(*component)->queue().declaration(), words[at]);
        else
            throw PokeError("'" + words[at] + "'; " + pause_forms);
    }
    return pause;
}

Pause parse_pause(const MachineView& machine, const Words& words)
{
    if (words.size() < 2 || (words.size() == 2 && words[1] == "time"))
        throw PokeError(pause_forms);
    if (words[1] == "start" && words.size() == 2)
        return AtStart{};
    if (words[1] == "time")
        return parse_time(words);
    if (words[1] == "pc")
        return parse_pc(machine, words);
    if (words[1] == "counter")
        return parse_counter(machine, words);
    return parse_operation(machine, words);
}

/// Reads `show`, which accepts the monitor commands without side effects.
ScriptCommand parse_show(const MachineView& machine, const Words& words)
{
    Words known{"blocks", "descriptors", "sync", "time", "memory"};
    for (const PlannedComponent& component : machine.plan().components)
        known.push_back(component.name);
    for (const System::Peripheral& peripheral : machine.system().peripherals())
        known.emplace_back(peripheral.name);
    if (words.size() == 2 && words[1].find('.') != std::string::npos)
        (void)parse_register(machine, words[1]);
    else if (words.size() < 2 || std::ranges::find(known, words[1]) == known.end())
        throw PokeError("expected show BLOCK.REGISTER or show WHAT, as after 'monitor'" +
                        (words.size() < 2 ? "" : config::suggestion(words[1], known)));
    std::string command = words[1];
    for (std::size_t i = 2; i < words.size(); ++i)
        command += " " + words[i];
    return Show{command};
}

ScriptCommand parse_command(const MachineView& machine, const Words& words, const Pause& pause)
{
    if (words[0] == "halt" && words.size() == 1)
        return Halt{};
    if (words[0] == "show")
        return parse_show(machine, words);
    if (words[0] != "set" && words[0] != "flip")
        throw PokeError("'" + words[0] +
                        "' is not a command of scripts; expected at, set, flip, show or halt");
    const Poke poke = parse_poke(machine, words);
    const auto* const core = std::get_if<CoreRegister>(&poke.target);
    if (core != nullptr && !std::holds_alternative<AtPc>(pause))
        throw PokeError("a register of the core can be changed only between two instructions; "
                        "expected this below 'at pc ADDRESS'");
    return poke;
}

} // namespace

Script parse_script(const MachineView& machine, const std::string& text, const std::string& file)
{
    Script script{file, {}};
    const auto name = std::make_shared<const std::string>(file);
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line = line.substr(0, line.find('#'));
        const Words words = words_of(line);
        if (words.empty())
            continue;
        try {
            if (words[0] == "at")
                script.steps.push_back({number, line, parse_pause(machine, words), {}});
            else if (script.steps.empty())
                throw PokeError("'" + words[0] + "' comes before the first pause; " + pause_forms);
            else
                script.steps.back().actions.push_back(
                    {number, parse_command(machine, words, script.steps.back().pause)});
        } catch (const PokeError& error) {
            throw config::Error(file + ":" + std::to_string(number) + ": " + error.what());
        }
    }
    return script;
}

Script read_script(const MachineView& machine, const std::filesystem::path& file)
{
    constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
    std::string why;
    const std::optional<std::string> text = config::read_file(file, most_bytes, why);
    if (!text)
        throw config::Error(file.string() + ": the script " + why);
    if (text->find('\0') != std::string::npos)
        throw config::Error(file.string() + ": the script cannot be read; expected a text file");
    return parse_script(machine, *text, file.string());
}

} // namespace levee::debug
