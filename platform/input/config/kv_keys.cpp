// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/kv_keys.hpp"

#include "firmware/policies/policies.h"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <deque>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

namespace {

/// Storage that keys made of the C table point to.
struct Kept {
    std::deque<std::string> texts;
    std::deque<std::vector<Word>> words;
    std::deque<std::vector<Key>> keys;

    const char* text(std::string value) { return texts.emplace_back(std::move(value)).c_str(); }
};

std::span<const Word> words_of(const levee_kv_key& key, Kept& kept)
{
    std::vector<Word>& words = kept.words.emplace_back();
    for (const char* const* word = key.words; *word != nullptr; ++word)
        words.push_back({*word, static_cast<std::int64_t>(words.size())});
    return words;
}

Key with_default(const levee_kv_key& key, const Key& declared, std::string otherwise, Kept& kept)
{
    if (key.required != 0)
        return declared;
    return key.otherwise < key.least ? declared.optional()
                                     : declared.or_else(kept.text(std::move(otherwise)));
}

std::span<const Key> keys_of(const levee_kv_key* keys, Kept& kept);

Key real_of(const levee_kv_key& key)
{
    return real(key.name, key.least, key.most, key.meaning);
}

Key limited(const levee_kv_key& key, Dimension dimension, Kept& kept)
{
    const Limits limits{static_cast<std::uint64_t>(key.least),
                        static_cast<std::uint64_t>(key.most)};
    return with_default(key, quantity(key.name, dimension, key.meaning, limits),
                        format_quantity(static_cast<std::uint64_t>(key.otherwise), dimension),
                        kept);
}

Key thresholds_of(const levee_kv_key& key, Kept& kept)
{
    const std::vector<Key>& one = kept.keys.emplace_back(std::vector<Key>{real_of(key)});
    const std::vector<Key>& forms = kept.keys.emplace_back(std::vector<Key>{
        real_of(key), list("", one, "a number for each layer", "One for each layer.")});
    return one_of(key.name, forms, "a number, or a list with one for each layer", key.meaning);
}

Key key_of(const levee_kv_key& key, Kept& kept)
{
    switch (key.type) {
    case LEVEE_KV_TYPE_COUNT:
        return limited(key, Dimension::Count, kept);
    case LEVEE_KV_TYPE_SIZE:
        return limited(key, Dimension::Size, kept);
    case LEVEE_KV_TYPE_TIME:
        return limited(key, Dimension::Time, kept);
    case LEVEE_KV_TYPE_FLAG:
        return flag(key.name, key.meaning).or_else(key.otherwise != 0 ? "true" : "false");
    case LEVEE_KV_TYPE_WORD: {
        const std::span<const Word> words = words_of(key, kept);
        return word(key.name, words, key.meaning)
            .or_else(words[static_cast<std::size_t>(key.otherwise)].text);
    }
    case LEVEE_KV_TYPE_REAL:
        return key.required != 0 ? real_of(key) : real_of(key).or_else("0");
    case LEVEE_KV_TYPE_SHARE:
        return real_of(key).optional();
    case LEVEE_KV_TYPE_LAYERS:
        return thresholds_of(key, kept);
    case LEVEE_KV_TYPE_SECTION:
        return map(key.name, keys_of(key.keys, kept), key.meaning).optional();
    case LEVEE_KV_TYPE_OWN:
        break;
    }
    return key.most <= 1 ? real_of(key).optional() : limited(key, Dimension::Count, kept);
}

std::span<const Key> keys_of(const levee_kv_key* keys, Kept& kept)
{
    std::vector<Key> found;
    for (const levee_kv_key* key = keys; key->name != nullptr; ++key)
        found.push_back(key_of(*key, kept));
    return kept.keys.emplace_back(std::move(found));
}

Key policy_key(Kept& kept)
{
    std::vector<Word>& words = kept.words.emplace_back();
    for (std::uint32_t kind = 0; levee_kv_rule_of(kind) != nullptr; ++kind)
        words.push_back({levee_kv_rule_of(kind)->name, kind});
    return word("policy", words, "Policy that says which tokens stay.")
        .or_else(levee_kv_rule_of(LEVEE_KV_FULL)->name);
}

} // namespace

std::span<const Key> kv_cache_keys()
{
    static Kept kept;
    static const std::vector<Key> keys = [] {
        std::vector<Key> all{policy_key(kept)};
        for (const levee_kv_key& key : levee_kv_keys)
            all.push_back(key_of(key, kept));
        return all;
    }();
    return keys;
}

} // namespace levee::config
