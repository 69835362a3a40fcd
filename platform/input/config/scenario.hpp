// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/component/entry.hpp"
#include "core/component/takes_time.hpp"
#include "core/config/node.hpp"
#include "core/units/data_mode.hpp"
#include "ip/riscv/config.hpp"
#include "platform/input/config/compose.hpp"
#include "platform/input/config/decisions.hpp"
#include "platform/input/config/kv_cache.hpp"
#include "platform/input/config/model.hpp"
#include "platform/input/config/sampling.hpp"
#include "platform/input/config/waves.hpp"
#include "platform/input/config/workload_keys.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::config {

struct BusConfig {
    std::uint64_t latency_ps = 0;
    std::uint64_t port_bytes_per_second = 0;
    std::uint64_t interleave_bytes = 0; ///< bytes of one interleaved memory before the next
    Place interleave_place;
};

/// The command queues of all blocks.
struct CommandConfig {
    std::uint32_t queue_depth = 0; ///< descriptors
    std::uint64_t fetch_ps = 0;
    std::uint64_t register_latency_ps = 0;
};

/// A stream port; ports are numbered in file order.
struct StreamConfig {
    std::string name;
    std::uint64_t bytes_per_second = 0;
    std::uint64_t fill_ps = 0;
};

/// `timing:` of a component that it names.
struct ComponentTiming {
    std::string name;
    TakesTime takes;
    Place place; ///< place of the name
};

/// Causes of simulated time that can be switched off.
struct TimingConfig {
    bool latency = false; ///< latency of memories and the bus, before an operation's first result
    bool fetch = false;   ///< time to fetch descriptors
    TakesTime others = TakesTime::All; ///< setting for components that are not named
    std::vector<ComponentTiming> components;

    [[nodiscard]] TakesTime of(const std::string& component) const;
};

struct SystemConfig {
    std::string name;
    std::uint32_t seed = 0; ///< the scenario's seed of random draws
    riscv::CoreConfig core;
    std::uint64_t timebase_hz = 0; ///< frequency of mtime
    BusConfig bus;
    CommandConfig commands;
    std::vector<StreamConfig> streams;
    std::vector<ComponentLibrary> libraries;
    std::vector<Component> memories; ///< Memories in file order.
    /// Blocks in file order, which determines register pages and interrupts.
    std::vector<Component> blocks;
    Place memories_place, blocks_place;
    TimingConfig timing; ///< the scenario's `timing:`
    DataMode data = DataMode::Functional;
};

/// Whether `app` is a file instead of a shipped program: its name ends in .elf or has a slash.
[[nodiscard]] inline bool is_program_file(const std::string& app)
{
    return app.ends_with(".elf") || app.find('/') != std::string::npos;
}

/// A composition of firmware/target/compositions.c, or the parts of another.
struct Scheduler {
    std::string name; ///< name of the machine; for parts, their names joined by '+'
    levee_machine_parts parts{};
};

/// A message of a chat.
struct ChatMessage {
    ChatRole role = ChatRole::User;
    std::string content;
    Place place;
};

/// Work of the firmware. If the app takes text, exactly one source of text is given.
/// A turn of a conversation: one of four forms of a prompt, and the answer's length.
struct Turn {
    std::optional<std::string> prompt;
    std::vector<std::uint32_t> prompt_ids;
    std::vector<ChatMessage> chat;   ///< Given in all turns or in none.
    std::uint32_t prompt_tokens = 0; ///< Number of zero ids instead of a text.
    std::uint32_t max_new_tokens = 0;
    std::uint64_t after_ps = 0; ///< Time since the previous answer.
    Place place;
};

/// The longest latencies of requests that count as goodput.
struct RequestLimits {
    std::optional<std::uint64_t> first_token_ps, token_ps;
};

/// Requests that arrive: from a file, or by a rule.
struct Requests {
    std::optional<std::filesystem::path> file;
    std::uint32_t count = 0;
    std::uint64_t interval_ps = 0; ///< mean
    Arrivals arrivals = Arrivals::Poisson;
    std::uint32_t prompt_tokens = 0, new_tokens = 0;
    std::uint32_t prefix_tokens = 0; ///< Number of first tokens that all prompts share.
    std::uint32_t prefix_block = 0; ///< block of tokens in which prefixes are shared; 0: no sharing
    std::optional<RequestLimits> limits;
    std::uint64_t seed = 0;
};

/// Speculative decoding: guesses are the tokens that followed an earlier occurrence of the last
/// ones.
struct Speculation {
    std::uint32_t tokens = 0, match = 0; ///< match: 0 with a draft.
    std::optional<ModelConfig> draft; ///< A second model that guesses; none: guesses are looked up.
    std::optional<double> acceptance; ///< For a timing-only run, which has no tokens to compare.
    Place place;
};

/// The memory for a conversation's keys and values during a long pause.
struct Save {
    std::string memory;
    std::uint64_t after_ps = 0;
    Place place; ///< place of the memory's name
};

struct WorkloadConfig {
    std::string app; ///< a name in `firmware/apps`, or a file `*.elf` within reach
    Scheduler scheduler;

    std::vector<std::string> prompts;
    std::vector<std::vector<std::uint32_t>> prompt_ids; ///< prompts as token ids
    std::vector<ChatMessage> chat;                      ///< one conversation
    std::optional<std::size_t> chat_template;           ///< Index in chat_templates; empty: chosen
                                                        ///< by the tokenizer's special tokens.
    std::vector<Turn> turns;                            ///< Turns of one conversation.
    std::optional<std::uint64_t> forget_after_ps;       ///< Time until the cache of turns is
                                                        ///< released; empty: never.
    std::optional<Save> save;                           ///< Where turns are saved; empty: nowhere.
    std::optional<std::filesystem::path> prompt_file;   ///< one prompt a line
    std::optional<std::filesystem::path> text_file;     ///< scored
    std::optional<std::filesystem::path> stories_file;  ///< stories with questions
    std::uint32_t prompt_tokens = 0;  ///< Number of zero ids instead of a text; 0: there is a text.
    std::uint32_t sequences = 0;      ///< Number of these sequences; 0: one batch.
    std::string separator;            ///< text_file: separator of documents; empty: one document
    std::uint32_t max_tokens = 0;     ///< text_file: total number of scored tokens; 0: all
    std::uint32_t prefill_tokens = 0; ///< Number of tokens of each scored text that are prefilled;
                                      ///< the others go one by one; 0: nothing is scored.
    std::uint32_t max_stories = 0;    ///< stories_file: number of stories; 0: all

    std::uint32_t batch = 0;
    std::uint32_t max_new_tokens = 0;
    std::uint32_t context = 0; ///< 0 = the model's max_context
    std::uint32_t prefill_chunk = 0;
    Sampling sampling = Sampling::Greedy;
    float temperature = 0;
    std::string stop_token; ///< "none", "eos", "bos", "end_of_turn" (of a chat) or a token id
    std::optional<Speculation> speculation;
    std::optional<Requests> requests;
    bool lm_head = false; ///< Decode steps compute logits; otherwise they end with the last layer.
    Place lm_head_place;

    /// Whether prompts are chat messages for a template.
    [[nodiscard]] bool has_chat() const
    {
        return !chat.empty() || (!turns.empty() && !turns.front().chat.empty());
    }

    bool has_text = false; ///< one of the text sources is given
    Place app_place;
    Place place;      ///< place of `workload:`, for errors found later
    Place text_place; ///< place of the text source
    Place stop_place; ///< place of `stop_token:`
};

/// A file that a run writes, named from its output folder.
struct OutputName {
    std::filesystem::path name;
    Place place;
};

struct ObserveConfig {
    std::optional<OutputName> logits;            ///< raw FP32 of every logits vector
    std::optional<OutputName> retention_log;     ///< CSV of rows with failed bits
    std::optional<OutputName> lifetimes;         ///< CSV of the written and discarded data
    std::optional<std::filesystem::path> script; ///< script that pauses the run and changes it
    bool report = false;                         ///< a page with pictures of the run
    std::optional<WavesConfig> waves;
};

/// Throws the error for a file of `observe:` that would be outside the output folder, with links
/// followed.
void check_outputs(const ObserveConfig& observe, const std::filesystem::path& output_folder);

/// Price lists of scenarios/tech/energy, as written; the energy code parses them.
struct TechConfig {
    Node energy;            ///< price list of the figures `energy.`
    std::vector<Node> also; ///< further price lists
};

struct Scenario {
    std::string name; ///< the file's, without folder and ending
    std::uint64_t seed = 0;
    SystemConfig system;
    std::optional<ModelConfig> model;
    std::optional<WorkloadConfig> workload;
    KvCacheConfig kv_cache{};               ///< the firmware's choices of keys and values
    std::optional<SamplingConfig> sampling; ///< none: the whole run is simulated
    ObserveConfig observe;
    std::optional<TechConfig> tech; ///< none: energy is not counted
    DecisionsConfig decisions;
    Node resolved; ///< everything as written, after composition and overrides
    std::vector<std::filesystem::path> files; ///< files that a run reads: models, texts, recordings
};

struct ScenarioRequest {
    std::string name; ///< a path or a shipped scenario's name
    std::vector<std::string> overrides;
    std::optional<std::uint64_t> seed;
};

/// A scenario's files, read once, for many loads with different overrides. Constructor and
/// functions throw Error.
class ScenarioSource {
public:
    ScenarioSource(const std::string& name, const FileFinder& finder);

    /// The tree with its overrides.
    [[nodiscard]] Node composed(const std::vector<std::string>& overrides) const;
    /// Reads and checks the tree.
    [[nodiscard]] Scenario load(const std::vector<std::string>& overrides,
                                std::optional<std::uint64_t> seed) const;

private:
    std::filesystem::path path_;
    FileFinder finder_;
    Node base_;
};

/// Reads and checks a scenario; throws Error.
[[nodiscard]] Scenario load_scenario(const ScenarioRequest& request, const FileFinder& finder);

} // namespace levee::config
