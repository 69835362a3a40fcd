// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/scenario.hpp"

#include "core/abi/boot_info.h"
#include "core/config/reader.hpp"
#include "platform/input/config/core.hpp"
#include "platform/input/config/kv_cache.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <set>

namespace levee::config {

namespace {

// Granules of striped memories: none is less than a burst of a DRAM.
constexpr std::uint64_t least_stripe = 64, usual_stripe = 4096;

BusConfig read_bus(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    BusConfig bus;
    bus.latency_ps = reader.quantity("latency", Dimension::Time);
    bus.port_bytes_per_second = reader.quantity("port_bandwidth", Dimension::Bandwidth, {1});
    bus.stripe_bytes = reader.quantity("stripe", Dimension::Size, {least_stripe}, usual_stripe);
    const Node* const stripe = node.find("stripe");
    bus.stripe_place = stripe ? stripe->place : node.place;
    if (!std::has_single_bit(bus.stripe_bytes))
        throw reader.error("stripe", "is '" + stripe->scalar + "'; expected a power of two");
    reader.finish();
    return bus;
}

CommandConfig read_commands(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    CommandConfig commands;
    commands.queue_depth = reader.count32("queue_depth", {1, 65536});
    commands.fetch_ps = reader.quantity("fetch", Dimension::Time);
    commands.register_latency_ps = reader.quantity("register_latency", Dimension::Time);
    reader.finish();
    return commands;
}

std::vector<StreamConfig> read_streams(const Node& node, const std::string& path)
{
    if (!node.is_map())
        throw Error(node.place, "'" + path + "' is " + std::string(node.kind_name()) +
                                    "; expected a map from names to stream ports");
    std::vector<StreamConfig> streams;
    for (const Node::Entry& entry : node.entries) {
        MapReader reader(entry.value, path + "." + entry.key);
        StreamConfig stream;
        stream.name = entry.key;
        stream.bytes_per_second = reader.quantity("bandwidth", Dimension::Bandwidth, {1});
        stream.fill_ps = reader.quantity("fill", Dimension::Time);
        reader.finish();
        streams.push_back(std::move(stream));
    }
    return streams;
}

/// The maps of `memories:` or `blocks:`, each with its type; the rest of a map is its type's.
std::vector<Component> read_components(const Node& node, const std::string& path, std::size_t most)
{
    if (!node.is_map())
        throw Error(node.place, "'" + path + "' is " + std::string(node.kind_name()) +
                                    "; expected a map from names to components");
    std::vector<Component> components;
    for (const Node::Entry& entry : node.entries) {
        if (entry.key.size() >= LEVEE_NAME_BYTES)
            throw Error(entry.place, "the name '" + entry.key + "' is too long; expected at most " +
                                         std::to_string(LEVEE_NAME_BYTES - 1) + " characters");
        if (entry.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") !=
            std::string::npos)
            throw Error(entry.place, "the name '" + entry.key +
                                         "' is not one; expected lower-case letters, digits and _");
        const std::string full = path + "." + entry.key;
        // An override changes a component and never adds one, as a misspelled name would.
        if (entry.place.line == 0) {
            std::vector<std::string> names;
            for (const Node::Entry& other : node.entries)
                if (other.place.line != 0)
                    names.push_back(other.key);
            throw Error(entry.place, "there is no '" + full + "'" + suggestion(entry.key, names));
        }
        MapReader reader(entry.value, full);
        const Node* type = reader.raw("type", true);
        if (!type)
            throw Error(entry.value.place, "'" + full + "' lacks the key 'type'");
        components.push_back({entry.key, reader.string("type"), entry.value});
    }
    if (components.size() > most)
        throw Error(node.place, "'" + path + "' has " + std::to_string(components.size()) +
                                    " entries; expected at most " + std::to_string(most));
    return components;
}

std::vector<ComponentLibrary> read_libraries(MapReader& reader, const FileFinder& finder)
{
    (void)reader.strings("components", std::vector<std::string>{});
    std::vector<ComponentLibrary> libraries;
    if (const Node* const list = reader.raw("components", false))
        for (const Node& item : list->items)
            libraries.push_back({finder.file(item.scalar, item.place), item.place});
    return libraries;
}

/// Components have names of their own, not those of figures.
void check_names(const SystemConfig& system)
{
    std::set<std::string> names{"core",     "clint", "plic", "uart", "hostlink",
                                "commands", "bus",   "sim",  "host"};
    // Figures of energy and area that are no component's have these in its place.
    const std::set<std::string> figures{"chip_other", "total",     "on_chip",
                                        "off_chip",   "per_token", "decode_per_token",
                                        "phase",      "operation"};
    for (const auto* list : {&system.memories, &system.blocks})
        for (const Component& component : *list) {
            const std::string name = "the name '" + component.name;
            if (figures.contains(component.name))
                throw Error(component.node.place,
                            name + "' stands for other figures of energy and area "
                                   "(docs/scenarios.md); expected another");
            if (!names.insert(component.name).second)
                throw Error(component.node.place, name + "' is taken; expected one of its own");
        }
}

SystemConfig read_system(const Node& node, const FileFinder& finder)
{
    MapReader reader(node, "system");
    SystemConfig system;
    system.name = reader.string("name");
    if (const Node* core = reader.raw("core", true))
        read_core(*core, "system.core", system);
    if (const Node* bus = reader.raw("bus", true))
        system.bus = read_bus(*bus, "system.bus");
    system.libraries = read_libraries(reader, finder);
    const Node* blocks = reader.raw("blocks", false);
    if (const Node* commands = reader.raw("commands", blocks != nullptr))
        system.commands = read_commands(*commands, "system.commands");
    if (const Node* streams = reader.raw("streams", false))
        system.streams = read_streams(*streams, "system.streams");
    if (const Node* memories = reader.raw("memories", true)) {
        system.memories_place = memories->place;
        system.memories = read_components(*memories, "system.memories", LEVEE_MAX_MEMORIES);
    }
    if (blocks) {
        system.blocks_place = blocks->place;
        system.blocks = read_components(*blocks, "system.blocks", LEVEE_MAX_BLOCKS);
    }
    reader.finish();
    check_names(system);
    return system;
}

std::optional<std::filesystem::path> read_file(MapReader& reader, const std::string& key,
                                               const FileFinder& finder)
{
    const Node* node = reader.raw(key, false);
    if (!node)
        return std::nullopt;
    return finder.file(reader.string(key), node->place);
}

std::vector<std::vector<std::uint32_t>> read_prompt_ids(MapReader& reader)
{
    std::vector<std::vector<std::uint32_t>> prompts;
    const Node* lists = reader.raw("prompt_ids", false);
    if (!lists)
        return prompts;
    const auto refuse = [](const Node& node, const std::string& expected) {
        return Error(node.place, "'workload.prompt_ids' has " + std::string(node.kind_name()) +
                                     " here; expected " + expected);
    };
    if (!lists->is_list() || lists->items.empty())
        throw refuse(*lists, "a list of lists of token ids");
    for (const Node& list : lists->items) {
        if (!list.is_list() || list.items.empty())
            throw refuse(list, "a list of at least one token id");
        std::vector<std::uint32_t> ids;
        for (const Node& item : list.items) {
            const QuantityResult id = parse_quantity(item.scalar, Dimension::Count);
            if (!item.is_scalar() || !id.error.empty() || id.value >= 0xFFFFFFFFu)
                throw refuse(item, "a token id");
            ids.push_back(static_cast<std::uint32_t>(id.value));
        }
        prompts.push_back(std::move(ids));
    }
    return prompts;
}

void read_text_source(MapReader& reader, const FileFinder& finder, WorkloadConfig& workload)
{
    workload.prompts = reader.strings("prompts", std::vector<std::string>{});
    workload.prompt_ids = read_prompt_ids(reader);
    workload.prompt_file = read_file(reader, "prompt_file", finder);
    workload.text_file = read_file(reader, "text_file", finder);
    workload.stories_file = read_file(reader, "stories_file", finder);
    workload.prompt_tokens = reader.count32("prompt_tokens", {1}, 0);
    const std::vector<std::string> sources{"prompts",   "prompt_ids",   "prompt_file",
                                           "text_file", "stories_file", "prompt_tokens"};
    std::string first;
    for (const std::string& key : sources) {
        const Node* node = reader.node().find(key);
        if (!node)
            continue;
        if (!first.empty())
            throw Error(node->place, "'workload." + key + "' stands beside 'workload." + first +
                                         "'; expected one source of text");
        first = key;
        workload.has_text = true;
        workload.text_place = node->place;
    }
    if (reader.node().find("prompts") && workload.prompts.empty())
        throw reader.error("prompts", "is empty; expected at least one prompt (\"\" is one)");
    workload.separator = reader.string("separator", end_of_text);
    workload.max_tokens = reader.count32("max_tokens", {1}, 0);
    workload.max_stories = reader.count32("max_stories", {1}, 0);
    workload.sequences = reader.count32("sequences", {1}, 0);
    const auto only_with = [&](const std::string& key, const std::string& source) {
        if (reader.node().find(key) && first != source)
            throw reader.error(key, "is given without 'workload." + source + "'");
    };
    only_with("separator", "text_file");
    only_with("max_tokens", "text_file");
    only_with("max_stories", "stories_file");
    only_with("sequences", "prompt_tokens");
}

void read_prefill_tokens(MapReader& reader, WorkloadConfig& workload)
{
    const bool scores = workload.text_file || workload.app == "perplexity";
    workload.prefill_tokens = reader.count32("prefill_tokens", {1}, scores ? 1 : 0);
    if (!scores && workload.prefill_tokens != 0)
        throw reader.error("prefill_tokens", "is given where no text is scored; expected 'app: "
                                             "perplexity' beside it");
}

/// The name of a shipped program, or the ELF file that is named.
void read_app(MapReader& reader, const FileFinder& finder, WorkloadConfig& workload)
{
    if (const Node* app = reader.raw("app", true))
        workload.app_place = app->place;
    workload.app = reader.string("app");
    if (is_program_file(workload.app))
        workload.app = finder.file(workload.app, workload.app_place).string();
}

WorkloadConfig read_workload(const Node& node, const FileFinder& finder)
{
    MapReader reader(node, "workload");
    WorkloadConfig workload;
    workload.place = workload.text_place = node.place;
    read_app(reader, finder, workload);
    workload.scheduler = reader.string("scheduler", "baseline");
    if (workload.scheduler.size() >= LEVEE_NAME_BYTES)
        throw reader.error("scheduler", "is too long; expected at most 15 characters");
    read_text_source(reader, finder, workload);
    read_prefill_tokens(reader, workload);
    workload.batch = reader.count32("batch", {1, 65535}, 1);
    workload.max_new_tokens = reader.count32("max_new_tokens", {1}, 0);
    workload.context = reader.count32("context", {1}, 0);
    workload.prefill_chunk = reader.count32("prefill_chunk", {1, 65535}, 0);
    workload.sampling = reader.choice<Sampling>(
        "sampling", {{"greedy", Sampling::Greedy}, {"temperature", Sampling::Temperature}},
        Sampling::Greedy);
    workload.temperature =
        static_cast<float>(reader.real("temperature", 0.001, 1000.0, workload.temperature));
    if (reader.node().find("temperature") && workload.sampling != Sampling::Temperature)
        throw reader.error("temperature", "has no effect with 'workload.sampling: greedy'; "
                                          "expected 'sampling: temperature' beside it, or "
                                          "'temperature: null', which takes a file's away");
    workload.stop_token = reader.string("stop_token", "none");
    const Node* stop = reader.node().find("stop_token");
    workload.stop_place = stop ? stop->place : node.place;
    workload.lm_head = reader.boolean("lm_head", true);
    reader.finish();
    return workload;
}

std::vector<std::string> names_of(const SystemConfig& system)
{
    std::vector<std::string> names;
    for (const auto* list : {&system.memories, &system.blocks})
        for (const Component& component : *list)
            names.push_back(component.name);
    return names;
}

/// `timing:`, a word, or a map of causes and components.
TimingConfig read_timing(MapReader& scenario, const SystemConfig& system)
{
    const Node* const node = scenario.raw("timing", false);
    if (node == nullptr || !node->is_map()) {
        const TimingConfig ideal{false, false, TakesTime::Streams, {}};
        return scenario.choice<TimingConfig>("timing", {{"real", {}}, {"ideal", ideal}},
                                             TimingConfig{});
    }
    MapReader reader(*node, "timing");
    TimingConfig timing;
    timing.latency = reader.boolean("latency", true);
    timing.fetch = reader.boolean("fetch", true);
    for (const std::string& name : names_of(system)) {
        const Node* const chosen = reader.raw(name, false);
        if (chosen == nullptr)
            continue;
        const auto takes = reader.choice<TakesTime>(name,
                                                    {{"true", TakesTime::All},
                                                     {"streams", TakesTime::Streams},
                                                     {"false", TakesTime::Nothing}},
                                                    TakesTime::All);
        timing.components.push_back({name, takes, chosen->place});
    }
    reader.finish();
    return timing;
}

ObserveConfig read_observe(const Node& node, const FileFinder& finder)
{
    MapReader reader(node, "observe");
    ObserveConfig observe;
    for (const auto& [key, file] : {std::pair{"logits", &ObserveConfig::logits},
                                    std::pair{"retention_log", &ObserveConfig::retention_log},
                                    std::pair{"lifetimes", &ObserveConfig::lifetimes}})
        if (const Node* name = reader.raw(key, false))
            observe.*file = {reader.string(key), name->place};
    if (const Node* script = reader.raw("script", false))
        observe.script = finder.file(reader.string("script"), script->place);
    observe.report = reader.boolean("report", true);
    observe.waves = read_waves(reader.raw("waves", false));
    reader.finish();
    return observe;
}

TechConfig read_tech(const Node& node)
{
    MapReader reader(node, "tech");
    TechConfig tech;
    const Node* const energy = reader.raw("energy", true);
    const Node* const also = reader.raw("also", false);
    reader.finish();
    tech.energy = *energy;
    if (also == nullptr)
        return tech;
    if (!also->is_list())
        throw Error(also->place, "'tech.also' is " + std::string(also->kind_name()) +
                                     "; expected a list of price lists");
    tech.also = also->items;
    return tech;
}

} // namespace

namespace {

/// Checks that nothing is left out that a functional run needs.
void check_computed(const Scenario& scenario, const Node* kv_cache)
{
    if (scenario.workload && !scenario.workload->lm_head)
        throw Error(scenario.workload->place, "'workload.lm_head' is false, which picks no token; "
                                              "expected 'data: phantom' beside it");
    if (scenario.kv_cache.recompute == LEVEE_KV_RECOMPUTE_FREE)
        throw Error(kv_cache->place, "'kv_cache.recompute' is free, which computes nothing; "
                                     "expected 'data: phantom' beside it, or all, hidden or off");
}

} // namespace

TakesTime TimingConfig::of(const std::string& component) const
{
    const auto named = std::ranges::find(components, component, &ComponentTiming::name);
    return named != components.end() ? named->takes : others;
}

Scenario ScenarioSource::load(const std::vector<std::string>& overrides,
                              std::optional<std::uint64_t> seed) const
{
    Scenario scenario;
    scenario.name = path_.stem().string();
    scenario.resolved = composed(overrides);
    const FileFinder finder = finder_.noting(scenario.files);

    MapReader reader(scenario.resolved, "");
    if (const Node* system = reader.raw("system", true))
        scenario.system = read_system(*system, finder);
    scenario.system.data = reader.choice<DataMode>(
        "data", {{"functional", DataMode::Functional}, {"phantom", DataMode::Phantom}},
        DataMode::Functional);
    if (const Node* model = reader.raw("model", false))
        scenario.model = read_model(*model, finder, scenario.system.data);
    scenario.decisions =
        read_decisions(reader, finder, scenario.system.data, scenario.model.has_value());
    if (const Node* workload = reader.raw("workload", false))
        scenario.workload = read_workload(*workload, finder);
    if (const Node* sampling = reader.raw("sampling", false))
        scenario.sampling = read_sampling(*sampling);
    const Node* kv_cache = reader.raw("kv_cache", false);
    scenario.kv_cache = kv_cache ? read_kv_cache(*kv_cache) : full_kv_cache();
    if (scenario.system.data == DataMode::Functional)
        check_computed(scenario, kv_cache);
    if (const Node* observe = reader.raw("observe", false))
        scenario.observe = read_observe(*observe, finder);
    if (const Node* tech = reader.raw("tech", false))
        scenario.tech = read_tech(*tech);
    scenario.system.timing = read_timing(reader, scenario.system);
    scenario.seed = reader.count("seed", {0, 0xFFFFFFFFu}, 1);
    reader.finish();
    scenario.seed = seed.value_or(scenario.seed);
    scenario.system.seed = static_cast<std::uint32_t>(scenario.seed);
    return scenario;
}

} // namespace levee::config
