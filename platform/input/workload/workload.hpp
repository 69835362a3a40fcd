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

/// One sequence, encoded.
struct EncodedSequence {
    std::vector<std::uint32_t> tokens;
    std::uint32_t prefill_count = 0;
    std::uint32_t answer_index = 0;     ///< 0 = none
    std::optional<config::Place> place; ///< place of its line; empty: the workload's text
    std::uint32_t seed = 0;             ///< seeds a request's draws
};

/// A turn of a conversation, encoded.
struct EncodedTurn {
    std::vector<std::uint32_t> tokens; ///< Tokens of the prompt.
    std::uint32_t max_new_tokens = 0;
    std::uint64_t after_ps = 0; ///< Time since the previous answer.
    /// The prompt begins with it, unless the previous answer ends with it.
    std::uint32_t end_token = LEVEE_NO_TOKEN;
};

/// A request, answered by the sequence with the same number.
struct EncodedRequest {
    std::uint64_t arrival_ps = 0; ///< Time since the start of the run.
    std::uint32_t max_new_tokens = 0;
};

/// A workload, encoded and checked against the model, ready to be placed in memory.
struct PreparedWorkload {
    std::vector<EncodedSequence> sequences;
    std::uint64_t room = 0; ///< Room after each sequence's tokens for tokens that the program adds.
    std::vector<EncodedRequest> requests; ///< Requests, one for each sequence, by arrival; empty:
                                          ///< none.
    /// Block of tokens in which requests share prefixes; 0: no sharing.
    std::uint32_t prefix_block = 0;
    std::optional<std::uint64_t> forget_after_ps; ///< pause until release; empty: never
    std::optional<std::uint64_t> save_after_ps;   ///< pause until a save; empty: never
    std::uint64_t save_base = 0;                  ///< base of the memory for saves
    std::vector<EncodedTurn>
        turns; ///< turns of a conversation; its first prompt is the only sequence
    std::uint32_t batch = 1;
    std::uint32_t context = 0;
    std::uint32_t stop_token = 0;
    std::vector<std::uint32_t> stops;                       ///< further tokens that end a sequence
    std::vector<std::uint32_t> sample_chunks, sample_steps; ///< Simulated chunks and steps; empty:
                                                            ///< all.
    std::uint32_t sample_layers = 0; ///< Smallest number of identical layers in a pass; 0: all.
    std::vector<std::string> warnings;
    std::size_t texts = 0; ///< number of scored texts that the file's separator divides
    /// Share of answers that a guess among the candidates gets right.
    std::optional<double> recall_chance;
};

/// Tokens that the program is to generate for a sequence.
[[nodiscard]] std::uint32_t new_tokens_of(const PreparedWorkload& prepared,
                                          const config::WorkloadConfig& config,
                                          std::size_t sequence);

/// Prompts of the generated texts: of the sequences, or of the turns of a conversation.
[[nodiscard]] std::vector<std::span<const std::uint32_t>>
prompts_of(const PreparedWorkload& prepared);

/// Largest number of tokens in a product with a sequence's keys or values, if a cache keeps all of
/// them, and in a prefill.
inline constexpr std::uint32_t most_attended = LEVEE_MAX_INNER;

/// Encodes the texts with the model's tokenizer. `keeps_all`: the cache evicts nothing, so the
/// context is at most most_attended; its default is the model's, up to that limit. Throws
/// config::Error at the faulty key.
[[nodiscard]] PreparedWorkload prepare_workload(const config::WorkloadConfig& config,
                                                const ModelImage& model, bool keeps_all);

/// A workload's layout in the model's memory: sequences, tokens, model.
struct PlacedWorkload {
    std::vector<std::uint8_t> head; ///< sequences, token ids and samples, at offset 0
    std::uint64_t model_offset = 0;
    std::uint64_t draft_offset = 0; ///< of the draft's image, if there is a draft
    std::uint64_t end = 0;          ///< first byte after the image, 4 KiB aligned
    levee_workload workload{};
};

/// `image_bytes`: size of the model in memory. `base`: address of that memory for accelerators.
/// `timebase_hz`: frequency of the core's clock of time.
[[nodiscard]] PlacedWorkload place_workload(const PreparedWorkload& prepared,
                                            const config::WorkloadConfig& config,
                                            std::uint64_t seed, std::uint64_t image_bytes,
                                            std::uint64_t base, std::uint64_t timebase_hz);

/// Ticks of the core's clock of time in which at least `ps` pass.
[[nodiscard]] std::uint64_t ticks_of(std::uint64_t ps, std::uint64_t timebase_hz);

/// Whether a conversation's cache leaves its place before the turn: its pause has more ticks than
/// `workload.forget_after` or `workload.save.after`.
[[nodiscard]] bool leaves_its_place(const PreparedWorkload& workload, std::size_t turn,
                                    std::uint64_t timebase_hz);

} // namespace levee
