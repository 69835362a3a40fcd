// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/rsa/declaration.hpp"
#include "ip/rsa/model.hpp"
#include "ip/rsa/module.hpp"
#include "ip/rsa/output/pins.hpp"
#include "ip/rsa/output/rtl.hpp"
#include "ip/rsa/pins.hpp"
#include "ip/rsa/rtl.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace levee::rsa {

namespace {

rsa::Config read_config(config::MapReader& reader, const ComponentDefaults& defaults)
{
    rsa::Config config;
    config.clock = read_clock(reader, defaults);
    config.array.rows = reader.quantity32("rows");
    config.array.columns = reader.quantity32("columns");
    config.array.load_bytes_per_cycle = reader.quantity32("load_bytes_per_cycle");
    config.array.accumulator_rows = reader.quantity32("accumulator_rows");
    config.array.overlap_loads = reader.boolean("overlap_loads");
    config.array.share_reads = reader.boolean("share_reads");
    config.array.dataflow = reader.word<rsa::Dataflow>("dataflow");
    if (config.array.share_reads && config.array.dataflow == rsa::Dataflow::OutputStationary)
        throw reader.error("share_reads",
                           "needs a weight-stationary array, whose accumulators keep "
                           "partial sums; expected false, or 'dataflow: "
                           "weight_stationary'");
    config.single_pass = reader.quantity32("passes") == 1;
    config.queue = defaults.queue;
    return config;
}

/// Refuses an array with several queues if the array's RTL is clocked in simulated time. Such RTL
/// would execute the products of the other queues during operations of the array's own queue.
void check_shared_rtl(const config::MapReader& reader, const config::MapReader& owner)
{
    const config::Node* const impl = owner.node().find("impl");
    if (impl != nullptr && impl->scalar == "rtl_cycle")
        throw owner.error("impl", "is rtl_cycle, which clocks operations of one queue, and '" +
                                      reader.path() +
                                      "' shares this array; expected rtl or lockstep, or an "
                                      "array that no other block shares");
}

/// Reads the configuration of the array that `shares` names. The named array must not itself share
/// another array.
rsa::Config read_shared(config::MapReader& reader, const ComponentDefaults& defaults)
{
    const std::string owner = reader.string("shares");
    for (const config::Component& other : defaults.blocks) {
        if (other.name != owner || other.type != "rsa")
            continue;
        if (other.node.find("shares") != nullptr)
            throw reader.error("shares", "names '" + owner +
                                             "', which itself shares another array; expected a "
                                             "block of type 'rsa' with its own array");
        config::MapReader theirs(other.node, "system.blocks." + owner, keys_of(declaration));
        check_shared_rtl(reader, theirs);
        return read_config(theirs, defaults);
    }
    throw reader.error("shares",
                       "names '" + owner + "'; expected a block of type 'rsa' with its own array");
}

/// The RTL that multiplies instead of the reference, and the platform's interface to it.
struct Multiplier {
    std::unique_ptr<rsa::Engine> engine;
    RtlStatus* status = nullptr;
};

/// The RTL design for a block's array, and how to create it.
struct Hardware {
    std::string design;
    std::function<Multiplier(const std::string& block)> make;
};

/// Reads `rtl:`. The default is the first of `designs` with the configured size.
template <typename RtlEngine, typename Design>
Hardware read_hardware(config::MapReader& reader, const rsa::Config& config,
                       std::span<const Design> designs, RtlMode mode)
{
    const auto fits = [&](const Design& design) {
        return design.size.rows == config.array.rows && design.size.columns == config.array.columns;
    };
    const Design* const design = fitting_design(reader, designs, fits);
    if (!fits(*design))
        throw reader.error("rows", "and 'columns' do not fit the RTL, which has " +
                                       std::to_string(design->size.rows) + " and " +
                                       std::to_string(design->size.columns) +
                                       "; expected those, or 'impl: tlm'");
    if (!config.array.overlap_loads)
        throw reader.error("overlap_loads",
                           "does not fit the RTL, which starts each fold directly after the "
                           "previous one; expected true, or 'impl: tlm'");
    const Design* const chosen = with_assertions(reader, *design);
    return {chosen->name,
            [make = chosen->make, clock = config.clock, mode](const std::string& block) {
                auto engine = std::make_unique<RtlEngine>(block, make, mode);
                engine->set_clock(clock);
                RtlStatus* const status = engine.get();
                return Multiplier{std::move(engine), status};
            }};
}

/// Reads the design for the configured dataflow; none with `impl: tlm`.
Hardware read_hardware(config::MapReader& reader, const rsa::Config& config,
                       const ComponentDefaults& defaults)
{
    if (defaults.implementation == Implementation::Tlm)
        return {};
    const RtlMode mode = rtl_mode(defaults);
    if (config.array.dataflow == rsa::Dataflow::OutputStationary)
        return read_hardware<rsa::output::RtlEngine>(reader, config, rsa::output::designs(), mode);
    return read_hardware<rsa::RtlEngine>(reader, config, rsa::designs(), mode);
}

Component make_array(const std::string& name, Fabric& fabric, const rsa::Config& config,
                     const Hardware& hardware)
{
    Multiplier multiplier;
    if (hardware.make)
        multiplier = hardware.make(name);
    auto array =
        std::make_unique<rsa::Rsa>(name.c_str(), config, fabric, std::move(multiplier.engine));
    rsa::Rsa& rsa = *array;
    Component component = component_of(std::move(array));
    component.rtl = multiplier.status;
    component.share = [&rsa](sc_core::sc_module& owner) {
        rsa.share_array(dynamic_cast<rsa::Rsa&>(owner));
    };
    return component;
}

/// Refuses free recomputation (`kv_cache.recompute: free`, LEVEE_RSA_PARTIAL_FREE), except with the
/// weight-stationary dataflow.
void check_recompute(const levee_boot_info& boot_info, const rsa::Config& config,
                     const std::string& name, const config::Place& place)
{
    if (config.array.dataflow == rsa::Dataflow::OutputStationary &&
        boot_info.kv.recompute == LEVEE_KV_RECOMPUTE_FREE)
        throw config::Error(place, "'system.blocks." + name +
                                       ".dataflow' is output_stationary, which does not support "
                                       "'kv_cache.recompute: free'; expected weight_stationary, or "
                                       "'kv_cache.recompute' all, hidden or off");
}

/// Returns warnings about recomputation. No register contains the dataflow, so firmware counts the
/// rows that are free by the weight-stationary rule (firmware/target/systolic/recompute.c).
std::vector<std::string> caveats_of(const rsa::Config& config, const CaveatInputs& inputs)
{
    if (config.array.dataflow != rsa::Dataflow::OutputStationary || !inputs.stores_inputs ||
        inputs.boot_info.kv.recompute != LEVEE_KV_RECOMPUTE_HIDDEN)
        return {};
    return {"is output stationary, but 'kv_cache.recompute: hidden' selects the recomputation that "
            "is free on a weight-stationary array: compare with --set kv_cache.recompute=off"};
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    const bool shares = reader.has("shares");
    const rsa::Config config =
        shares ? read_shared(reader, defaults) : read_config(reader, defaults);
    if (shares && defaults.implementation != Implementation::Tlm)
        throw reader.error("impl",
                           "cannot be set with 'shares'; set it in the block that owns the array");
    ComponentPlan plan;
    plan.most_inner = max_inner(LEVEE_TYPE_INT8);
    plan.has_rtl = true;
    plan.has_rtl_cycle = true;
    if (shares) {
        plan.shares = reader.string("shares");
    } else {
        plan.macs_per_second =
            std::uint64_t{config.array.rows} * config.array.columns * config.clock.hz;
        plan.load_bytes_per_second =
            std::uint64_t{config.array.load_bytes_per_cycle} * config.clock.hz;
    }
    plan.parameters = parameters_read(reader, declaration);
    const Hardware hardware = read_hardware(reader, config, defaults);
    if (hardware.make)
        plan.parameters.emplace_back("rtl", hardware.design);
    if (const config::Node* const dataflow = reader.node().find("dataflow"))
        plan.check = [config, place = dataflow->place](const std::string& name,
                                                       const levee_boot_info& boot_info) {
            check_recompute(boot_info, config, name, place);
        };
    plan.caveats = [config](const CaveatInputs& inputs) { return caveats_of(config, inputs); };
    plan.make = [config, hardware](const std::string& name, const ComponentContext& around) {
        return make_array(name, *around.fabric, config, hardware);
    };
    return plan;
}

const ComponentRegistration registration(rsa::declaration, read);

} // namespace

} // namespace levee::rsa
