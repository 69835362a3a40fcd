// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/kv_keys.hpp"

#include "firmware/policies/policies.h"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace levee::config {

namespace {

constexpr const char* policy_name = "policy";
constexpr const char* with_name = "with";

/// Owns the texts, words and keys to which declared keys point.
struct Kept {
    std::deque<std::string> texts;
    std::deque<std::vector<Word>> words;
    std::deque<std::vector<Key>> keys;
    std::deque<std::vector<const char*>> names;

    const char* text(std::string value) { return texts.emplace_back(std::move(value)).c_str(); }
};

/// A key that is being read, and the place where its value is stored. The key's declaration has its
/// bounds and its default.
struct Target {
    MapReader& reader;
    const levee_kv_key& key;
    levee_boot_info& info;

    template <typename Value> void put(Value value, std::size_t index = 0) const
    {
        put_at(key.field + index * sizeof value, value);
    }
    template <typename Value> void put_at(std::size_t offset, Value value) const
    {
        std::memcpy(reinterpret_cast<char*>(&info) + offset, &value, sizeof value);
    }
};

Key real_of(const levee_kv_key& key)
{
    return real(key.name, key.least, key.most, key.meaning);
}

/// Declares a quantity within the key's bounds. If the default is below these bounds, the key is
/// optional.
Key limited(const levee_kv_key& key, Dimension dimension, Kept& kept)
{
    const Key declared =
        quantity(key.name, dimension, key.meaning,
                 {static_cast<std::uint64_t>(key.least), static_cast<std::uint64_t>(key.most)});
    if (key.required != 0)
        return declared;
    if (key.otherwise < key.least)
        return declared.optional();
    return declared.or_else(
        kept.text(format_quantity(static_cast<std::uint64_t>(key.otherwise), dimension)));
}

template <Dimension dimension> Key declare_quantity(const levee_kv_key& key, Kept& kept)
{
    return limited(key, dimension, kept);
}

template <typename Value> void read_quantity(const Target& target)
{
    target.put(static_cast<Value>(target.reader.quantity(target.key.name)));
}

Key declare_flag(const levee_kv_key& key, Kept&)
{
    return flag(key.name, key.meaning).or_else(key.otherwise != 0 ? "true" : "false");
}

void read_flag(const Target& target)
{
    target.put<std::uint32_t>(target.reader.boolean(target.key.name) ? 1 : 0);
}

Key declare_word(const levee_kv_key& key, Kept& kept)
{
    std::vector<Word>& words = kept.words.emplace_back();
    for (const char* const* word = key.words; *word != nullptr; ++word)
        words.push_back({*word, static_cast<std::int64_t>(words.size())});
    return word(key.name, words, key.meaning)
        .or_else(words[static_cast<std::size_t>(key.otherwise)].text);
}

void read_word(const Target& target)
{
    target.put(target.reader.word<std::uint32_t>(target.key.name));
}

Key declare_real(const levee_kv_key& key, Kept&)
{
    return key.required != 0 ? real_of(key) : real_of(key).or_else("0");
}

/// Reads a number within the key's bounds. Besides, 0 is permitted, even if the key's smallest
/// value is larger; numbers between them are not.
double number_of(const Target& target)
{
    const levee_kv_key& key = target.key;
    const double value = target.reader.real(key.name);
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

Key declare_share(const levee_kv_key& key, Kept&)
{
    return real_of(key).optional();
}

/// Reads a share as a fixed-point number, rounded down. Its product with a number of tokens is
/// rounded up later, so a share such as 0.1 does not yield one token too many.
void read_share(const Target& target)
{
    constexpr double whole = 2147483648;
    target.put(static_cast<std::uint32_t>(number_of(target) * whole));
}

Key declare_layers(const levee_kv_key& key, Kept& kept)
{
    const std::vector<Key>& one = kept.keys.emplace_back(std::vector<Key>{real_of(key)});
    const std::vector<Key>& forms = kept.keys.emplace_back(std::vector<Key>{
        real_of(key), list("", one, "a number for each layer", "One for each layer.")});
    return one_of(key.name, forms, "a number, or a list with one for each layer", key.meaning);
}

/// Reads one number for all layers, or a list with one number for each layer.
void read_layers(const Target& target)
{
    const auto [reader, key, info] = target;
    const Key form = real_of(key);
    const Node* const node = reader.raw(key.name, key.required != 0);
    if (node == nullptr || !node->is_list()) {
        MapReader one = reader.as(form);
        read_real({one, key, info});
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
        MapReader of_item(one, reader.path(), {&form, 1});
        target.put(static_cast<float>(number_of({of_item, key, info})), i);
    }
    target.put_at(key.counts, static_cast<std::uint32_t>(count));
}

std::span<const Key> keys_of(const levee_kv_key* keys, Kept& kept);

Key declare_section(const levee_kv_key& key, Kept& kept)
{
    return map(key.name, keys_of(key.keys, kept), key.meaning).optional();
}

void read_section(const Target& target)
{
    std::optional<MapReader> section = target.reader.map(target.key.name);
    if (!section)
        return;
    for (const levee_kv_key* key = target.key.keys; key->name != nullptr; ++key)
        read_kv_key(*section, *key, target.info);
    section->finish();
}

Key declare_own(const levee_kv_key& key, Kept& kept)
{
    return key.most <= 1 ? declare_share(key, kept) : limited(key, Dimension::Count, kept);
}

template <typename Value> Value value_at(std::size_t offset, const levee_boot_info& boot)
{
    Value value{};
    std::memcpy(&value, reinterpret_cast<const char*>(&boot) + offset, sizeof value);
    return value;
}

template <typename Value>
std::string text_of_number(const levee_kv_key& key, const levee_boot_info& boot)
{
    return std::to_string(value_at<Value>(key.field, boot));
}

std::string text_of_flag(const levee_kv_key& key, const levee_boot_info& boot)
{
    return value_at<std::uint32_t>(key.field, boot) != 0 ? "true" : "false";
}

std::string text_of_word(const levee_kv_key& key, const levee_boot_info& boot)
{
    return key.words[value_at<std::uint32_t>(key.field, boot)];
}

/// Returns the float as a text with enough digits to restore the same float.
std::string text_of_float(float value)
{
    std::ostringstream text;
    text.precision(std::numeric_limits<float>::max_digits10);
    text << value;
    return text.str();
}

std::string text_of_real(const levee_kv_key& key, const levee_boot_info& boot)
{
    return text_of_float(value_at<float>(key.field, boot));
}

std::string text_of_layers(const levee_kv_key& key, const levee_boot_info& boot)
{
    std::string all;
    for (std::uint32_t i = 0; i < value_at<std::uint32_t>(key.counts, boot); ++i)
        all += (i == 0 ? "" : " ") +
               text_of_float(value_at<float>(key.field + i * sizeof(float), boot));
    return all;
}

/// Reads a text and stores the value in the key's field.
template <typename Value>
void put_text(const levee_kv_key& key, const std::string& text, levee_boot_info& boot)
{
    Value value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    std::memcpy(reinterpret_cast<char*>(&boot) + key.field, &value, sizeof value);
}

void put_flag(const levee_kv_key& key, const std::string& text, levee_boot_info& boot)
{
    put_text<std::uint32_t>(key, text == "true" ? "1" : "0", boot);
}

void put_word(const levee_kv_key& key, const std::string& text, levee_boot_info& boot)
{
    for (std::uint32_t i = 0; key.words[i] != nullptr; ++i)
        if (text == key.words[i])
            put_text<std::uint32_t>(key, std::to_string(i), boot);
}

/// The functions for one type of key. They declare a key, read its value from a scenario into the
/// key's field, write the field as text, and read this text back. Texts of sections and of lists of
/// layers are never read back.
struct Type {
    Key (*declare)(const levee_kv_key& key, Kept& kept);
    void (*read)(const Target& target);
    std::string (*text)(const levee_kv_key& key, const levee_boot_info& boot);
    void (*put)(const levee_kv_key& key, const std::string& text, levee_boot_info& boot) = nullptr;
};

/// Functions for each type of key, in the order of levee_kv_key_type.
constexpr Type types[] = {
    {declare_quantity<Dimension::Count>, read_quantity<std::uint32_t>,
     text_of_number<std::uint32_t>, put_text<std::uint32_t>},
    {declare_flag, read_flag, text_of_flag, put_flag},
    {declare_word, read_word, text_of_word, put_word},
    {declare_quantity<Dimension::Size>, read_quantity<std::uint32_t>, text_of_number<std::uint32_t>,
     put_text<std::uint32_t>},
    {declare_quantity<Dimension::Time>, read_quantity<std::uint64_t>, text_of_number<std::uint64_t>,
     put_text<std::uint64_t>},
    {declare_real, read_real, text_of_real, put_text<float>},
    {declare_share, read_share, text_of_number<std::uint32_t>, put_text<std::uint32_t>},
    {declare_layers, read_layers, text_of_layers},
    {declare_section, read_section, nullptr},
    {declare_own, nullptr, text_of_number<std::uint32_t>, put_text<std::uint32_t>}};
static_assert(std::size(types) == LEVEE_KV_TYPE_OWN + 1);

std::span<const Key> keys_of(const levee_kv_key* keys, Kept& kept)
{
    std::vector<Key> found;
    for (const levee_kv_key* key = keys; key->name != nullptr; ++key)
        found.push_back(types[key->type].declare(*key, kept));
    return kept.keys.emplace_back(std::move(found));
}

Key policy_key(Kept& kept)
{
    std::vector<Word>& words = kept.words.emplace_back();
    for (std::uint32_t kind = 0; levee_kv_rule_of(kind) != nullptr; ++kind)
        words.push_back({levee_kv_rule_of(kind)->name, kind});
    return word(policy_name, words, "Policy that chooses which tokens the cache keeps.")
        .or_else(levee_kv_rule_of(LEVEE_KV_FULL)->name);
}

/// Declares the key for policies that can be combined with the policy that chooses the kept tokens.
Key with_key(Kept& kept)
{
    std::vector<Word>& words = kept.words.emplace_back();
    for (std::uint32_t kind = 0; const levee_kv_rule* rule = levee_kv_rule_of(kind); ++kind)
        if (rule->joins)
            words.push_back({rule->name, kind});
    return word_list(with_name, words, "Policies that process the tokens that the cache keeps.")
        .optional();
}

/// Declares a key of `kv_cache:` and the policies that need it. All policies that evict need the
/// budget, or a key that replaces it.
Key key_of(unsigned number, Kept& kept)
{
    const levee_kv_key& key = levee_kv_keys[number];
    const bool is_budget = number == LEVEE_KV_KEY_BUDGET;
    const Key declared = types[key.type].declare(key, kept);
    std::vector<const char*>& policies = kept.names.emplace_back();
    for (std::uint32_t kind = 0; const levee_kv_rule* rule = levee_kv_rule_of(kind); ++kind)
        if ((rule->needs >> number & 1) != 0 || (is_budget && rule->evicts))
            policies.push_back(rule->name);
    if (policies.empty())
        return declared;
    return declared.needed_if(
        {.with = policy_name,
         .values = policies,
         .in_place = is_budget ? levee_kv_keys[LEVEE_KV_KEY_RATIO].name : nullptr});
}

void add_values(const std::string& section, const levee_kv_key& key, const levee_boot_info& boot,
                std::vector<KvValue>& values)
{
    if (key.decides_nothing != 0)
        return;
    const std::string name = section + "." + key.name;
    if (key.type != LEVEE_KV_TYPE_SECTION) {
        values.push_back({name, types[key.type].text(key, boot)});
        return;
    }
    for (const levee_kv_key* inner = key.keys; inner->name != nullptr; ++inner)
        add_values(name, *inner, boot, values);
}

std::vector<KvValue> values_of(const levee_kv_key& key, const levee_boot_info& boot)
{
    std::vector<KvValue> values;
    add_values("kv_cache", key, boot, values);
    return values;
}

} // namespace

void read_kv_key(MapReader& reader, const levee_kv_key& key, levee_boot_info& info)
{
    types[key.type].read({reader, key, info});
}

std::vector<KvValue> kv_values(const levee_boot_info& boot)
{
    std::vector<KvValue> values;
    for (const levee_kv_key& key : levee_kv_keys)
        add_values("kv_cache", key, boot, values);
    return values;
}

levee_boot_info kv_defaults()
{
    Node none;
    none.kind = Node::Kind::Map;
    MapReader reader(none, "kv_cache", kv_cache_keys());
    levee_boot_info boot{};
    for (const levee_kv_key& key : levee_kv_keys)
        if (key.type != LEVEE_KV_TYPE_OWN)
            read_kv_key(reader, key, boot);
    return boot;
}

levee_boot_info kv_of_texts(const std::function<const std::string*(const std::string&)>& text_of)
{
    levee_boot_info boot = kv_defaults();
    for (const levee_kv_key& key : levee_kv_keys)
        if (types[key.type].put != nullptr)
            if (const std::string* const text = text_of("kv_cache." + std::string(key.name)))
                types[key.type].put(key, *text, boot);
    return boot;
}

bool is_kv_given(const levee_kv_key& key, const levee_boot_info& boot)
{
    return values_of(key, boot) != values_of(key, kv_defaults());
}

std::span<const Key> kv_cache_keys()
{
    static Kept kept;
    static const std::vector<Key> keys = [] {
        std::vector<Key> all{policy_key(kept), with_key(kept)};
        for (unsigned number = 0; number < LEVEE_KV_KEYS; ++number)
            all.push_back(key_of(number, kept));
        return all;
    }();
    return keys;
}

} // namespace levee::config
