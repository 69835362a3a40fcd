// SPDX-License-Identifier: Apache-2.0
#include "core/config/reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace levee::config {

MapReader::MapReader(const Node& node, std::string path) : node_(&node), path_(std::move(path))
{
    if (!node.is_map())
        throw Error(node.place, (path_.empty() ? "the file" : in_quotes(path_)) + " is " +
                                    std::string(node.kind_name()) +
                                    "; expected a map of keys and values");
}

MapReader::MapReader(const Node& node, std::string path, std::span<const Key> keys)
    : MapReader(node, std::move(path))
{
    keys_ = keys;
    for (auto key = keys.begin(); key != keys.end(); ++key)
        if (std::any_of(keys.begin(), key, [key](const Key& other) {
                return std::string_view(other.name) == key->name;
            }))
            throw std::logic_error(in_quotes(full(key->name)) + " is declared twice");
}

const Key* MapReader::declared(const std::string& key) const
{
    if (keys_.empty())
        return nullptr;
    const Key* const found = find_key(keys_, key);
    if (found == nullptr)
        throw std::logic_error(in_quotes(full(key)) + " is read and not declared");
    return found;
}

const Key& MapReader::declared_as(const std::string& key, Key::Kind kind) const
{
    const Key* const found = declared(key);
    if (found == nullptr || found->kind != kind)
        throw std::logic_error(in_quotes(full(key)) + " is not declared with this type");
    return *found;
}

void MapReader::show(const Key* key, const std::string& value)
{
    const auto is_this = [key](const auto& one) { return one.first == key->name; };
    if (key != nullptr && std::ranges::none_of(shown_, is_this))
        shown_.emplace_back(key->name, value);
}

std::string MapReader::full(const std::string& key) const
{
    return path_.empty() ? key : path_ + "." + key;
}

Error MapReader::error(const std::string& key, const std::string& message) const
{
    const Node* value = node_->find(key);
    return Error(value ? value->place : node_->place, in_quotes(full(key)) + " " + message);
}

namespace {

/// Adds the paths of all keys called `name` below `node`. `path` is the path of `node`.
void find_paths(const Node& node, const std::string& path, const std::string& name,
                std::vector<std::string>& found)
{
    for (const Node::Entry& entry : node.entries) {
        const std::string full = path.empty() ? entry.key : path + "." + entry.key;
        if (entry.key == name && !path.empty())
            found.push_back(full);
        find_paths(entry.value, full, name, found);
    }
}

/// Hint for a key that is missing at the root but exists in one of its maps, such as "; did you
/// mean 'kv_cache.policy'?".
std::string deeper(const Node& root, const std::string& name)
{
    constexpr std::size_t most_named = 8;
    std::vector<std::string> paths;
    find_paths(root, "", name, paths);
    if (paths.empty() || paths.size() > most_named)
        return {};
    std::string text = "; did you mean '";
    for (const std::string& path : paths)
        text += (&path == &paths.front() ? "" : " or '") + path + "'";
    return text + "?";
}

} // namespace

void MapReader::finish() const
{
    for (const Node::Entry& entry : node_->entries) {
        if (std::find(known_.begin(), known_.end(), entry.key) != known_.end())
            continue;
        const std::string hint = path_.empty() ? deeper(*node_, entry.key) : std::string();
        throw Error(entry.place, "unknown key " + in_quotes(full(entry.key)) +
                                     (hint.empty() ? suggestion(entry.key, known_) : hint));
    }
    std::vector<std::string> names;
    for (const std::string& key : missing_)
        names.push_back(in_quotes(key));
    std::string reason;
    for (const Key& key : keys_)
        if (is_lacking(key)) {
            const Needed& needed = key.needed;
            const bool has_other = needed.in_place != nullptr;
            names.push_back(in_quotes(key.name) +
                            (has_other ? " (or " + in_quotes(needed.in_place) + ")" : ""));
            if (needed.with != nullptr && missing_.empty())
                reason =
                    ", which " +
                    in_quotes(needed.with +
                              (needed.values.empty() ? "" : ": " + text_of(needed.with).value())) +
                    " needs";
        }
    if (names.empty())
        return;
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + name;
    throw Error(node_->place, (path_.empty() ? "the file" : in_quotes(path_)) + " lacks the key" +
                                  (names.size() > 1 ? "s " : " ") + list + reason);
}

std::optional<std::string> MapReader::text_of(const std::string& key) const
{
    if (const Node* const value = node_->find(key))
        return value->scalar;
    const Key* const own = find_key(keys_, key);
    if (own == nullptr || own->otherwise == nullptr)
        return std::nullopt;
    return own->otherwise;
}

bool MapReader::is_lacking(const Key& key) const
{
    const Needed& needed = key.needed;
    if (!needed.is_stated() || node_->find(key.name) != nullptr ||
        (needed.in_place != nullptr && node_->find(needed.in_place) != nullptr))
        return false;
    if (needed.with == nullptr)
        return true;
    const std::optional<std::string> value = text_of(needed.with);
    return value && needed.holds(*value);
}

void MapReader::know(const std::string& key)
{
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
        known_.push_back(key);
}

bool MapReader::has(const std::string& key)
{
    (void)declared(key);
    know(key);
    return node_->find(key) != nullptr;
}

const Node* MapReader::value_of(const std::string& key, bool required)
{
    (void)declared(key);
    know(key);
    const Node* value = node_->find(key);
    if (!value && required && std::find(missing_.begin(), missing_.end(), key) == missing_.end())
        missing_.push_back(key);
    if (value && value->is_null())
        throw Error(value->place, in_quotes(full(key)) + " has no value");
    return value;
}

const Node* MapReader::raw(const std::string& key, bool required)
{
    return value_of(key, required);
}

const Node* MapReader::scalar_of(const std::string& key, bool required, std::string_view expected)
{
    const Node* value = value_of(key, required);
    if (value && !value->is_scalar())
        throw error(key, "is " + std::string(value->kind_name()) + "; expected " +
                             std::string(expected));
    return value;
}

namespace {

bool is_plain_number(const std::string& text)
{
    return parse_quantity(text, Dimension::Count).error.empty();
}

/// Whether a key accepts any text, unlike a key with several forms that are all numbers.
bool takes_text(const Key& key)
{
    return key.kind != Key::Kind::Any || key.keys.empty() ||
           std::ranges::find(key.keys, Key::Kind::Text, &Key::kind) != key.keys.end();
}

} // namespace

std::string MapReader::string(const std::string& key, std::optional<std::string> otherwise)
{
    const Key* const own = declared(key);
    if (own != nullptr && own->otherwise != nullptr)
        otherwise = own->otherwise;
    const Node* value = scalar_of(key, own != nullptr ? own->is_required() : !otherwise, "text");
    const bool is_form =
        own != nullptr && own->pattern != nullptr; // Without a pattern, a number is also a text.
    if (value != nullptr && is_form && !to_json(*value).is_string())
        throw error(key,
                    "is " + value->scalar + "; expected text, '" + value->scalar + "' in quotes");
    if (value != nullptr && value->quoted && own != nullptr && !takes_text(*own) &&
        is_plain_number(value->scalar))
        throw error(key, "is " + in_quotes(value->scalar) + " in quotes, which is text; expected " +
                             own->form);
    if (value != nullptr || otherwise)
        show(own, value ? value->scalar : *otherwise);
    return value ? value->scalar : otherwise.value_or("");
}

bool MapReader::boolean(const std::string& key, std::optional<bool> otherwise)
{
    const Key* const own = declared(key);
    if (own != nullptr && own->otherwise != nullptr)
        otherwise = std::string_view(own->otherwise) == "true";
    const Node* value = scalar_of(key, !otherwise, "true or false");
    const std::optional<bool> boolean = value != nullptr ? plain_boolean(*value) : otherwise;
    if (value != nullptr || otherwise)
        show(own, boolean ? (*boolean ? "true" : "false") : value->scalar);
    if (!value)
        return otherwise.value_or(false);
    if (!boolean)
        throw error(key, "is " + in_quotes(value->scalar) + "; expected true or false");
    return *boolean;
}

double MapReader::real(const std::string& key, double least, double most,
                       std::optional<double> otherwise)
{
    const Node* value = scalar_of(key, !otherwise, "a number");
    if (value != nullptr)
        show(declared(key), value->scalar);
    if (!value)
        return otherwise.value_or(0.0);
    const std::string text = plain_number(value->scalar);
    double number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (value->quoted || status != std::errc() || end != text.data() + text.size())
        throw error(key, "is " + in_quotes(text) + "; expected a number without a unit");
    if (!(number >= least && number <= most)) {
        char low[32], high[32];
        *std::to_chars(low, low + 31, least).ptr = 0;
        *std::to_chars(high, high + 31, most).ptr = 0;
        throw error(key, "is " + text + "; expected a number from " + low + " to " + high);
    }
    return number;
}

double MapReader::real(const std::string& key)
{
    const Key& own = declared_as(key, Key::Kind::Real);
    std::optional<double> otherwise;
    if (own.otherwise != nullptr) {
        otherwise = std::stod(own.otherwise);
        if (node_->find(key) == nullptr)
            show(&own, own.otherwise);
    } else if (own.otherwise_is != nullptr)
        otherwise = 0.0; // The caller checks whether the key is given.
    return real(key, own.least, own.most, otherwise);
}

std::uint64_t MapReader::quantity(const std::string& key, Dimension dimension, Limits limits,
                                  std::optional<std::uint64_t> otherwise)
{
    const Key* const own = declared(key);
    if (own != nullptr) {
        if (own->dimension != dimension || limits != Limits{})
            throw std::logic_error(in_quotes(full(key)) + " is read in another way than declared");
        limits = own->limits;
        if (own->otherwise != nullptr)
            otherwise = parse_quantity(own->otherwise, dimension).value;
    }
    const std::string expected(describe(dimension));
    const Node* value = scalar_of(key, own != nullptr ? own->is_required() : !otherwise, expected);
    if (!value) {
        if (otherwise)
            show(own, format_quantity(*otherwise, dimension));
        return otherwise.value_or(0);
    }
    limits = bounds_of(limits, dimension);
    const QuantityResult result = parse_quantity(value->scalar, dimension);
    if (value->quoted && is_plain_number(value->scalar))
        throw error(key, "is " + in_quotes(value->scalar) + " in quotes, which is text; expected " +
                             expected);
    if (!result.error.empty())
        throw error(key, "is " + in_quotes(value->scalar) + ", which " + result.error +
                             "; expected " + expected);
    if (result.value < limits.least)
        throw error(key, "is " + value->scalar + "; expected at least " +
                             format_quantity(limits.least, dimension));
    if (result.value > limits.most)
        throw error(key, "is " + value->scalar + "; expected at most " +
                             format_quantity(limits.most, dimension));
    show(own, format_quantity(result.value, dimension));
    return result.value;
}

std::uint64_t MapReader::quantity(const std::string& key)
{
    const Key* const own = declared(key);
    return quantity(key, own != nullptr ? own->dimension : Dimension::Count);
}

std::uint64_t MapReader::quantity(const std::string& key, std::uint64_t otherwise)
{
    const Key* const own = declared(key);
    return quantity(key, own != nullptr ? own->dimension : Dimension::Count, {}, otherwise);
}

std::uint32_t MapReader::quantity32(const std::string& key)
{
    const Key* const own = declared(key);
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (own != nullptr && own->limits.most > most)
        throw std::logic_error(in_quotes(full(key)) + " has no bound within 32 bits");
    return static_cast<std::uint32_t>(quantity(key));
}

std::uint64_t MapReader::pages(const std::string& key, Limits limits)
{
    constexpr std::uint64_t page = 4096;
    if (const Key* const own = declared(key); own != nullptr && own->kind != Key::Kind::Pages)
        throw std::logic_error(in_quotes(full(key)) + " is not declared as pages");
    const std::uint64_t bytes = quantity(key, Dimension::Size, limits);
    if (bytes % page == 0)
        return bytes;
    const std::string written = node_->find(key)->scalar;
    std::string binary = written;
    if (const std::size_t prefix = binary.find_first_of("kMG"); prefix != std::string::npos)
        binary.replace(prefix, 1, binary[prefix] == 'k' ? "Ki" : binary.substr(prefix, 1) + "i");
    const QuantityResult meant = parse_quantity(binary, Dimension::Size);
    const bool is_likely = meant.error.empty() && meant.value % page == 0;
    throw error(key, "is " + written + ", " + std::to_string(bytes) +
                         " bytes, which is not a multiple of 4 KiB" +
                         (is_likely ? "; did you mean " + binary + "?" : ""));
}

std::uint64_t MapReader::count(const std::string& key, Limits limits,
                               std::optional<std::uint64_t> otherwise)
{
    return quantity(key, Dimension::Count, limits, otherwise);
}

std::uint32_t MapReader::count32(const std::string& key, Limits limits,
                                 std::optional<std::uint32_t> otherwise)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (declared(key) == nullptr)
        limits.most = std::min(limits.most, most);
    const std::uint64_t value = quantity(key, Dimension::Count, limits, otherwise);
    if (value > most)
        throw error(key,
                    "is " + std::to_string(value) + "; expected at most " + std::to_string(most));
    return static_cast<std::uint32_t>(value);
}

std::vector<std::string> MapReader::strings(const std::string& key,
                                            std::optional<std::vector<std::string>> otherwise)
{
    const Key* const own = declared(key);
    const Node* value = value_of(key, own != nullptr ? own->is_required() : !otherwise);
    if (!value)
        return otherwise.value_or(std::vector<std::string>{});
    if (!value->is_list())
        throw error(key, "is " + std::string(value->kind_name()) + "; expected a list of texts");
    std::vector<std::string> result;
    for (const Node& item : value->items) {
        if (!item.is_scalar())
            throw Error(item.place, "an item of " + in_quotes(full(key)) + " is " +
                                        std::string(item.kind_name()) + "; expected text");
        if (own != nullptr && own->no_empty_items && item.scalar.empty())
            throw Error(item.place,
                        "an item of " + in_quotes(full(key)) + " is empty; expected text");
        result.push_back(item.scalar);
    }
    return result;
}

std::size_t find_word(const Node& node, const std::string& path,
                      const std::vector<std::string>& names)
{
    const std::optional<bool> boolean = plain_boolean(node);
    const std::string word = boolean ? (*boolean ? "true" : "false") : node.scalar;
    const auto found = std::find(names.begin(), names.end(), word);
    if (!node.is_scalar() || found == names.end())
        throw Error(node.place, in_quotes(path) + " is " +
                                    (node.is_scalar() ? in_quotes(node.scalar)
                                                      : std::string(node.kind_name())) +
                                    suggestion(node.scalar, names));
    return static_cast<std::size_t>(found - names.begin());
}

std::int64_t MapReader::word_value(const std::string& key)
{
    const Key& own = declared_as(key, Key::Kind::Word);
    const Node* const value = value_of(key, own.is_required());
    std::vector<std::string> names;
    for (const Word& word : own.words)
        names.emplace_back(word.text);
    const auto place_of = [&](const char* text) {
        const auto found = std::find(names.begin(), names.end(), text);
        if (found == names.end())
            throw std::logic_error("the default of " + in_quotes(full(key)) +
                                   " is not one of "
                                   "its words");
        return static_cast<std::size_t>(found - names.begin());
    };
    if (value == nullptr && own.otherwise == nullptr)
        return 0;
    const std::size_t index =
        value != nullptr ? find_word(*value, full(key), names) : place_of(own.otherwise);
    show(&own, names[index]);
    return own.words[index].value;
}

std::vector<std::int64_t> MapReader::words(const std::string& key)
{
    const Key& own = declared_as(key, Key::Kind::Texts);
    std::vector<std::string> names;
    for (const Word& word : own.words)
        names.emplace_back(word.text);
    (void)strings(key);
    std::vector<std::int64_t> values;
    if (const Node* const list = node_->find(key))
        for (const Node& item : list->items)
            values.push_back(own.words[find_word(item, full(key), names)].value);
    return values;
}

MapReader MapReader::as(const Key& form) const
{
    return MapReader(*node_, path_, {&form, 1});
}

std::optional<MapReader> MapReader::map(const std::string& key)
{
    const Key& own = declared_as(key, Key::Kind::Map);
    const Node* const value = value_of(key, own.is_required());
    if (value == nullptr)
        return std::nullopt;
    return MapReader(*value, full(key), own.keys);
}

MapReader MapReader::map_or_defaults(const std::string& key)
{
    static const Node empty{Node::Kind::Map, {}, {}, false, false, {}, {}};
    if (std::optional<MapReader> given = map(key))
        return *std::move(given);
    return MapReader(empty, full(key), declared_as(key, Key::Kind::Map).keys);
}

namespace {

/// Text for a map with these keys, such as "{channel, rate}". Only required keys are shown; "maps"
/// if there are none.
std::string in_braces(std::span<const Key> keys)
{
    std::string names;
    for (const Key& key : keys)
        if (key.is_required())
            names += (names.empty() ? "" : ", ") + std::string(key.name);
    return names.empty() ? "maps" : "{" + names + "}";
}

} // namespace

std::vector<MapReader> MapReader::maps(const std::string& key)
{
    const Key& own = declared_as(key, Key::Kind::Maps);
    const Node* const value = value_of(key, own.is_required());
    std::vector<MapReader> all;
    if (value == nullptr)
        return all;
    if (!value->is_list())
        throw error(key, "is " + std::string(value->kind_name()) + "; expected a list of " +
                             in_braces(own.keys));
    for (const Node& item : value->items)
        all.emplace_back(item, full(key), own.keys);
    return all;
}

void MapReader::rows(const std::string& key, const std::function<void(MapReader&)>& visit)
{
    const Key& own = declared_as(key, Key::Kind::List);
    const std::span<const Key> columns = own.keys[0].keys;
    const Node* const value = value_of(key, own.is_required());
    if (value == nullptr)
        return;
    if (!value->is_list() || value->items.empty())
        throw error(key, "is " + std::string(value->is_list() ? "empty" : value->kind_name()) +
                             "; expected " + own.form);
    for (const Node& item : value->items) {
        if (!item.is_list() || item.items.size() != columns.size())
            throw Error(item.place, in_quotes(full(key)) + " has " + std::string(item.kind_name()) +
                                        (item.is_list() ? " of " + std::to_string(item.items.size())
                                                        : std::string()) +
                                        " here; expected " + own.form);
        Node row{Node::Kind::Map, item.place, {}, false, false, {}, {}};
        for (std::size_t i = 0; i < columns.size(); ++i)
            row.entries.push_back({columns[i].name, item.items[i].place, item.items[i]});
        MapReader reader(row, full(key), columns);
        visit(reader);
    }
}

std::optional<std::size_t>
MapReader::word_index(const std::string& key, const std::vector<std::string>& names, bool optional)
{
    const Node* value = value_of(key, !optional);
    if (!value)
        return std::nullopt;
    return find_word(*value, full(key), names);
}

} // namespace levee::config
