// SPDX-License-Identifier: Apache-2.0
// The content-addressable memory in a system: from its keys in a scenario to its module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/cam/declaration.hpp"
#include "ip/cam/module.hpp"

namespace levee::cam {

namespace {

constexpr std::uint64_t most_cells = std::uint64_t{1} << 34; // of all arrays

void read_noise(const config::Node& node, const std::string& path, cam::Noise& noise)
{
    config::MapReader reader(node, path);
    constexpr double most = 1e6;
    noise.cell = reader.real("cell", 0.0, 1.0, 0.0);
    noise.line = reader.real("line", 0.0, most, 0.0);
    reader.finish();
}

cam::Build read_build(config::MapReader& reader)
{
    cam::Build build;
    build.arrays = {reader.count32("rows", {1, 1u << 20}), reader.count32("columns", {1, 1u << 16}),
                    reader.count32("arrays", {1, 1u << 24})};
    const cam::Arrays& arrays = build.arrays;
    if (std::uint64_t{arrays.count} > most_cells / arrays.rows / arrays.columns)
        throw reader.error("arrays", "are too many: more than 2^34 cells in all");
    build.cell_bits = reader.count32("cell_bits", {1, LEVEE_CAM_MAX_BITS});
    constexpr config::Limits cycles{1, 1u << 24};
    build.pace = {reader.count32("write_cycles", cycles), reader.count32("search_cycles", cycles),
                  reader.count32("matches_per_cycle", cycles, 1)};
    if (const config::Node* const noise = reader.raw("noise", false))
        read_noise(*noise, reader.path() + ".noise", build.noise);
    return build;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    cam::Config config;
    config.clock = read_clock(reader, defaults);
    config.build = read_build(reader);
    config.queue = defaults.queue;
    const cam::Build& build = config.build;
    ComponentPlan plan;
    plan.parameters = {
        {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
        {"rows", std::to_string(build.arrays.rows)},
        {"columns", std::to_string(build.arrays.columns)},
        {"arrays", std::to_string(build.arrays.count)},
        {"cell_bits", std::to_string(build.cell_bits)}};
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        cam::Config seeded = config;
        seeded.build.noise.seed = around.seed;
        auto module = std::make_unique<cam::Cam>(name.c_str(), seeded, *around.fabric);
        Component component;
        component.use(module->queue);
        component.report = [&memory = *module](Stats& stats) { memory.report(stats); };
        component.module = std::move(module);
        return component;
    };
    return plan;
}

const ComponentRegistration registration(cam::declaration, read);

} // namespace

} // namespace levee::cam
