// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/kv_keys.hpp"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace levee::config {

namespace {

/// A key that is being read, and where its value goes.
struct Target {
    MapReader& reader;
    const levee_kv_key& key;
    bool required;
    levee_boot_info& info;

    template <typename Value> [[nodiscard]] std::optional<Value> otherwise() const
    {
        return required ? std::nullopt : std::optional(static_cast<Value>(key.otherwise));
    }
    [[nodiscard]] Limits limits() const
    {
        return {static_cast<std::uint64_t>(key.least), static_cast<std::uint64_t>(key.most)};
    }
    template <typename Value> void put(Value value, std::size_t index = 0) const
    {
        put_at(key.field + index * sizeof value, value);
    }
    template <typename Value> void put_at(std::size_t offset, Value value) const
    {
        std::memcpy(reinterpret_cast<char*>(&info) + offset, &value, sizeof value);
    }
};

void read_count(const Target& target)
{
    target.put(
        target.reader.count32(target.key.name, target.limits(), target.otherwise<std::uint32_t>()));
}

void read_flag(const Target& target)
{
    target.put<std::uint32_t>(target.reader.boolean(target.key.name, target.otherwise<bool>()) ? 1
                                                                                               : 0);
}

void read_word(const Target& target)
{
    std::vector<std::pair<std::string, std::uint32_t>> words;
    for (const char* const* word = target.key.words; *word != nullptr; ++word)
        words.emplace_back(*word, static_cast<std::uint32_t>(words.size()));
    target.put(target.reader.choice<std::uint32_t>(target.key.name, words,
                                                   target.otherwise<std::uint32_t>()));
}

void read_size(const Target& target)
{
    target.put(static_cast<std::uint32_t>(target.reader.quantity(
        target.key.name, Dimension::Size, target.limits(), target.otherwise<std::uint64_t>())));
}

void read_time(const Target& target)
{
    target.put(target.reader.quantity(target.key.name, Dimension::Time, target.limits(),
                                      target.otherwise<std::uint64_t>()));
}

/// A number within the key's bounds: 0, or not too small.
double number_of(const Target& target)
{
    const levee_kv_key& key = target.key;
    const double value =
        target.reader.real(key.name, key.least, key.most, target.otherwise<double>());
    if (!target.reader.has(key.name) || value == 0 || value >= key.smallest)
        return value;
    char smallest[32];
    *std::to_chars(smallest, smallest + 31, key.smallest).ptr = 0;
    throw target.reader.error(key.name,
                              std::string("is too small; expected 0 or at least ") + smallest);
}

void read_real(const Target& target)
{
    target.put(static_cast<float>(number_of(target)));
}

/// Rounded down, as the product with a number of tokens is rounded up.
void read_share(const Target& target)
{
    constexpr double whole = 2147483648;
    target.put(static_cast<std::uint32_t>(number_of(target) * whole));
}

/// A number for all layers, or a list with one for each.
void read_layers(const Target& target)
{
    const auto [reader, key, required, info] = target;
    const Node* const node = reader.raw(key.name, required);
    if (node == nullptr || !node->is_list()) {
        read_real(target);
        target.put_at<std::uint32_t>(key.counts, 1);
        return;
    }
    const std::size_t count = node->items.size();
    if (count == 0 || count > LEVEE_KV_MAX_LAYERS)
        throw reader.error(key.name, "has " + std::to_string(count) +
                                         " numbers; expected one for each layer, up to " +
                                         std::to_string(LEVEE_KV_MAX_LAYERS));
    for (std::size_t i = 0; i < count; ++i) {
        const Node& item = node->items[i];
        const Node one{
            Node::Kind::Map, node->place, {}, false, false, {}, {{key.name, item.place, item}}};
        MapReader of_item(one, reader.path());
        target.put(static_cast<float>(number_of({of_item, key, required, info})), i);
    }
    target.put_at(key.counts, static_cast<std::uint32_t>(count));
}

void read_section(const Target& target)
{
    const Node* const node = target.reader.raw(target.key.name, target.required);
    if (node == nullptr)
        return;
    MapReader reader(*node, target.reader.path() + "." + target.key.name);
    for (const levee_kv_key* key = target.key.keys; key->name != nullptr; ++key)
        read_kv_key(reader, *key, key->required != 0, target.info);
    reader.finish();
}

/// By levee_kv_key_type.
constexpr void (*reading[])(const Target&) = {read_count, read_flag,   read_word,
                                              read_size,  read_time,   read_real,
                                              read_share, read_layers, read_section};
static_assert(std::size(reading) == LEVEE_KV_TYPE_OWN);

} // namespace

void read_kv_key(MapReader& reader, const levee_kv_key& key, bool required, levee_boot_info& info)
{
    reading[key.type]({reader, key, required, info});
}

} // namespace levee::config
