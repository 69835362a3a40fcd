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
    bool blank_first = false;       ///< one is taken from the beginning of what is decoded
    std::optional<std::string> bos; ///< what every text begins with
};

/// "normalizer", "pre_tokenizer", "decoder" and "post_processor". Throws ModelError naming the part
/// that is not supported.
TextPipeline read_pipeline(const JsonView& tokenizer);

} // namespace levee::hf
