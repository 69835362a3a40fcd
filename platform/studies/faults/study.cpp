// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/study.hpp"

#include "core/config/reader.hpp"
#include "platform/studies/faults/study_keys.hpp"
#include "platform/studies/sweep/points.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace levee::campaign {

namespace {

using config::Error;
using config::MapReader;
using config::Node;

/// Returns the list at `key`; empty if the key is missing. Throws config::Error if the study has an
/// empty list.
std::vector<std::string> read_list(MapReader& reader, const char* key)
{
    std::vector<std::string> texts = reader.strings(key, std::vector<std::string>{});
    if (reader.has(key) && texts.empty())
        throw reader.error(key, "is empty; expected at least one item, or no such key");
    return texts;
}

std::vector<Picoseconds> read_times(MapReader& reader)
{
    std::vector<Picoseconds> times;
    const std::vector<std::string> texts = read_list(reader, "at");
    const Node* const list = reader.raw("at", false);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto time = config::parse_quantity(texts[i], config::Dimension::Time);
        if (!time.error.empty())
            throw Error(list->items[i].place,
                        "'" + reader.path() + ".at' has '" + texts[i] + "', which " + time.error);
        times.push_back(time.value);
    }
    return times;
}

When read_when(MapReader reader)
{
    When when;
    when.place = reader.node().place;
    when.at = read_times(reader);
    when.from = reader.quantity("from");
    if (reader.has("to"))
        when.to = reader.quantity("to");
    if (reader.has("token"))
        when.token = reader.quantity32("token");
    if (reader.has("pass"))
        when.pass = reader.quantity32("pass");
    const bool interval = reader.has("from") || when.to;
    if (int{!when.at.empty()} + int{interval} + int{when.token.has_value()} +
            int{when.pass.has_value()} >
        1)
        throw Error(when.place, "'" + reader.path() +
                                    "' states the times twice; expected only one of 'at', 'token', "
                                    "'pass', or 'from' with 'to'");
    if (when.to && *when.to <= when.from)
        throw reader.error("to", "is not later than 'from'; expected a later time");
    reader.finish();
    return when;
}

std::optional<unsigned> bit_number(std::string_view text)
{
    unsigned bit = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), bit);
    const bool whole = status == std::errc() && end == text.data() + text.size();
    return whole && bit < most_element_bits ? std::optional(bit) : std::nullopt;
}

/// Reads a number, such as 3, or a range, such as "8-15".
std::vector<unsigned> read_bits(const Node& item)
{
    const std::string text = item.quoted ? item.scalar : config::plain_number(item.scalar);
    const std::size_t dash = text.find('-');
    const auto first = bit_number(std::string_view(text).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : bit_number(std::string_view(text).substr(dash + 1));
    if (!first || !last || *last < *first)
        throw Error(item.place, "'bits' has " + config::in_quotes(text) +
                                    "; expected bit numbers from 0 to 63, or ranges such as 8-15");
    std::vector<unsigned> bits;
    for (unsigned bit = *first; bit <= *last; ++bit)
        bits.push_back(bit);
    return bits;
}

std::vector<unsigned> read_bits(MapReader& reader)
{
    std::vector<unsigned> bits;
    (void)read_list(reader, "bits");
    const Node* const list = reader.raw("bits", false);
    for (const Node& item : list != nullptr ? list->items : std::vector<Node>{})
        for (const unsigned bit : read_bits(item))
            if (std::ranges::find(bits, bit) == bits.end())
                bits.push_back(bit);
    return bits;
}

/// Reads the kind and name of a place. Exactly one key must state them.
void read_place(MapReader& reader, Site& site)
{
    std::vector<std::string> kinds;
    for (const faults::NamedKind& kind : faults::place_kinds) {
        kinds.emplace_back(kind.name);
        if (!reader.has(kind.name))
            continue;
        if (!site.of.empty())
            throw reader.error(kind.name, "is a second place for this site; expected only one");
        site.kind = kind.kind;
        site.of = reader.string(kind.name);
        site.place = reader.raw(kind.name, true)->place;
    }
    if (!site.of.empty())
        return;
    std::string list;
    for (const std::string& kind : kinds)
        list += (list.empty() ? "" : ", ") + kind;
    throw Error(reader.node().place,
                "'" + reader.path() +
                    "' does not say where the fault is; expected one of the keys " + list);
}

void refuse_narrowing(MapReader& reader, const Site& site)
{
    using faults::PlaceKind;
    const bool pieces = site.kind == PlaceKind::Register || site.kind == PlaceKind::Descriptors;
    const auto refuse = [&](const char* key, bool fits) {
        if (reader.has(key) && !fits)
            throw reader.error(key,
                               std::string("cannot be used with '") + named(site.kind).name + "'");
    };
    refuse("from", site.kind == PlaceKind::Memory);
    refuse("to", site.kind == PlaceKind::Memory);
    refuse("only", pieces);
    refuse("element", !pieces);
    refuse("within", !pieces);
    if (site.together && site.bits.empty())
        throw reader.error("together", "needs 'bits', which lists the bits to flip in one run");
    for (const unsigned bit : site.bits)
        if (!pieces && bit >= site.element_bits)
            throw reader.error("bits", "has bit " + std::to_string(bit) +
                                           ", but an element has only " +
                                           std::to_string(site.element_bits) + " bits ('element')");
}

Site read_site(const Node::Entry& entry, const std::string& path, const When& usual)
{
    MapReader reader(entry.value, path + "." + entry.key, site_keys);
    Site site;
    site.name = entry.key;
    read_place(reader, site);
    site.from = reader.quantity("from");
    if (reader.has("to"))
        site.to = reader.quantity("to");
    if (reader.has("within"))
        site.within = reader.string("within");
    site.only = read_list(reader, "only");
    site.has_element = reader.has("element");
    site.element_bits = reader.quantity32("element");
    if (!std::has_single_bit(site.element_bits))
        throw reader.error("element", "is " + std::to_string(site.element_bits) +
                                          "; expected 8, 16, 32 or 64");
    site.bits = read_bits(reader);
    site.together = reader.boolean("together");
    site.when = usual;
    if (const auto when = reader.map("when"))
        site.when = read_when(*when);
    refuse_narrowing(reader, site);
    reader.finish();
    return site;
}

std::vector<Site> read_sites(MapReader& reader, const When& usual)
{
    const Node* const node = reader.raw("sites", true);
    if (node == nullptr)
        return {};
    if (!node->is_map() || node->entries.empty())
        throw reader.error("sites",
                           "is " + (node->is_map() ? "empty" : std::string(node->kind_name())) +
                               "; expected names, each with a place");
    std::vector<Site> sites;
    for (const Node::Entry& entry : node->entries)
        sites.push_back(read_site(entry, reader.path() + ".sites", usual));
    return sites;
}

Until read_until(MapReader reader)
{
    Until until;
    until.width = reader.real("width");
    until.batch = reader.quantity32("batch");
    until.most = reader.quantity32("most");
    reader.finish();
    return until;
}

void read_faults(MapReader reader, Study& study)
{
    When usual;
    if (const auto when = reader.map("when"))
        usual = read_when(*when);
    study.sites = read_sites(reader, usual);
    if (reader.has("number") == reader.has("until"))
        throw Error(reader.node().place,
                    "'faults' has " + std::string(reader.has("number") ? "both" : "neither") +
                        " of 'number' and 'until'; expected one of them");
    if (reader.has("number"))
        study.number = reader.quantity32("number");
    if (const auto until = reader.map("until"))
        study.until = read_until(*until);
    study.confidence = reader.real("confidence");
    study.seed = reader.quantity("seed");
    study.limit = reader.real("limit");
    reader.finish();
}

} // namespace

Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                 const std::vector<std::string>& overrides)
{
    const Node root = config::load_yaml(file);
    MapReader reader(root, "", study_keys);
    Study study;
    study.file = file;
    study.name = reader.string("name", file.stem().string());
    if (study.name.empty() || study.name.front() == '.' ||
        study.name.find('/') != std::string::npos)
        throw reader.error("name", "cannot be the name of a folder in out/; expected a name "
                                   "without '/' that does not begin with '.'");
    const std::string scenario = reader.string("scenario");
    const Node* const scenario_node = reader.raw("scenario", false);
    if (const Node* const set = reader.raw("set", false))
        study.overrides = sweep::read_overrides(*set, "set");
    study.origins = sweep::Origins(root);
    study.overrides.insert(study.overrides.end(), overrides.begin(), overrides.end());
    if (const auto faults = reader.map("faults"))
        read_faults(*faults, study);
    reader.finish();
    study.scenario = finder.within(file.parent_path()).scenario(scenario, scenario_node->place);
    return study;
}

} // namespace levee::campaign
