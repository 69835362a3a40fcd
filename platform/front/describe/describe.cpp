// SPDX-License-Identifier: Apache-2.0
#include "platform/front/describe/describe.hpp"

#include "core/abi/boot_info.h"
#include "platform/input/model/kept_image.hpp"
#include "platform/input/model/model_counts.hpp"
#include "platform/input/workload/model.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/decisions/statistics.hpp"
#include "platform/observe/energy/accounting.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/recorder.hpp"
#include "platform/run/save_place.hpp"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

namespace levee {

namespace {

void print_parameters(const std::string& name, const std::string& type,
                      const std::vector<Parameter>& parameters)
{
    std::printf("  %-12s %-6s", name.c_str(), type.c_str());
    for (std::size_t i = 0; i < parameters.size(); ++i)
        std::printf("%s%s %s", i ? ", " : " ", parameters[i].first.c_str(),
                    parameters[i].second.c_str());
    std::printf("\n");
}

void print_interleave(const SystemPlan& plan)
{
    if (!plan.interleave)
        return;
    std::string names;
    for (const std::size_t memory : plan.interleave->memories)
        names += (names.empty() ? "" : ", ") + plan.components[memory].name;
    const PlannedComponent& first = plan.components[plan.interleave->memories.front()];
    const std::uint64_t ways = plan.interleave->division.ways();
    using config::Dimension;
    print_parameters(
        first.name, "interleaved",
        {{"over", names},
         {"granule", config::format_quantity(plan.interleave->division.granule(), Dimension::Size)},
         {"size", config::format_quantity(ways * first.plan.placement.size_bytes, Dimension::Size)},
         {"peak", config::format_quantity(ways * first.plan.placement.bytes_per_second,
                                          Dimension::Bandwidth)}});
}

void print_components(const SystemPlan& plan)
{
    const config::SystemConfig& system = plan.config;
    using config::Dimension;
    std::printf("components\n");
    print_parameters("core", "riscv", core_parameters(system));
    print_parameters("bus", "bus", bus_parameters(system));
    for (const config::StreamConfig& stream : system.streams)
        print_parameters(
            stream.name, "stream",
            {{"bandwidth", config::format_quantity(stream.bytes_per_second, Dimension::Bandwidth)},
             {"fill", config::format_quantity(stream.fill_ps, Dimension::Time)}});
    for (const PlannedComponent& component : plan.components) {
        std::vector<Parameter> parameters = component.plan.parameters;
        if (component.roles)
            parameters.emplace_back("roles", role_names(component.roles));
        print_parameters(component.name, component.type->name(), parameters);
    }
    print_interleave(plan);
}

void print_map(System& system)
{
    std::printf("\nmemory map (the core sees addresses below 0x1_0000_0000)\n");
    for (const bus::Mapping& mapping : system.bus().mappings())
        std::printf("  0x%012" PRIx64 "  0x%012" PRIx64 "  %s\n", mapping.base,
                    mapping.base + mapping.size - 1, mapping.name.c_str());
}

void print_interrupts(const SystemPlan& plan)
{
    std::printf("\ninterrupts (sources of the PLIC)\n  %2u  uart\n", LEVEE_UART_IRQ);
    for (const PlannedComponent& component : plan.components)
        if (component.irq != 0)
            std::printf("  %2u  %s\n", component.irq, component.name.c_str());
}

/// Returns a register's name without its trailing number.
std::string stem(const std::string& name)
{
    return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

/// Returns how many adjacent registers, beginning with `first`, have names that differ only in a
/// trailing number, such as "VALUE0", "VALUE1", ...; 1 for a name without a number.
std::size_t row_length(std::span<const Register> registers, std::size_t first)
{
    const Register& head = registers[first];
    std::size_t count = 1;
    while (stem(head.name) != head.name && first + count < registers.size()) {
        const Register& next = registers[first + count];
        if (stem(next.name) != stem(head.name) || next.name == stem(next.name) ||
            next.offset != head.offset + 4 * count)
            break;
        ++count;
    }
    return count;
}

void print_register_file(std::uint32_t base, std::span<const Register> registers)
{
    for (std::size_t i = 0; i < registers.size();) {
        const Register& reg = registers[i];
        const std::size_t count = row_length(registers, i);
        const char* access = !reg.write ? "RO" : !reg.read ? "WO" : "RW";
        std::printf("    0x%08x  %s  %s", base + reg.offset, access, reg.name.c_str());
        if (count > 1)
            std::printf(" ... %s, each 4 bytes", registers[i + count - 1].name.c_str());
        std::printf("\n");
        i += count;
    }
}

void print_registers(const SystemPlan& plan, System& system)
{
    std::printf("\nregisters\n");
    for (const System::Peripheral& peripheral : system.peripherals()) {
        std::printf("  %s\n", peripheral.name);
        print_register_file(peripheral.base, peripheral.registers->registers());
    }
    for (const bool stores : {false, true})
        for (std::size_t i = 0; i < plan.components.size(); ++i) {
            const PlannedComponent& component = plan.components[i];
            if (component.registers == 0 || component.stores() != stores)
                continue;
            std::printf("  %s\n", component.name.c_str());
            print_register_file(component.registers,
                                system.components()[i].register_file->registers());
        }
}

/// Prints how the component that stores the model's matrices in its own format lays them out.
void print_choices(const SystemPlan& plan, const ModelImage& image)
{
    const PlannedComponent* keeper = plan.memory_for(LEVEE_ROLE_WEIGHTS);
    if (keeper == nullptr)
        return;
    const bool apart = plan.memory_for(LEVEE_ROLE_EXPERTS) != nullptr;
    std::vector<ModelMatrix> matrices = layer_matrices(image, apart);
    for (ModelMatrix& matrix : matrices)
        matrix.data = {};
    const KeptMatrices kept = keeper->plan.keep(matrices, {});
    if (!kept.choices.empty())
        std::printf("\nmatrices in '%s' (rows x columns)\n", keeper->name.c_str());
    for (const std::string& choice : kept.choices)
        std::printf("  %s\n", choice.c_str());
}

void print_count(const char* unit, const ModelCount& count, const char* verb)
{
    std::printf("  %" PRIu64 " %s", count.all, unit);
    if (count.active != count.all)
        std::printf("; a token %s %" PRIu64, verb, count.active);
    std::printf("\n");
}

/// Prints the model's number of parameters, and the bytes of its weights, keys and values.
void print_counts(const config::Scenario& scenario, const ModelImage& image)
{
    const ModelShape& shape = image.shape();
    print_count("parameters", parameters_of(shape), "uses");
    print_count("bytes of weights", weight_bytes_of(shape, image.entries(), image.weight_format()),
                "reads");
    constexpr std::uint32_t full_bits = 16;
    const std::uint32_t coded = scenario.kv_cache.boot.codes.bits;
    const std::uint32_t bits = coded != 0 ? coded : full_bits;
    std::uint32_t local = 0;
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
        local += (shape.flags_of(layer) & LEVEE_LAYER_LOCAL) != 0 ? 1 : 0;
    std::printf("  %" PRIu64 " bytes of keys and values per token, at %u bits, without scales",
                shape.cached_elements() * shape.layers * bits / 8, bits);
    if (local != 0)
        std::printf("; %u of %u layers keep the last %u tokens", local, shape.layers, shape.window);
    std::printf("\n");
}

void print_model(const config::Scenario& scenario, const SystemPlan& plan)
{
    if (!scenario.model)
        return;
    const ModelImage image = open_model(*scenario.model);
    const ModelShape& shape = image.shape();
    const std::string source = scenario.model->shape ? "a shape" : scenario.model->image.string();
    std::printf("\nmodel '%s' (%s)\n  dim %u, hidden %u, %u layers, %u heads (%u of K and V) of "
                "%u, vocabulary %u, context %u, %s weights, %" PRIu64 " bytes\n",
                image.name().c_str(), source.c_str(), shape.dim, shape.hidden, shape.layers,
                shape.heads, shape.kv_heads, shape.head_dim, shape.vocab, shape.max_context,
                format_name(image.weight_format()).c_str(), image.image_bytes());
    print_counts(scenario, image);
    for (const levee_tensor_entry& entry : image.entries())
        std::printf("  0x%08" PRIx64 "  %-28s %-6s %u x %u\n", entry.data_offset,
                    tensor_place(entry.kind, entry.layer).c_str(), type_name(entry.type),
                    entry.rows, entry.cols);
    print_choices(plan, image);
}

void print_price_lists(const std::vector<energy::PriceList>& lists)
{
    for (const energy::PriceList& list : lists)
        std::printf("%s'%s'", &list == &lists.front() ? "\nenergy by " : ", ", list.name().c_str());
    std::printf("%s", lists.empty() ? "" : "\n");
}

config::Scenario load(const RunRequest& request)
{
    const config::FileFinder finder(scenarios_folder(), config::reach(request.allow_outside));
    return config::load_scenario({request.scenario, request.overrides, request.seed}, finder);
}

} // namespace

int print_resolved(const RunRequest& request)
{
    constexpr int indent = 2;
    std::printf("%s\n", config::to_json(load(request).resolved).dump(indent).c_str());
    return 0;
}

int describe_scenario(const RunRequest& request)
{
    const config::Scenario scenario = load(request);
    const SystemPlan plan = plan_system_of(scenario);
    const std::vector<energy::PriceList> prices = energy::read_price_lists(scenario, plan);
    if (scenario.decisions.statistics)
        check_statistics(*scenario.decisions.statistics);
    check_save(plan, scenario);
    Recorder recorder;
    System system(plan, scenario.system.core, recorder);
    std::printf("system '%s'\n\n", scenario.system.name.c_str());
    print_components(plan);
    print_map(system);
    print_interrupts(plan);
    print_registers(plan, system);
    print_model(scenario, plan);
    print_price_lists(prices);
    return 0;
}

} // namespace levee
