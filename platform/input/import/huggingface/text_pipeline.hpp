// SPDX-License-Identifier: Apache-2.0
// The parts of a tokenizer.json other than its vocabulary.
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"
#include "platform/input/model/byte_level.hpp"

#include <optional>
#include <string>

namespace levee::hf {

struct TextPipeline {
    TextRules text;
    bool byte_level = false;        ///< pieces consist of bytes
    bool blank_symbols = false;     ///< U+2581 decodes to a blank
    bool blank_first = false;       ///< decoding removes a blank at the beginning of a text
    std::optional<std::string> bos; ///< token at the beginning of every text
};

/// Reads "normalizer", "pre_tokenizer", "decoder" and "post_processor". Throws ModelError with the
/// name of an unsupported part.
TextPipeline read_pipeline(const JsonView& tokenizer);

} // namespace levee::hf
