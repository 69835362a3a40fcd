// SPDX-License-Identifier: Apache-2.0
// The parts of a tokenizer.json around its vocabulary.
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"
#include "platform/input/model/byte_level.hpp"

#include <optional>
#include <string>

namespace levee::hf {

struct TextPipeline {
    TextRules text;
    bool byte_level = false;        ///< pieces are bytes
    bool blank_symbols = false;     ///< U+2581 is decoded to a blank
    bool blank_first = false;       ///< A blank is removed from the beginning of decoded text.
    std::optional<std::string> bos; ///< Token at the beginning of every text.
};

/// "normalizer", "pre_tokenizer", "decoder" and "post_processor". Throws ModelError naming the part
/// that is not supported.
TextPipeline read_pipeline(const JsonView& tokenizer);

} // namespace levee::hf
