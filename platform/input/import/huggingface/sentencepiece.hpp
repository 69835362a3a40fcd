// SPDX-License-Identifier: Apache-2.0
// SentencePiece's tokenizer.model.
#pragma once

#include "platform/input/import/huggingface/tokenizer_settings.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <filesystem>

namespace levee::hf {

/// Reads a BPE or unigram model (sentencepiece_model.proto) with its map of characters, and the
/// settings' added tokens. An added token has either the id of a piece with the same text, or an id
/// that no piece has. The model's vocabulary may be larger than both together. Texts begin with BOS
/// unless the settings disable it. BOS and EOS come from the settings, or else from the file.
/// Throws ModelError with file and field.
Tokenizer read_sentencepiece(const std::filesystem::path& file, const TokenizerSettings& settings);

} // namespace levee::hf
