// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/scenario.hpp"

#include "core/abi/boot_info.h"
#include "core/config/pattern.hpp"
#include "core/config/reader.hpp"
#include "platform/input/config/core.hpp"
#include "platform/input/config/kv_cache.hpp"
#include "platform/input/config/scenario_keys.hpp"
#include "platform/input/config/timing.hpp"
#include "platform/input/config/turns_file.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <set>

namespace levee::config {

namespace {

BusConfig read_bus(MapReader reader)
{
    BusConfig bus;
    bus.latency_ps = reader.quantity("latency");
    bus.port_bytes_per_second = reader.quantity("port_bandwidth");
    bus.interleave_bytes = reader.quantity("interleave");
    const Node* const interleave = reader.node().find("interleave");
    bus.interleave_place = interleave ? interleave->place : reader.node().place;
    if (!std::has_single_bit(bus.interleave_bytes))
        throw reader.error("interleave",
                           "is '" + interleave->scalar + "'; expected a power of two");
    reader.finish();
    return bus;
}

CommandConfig read_commands(MapReader reader)
{
    CommandConfig commands;
    commands.queue_depth = reader.quantity32("queue_depth");
    commands.fetch_ps = reader.quantity("fetch");
    commands.register_latency_ps = reader.quantity("register_latency");
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
        MapReader reader(entry.value, path + "." + entry.key, stream_keys);
        StreamConfig stream;
        stream.name = entry.key;
        stream.bytes_per_second = reader.quantity("bandwidth");
        stream.fill_ps = reader.quantity("fill");
        reader.finish();
        streams.push_back(std::move(stream));
    }
    return streams;
}

/// Reads the components of `memories:` or `blocks:`, and finds their types. Each type's own reader
/// reads the other keys.
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
        if (matches(entry.key, component_name_pattern).empty())
            throw Error(entry.place,
                        "the name '" + entry.key +
                            "' is not valid; expected lower-case letters, digits and _");
        const std::string full = path + "." + entry.key;
        // An override may change a component but not add one, so that a misspelled name is an
        // error.
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
    (void)reader.strings("components");
    std::vector<ComponentLibrary> libraries;
    if (const Node* const list = reader.raw("components", false))
        for (const Node& item : list->items)
            libraries.push_back({finder.file(item.scalar, item.place), item.place});
    return libraries;
}

/// Checks that the components' names are unique, and differ from words that other metrics have in
/// the place of a component's name.
void check_names(const SystemConfig& system)
{
    // `fetch` and `latency` are keys of `timing:`. Components' names are keys there, too, and so
    // must differ from these.
    std::set<std::string> names{"core", "clint", "plic", "uart",  "hostlink", "commands",
                                "bus",  "sim",   "host", "fetch", "latency"};
    // Metrics of energy and area have these words in the place of a component's name
    // (energy.total_j).
    const std::set<std::string> figures{"chip_other", "total",     "on_chip",
                                        "off_chip",   "per_token", "decode_per_token",
                                        "phase",      "operation"};
    for (const auto* list : {&system.memories, &system.blocks})
        for (const Component& component : *list) {
            const std::string name = "the name '" + component.name;
            if (figures.contains(component.name))
                throw Error(component.node.place,
                            name + "' is reserved for other figures of energy and area "
                                   "(docs/scenarios.md); expected another name");
            if (!names.insert(component.name).second)
                throw Error(component.node.place, name + "' is already used; expected another "
                                                         "name");
        }
}

SystemConfig read_system(MapReader reader, const FileFinder& finder)
{
    SystemConfig system;
    system.name = reader.string("name");
    if (const std::optional<MapReader> core = reader.map("core"))
        read_core(*core, system);
    if (const std::optional<MapReader> bus = reader.map("bus"))
        system.bus = read_bus(*bus);
    system.libraries = read_libraries(reader, finder);
    const Node* blocks = reader.raw("blocks", false);
    if (const std::optional<MapReader> commands = reader.map("commands"))
        system.commands = read_commands(*commands);
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

Error no_ids(const Node& node, const std::string& key, const std::string& expected)
{
    return Error(node.place, "'" + key + "' has " + std::string(node.kind_name()) +
                                 " here; expected " + expected);
}

std::vector<std::uint32_t> read_ids(const Node& list, const std::string& key)
{
    if (!list.is_list() || list.items.empty())
        throw no_ids(list, key, "a list of at least one token id");
    std::vector<std::uint32_t> ids;
    for (const Node& item : list.items) {
        const QuantityResult id = parse_quantity(item.scalar, Dimension::Count);
        if (!item.is_scalar() || item.quoted || !id.error.empty() || id.value > most_token_id)
            throw no_ids(item, key, "a token id");
        ids.push_back(static_cast<std::uint32_t>(id.value));
    }
    return ids;
}

std::vector<std::vector<std::uint32_t>> read_prompt_ids(MapReader& reader)
{
    const std::string key = "workload.prompt_ids";
    std::vector<std::vector<std::uint32_t>> prompts;
    const Node* lists = reader.raw("prompt_ids", false);
    if (!lists)
        return prompts;
    if (!lists->is_list() || lists->items.empty())
        throw no_ids(*lists, key, "a list of lists of token ids");
    for (const Node& list : lists->items)
        prompts.push_back(read_ids(list, key));
    return prompts;
}

std::vector<ChatMessage> read_chat(MapReader& reader)
{
    std::vector<ChatMessage> messages;
    for (MapReader& message : reader.maps("chat")) {
        messages.push_back(
            {message.word<ChatRole>("role"), message.string("content"), message.node().place});
        message.finish();
    }
    if (reader.node().find("chat") && messages.empty())
        throw reader.error("chat", "is empty; expected at least one message");
    return messages;
}

Turn read_turn(MapReader& reader, std::uint32_t max_new_tokens)
{
    Turn turn;
    turn.place = reader.node().place;
    if (reader.has("prompt"))
        turn.prompt = reader.string("prompt");
    if (const Node* ids = reader.raw("prompt_ids", false))
        turn.prompt_ids = read_ids(*ids, reader.path() + ".prompt_ids");
    turn.prompt_tokens = reader.quantity32("prompt_tokens");
    turn.chat = read_chat(reader);
    turn.max_new_tokens =
        reader.has("max_new_tokens") ? reader.quantity32("max_new_tokens") : max_new_tokens;
    turn.after_ps = reader.quantity("after");
    reader.finish();
    if (turn.prompt.has_value() + !turn.prompt_ids.empty() + (turn.prompt_tokens != 0) +
            !turn.chat.empty() !=
        1)
        throw Error(turn.place, "'" + reader.path() +
                                    "': expected one of 'prompt', 'prompt_ids', 'prompt_tokens' "
                                    "and 'chat'");
    return turn;
}

void check_pauses(const std::vector<Turn>& turns)
{
    std::uint64_t left = longest_pause;
    for (const Turn& turn : turns) {
        if (turn.after_ps > left)
            throw Error(turn.place, "'workload.turns' have more than " +
                                        std::to_string(longest_pause / ps_per_second) +
                                        " s of pauses; expected at most that");
        left -= turn.after_ps;
    }
}

void check_turn_chats(const WorkloadConfig& workload)
{
    for (const Turn& turn : workload.turns)
        if (turn.chat.empty() == workload.has_chat())
            throw Error(turn.place, std::string("a turn of 'workload.turns' has ") +
                                        (turn.chat.empty() ? "no 'chat', and the first has one"
                                                           : "'chat', and the first has none") +
                                        "; expected it in all turns or none");
}

void read_forget_after(MapReader& reader, WorkloadConfig& workload)
{
    const std::uint64_t time = reader.quantity("forget_after");
    if (!reader.node().find("forget_after"))
        return;
    if (workload.turns.empty())
        throw reader.error(
            "forget_after",
            "is given without 'turns', whose cache it releases; expected 'turns', too");
    workload.forget_after_ps = time;
}

void read_save(MapReader& reader, WorkloadConfig& workload)
{
    std::optional<MapReader> map = reader.map("save");
    if (!map)
        return;
    Save save;
    save.memory = map->string("memory");
    save.after_ps = map->quantity("after");
    map->finish();
    save.place = map->node().find("memory")->place;
    if (workload.turns.empty())
        throw reader.error("save",
                           "is given without 'turns', whose cache it saves; expected 'turns', too");
    if (workload.forget_after_ps)
        throw reader.error("save", "is given together with 'forget_after', which discards what "
                                   "it saves; expected one of the two");
    workload.save = std::move(save);
}

/// Reads the turns of a conversation. Also sets the workload's max_new_tokens to that of the
/// longest answer.
void read_turns(MapReader& reader, WorkloadConfig& workload)
{
    if (const Node* const turns = reader.node().find("turns"); turns && turns->is_scalar())
        throw reader.error("turns", "is " + in_quotes(turns->scalar) +
                                        "; expected a list of turns, or the name of a .yaml or "
                                        ".csv file of them");
    for (MapReader& turn : reader.maps("turns")) {
        if (workload.turns.size() == most_turns)
            throw too_many_turns(turn.node().place);
        workload.turns.push_back(read_turn(turn, workload.max_new_tokens));
    }
    if (reader.node().find("turns") && workload.turns.empty())
        throw reader.error("turns", "is empty; expected at least one turn");
    read_forget_after(reader, workload);
    read_save(reader, workload);
    if (workload.turns.empty())
        return;
    check_pauses(workload.turns);
    check_turn_chats(workload);
    workload.max_new_tokens = 0;
    if (workload.batch != 1)
        throw reader.error("batch", "is " + std::to_string(workload.batch) +
                                        "; 'workload.turns' are one conversation: expected 1");
    if (workload.app != "generate" && !is_program_file(workload.app))
        throw Error(workload.app_place, "'workload.app' is '" + workload.app +
                                            "', which holds no conversation; with "
                                            "'workload.turns' expected 'generate'");
    for (const Turn& turn : workload.turns)
        workload.max_new_tokens = std::max(workload.max_new_tokens, turn.max_new_tokens);
}

std::optional<std::uint64_t> given_quantity(MapReader& map, const char* key)
{
    if (map.node().find(key) == nullptr)
        return std::nullopt;
    return map.quantity(key);
}

std::optional<RequestLimits> read_request_limits(MapReader& reader)
{
    std::optional<MapReader> map = reader.map("limits");
    if (!map)
        return std::nullopt;
    const RequestLimits limits{given_quantity(*map, "first_token"), given_quantity(*map, "token")};
    map->finish();
    if (!limits.first_token_ps && !limits.token_ps)
        throw Error(map->node().place,
                    "'" + map->path() + "' is empty; expected 'first_token', 'token' or both");
    return limits;
}

/// Checks `prefix_tokens`. A file of requests must not be given as well, since it states
/// prefixes.
void check_prefixes(const MapReader& map, const Requests& requests)
{
    if (requests.prefix_tokens == 0)
        return;
    if (requests.file)
        throw map.error("prefix_tokens", "is given, and so is 'file', which has a column of that "
                                         "name; expected one of the two");
    if (requests.prefix_tokens > requests.prompt_tokens)
        throw map.error("prefix_tokens",
                        "is " + std::to_string(requests.prefix_tokens) + "; expected at most the " +
                            std::to_string(requests.prompt_tokens) + " of 'prompt_tokens'");
}

/// Returns the place of a key's value; if the key is absent, the place of the map.
Place place_of(const MapReader& map, const char* key)
{
    const Node* const value = map.node().find(key);
    return value != nullptr ? value->place : map.node().place;
}

std::optional<Requests> read_requests(MapReader& reader, const FileFinder& finder)
{
    std::optional<MapReader> map = reader.map("requests");
    if (!map)
        return std::nullopt;
    Requests requests;
    requests.file = read_file(*map, "file", finder);
    requests.count = map->quantity32("count");
    requests.interval_ps = map->quantity("interval");
    requests.arrivals = map->word<Arrivals>("arrivals");
    requests.prompt_tokens = map->quantity32("prompt_tokens");
    requests.new_tokens = map->quantity32("new_tokens");
    requests.prefix_block = map->quantity32("prefix_block");
    requests.prefix_tokens = map->quantity32("prefix_tokens");
    requests.limits = read_request_limits(*map);
    for (const char* const key : {"count", "interval", "prompt_tokens", "new_tokens"})
        if (requests.file && map->node().find(key))
            throw map->error(key, "is given, and so is 'file'; expected one of the two");
        else if (!requests.file && !map->node().find(key))
            throw Error(map->node().place,
                        "'" + map->path() + "." + key + "' is missing; expected it, or a 'file'");
    if (requests.file && map->node().find("arrivals"))
        throw map->error("arrivals", "is given, but 'file' sets the arrival times; expected one "
                                     "of the two");
    check_prefixes(*map, requests);
    map->finish();
    requests.source_place = place_of(*map, requests.file ? "file" : "count");
    requests.prompt_place = place_of(*map, "prompt_tokens");
    requests.interval_place = place_of(*map, "interval");
    return requests;
}

/// Checks that the workload states no length of answers if it has requests, since each request
/// states its own length.
void check_requests(MapReader& reader, const WorkloadConfig& workload)
{
    if (!workload.requests)
        return;
    if (workload.max_new_tokens != 0)
        throw reader.error("max_new_tokens",
                           "is given, but each of 'workload.requests' states its own length; "
                           "expected none ('max_new_tokens: null')");
}

void check_app_of_requests(const WorkloadConfig& workload)
{
    if ((workload.app == "serve") != workload.requests.has_value() &&
        !is_program_file(workload.app))
        throw Error(workload.app_place,
                    "'workload.app' is '" + workload.app +
                        (workload.requests
                             ? "', which answers no requests; with 'workload.requests' expected "
                               "'serve'"
                             : "', which answers requests; expected 'workload.requests'"));
}

/// Throws Error if `prompts` has token ids, which belong in `prompt_ids`.
void refuse_ids_as_texts(const MapReader& reader)
{
    const Node* const prompts = reader.node().find("prompts");
    if (prompts == nullptr)
        return;
    for (const Node& item : prompts->items)
        if (item.is_list())
            throw Error(item.place, "an item of 'workload.prompts' is a list; expected text. "
                                    "Token ids belong in 'workload.prompt_ids'");
}

void read_text_source(MapReader& reader, const FileFinder& finder, WorkloadConfig& workload)
{
    refuse_ids_as_texts(reader);
    workload.prompts = reader.strings("prompts");
    workload.prompt_ids = read_prompt_ids(reader);
    workload.chat = read_chat(reader);
    const auto named = reader.word<std::size_t>("template");
    if (reader.node().find("template"))
        workload.chat_template = named;
    workload.prompt_file = read_file(reader, "prompt_file", finder);
    workload.text_file = read_file(reader, "text_file", finder);
    workload.stories_file = read_file(reader, "stories_file", finder);
    workload.prompt_tokens = reader.quantity32("prompt_tokens");
    workload.requests = read_requests(reader, finder);
    const std::vector<std::string> sources{"prompts",   "prompt_ids",   "chat",
                                           "turns",     "requests",     "prompt_file",
                                           "text_file", "stories_file", "prompt_tokens"};
    std::string first;
    for (const std::string& key : sources) {
        const Node* node = reader.node().find(key);
        if (!node)
            continue;
        if (!first.empty())
            throw Error(node->place, "'workload." + key + "' is given, and so is 'workload." +
                                         first + "'; expected one source of text");
        first = key;
        workload.has_text = true;
        workload.text_place = node->place;
    }
    if (reader.node().find("prompts") && workload.prompts.empty())
        throw reader.error("prompts",
                           "is empty; expected at least one prompt, which may be an empty text");
    workload.separator = reader.string("separator");
    workload.max_tokens = reader.quantity32("max_tokens");
    workload.max_stories = reader.quantity32("max_stories");
    workload.sequences = reader.quantity32("sequences");
    const auto only_with = [&](const std::string& key, const std::string& source) {
        if (reader.node().find(key) && first != source)
            throw reader.error(key, "is given without 'workload." + source +
                                        "', to which it applies; expected both or neither");
    };
    only_with("separator", "text_file");
    only_with("max_tokens", "text_file");
    only_with("max_stories", "stories_file");
    only_with("sequences", "prompt_tokens");
}

void read_prefill_tokens(MapReader& reader, WorkloadConfig& workload)
{
    const bool scores = workload.text_file || workload.app == "perplexity";
    workload.prefill_tokens =
        static_cast<std::uint32_t>(reader.quantity("prefill_tokens", scores ? 1 : 0));
    if (!scores && !workload.stories_file && workload.prefill_tokens != 0)
        throw reader.error("prefill_tokens", "is given, but no text is scored and no question is "
                                             "asked; expected 'app: perplexity' or 'app: recall'");
}

/// Reads the name of a shipped program, or the path of an ELF file.
void read_app(MapReader& reader, const FileFinder& finder, WorkloadConfig& workload)
{
    if (const Node* app = reader.raw("app", true))
        workload.app_place = app->place;
    workload.app = reader.string("app");
    if (is_program_file(workload.app))
        workload.app = finder.file(workload.app, workload.app_place).string();
}

/// Reads a name that must be in one of firmware's lists. Firmware itself reports unknown names.
std::string read_name(MapReader& reader, const char* key)
{
    const std::string name = reader.string(key);
    if (reader.node().find(key) && (name.empty() || name.size() >= LEVEE_NAME_BYTES))
        throw reader.error(key, "is '" + name + "'; expected a name of 1 to " +
                                    std::to_string(LEVEE_NAME_BYTES - 1) + " characters");
    return name;
}

Scheduler read_parts(MapReader reader)
{
    Scheduler scheduler;
    unsigned role = 0;
    for (const char* const key : {"weights", "functions", "attention"}) {
        const bool is_default = !reader.has(key) && std::string_view(key) == "functions";
        const std::string name = is_default ? "" : read_name(reader, key);
        name.copy(scheduler.parts.names[role++], name.size());
        if (!is_default)
            scheduler.name += (scheduler.name.empty() ? "" : "+") + name;
    }
    for (const auto& [key, bit] :
         {std::pair{"separate", LEVEE_ORDER_SEPARATE}, std::pair{"staged", LEVEE_ORDER_STAGED},
          std::pair{"kv_queue", LEVEE_ORDER_KV_QUEUE}})
        scheduler.parts.order |= reader.boolean(key) ? bit : 0;
    reader.finish();
    return scheduler;
}

Scheduler read_scheduler(MapReader& reader)
{
    std::optional<MapReader> machine = reader.map("machine");
    if (!machine)
        return {reader.node().find("scheduler") ? read_name(reader, "scheduler") : "baseline", {}};
    if (reader.node().find("scheduler"))
        throw reader.error("scheduler", "names a machine, and 'workload.machine' the parts of "
                                        "another; expected one of the two");
    return read_parts(std::move(*machine));
}

/// Context for reading a draft model, including the model for which it guesses.
struct DraftSource {
    const FileFinder& finder;
    DataMode data;
    const std::optional<ModelConfig>& model;
};

void read_draft(MapReader& map, const DraftSource& source, Speculation& speculation)
{
    const Node* const draft = map.raw("draft", false);
    if (draft == nullptr)
        return;
    if (map.node().find("match"))
        throw map.error("match", "applies to prompt lookup, but 'workload.speculation.draft' is "
                                 "given, so a second model guesses; expected one of the two");
    if (!source.model)
        throw Error(draft->place, "'workload.speculation.draft' is given and there is no model to "
                                  "guess for; expected 'model:'");
    speculation.match = 0;
    speculation.draft = read_draft(*draft, source.finder, source.data, *source.model);
}

std::optional<Speculation> read_speculation(MapReader& reader, const WorkloadConfig& workload,
                                            const DraftSource& source)
{
    std::optional<MapReader> map = reader.map("speculation");
    if (!map)
        return std::nullopt;
    Speculation speculation{map->quantity32("tokens"), map->quantity32("match"), {}, {},
                            map->node().place,         place_of(*map, "tokens")};
    read_draft(*map, source, speculation);
    if (map->node().find("acceptance"))
        speculation.acceptance = map->real("acceptance");
    map->finish();
    const auto refuse = [&](const std::string& key, const std::string& value,
                            const std::string& expected) {
        return Error(speculation.place, "'workload.speculation' with 'workload." + key + ": " +
                                            value + "'; expected " + expected);
    };
    if (workload.app != "generate" && !is_program_file(workload.app))
        throw refuse("app", workload.app, "generate");
    if (workload.batch != 1)
        throw refuse("batch", std::to_string(workload.batch), "1");
    if (workload.sampling != Sampling::Greedy)
        throw refuse("sampling", "temperature", "greedy, which decides which guesses are right");
    return speculation;
}

WorkloadConfig read_workload(MapReader reader, const DraftSource& source)
{
    const FileFinder& finder = source.finder;
    const Node& node = reader.node();
    WorkloadConfig workload;
    workload.place = workload.text_place = node.place;
    read_app(reader, finder, workload);
    workload.scheduler = read_scheduler(reader);
    read_text_source(reader, finder, workload);
    read_prefill_tokens(reader, workload);
    workload.batch = reader.quantity32("batch");
    workload.max_new_tokens = reader.quantity32("max_new_tokens");
    read_turns(reader, workload);
    if (reader.node().find("template") && !workload.has_chat())
        throw reader.error(
            "template",
            "is given without 'workload.chat', to which it applies; expected both or neither");
    workload.context = reader.quantity32("context");
    workload.prefill_chunk = reader.quantity32("prefill_chunk");
    workload.sampling = reader.word<Sampling>("sampling");
    workload.temperature = static_cast<float>(reader.real("temperature"));
    if (reader.node().find("temperature") && workload.sampling != Sampling::Temperature)
        throw reader.error("temperature",
                           "has no effect with 'workload.sampling: greedy'; expected 'sampling: "
                           "temperature', or 'temperature: null', which removes a file's value");
    workload.stop_token = reader.string("stop_token", workload.has_chat() ? "end_of_turn" : "none");
    const Node* stop = reader.node().find("stop_token");
    workload.stop_place = stop ? stop->place : node.place;
    workload.lm_head = reader.boolean("lm_head");
    if (const Node* lm_head = node.find("lm_head"))
        workload.lm_head_place = lm_head->place;
    workload.speculation = read_speculation(reader, workload, source);
    check_app_of_requests(workload);
    check_requests(reader, workload);
    reader.finish();
    return workload;
}

ObserveConfig read_observe(MapReader reader, const FileFinder& finder)
{
    ObserveConfig observe;
    for (const auto& [key, file] : {std::pair{"logits", &ObserveConfig::logits},
                                    std::pair{"retention_log", &ObserveConfig::retention_log},
                                    std::pair{"lifetimes", &ObserveConfig::lifetimes}})
        if (const Node* name = reader.raw(key, false))
            observe.*file = {reader.string(key), name->place};
    if (const Node* script = reader.raw("script", false))
        observe.script = finder.file(reader.string("script"), script->place);
    observe.report = reader.boolean("report");
    observe.waves = read_waves(reader.map("waves"));
    reader.finish();
    return observe;
}

TechConfig read_tech(MapReader reader)
{
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

/// Checks `acceptance`. If a run has tokens, guesses are compared with them. If it has none,
/// `acceptance` states how many guesses are right.
void check_acceptance(const Scenario& scenario)
{
    if (!scenario.workload || !scenario.workload->speculation)
        return;
    const Speculation& speculation = *scenario.workload->speculation;
    const bool has_tokens = scenario.system.data == DataMode::Functional;
    if (speculation.acceptance.has_value() == has_tokens)
        throw Error(speculation.place,
                    has_tokens ? "'workload.speculation.acceptance' is for timing-only runs; "
                                 "expected none, since guesses are compared with the model's tokens"
                               : "'workload.speculation' has no 'acceptance', which a timing-only "
                                 "run needs; expected the share of guesses that are right");
}

/// A key of the workload that only some policies support.
struct PolicyNeed {
    std::vector<const char*> path; ///< below `workload`
    bool retrieval;                ///< the policy `retrieval` supports the key, as `full`
                                   ///< does
};

const Node* find_below(const Node& node, const std::vector<const char*>& path)
{
    const Node* found = &node;
    for (const char* const key : path)
        if (found = found->find(key); found == nullptr)
            return nullptr;
    return found;
}

/// Throws Error if the workload has a key that this policy does not support. `key` is the key that
/// names the policy.
void check_policy_needs(const Node& workload, const char* key, std::uint32_t kind)
{
    static const PolicyNeed needs[] = {{{"requests"}, true},
                                       {{"requests", "prefix_block"}, false},
                                       {{"speculation"}, false},
                                       {{"forget_after"}, false},
                                       {{"save"}, false}};
    for (const PolicyNeed& need : needs) {
        const Node* const given = find_below(workload, need.path);
        if (given == nullptr || kind == LEVEE_KV_FULL ||
            (need.retrieval && kind == LEVEE_KV_RETRIEVAL))
            continue;
        std::string name = "workload";
        for (const char* const part : need.path)
            name += std::string(".") + part;
        throw Error(given->place, "'" + name + "' is given with 'kv_cache." + key + ": " +
                                      kv_rule(kind).name + "'; expected " +
                                      (std::string_view(key) == "with"
                                           ? std::string("no '") + kv_rule(kind).name + "' there"
                                       : need.retrieval ? "full or retrieval"
                                                        : "full"));
    }
}

/// Checks whether the policies support the workload. Throws Error if the workload continues from
/// any row of the cache, or shares or removes rows, and a policy does not support this. Firmware
/// makes the same check for models with windows.
void check_policy_needs(const Scenario& scenario)
{
    const Node* const workload = scenario.resolved.find("workload");
    if (workload == nullptr)
        return;
    check_policy_needs(*workload, "policy", scenario.kv_cache.boot.kv.kind);
    for (const std::uint32_t kind : scenario.kv_cache.with)
        check_policy_needs(*workload, "with", kind);
}

/// Throws Error if the scenario omits a computation that a functional run needs.
void check_computed(const Scenario& scenario, const Node* kv_cache)
{
    if (scenario.workload && !scenario.workload->lm_head)
        throw Error(
            scenario.workload->lm_head_place,
            "'workload.lm_head' is false, so no token is picked; expected 'data: timing_only'");
    if (scenario.kv_cache.boot.kv.recompute == LEVEE_KV_RECOMPUTE_FREE)
        throw Error(kv_cache->place, "'kv_cache.recompute' is free, so keys and values are not "
                                     "computed; expected 'data: timing_only', or all, hidden or "
                                     "off");
}

/// Throws Error if `system` is a single word. A name that ends with .yaml has already been replaced
/// by the file's contents.
void refuse_word_as_system(const Node& scenario)
{
    const Node* const system = scenario.find("system");
    if (system != nullptr && system->is_scalar())
        throw Error(system->place, "'system' is " + in_quotes(system->scalar) +
                                       "; expected a file such as systems/original.yaml, or a map "
                                       "of its keys and values");
}

} // namespace

Scenario ScenarioSource::load(const std::vector<std::string>& overrides,
                              std::optional<std::uint64_t> seed) const
{
    Scenario scenario;
    scenario.name = path_.stem().string();
    scenario.sources = sources_;
    scenario.resolved = composed(overrides, finder_.noting(scenario.sources));
    const FileFinder finder = finder_.noting(scenario.files);

    refuse_word_as_system(scenario.resolved);
    MapReader reader(scenario.resolved, "", scenario_keys());
    if (const std::optional<MapReader> system = reader.map("system"))
        scenario.system = read_system(*system, finder);
    scenario.system.data = reader.word<DataMode>("data");
    if (const Node* model = reader.raw("model", false))
        scenario.model = read_model(*model, finder, scenario.system.data);
    scenario.decisions =
        read_decisions(reader, finder, scenario.system.data, scenario.model.has_value());
    if (const std::optional<MapReader> workload = reader.map("workload"))
        scenario.workload =
            read_workload(*workload, {finder, scenario.system.data, scenario.model});
    if (const Node* sampling = reader.raw("sampling", false))
        scenario.sampling = read_sampling(*sampling);
    const Node* kv_cache = reader.raw("kv_cache", false);
    scenario.kv_cache = kv_cache ? read_kv_cache(*kv_cache) : full_kv_cache();
    if (scenario.system.data == DataMode::Functional)
        check_computed(scenario, kv_cache);
    check_acceptance(scenario);
    check_policy_needs(scenario);
    scenario.observe = read_observe(reader.map_or_defaults("observe"), finder);
    if (const std::optional<MapReader> tech = reader.map("tech"))
        scenario.tech = read_tech(*tech);
    scenario.system.timing = read_timing(reader);
    scenario.seed = reader.quantity("seed");
    reader.finish();
    scenario.seed = seed.value_or(scenario.seed);
    scenario.system.seed = static_cast<std::uint32_t>(scenario.seed);
    if (scenario.workload && scenario.workload->requests)
        scenario.workload->requests->seed = scenario.seed;
    return scenario;
}

} // namespace levee::config
