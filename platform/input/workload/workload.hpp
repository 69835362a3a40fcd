// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/abi/element_type.h"
#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// One sequence, encoded.
struct EncodedSequence {
    std::vector<std::uint32_t> tokens;
    std::uint32_t prefill_count = 0;
    std::uint32_t answer_index = 0; ///< 0 = none
};

/// A workload, encoded and checked against the model, ready to be placed in memory.
struct PreparedWorkload {
    std::vector<EncodedSequence> sequences;
    std::uint32_t batch = 1;
    std::uint32_t context = 0;
    std::uint32_t stop_token = 0;
    std::vector<std::uint32_t> sample_chunks, sample_steps; ///< those simulated; empty: all
    std::vector<std::string> warnings;
    std::size_t texts = 0;               ///< that the file's separator divides, and are scored
    std::optional<double> recall_chance; ///< share a guess among the candidates would answer
};

/// Tokens that a product with a sequence's keys or values reaches: of a cache that keeps all of
/// them, and of a prefill.
inline constexpr std::uint32_t most_attended = LEVEE_MAX_INNER;

/// Encodes the texts with the model's tokenizer. `keeps_all`: the cache evicts nothing, so that the
/// context is at most most_attended, and by default the model's as far as that. Throws
/// config::Error at the key at fault.
[[nodiscard]] PreparedWorkload prepare_workload(const config::WorkloadConfig& config,
                                                const ModelImage& model, bool keeps_all);

/// A workload's layout in the model's memory: sequences, tokens, model.
struct PlacedWorkload {
    std::vector<std::uint8_t> head; ///< sequences, token ids and samples, at offset 0
    std::uint64_t model_offset = 0;
    std::uint64_t end = 0; ///< first byte after the image, 4 KiB aligned
    levee_workload workload{};
};

/// `image_bytes`: of the model in the memory. `base`: of that, as accelerators address it.
[[nodiscard]] PlacedWorkload place_workload(const PreparedWorkload& prepared,
                                            const config::WorkloadConfig& config,
                                            std::uint64_t seed, std::uint64_t image_bytes,
                                            std::uint64_t base);

} // namespace levee
