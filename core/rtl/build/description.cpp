// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/description.hpp"

#include "core/config/file_finder.hpp"
#include "core/config/reader.hpp"
#include "core/rtl/build/description_keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;
using config::Error;
using config::in_quotes;
using config::MapReader;
using config::Node;

bool is_name_letter(char letter)
{
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$';
}

bool is_name(std::string_view text)
{
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::ranges::all_of(text, is_name_letter);
}

/// Whether the text names a pin or part of one: "name", "name[3]" or "name[7:0]".
bool is_pin(std::string_view text)
{
    const std::size_t bracket = text.find('[');
    if (!is_name(text.substr(0, bracket)))
        return false;
    if (bracket == std::string_view::npos)
        return true;
    const std::string_view range = text.substr(bracket);
    return range.size() > 2 && range.back() == ']' &&
           std::ranges::all_of(range.substr(1, range.size() - 2), [](char letter) {
               return std::isdigit(static_cast<unsigned char>(letter)) != 0 || letter == ':';
           });
}

/// Whether the text is a constant, such as "0", "12" or "8'hff".
bool is_constant(std::string_view text)
{
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
           std::ranges::all_of(
               text, [](char letter) { return is_name_letter(letter) || letter == '\''; });
}

const Node& scalar(const Node& node, const std::string& what, const char* expected)
{
    if (!node.is_scalar())
        throw Error(node.place,
                    what + " is " + std::string(node.kind_name()) + "; expected " + expected);
    return node;
}

std::vector<fs::path> read_files(MapReader& reader, const std::string& key, bool folders)
{
    std::vector<fs::path> paths;
    const Node* const node = reader.raw(key, !folders);
    if (node == nullptr)
        return paths;
    if (!node->is_list())
        throw reader.error(key, "is " + std::string(node->kind_name()) + "; expected a list");
    for (const Node& item : node->items) {
        const char* const expected = folders ? "a folder" : "a SystemVerilog file";
        const fs::path written = scalar(item, "an item of '" + key + "'", expected).scalar;
        const fs::path path =
            fs::absolute(config::folder_beside(item.place) / written).lexically_normal();
        if (folders ? !fs::is_directory(path) : !fs::is_regular_file(path))
            throw Error(item.place, "there is no " + std::string(folders ? "folder " : "file ") +
                                        path.string() + "; expected " + expected +
                                        ", relative to this YAML file");
        if (path.string().find('\n') != std::string::npos)
            throw Error(item.place, in_quotes(path.string()) +
                                        " has a line break, which Verilator omits from names; "
                                        "expected a path without one");
        paths.push_back(path);
    }
    if (paths.empty() && !folders)
        throw reader.error(key, "is empty; expected SystemVerilog files, packages first");
    return paths;
}

/// Verilator options that a description may contain. They affect only warnings and how the language
/// is read. An option matches as a whole word, with its value in the next word, or by its prefix.
/// One dash is equivalent to two.
constexpr std::array<std::string_view, 12> plain_options{
    "-timing",         "-no-timing",      "-bbox-sys",          "-bbox-unsup",
    "-autoflush",      "-structs-packed", "-relative-includes", "-no-relative-includes",
    "-x-initial-edge", "-assert",         "-no-assert",         "-sv"};
constexpr std::array<std::string_view, 11> valued_options{
    "-x-assign",     "-x-initial",          "-language",       "-default-language",
    "-timescale",    "-timescale-override", "-converge-limit", "-max-num-width",
    "-unroll-count", "-unroll-stmts",       "-error-limit"};
constexpr std::array<std::string_view, 9> beginnings{"-W", "-G",    "-pvalue+", "-D", "-U",
                                                     "-O", "-fno-", "+define+", "+1"};

std::string_view with_one_dash(std::string_view word)
{
    return word.starts_with("--") ? word.substr(1) : word;
}

bool is_valued(const std::string& word)
{
    return std::ranges::find(valued_options, with_one_dash(word)) != valued_options.end();
}

bool is_allowed(const std::string& word)
{
    const std::string_view option = with_one_dash(word);
    return std::ranges::find(plain_options, option) != plain_options.end() ||
           std::ranges::any_of(beginnings,
                               [&](std::string_view text) { return option.starts_with(text); });
}

std::vector<std::string> read_arguments(MapReader& reader)
{
    std::vector<std::string> words = reader.strings("verilator");
    const auto refuse = [&](std::size_t word, const std::string& why) {
        return Error(reader.raw("verilator", false)->items[word].place,
                     "'verilator' has " + in_quotes(words[word]) + why);
    };
    for (std::size_t i = 0; i < words.size(); ++i)
        if (is_valued(words[i])) {
            if (i + 1 == words.size() || words[i + 1].starts_with('-'))
                throw refuse(i, " without a value; expected it as the next item of the list");
            ++i;
        } else if (!is_allowed(words[i]))
            throw refuse(i, "; expected options for warnings (-Wno-WIDTH), parameters and macros "
                            "(-GDepth=4, -DFAST) or the language (--no-timing), with a value as "
                            "a separate item (--x-assign, unique); files and folders belong "
                            "under 'files' and 'include', and Levee chooses the output folders");
    return words;
}

/// Whether includes are relative to the source. As in Verilator, the last option about this takes
/// effect.
bool are_includes_relative(const std::vector<std::string>& arguments)
{
    bool relative = false;
    for (const std::string& word : arguments)
        if (with_one_dash(word) == "-relative-includes")
            relative = true;
        else if (with_one_dash(word) == "-no-relative-includes")
            relative = false;
    return relative;
}

Connection read_pin(const Node::Entry& entry)
{
    constexpr const char* expected =
        "a pin of the boundary (cmd_valid_i, ~rst_ni, data_i[7:0]), a constant, or open";
    const std::string what = "the connection of port '" + entry.key + "'";
    std::string text = scalar(entry.value, what, expected).scalar;
    Connection pin{entry.key, text, false, entry.value.place};
    if (text == "open") {
        pin.to.clear();
        return pin;
    }
    if (text.starts_with('~') || text.starts_with('!')) {
        pin.inverted = true;
        pin.to = text = text.substr(1);
    }
    if (!is_pin(text) && !is_constant(text))
        throw Error(entry.value.place,
                    what + " is " + in_quotes(entry.value.scalar) + "; expected " + expected);
    return pin;
}

Connection read_absent(const Node::Entry& entry)
{
    const std::string& text =
        scalar(entry.value, "the value of '" + entry.key + "'", "a constant").scalar;
    if (!is_constant(text))
        throw Error(entry.value.place, "'" + entry.key + "' is " + in_quotes(text) +
                                           "; expected a constant: the value of a missing output "
                                           "pin, or 0 for a missing input pin");
    return {entry.key, text, false, entry.value.place};
}

Connection read_parameter(const Node::Entry& entry)
{
    const Node& value = scalar(entry.value, "parameter '" + entry.key + "'", "a value");
    return {entry.key, value.quoted ? '"' + value.scalar + '"' : value.scalar, false, value.place};
}

void read_sizes(MapReader& reader, Description& description)
{
    if (std::optional<MapReader> sizes = reader.map("size"))
        for (const Node::Entry& entry : sizes->node().entries)
            description.sizes[entry.key] = sizes->quantity(entry.key);
}

template <typename Read>
void read_map(MapReader& reader, const std::string& key, std::vector<Connection>& to, Read read)
{
    if (const std::optional<MapReader> map = reader.map(key))
        for (const Node::Entry& entry : map->node().entries)
            to.push_back(read(entry));
}

} // namespace

Description read_description(const Node& node)
{
    Description description;
    MapReader reader(node, "", description_keys);
    description.name = node.place.file ? *node.place.file : "rtl";
    description.place = node.place;
    description.files = read_files(reader, "files", false);
    description.includes = read_files(reader, "include", true);
    description.arguments = read_arguments(reader);
    description.relative_includes = are_includes_relative(description.arguments);
    description.top = reader.string("top");
    if (const Node* const top = reader.raw("top", true))
        description.top_place = top->place;
    std::vector<Connection> defines;
    read_map(reader, "defines", defines, read_parameter);
    for (const Connection& define : defines)
        description.defines.push_back(define.port + "=" + define.to);
    read_map(reader, "parameters", description.parameters, read_parameter);
    read_map(reader, "pins", description.pins, read_pin);
    read_map(reader, "absent", description.absent, read_absent);
    read_sizes(reader, description);
    reader.finish();
    if (!is_name(description.top))
        throw reader.error("top",
                           "is " + in_quotes(description.top) + "; expected a module's name");
    return description;
}

} // namespace levee::own_rtl
