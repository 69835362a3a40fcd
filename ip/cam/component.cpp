// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/cam/declaration.hpp"
#include "ip/cam/module.hpp"

namespace levee::cam {

namespace {

constexpr std::uint64_t most_cells = std::uint64_t{1} << 34; // Limit for all arrays together.

void read_noise(config::MapReader reader, cam::Noise& noise)
{
    noise.cell = reader.real("cell");
    noise.line = reader.real("line");
    reader.finish();
}

cam::Build read_build(config::MapReader& reader)
{
    cam::Build build;
    build.arrays = {reader.quantity32("rows"), reader.quantity32("columns"),
                    reader.quantity32("arrays")};
    build.cell_bits = reader.quantity32("cell_bits");
    build.pace = {reader.quantity32("write_cycles"), reader.quantity32("search_cycles"),
                  reader.quantity32("matches_per_cycle")};
    if (const std::optional<config::MapReader> noise = reader.map("noise"))
        read_noise(*noise, build.noise);
    reader.finish(); // Reports missing keys before values are compared.
    const cam::Arrays& arrays = build.arrays;
    if (std::uint64_t{arrays.count} > most_cells / arrays.rows / arrays.columns)
        throw reader.error(
            "arrays",
            "gives more than 2^34 cells in total; expected fewer arrays, rows or columns");
    return build;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    cam::Config config;
    config.clock = read_clock(reader, defaults);
    config.build = read_build(reader);
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, cam::declaration);
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        cam::Config seeded = config;
        seeded.build.noise.seed = around.seed;
        return component_of(std::make_unique<Cam>(name.c_str(), seeded, *around.fabric));
    };
    return plan;
}

const ComponentRegistration registration(cam::declaration, read);

} // namespace

} // namespace levee::cam
