// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/abi/element_type.h"
#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// An encoded sequence.
struct EncodedSequence {
    std::vector<std::uint32_t> tokens;
    std::uint32_t prefill_count = 0;
    std::uint32_t answer_index = 0;     ///< index in `tokens` of the answer that is to be
                                        ///< predicted; 0: no answer
    std::optional<config::Place> place; ///< its place in a file; empty: the workload's text
    std::uint32_t seed = 0;             ///< seed of a request's draws
    float temperature = 0;              ///< temperature of a request; 0: most probable tokens
};

/// An encoded turn of a conversation.
struct EncodedTurn {
    std::vector<std::uint32_t> tokens; ///< tokens of the prompt
    std::uint32_t max_new_tokens = 0;
    std::uint64_t after_ps = 0; ///< time since the previous answer
    /// Token that ends the previous turn. It is skipped if the answer already ended with it.
    std::uint32_t end_token = LEVEE_NO_TOKEN;
};

/// A request that arrives during the run. The sequence with the same index belongs to it.
struct EncodedRequest {
    std::uint64_t arrival_ps = 0; ///< time since the start of the run
    std::uint32_t max_new_tokens = 0;
};

/// A workload that is encoded and checked against the model, ready to be placed in memory.
struct PreparedWorkload {
    std::vector<EncodedSequence> sequences;
    std::uint64_t room = 0; ///< number of tokens that the program may add after each sequence
    std::vector<EncodedRequest> requests; ///< requests in the order of arrival, one for each
                                          ///< sequence; empty: none
    /// Size in tokens of the blocks that requests with equal prefixes share; 0: no sharing.
    std::uint32_t prefix_block = 0;
    std::optional<std::uint64_t> forget_after_ps; ///< pause until release; empty: never
    std::optional<std::uint64_t> save_after_ps;   ///< pause until a save; empty: never
    std::uint64_t save_base = 0;                  ///< base of the memory for saves
    std::vector<EncodedTurn>
        turns; ///< turns of a conversation, whose first prompt is the only sequence
    std::uint32_t batch = 1;
    std::uint32_t context = 0;
    std::uint32_t stop_token = 0;
    std::vector<std::uint32_t> stops;                       ///< further tokens that end a sequence
    std::vector<std::uint32_t> sample_chunks, sample_steps; ///< simulated chunks and steps; empty:
                                                            ///< all
    std::uint32_t sample_layers = 0; ///< minimum number of identical layers that a pass executes;
                                     ///< 0: all
    std::vector<std::string> warnings;
    std::size_t texts = 0; ///< number of scored texts into which the separator divides the file
    /// Share of answers that random guesses among the candidates get right.
    std::optional<double> recall_chance;
};

/// Returns the number of tokens that the program is to generate for a sequence.
[[nodiscard]] std::uint32_t new_tokens_of(const PreparedWorkload& prepared,
                                          const config::WorkloadConfig& config,
                                          std::size_t sequence);

/// Returns the prompts of the generated texts, or of the turns of a conversation.
[[nodiscard]] std::vector<std::span<const std::uint32_t>>
prompts_of(const PreparedWorkload& prepared);

/// Maximum number of tokens that one product with keys or values covers. It limits a prefill, and a
/// cache that keeps all tokens.
inline constexpr std::uint32_t most_attended = LEVEE_MAX_INNER;

/// Encodes the texts with the model's tokenizer. `keeps_all` states that the cache evicts nothing.
/// The context is then limited to most_attended, unless every layer keeps only a window. Its
/// default is the model's context, within this limit. Throws config::Error at the faulty key.
[[nodiscard]] PreparedWorkload prepare_workload(const config::WorkloadConfig& config,
                                                const ModelImage& model, bool keeps_all);

/// The layout of a workload in the model's memory, in this order: sequences, tokens, a draft's
/// table of tensors, the model, a draft's tensors. The core must read the tables of both models,
/// but its window is smaller than many models. So no tensors may be placed before a table.
struct PlacedWorkload {
    std::vector<std::uint8_t> head; ///< sequences, token ids and samples, at offset 0
    std::uint64_t draft_offset = 0; ///< offset of the draft's header and table, if there is a draft
    std::uint64_t model_offset = 0;
    std::uint64_t end = 0; ///< first byte after the model's image, aligned to 4 KiB; the draft's
                           ///< tensors begin here
    levee_workload workload{};
};

/// Sizes of parts of the model's memory, in bytes.
struct PlacedSizes {
    std::uint64_t model = 0;       ///< the model's image
    std::uint64_t draft_table = 0; ///< header and table of a draft; 0: there is no draft
};

/// Computes the layout from address `base`, as blocks see the model's memory. `timebase_hz` is the
/// frequency of the core's timer.
[[nodiscard]] PlacedWorkload place_workload(const PreparedWorkload& prepared,
                                            const config::WorkloadConfig& config,
                                            std::uint64_t seed, const PlacedSizes& sizes,
                                            std::uint64_t base, std::uint64_t timebase_hz);

/// Returns the least number of the core timer's ticks that take at least `ps`.
[[nodiscard]] std::uint64_t ticks_of(std::uint64_t ps, std::uint64_t timebase_hz);

/// Returns the longest pause in which a conversation's cache is neither released nor saved:
/// `workload.forget_after` or `workload.save.after`. Returns nothing if it always stays.
[[nodiscard]] std::optional<std::uint64_t> longest_in_place_ps(const PreparedWorkload& workload);

/// Returns whether a conversation's cache is released or saved before the turn: whether the pause
/// before the turn has more timer ticks than the longest pause.
[[nodiscard]] bool leaves_its_place(const PreparedWorkload& workload, std::size_t turn,
                                    std::uint64_t timebase_hz);

} // namespace levee
