// SPDX-License-Identifier: Apache-2.0
// SentencePiece's tokenizer.model.
#pragma once

#include "platform/input/import/huggingface/tokenizer_settings.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <filesystem>

namespace levee::hf {

/// A model of type BPE or unigram that normalizes nothing (as Llama's and Mistral's;
/// sentencepiece_model.proto), with the settings' added tokens, whose numbers are those of pieces
/// that are the same or of none. The model's vocabulary may have more than both, unused. Texts
/// begin with BOS unless the settings say no; BOS and EOS are those that the settings name, else
/// the file's. Throws ModelError naming file and field.
Tokenizer read_sentencepiece(const std::filesystem::path& file, const TokenizerSettings& settings);

} // namespace levee::hf
