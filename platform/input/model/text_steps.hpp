// SPDX-License-Identifier: Apache-2.0
// The steps that tokenizers apply to a text before merging: normalization and splitting.
#pragma once

#include "platform/input/model/character_map.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Calls `use` with the parts of a regular expression, in order. A part is an escape of two bytes
/// ("\s"), a POSIX class within a class ("[:alpha:]"), or a single other byte. `in_class` states
/// that the part is in a class or ends it.
void for_each_pattern_part(std::string_view pattern,
                           const std::function<void(std::string_view part, bool in_class)>& use);

/// The work that all steps on a text may still do. Without this limit, steps that each double a
/// text could exhaust memory, and many steps or backtracking expressions could run forever.
class TextWork {
public:
    explicit TextWork(std::size_t text_bytes)
        : left_(least + of_each_byte * text_bytes),
          left_steps_(least_steps + steps_of_each_byte * text_bytes)
    {
    }
    /// Takes the bytes of a step's result from the budget. Returns false if too few are left.
    [[nodiscard]] bool take(std::size_t bytes) { return take(left_, bytes); }
    /// Takes the steps of a search in the text from their own budget. Returns false if too few are
    /// left.
    [[nodiscard]] bool take_steps(std::size_t steps) { return take(left_steps_, steps); }

private:
    static constexpr std::size_t least = std::size_t{16} << 20, of_each_byte = 64;
    static constexpr std::size_t least_steps = std::size_t{64} << 20, steps_of_each_byte = 512;

    static bool take(std::size_t& left, std::size_t asked)
    {
        const bool enough = asked <= left;
        left -= enough ? asked : 0;
        return enough;
    }

    std::size_t left_, left_steps_;
};

/// A regular expression in PCRE2's syntax over UTF-8, with Unicode's classes. `\s` is Unicode's
/// White_Space. Bytes that are not UTF-8 never match.
class Regex {
public:
    /// Throws ModelError ("<place>: ...") for an invalid regular expression.
    Regex(const std::string& pattern, const std::string& place);

    /// Splits a text completely into the matches and the parts between them, in the order of the
    /// text. Throws ModelError if matching takes more steps than are left.
    std::vector<std::string> split(std::string_view text, TextWork& work) const;

    /// Receives a part of a text, which is a match or the text between two matches.
    using UsePart = std::function<void(std::string_view part, bool matches)>;
    /// Calls `use` with the parts that split() returns.
    void scan(std::string_view text, TextWork& work, const UsePart& use) const;

private:
    void scan_valid(std::string_view text, TextWork& work, const UsePart& use) const;

    std::shared_ptr<const void> code_; // pcre2_code
    std::string place_;
};

/// A tokenizer's steps, with their expressions compiled.
class TextSteps {
public:
    /// Throws ModelError with the name of the step.
    TextSteps(const TokenizerRules& rules, const std::string& source);

    /// Returns the normalised text; bytes that are not UTF-8 stay. Throws ModelError with the step
    /// for which `work` is insufficient, as split() does.
    std::string normalize(const std::string& text, TextWork& work) const;
    /// Returns the non-empty pieces of a normalised text. `begins` states that it is the first part
    /// of the text.
    std::vector<std::string> split(const std::string& text, bool begins, TextWork& work) const;

private:
    void take(TextWork& work, std::size_t bytes, const char* list, std::size_t step) const;

    struct Split {
        TextStep step;
        std::vector<Regex> regex;       // expressions, for the steps that have one
        std::vector<CharacterMap> maps; // maps, for the steps that have one
    };
    static Split made(const TextStep& step, const std::string& place);
    /// Makes a text part by part. The function is called twice: first to count the work for the
    /// text, then to write it.
    using Make = std::function<void(const std::function<void(std::string_view part)>& use)>;
    std::string made_of(const std::string& text, const Make& make, TextWork& work,
                        std::size_t step) const;
    std::string replaced(const std::string& text, const Split& split, TextWork& work,
                         std::size_t step) const;
    std::string mapped(const std::string& text, const Split& split, TextWork& work,
                       std::size_t step) const;

    std::string source_;
    std::vector<Split> normalizers_;
    std::vector<Split> splits_;
};

/// Returns the number of bytes of white space (Unicode's White_Space) at the beginning or end of a
/// text.
std::size_t leading_space(std::string_view text);
std::size_t trailing_space(std::string_view text);

/// Returns the length in bytes of the UTF-8 character at the beginning of a text; 0 if there is
/// none.
std::size_t character_at(std::string_view text);

} // namespace levee
