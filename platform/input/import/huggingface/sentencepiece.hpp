// SPDX-License-Identifier: Apache-2.0
// SentencePiece's tokenizer.model.
#pragma once

#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace levee::hf {

/// A model of type BPE that normalizes nothing (as Llama's and Mistral's;
/// sentencepiece_model.proto). vocab: the model's, of which the file may have fewer. eos: instead
/// of the file's. add_bos: whether texts begin with the file's BOS. Throws ModelError naming file
/// and field.
Tokenizer read_sentencepiece(const std::filesystem::path& file, std::uint32_t vocab,
                             std::optional<std::uint32_t> eos, bool add_bos);

} // namespace levee::hf
