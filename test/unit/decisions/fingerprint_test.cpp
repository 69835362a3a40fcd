// SPDX-License-Identifier: Apache-2.0
// Tests that every key of `kv_cache:` is part of a run's fingerprint, unless the table of keys says
// that the key affects no decision.
#include "platform/observe/decisions/fingerprint.hpp"

#include <catch2/catch.hpp>

#include <cstring>

using namespace levee;

namespace {

Fingerprint fingerprint_with(const levee_boot_info& boot)
{
    config::Scenario scenario;
    scenario.kv_cache.boot = boot;
    return fingerprint_of(SystemPlan{}, scenario, nullptr, nullptr, nullptr);
}

/// Returns the names of the lines in which two fingerprints differ.
std::vector<std::string> differences(const Fingerprint& one, const Fingerprint& other)
{
    REQUIRE(one.size() == other.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < one.size(); ++i)
        if (one[i].value != other[i].value)
            names.push_back(one[i].name);
    return names;
}

template <typename Value> void increment(levee_boot_info& boot, std::size_t offset)
{
    Value value{};
    auto* const place = reinterpret_cast<char*>(&boot) + offset;
    std::memcpy(&value, place, sizeof value);
    value += Value{1};
    std::memcpy(place, &value, sizeof value);
}

/// Returns boot information with a different value in the key's field.
levee_boot_info changed(const levee_kv_key& key)
{
    levee_boot_info boot{};
    switch (key.type) {
    case LEVEE_KV_TYPE_TIME:
        increment<std::uint64_t>(boot, key.field);
        break;
    case LEVEE_KV_TYPE_LAYERS:
        increment<std::uint32_t>(boot, key.counts);
        [[fallthrough]];
    case LEVEE_KV_TYPE_REAL:
        increment<float>(boot, key.field);
        break;
    default:
        increment<std::uint32_t>(boot, key.field);
    }
    return boot;
}

void check(const std::string& section, const levee_kv_key& key)
{
    const std::string name = section + "." + key.name;
    INFO(name);
    if (key.decides_nothing != 0)
        return;
    if (key.type == LEVEE_KV_TYPE_SECTION) {
        for (const levee_kv_key* inner = key.keys; inner->name != nullptr; ++inner)
            check(name, *inner);
        return;
    }
    REQUIRE(key.field != 0);
    CHECK(differences(fingerprint_with({}), fingerprint_with(changed(key))) ==
          std::vector<std::string>{name});
}

} // namespace

TEST_CASE("fingerprint: every key of kv_cache changes its line, or affects no decision")
{
    for (const levee_kv_key& key : levee_kv_keys)
        check("kv_cache", key);
}

TEST_CASE("fingerprint: only refresh intervals and the sources of a budget affect no decision")
{
    std::vector<std::string> names;
    for (const levee_kv_key& key : levee_kv_keys)
        if (key.decides_nothing != 0)
            names.emplace_back(key.name);
    CHECK(names == std::vector<std::string>{"activation_refresh", "refresh", "ratio"});
}
