// SPDX-License-Identifier: Apache-2.0
// Tests keys that component types declare.
#include "core/component/keys.hpp"
#include "core/component/registry.hpp"
#include "core/config/reader.hpp"
#include "ip/dram/datasheet_keys.hpp"
#include "test/component/declaration.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace levee;
using config::Key;

namespace {

/// Reads a key's value from a map, if its kind can be read without the component.
void read(config::MapReader& reader, const Key& key)
{
    switch (key.kind) {
    case Key::Kind::Boolean:
        (void)reader.boolean(key.name);
        break;
    case Key::Kind::Quantity:
        (void)reader.quantity(key.name);
        break;
    case Key::Kind::Pages:
        (void)reader.pages(key.name);
        break;
    case Key::Kind::Real:
        (void)reader.real(key.name);
        break;
    case Key::Kind::Word:
        (void)reader.word<std::int64_t>(key.name);
        break;
    case Key::Kind::Text:
        (void)reader.string(key.name);
        break;
    default:
        (void)reader.raw(key.name, false);
    }
}

/// Checks that the default is a value that a file could give, within the key's bounds.
void check_default(const Key& key)
{
    if (key.otherwise == nullptr)
        return;
    // Numbers and flags are plain scalars; words and texts may need quotes.
    const bool is_text = key.kind == Key::Kind::Word || key.kind == Key::Kind::Text;
    const std::string quote = is_text ? "\"" : "";
    const config::Node given =
        config::parse_yaml(std::string(key.name) + ": " + quote + key.otherwise + quote, "default");
    const config::Node empty = config::parse_yaml("{}", "empty");
    config::MapReader of_given(given, "of_given", {&key, 1}), of_empty(empty, "", {&key, 1});
    CHECK_NOTHROW(read(of_given, key));
    CHECK_NOTHROW(read(of_empty, key));
    CHECK_NOTHROW(of_empty.finish());
    CHECK(of_empty.shown() == of_given.shown());
}

void check_sentence(const std::string& meaning)
{
    constexpr std::ptrdiff_t most_words = 25;
    std::istringstream words(meaning);
    CHECK(std::distance(std::istream_iterator<std::string>(words), {}) > 1);
    words = std::istringstream(meaning);
    CHECK(std::distance(std::istream_iterator<std::string>(words), {}) <= most_words);
    CHECK(meaning.ends_with('.'));
    CHECK(meaning.find(". ") == std::string::npos);
}

/// Checks the words that a key permits.
void check_words(const Key& key)
{
    std::set<std::string> texts;
    std::set<std::int64_t> values;
    for (const config::Word& word : key.words) {
        CHECK(texts.insert(word.text).second);
        CHECK(values.insert(word.value).second);
    }
    if (key.kind == Key::Kind::Word)
        CHECK(!texts.empty());
}

/// `forms` means that the keys are alternative forms of one key; their names are not checked.
void check_keys(std::span<const Key> keys, bool forms = false)
{
    std::set<std::string> names;
    for (const Key& key : keys) {
        INFO(key.name);
        CHECK((names.insert(key.name).second || forms));
        check_sentence(key.meaning);
        check_words(key);
        check_default(key);
        const bool has_keys = key.kind == Key::Kind::Map || key.kind == Key::Kind::Maps ||
                              key.kind == Key::Kind::Named;
        if (has_keys)
            CHECK(!key.keys.empty());
        if (key.kind == Key::Kind::Any)
            CHECK(key.form != nullptr);
        CHECK(key.limits.least <= key.limits.most);
        CHECK(key.least <= key.most);
        check_keys(key.keys, key.kind == Key::Kind::Any || key.kind == Key::Kind::List);
    }
}

} // namespace

TEST_CASE("every component type describes each key in a sentence and accepts the key's default")
{
    std::vector<const Declaration*> declarations{&tally::declaration};
    for (const ComponentType& type : component_types())
        declarations.push_back(type.declaration);
    CHECK(declarations.size() > 16);
    for (const Declaration* declaration : declarations) {
        INFO(declaration->type);
        CHECK(!declaration->parameters.empty());
        check_keys(keys_of(*declaration));
    }
    check_keys(dram::datasheet_keys);
}

TEST_CASE("keys that all components have come before the type's own keys")
{
    for (const ComponentType& type : component_types()) {
        INFO(type.name());
        const std::span<const Key> keys = keys_of(*type.declaration);
        REQUIRE(keys.size() > type.declaration->parameters.size());
        CHECK(keys.front().name == std::string("type"));
        CHECK((config::find_key(keys, "roles") != nullptr) == type.declaration->stores);
        const Key* const clock = config::find_key(keys, "clock");
        CHECK((clock == nullptr || !clock->is_required()));
        const bool has_rtl = config::find_key(keys, "rtl") != nullptr;
        CHECK((config::find_key(keys, "assertions") != nullptr) == has_rtl);
    }
}
