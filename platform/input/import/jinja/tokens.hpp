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
    std::string text{}; ///< for a text: its contents, without quotes and with escapes replaced
    std::size_t line = 0;
};

/// A text between tags, or a tag with its words.
struct Part {
    enum class Kind { text, print, statement } kind = Kind::text;
    std::size_t line = 0;
    std::string text{};
    std::vector<Word> words{};
};

/// Divides a template into parts. Comments are left out. White space around tags is removed as '-'
/// and '+' in the tags request, and by trim_blocks and lstrip_blocks, which transformers sets.
/// Throws Unable.
std::vector<Part> parts_of(std::string_view text);

} // namespace levee::jinja
