// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/expert_cache/declaration.hpp"
#include "ip/expert_cache/module.hpp"

#include <stdexcept>

namespace levee::expert_cache {

namespace {

/// Returns the place of the key's value for error messages; if the key is absent, the place of the
/// map.
config::Place place_of(const config::MapReader& reader, const char* key)
{
    const config::Node* const value = reader.node().find(key);
    return value != nullptr ? value->place : reader.node().place;
}

/// Throws config::Error if the space for copies is smaller than the largest expert.
void check(const ExpertCopies& copies, const std::string& path, std::uint64_t expert_bytes)
{
    const auto size = [](std::uint64_t bytes) {
        return config::format_quantity(bytes, config::Dimension::Size);
    };
    if (copies.bytes < expert_bytes)
        throw config::Error(copies.bytes_place, "'" + path + ".capacity' is " + size(copies.bytes) +
                                                    "; expected at least " + size(expert_bytes) +
                                                    ", the size of the largest expert");
}

Component make(const std::string& name, std::uint64_t bytes, DataMode data,
               const ExpertCopies& copies, const std::string& path)
{
    auto module = std::make_unique<ExpertCache>(name.c_str(), Config{bytes, data});
    ExpertCache& cache = *module;
    Component component;
    component.storage = &cache.port;
    component.memory = &cache.memory;
    component.load = [name](std::uint64_t, std::span<const std::uint8_t>) {
        throw std::out_of_range(name + " is empty before the run and cannot be loaded");
    };
    component.hold_experts = [&cache, copies, path](std::span<const ExpertMatrices> experts,
                                                    const ExpertPlaces& places) {
        check(copies, path, Layout(experts).slot_bytes());
        cache.hold(experts, {places.experts, places.copies, places.copies_bytes});
    };
    component.background.push_back({"lookup", &lookup_event, [&cache] { return cache.lookups(); }});
    component.report = [&cache](Stats& stats) { cache.report(stats); };
    component.module = std::move(module);
    return component;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults&)
{
    ComponentPlan plan;
    ExpertCopies copies;
    copies.memory = reader.string("memory");
    copies.memory_place = place_of(reader, "memory");
    copies.bytes = reader.quantity("capacity");
    copies.bytes_place = place_of(reader, "capacity");
    plan.copies = copies;
    plan.placement.place = MemoryPlace::OffChip;
    plan.placement.written_by_address = false;
    plan.parameters = parameters_read(reader, declaration);
    plan.make = [copies, path = reader.path()](const std::string& name,
                                               const ComponentContext& around) {
        return make(name, around.placement->mapped(),
                    around.fabric != nullptr ? around.fabric->data : DataMode::Functional, copies,
                    path);
    };
    return plan;
}

const ComponentRegistration registration(expert_cache::declaration, read);

} // namespace

} // namespace levee::expert_cache
