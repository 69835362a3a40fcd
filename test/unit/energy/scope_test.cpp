// SPDX-License-Identifier: Apache-2.0
// Tests the key `for:` of price lists with the parameters of the shipped systems' components.
#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/energy/meter.hpp"
#include "platform/observe/energy/price_scope.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>

using namespace levee;

namespace {

config::Node scalar(const std::string& text)
{
    config::Node node;
    node.kind = config::Node::Kind::Scalar;
    node.scalar = text;
    return node;
}

config::Node map(const std::string& key, config::Node value)
{
    config::Node node;
    node.kind = config::Node::Kind::Map;
    node.entries.push_back({key, {}, std::move(value)});
    return node;
}

/// Returns the plans of all shipped scenarios. A file with only a part of a scenario has no plan.
std::vector<SystemPlan> shipped_plans()
{
    const config::FileFinder finder(LEVEE_SCENARIOS, config::Reach::Anywhere);
    std::vector<SystemPlan> plans;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LEVEE_SCENARIOS))
        if (entry.path().extension() == ".yaml")
            try {
                plans.push_back(
                    plan_system(config::load_scenario({entry.path(), {}, {}}, finder).system));
            } catch (const config::Error&) {
            }
    return plans;
}

} // namespace

TEST_CASE("every parameter that `describe` displays may be in a price list, and matches")
{
    std::set<std::vector<std::string>> seen;
    for (const SystemPlan& plan : shipped_plans())
        for (const energy::Consumer& consumer : energy::consumers_of(plan))
            for (const auto& [name, value] : consumer.parameters) {
                if (!consumer.has_units || !seen.insert({consumer.type, name, value}).second)
                    continue;
                INFO(consumer.type << "." << name << ": " << value);
                const energy::PriceScope scope(map(consumer.type, map(name, scalar(value))), "for",
                                               energy::priced_types());
                CHECK(scope.outside(std::vector{consumer}).empty());
            }
    CHECK(seen.size() > 200);
}
