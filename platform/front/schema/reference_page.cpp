// SPDX-License-Identifier: Apache-2.0
#include "core/component/keys.hpp"
#include "core/component/registry.hpp"
#include "platform/front/schema/schema.hpp"
#include "platform/front/schema/texts.hpp"
#include "platform/input/config/scenario_keys.hpp"
#include "platform/observe/decisions/statistics.hpp"
#include "platform/observe/energy/price_keys.hpp"
#include "platform/studies/faults/study_keys.hpp"
#include "platform/studies/reproduce/reproduction_keys.hpp"
#include "platform/studies/sweep/study_keys.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace levee::schema {

namespace {

using config::Key;

constexpr const char* introduction =
    "# Keys\n\n"
    "`levee schema --markdown` makes this page from the declarations of the keys "
    "in the program. Explanations are in [scenarios.md](scenarios.md), [sweeps.md](sweeps.md), "
    "[faults.md](faults.md), "
    "[reproduce.md](reproduce.md), [energy.md](energy.md), [timing_only.md](timing_only.md) and "
    "the "
    "READMEs of components. "
    "`levee schema` prints the same content as a JSON Schema.\n\n"
    "A key without a default must be given, unless another key replaces it.\n";

/// Returns a text for a cell of a Markdown table, with '|' escaped.
std::string cell(std::string text)
{
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, "\\");
    return text;
}

class Page {
public:
    void section(const std::string& title) { text_ += "\n## " + title + "\n"; }

    /// Adds a table of a map's keys, and tables of the maps in it. `path` is the map's path; empty
    /// for the whole file.
    void keys(const std::string& heading, const std::string& path, std::span<const Key> keys)
    {
        text_ += "\n### " + heading + "\n\n" + table(keys);
        for (const Key& key : keys)
            inner(path_in(path, key), key);
    }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    /// Adds the table of a map, or a reference to the table if the page already has it.
    void named(const std::string& path, const Key& key)
    {
        const auto [first, is_new] = paths_.emplace(key.keys.data(), path);
        const bool is_first = is_new && forms_.insert(path).second;
        if (is_new)
            keys("`" + path + "`" + (is_first ? "" : ": " + std::string(key.meaning)), path,
                 key.keys);
        else if (first->second != path)
            text_ += "\n### `" + path + "`\n\nAs `" + first->second + "`.\n";
    }

    /// Adds tables for the maps in a key's value.
    void inner(const std::string& path, const Key& key)
    {
        const bool is_map = key.kind == Key::Kind::Map || key.kind == Key::Kind::Maps;
        if (!is_map && key.kind != Key::Kind::Named)
            for (const Key& form : key.keys)
                inner(path, form);
        else if (!key.keys.empty())
            named(is_map ? path : path + "." + some_name, key);
    }

    static std::string table(std::span<const Key> keys)
    {
        const bool sources = std::ranges::any_of(keys, &Key::source);
        std::string text = "| key | type | values | default | meaning |";
        text += sources ? " source |\n|---|---|---|---|---|---|\n" : "\n|---|---|---|---|---|\n";
        for (const Key& key : keys)
            text += row(key, sources);
        return text;
    }

    static std::string row(const Key& key, bool sources)
    {
        const std::string name =
            key.name == config::any_name ? "any name" : "`" + std::string(key.name) + "`";
        std::string text = "| " + name + " | " + cell(type_of(key)) + " | " + cell(range_of(key)) +
                           " | " + cell(default_of_key(key)) + " | " + cell(key.meaning) + " |";
        if (sources)
            text += std::string(" ") + (key.source != nullptr ? cell(key.source) : "") + " |";
        return text + "\n";
    }

    std::string text_;
    std::set<std::string> forms_;             ///< paths that have a table
    std::map<const Key*, std::string> paths_; ///< path of the first map that has each list of
                                              ///< keys
};

void component_tables(Page& page, bool stores)
{
    for (const ComponentType& type : component_types()) {
        const std::span<const Key> keys = keys_of(*type.declaration);
        if (type.declaration->stores == stores && !keys.empty())
            page.keys("`" + type.name() + "`", type.name(), keys);
    }
}

} // namespace

std::string reference_page()
{
    Page page;
    page.section("Scenarios");
    page.keys("The file", "", config::scenario_keys());
    page.section("Memories");
    component_tables(page, true);
    page.section("Blocks");
    component_tables(page, false);
    page.section("Studies and explorations");
    page.keys("The study's file", "", sweep::study_keys);
    page.section("Fault campaigns");
    page.keys("The campaign's file", "", campaign::study_keys);
    page.section("Reproductions");
    page.keys("The reproduction's file", "", reproduce::reproduction_keys);
    page.section("Price lists");
    page.keys("The price list's file", "", energy::price_list_keys);
    page.section("Statistics");
    const Key statistics[] = {statistics_key(some_name)};
    page.keys("The statistics' file", "", statistics);
    return introduction + page.text();
}

} // namespace levee::schema
