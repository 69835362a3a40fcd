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
    std::uint64_t interleave_bytes = 0; ///< bytes in one interleaved memory before the next memory
                                        ///< follows
    Place interleave_place;
};

struct CommandConfig {
    std::uint32_t queue_depth = 0;
    std::uint64_t fetch_ps = 0;
    std::uint64_t register_latency_ps = 0;
};

/// A stream port. Ports are numbered in the order of the file.
struct StreamConfig {
    std::string name;
    std::uint64_t bytes_per_second = 0;
    std::uint64_t fill_ps = 0;
};

struct ComponentTiming {
    std::string name;
    TakesTime takes;
    Place place;
};

/// Causes of simulated time. Each can be switched off.
struct TimingConfig {
    /// Latency of memories, bus and stream ports, before an operation's first result.
    bool latency = false;
    bool fetch = false;
    TakesTime others = TakesTime::All; ///< applies to components that have no entry
    std::vector<ComponentTiming> components;

    [[nodiscard]] TakesTime of(const std::string& component) const;
};

struct SystemConfig {
    std::string name;
    std::uint32_t seed = 0; ///< seed for random draws, from the scenario
    riscv::CoreConfig core;
    std::uint64_t timebase_hz = 0; ///< frequency of mtime
    BusConfig bus;
    CommandConfig commands;
    std::vector<StreamConfig> streams;
    std::vector<ComponentLibrary> libraries;
    std::vector<Component> memories;
    /// Blocks in the order of the file, which determines their register pages and interrupts.
    std::vector<Component> blocks;
    Place memories_place, blocks_place;
    TimingConfig timing;
    DataMode data = DataMode::Functional;
};

/// Returns whether `app` names a file, and not a shipped program. The name of a file ends in .elf
/// or contains a slash.
[[nodiscard]] inline bool is_program_file(const std::string& app)
{
    return app.ends_with(".elf") || app.find('/') != std::string::npos;
}

/// A machine: either one of those in firmware/target/compositions.c, or a combination of parts.
struct Scheduler {
    std::string name; ///< the machine's name, or the parts' names joined by '+'
    levee_machine_parts parts{};
};

struct ChatMessage {
    ChatRole role = ChatRole::User;
    std::string content;
    Place place;
};

/// A turn of a conversation: a prompt in one of four forms, and the greatest length of the answer.
struct Turn {
    std::optional<std::string> prompt;
    std::vector<std::uint32_t> prompt_ids;
    std::vector<ChatMessage> chat;   ///< given in all turns or in none
    std::uint32_t prompt_tokens = 0; ///< number of zero ids instead of a text
    std::uint32_t max_new_tokens = 0;
    std::uint64_t after_ps = 0; ///< time since the previous answer
    Place place;
};

/// The longest latencies with which an answer still counts as goodput.
struct RequestLimits {
    std::optional<std::uint64_t> first_token_ps, token_ps;
};

/// Requests that arrive during the run, from a file or by a rule.
struct Requests {
    std::optional<std::filesystem::path> file;
    std::uint32_t count = 0;
    std::uint64_t interval_ps = 0; ///< mean time between requests
    Arrivals arrivals = Arrivals::Poisson;
    std::uint32_t prompt_tokens = 0, new_tokens = 0;
    std::uint32_t prefix_tokens = 0; ///< number of first tokens that all prompts have in common
    std::uint32_t prefix_block = 0;  ///< prefixes are shared in blocks of this many tokens; 0: they
                                     ///< are not shared
    std::optional<RequestLimits> limits;
    std::uint64_t seed = 0;
    Place source_place; ///< place of the file, or of the number of requests
    Place prompt_place, interval_place;
};

/// Speculative decoding. Guesses come from a draft model. Without one, they are the tokens that
/// followed an earlier occurrence of the last tokens.
struct Speculation {
    std::uint32_t tokens = 0, match = 0; ///< match is 0 with a draft
    std::optional<ModelConfig> draft;    ///< the model that guesses; nothing: guesses are looked up
    std::optional<double> acceptance;    ///< share of right guesses, only for timing-only runs,
                                         ///< which have no tokens
    Place place;
    Place tokens_place;
};

/// The memory to which a conversation's keys and values are saved during a long pause.
struct Save {
    std::string memory;
    std::uint64_t after_ps = 0;
    Place place;
};

/// `workload:`, the firmware's work. An app that takes text has exactly one source of text.
struct WorkloadConfig {
    std::string app; ///< name of an app in `firmware/apps`, or path of an ELF file
    Scheduler scheduler;

    std::vector<std::string> prompts;
    std::vector<std::vector<std::uint32_t>> prompt_ids; ///< prompts as token ids
    std::vector<ChatMessage> chat;                      ///< one conversation
    std::optional<std::size_t> chat_template;           ///< index in chat_templates; nothing: the
                                                        ///< model's own, or by the special tokens
    std::vector<Turn> turns;                            ///< turns of one conversation
    std::optional<std::uint64_t> forget_after_ps;       ///< pause after which the cache is
                                                        ///< released; nothing: never
    std::optional<Save> save;                           ///< memory and pause for saving the cache;
                                                        ///< nothing: never
    std::optional<std::filesystem::path> prompt_file;   ///< one prompt per line
    std::optional<std::filesystem::path> text_file;     ///< text to be scored
    std::optional<std::filesystem::path> stories_file;  ///< stories with questions
    std::uint32_t prompt_tokens = 0;  ///< number of tokens 0 instead of a text; 0: there is a text
    std::uint32_t sequences = 0;      ///< number of sequences of prompt_tokens; 0: one batch
    std::string separator;            ///< for text_file: separator of documents; empty: one
                                      ///< document
    std::uint32_t max_tokens = 0;     ///< for text_file: total number of scored tokens; 0: all
    std::uint32_t prefill_tokens = 0; ///< tokens at the start of each scored text that are
                                      ///< prefilled, while the others are decoded; 0: nothing is
                                      ///< scored
    std::uint32_t max_stories = 0;    ///< for stories_file: number of stories; 0: all

    std::uint32_t batch = 0;
    std::uint32_t max_new_tokens = 0;
    std::uint32_t context = 0; ///< 0: the model's max_context
    std::uint32_t prefill_chunk = 0;
    Sampling sampling = Sampling::Greedy;
    float temperature = 0;
    std::string stop_token; ///< "none", "eos", "bos", "end_of_turn" (in chats) or a token id
    std::optional<Speculation> speculation;
    std::optional<Requests> requests;
    bool lm_head = false; ///< decode steps compute logits; if false, they end with the last layer
    Place lm_head_place;

    /// Returns whether prompts are chat messages for a template.
    [[nodiscard]] bool has_chat() const
    {
        return !chat.empty() || (!turns.empty() && !turns.front().chat.empty());
    }

    bool has_text = false; ///< one of the sources of text is given
    Place app_place;
    Place place;
    Place text_place;
    Place stop_place;
};

/// A file that a run writes, relative to its output folder.
struct OutputName {
    std::filesystem::path name;
    Place place;
};

struct ObserveConfig {
    std::optional<OutputName> logits;            ///< raw FP32 of all vectors of logits
    std::optional<OutputName> retention_log;     ///< CSV of rows with failed bits
    std::optional<OutputName> lifetimes;         ///< CSV of data with the times of writing and
                                                 ///< discarding
    std::optional<std::filesystem::path> script; ///< a script that pauses and changes the run
    bool report = false;                         ///< write a page with charts of the run
    std::optional<WavesConfig> waves;
};

/// Throws Error if `observe:` names a file outside the output folder. Links are followed.
void check_outputs(const ObserveConfig& observe, const std::filesystem::path& output_folder);

/// Price lists in the form of scenarios/tech/energy, as written in their files.
struct TechConfig {
    Node energy; ///< the list for the figures `energy.`
    std::vector<Node> also;
};

struct Scenario {
    std::string name;
    std::uint64_t seed = 0;
    SystemConfig system;
    std::optional<ModelConfig> model;
    std::optional<WorkloadConfig> workload;
    KvCacheConfig kv_cache{};
    std::optional<SamplingConfig> sampling; ///< nothing: the whole run is simulated
    ObserveConfig observe;
    std::optional<TechConfig> tech; ///< nothing: energy is not counted
    DecisionsConfig decisions;
    Node resolved; ///< the whole scenario, with all files and overrides applied
    std::vector<std::filesystem::path> sources; ///< files whose keys and values are in `resolved`
    std::vector<std::filesystem::path> files;   ///< other files that a run reads, such as models,
                                                ///< texts and recordings
};

struct ScenarioRequest {
    std::string name; ///< a path, or the name of a shipped scenario
    std::vector<std::string> overrides;
    std::optional<std::uint64_t> seed;
};

/// A scenario whose files are read once, and which is then loaded many times with different
/// overrides. The constructor and the functions throw Error.
class ScenarioSource {
public:
    ScenarioSource(const std::string& name, const FileFinder& finder);

    /// Returns the scenario's tree with these overrides.
    [[nodiscard]] Node composed(const std::vector<std::string>& overrides) const;
    /// Reads and checks the scenario with these overrides.
    [[nodiscard]] Scenario load(const std::vector<std::string>& overrides,
                                std::optional<std::uint64_t> seed) const;

private:
    [[nodiscard]] Node composed(const std::vector<std::string>& overrides,
                                const FileFinder& finder) const;

    std::filesystem::path path_;
    FileFinder finder_;
    std::vector<std::filesystem::path> sources_; ///< files of base_
    Node base_;
};

/// Reads and checks a scenario; throws Error.
[[nodiscard]] Scenario load_scenario(const ScenarioRequest& request, const FileFinder& finder);

} // namespace levee::config
