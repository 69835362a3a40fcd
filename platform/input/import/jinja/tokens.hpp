// SPDX-License-Identifier: Apache-2.0
// Parts of a Jinja template, and the words inside its tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace levee::jinja {

enum class WordKind { name, whole, real, text, sign, end };

struct Word {
    WordKind kind = WordKind::end;
    std::string text{}; ///< A text's contents, without quotes and escapes.
    std::size_t line = 0;
};

/// Text, or a tag with its words.
struct Part {
    enum class Kind { text, print, statement } kind = Kind::text;
    std::size_t line = 0;
    std::string text{};
    std::vector<Word> words{};
};

/// Divides a template. Comments are left out; white space around tags is removed by the marks of
/// the tags, and by trim_blocks and lstrip_blocks, which transformers sets. Throws Unable.
std::vector<Part> parts_of(std::string_view text);

} // namespace levee::jinja
