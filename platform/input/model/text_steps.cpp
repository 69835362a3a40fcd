// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/text_steps.hpp"

#include "platform/input/model/model_shape.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <pcre2.h>
#include <utf8proc.h>

namespace levee {

namespace {

// Unicode's White_Space as parts of a character class. PCRE2's own \s also contains U+180E.
constexpr std::string_view white_space = R"(\t-\r\x{85}\p{Z})";

/// Rewrites a pattern so that \s and, outside classes, \S mean Unicode's White_Space and its
/// complement.
std::string with_unicode_spaces(std::string_view pattern)
{
    const std::string spaces(white_space);
    std::string result;
    for_each_pattern_part(pattern, [&](std::string_view part, bool in_class) {
        if (part == "\\s")
            result += in_class ? spaces : "[" + spaces + "]";
        else if (part == "\\S" && !in_class)
            result += "[^" + spaces + "]";
        else
            result += part;
    });
    return result;
}

/// Returns the length in bytes of the POSIX class at the beginning of a text; 0 if there is none.
std::size_t posix_class(std::string_view text)
{
    const std::size_t name = text.starts_with("[:^") ? 3 : 2;
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", name);
    const bool is_one = text.starts_with("[:") && end != std::string_view::npos && end > name &&
                        text.substr(end).starts_with(":]");
    return is_one ? end + 2 : 0;
}

std::string message_of(int code)
{
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

/// Calls `use` with each longest part that is valid UTF-8, and with each other byte.
void for_each_part(std::string_view text,
                   const std::function<void(std::string_view part, bool valid)>& use)
{
    std::size_t begin = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t bytes = character_at(text.substr(at));
        if (bytes != 0) {
            at += bytes;
            continue;
        }
        if (at > begin)
            use(text.substr(begin, at - begin), true);
        use(text.substr(at, 1), false);
        begin = ++at;
    }
    if (at > begin)
        use(text.substr(begin), true);
}

int form_options(levee_text_step_kind kind)
{
    const int composed =
        kind == LEVEE_STEP_NFC || kind == LEVEE_STEP_NFKC ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
    const int compatible = kind >= LEVEE_STEP_NFKC ? UTF8PROC_COMPAT : 0;
    return UTF8PROC_STABLE | composed | compatible;
}

std::string normal_form(std::string_view text, levee_text_step_kind kind)
{
    std::string result;
    for_each_part(text, [&](std::string_view part, bool valid) {
        if (!valid) {
            result += part;
            return;
        }
        utf8proc_uint8_t* form = nullptr;
        const utf8proc_ssize_t bytes =
            utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(part.data()),
                         static_cast<utf8proc_ssize_t>(part.size()), &form,
                         static_cast<utf8proc_option_t>(form_options(kind)));
        const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(form, &std::free);
        if (bytes < 0)
            throw ModelError(std::string("the text cannot be normalized: ") +
                             utf8proc_errmsg(bytes));
        result.append(reinterpret_cast<const char*>(form), static_cast<std::size_t>(bytes));
    });
    return result;
}

/// Like text.find(what, at), but in linear time even if `what` nearly matches everywhere.
std::size_t find_in(const std::string& text, const std::string& what, std::size_t at)
{
    const void* const found =
        ::memmem(text.data() + at, text.size() - at, what.data(), what.size());
    return found == nullptr
               ? std::string::npos
               : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::string replaced(const std::string& text, const std::string& what, const std::string& with)
{
    std::string result;
    std::size_t at = 0;
    for (std::size_t found; (found = find_in(text, what, at)) != std::string::npos;
         at = found + what.size())
        result += text.substr(at, found - at) + with;
    return result + text.substr(at);
}

/// Returns an upper bound for the bytes in the step's result. A normal form counts as leaving the
/// text unchanged.
std::size_t bytes_after(const std::string& text, const TextStep& step)
{
    std::size_t bytes = text.size();
    if (step.kind != LEVEE_STEP_REPLACE)
        return bytes + step.text.size();
    for (std::size_t at = 0; (at = find_in(text, step.text, at)) != std::string::npos;
         at += step.text.size())
        bytes += step.with.size() - step.text.size();
    return bytes;
}

/// Returns the text that a step makes of one text, for steps that do not split it.
std::string changed(const std::string& text, const TextStep& step, bool begins)
{
    if (step.kind == LEVEE_STEP_STRIP_LEFT)
        return text.substr(leading_space(text));
    if (step.kind == LEVEE_STEP_STRIP_RIGHT)
        return text.substr(0, text.size() - trailing_space(text));
    switch (step.kind) {
    case LEVEE_STEP_PREPEND:
        return text.empty() ? text : step.text + text;
    case LEVEE_STEP_REPLACE:
        return replaced(text, step.text, step.with);
    case LEVEE_STEP_PREFIX_FIRST:
        if (!begins)
            return text;
        [[fallthrough]];
    case LEVEE_STEP_PREFIX:
        return text.empty() || text.starts_with(step.text) ? text : step.text + text;
    default:
        return normal_form(text, step.kind);
    }
}

/// Limits on the steps of a match. Each tried item of the pattern costs one step, and so does each
/// byte by which an item advances.
struct Matching {
    TextWork& work;
    std::size_t at = 0;
};

int count_item(pcre2_callout_block* block, void* data)
{
    auto& matching = *static_cast<Matching*>(data);
    const std::size_t at = block->current_position;
    const std::size_t steps = 1 + (at > matching.at ? at - matching.at : 0);
    matching.at = at;
    return matching.work.take_steps(steps) ? 0 : PCRE2_ERROR_CALLOUT;
}

bool is_white_space(std::string_view character)
{
    utf8proc_int32_t code = 0;
    if (utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(character.data()),
                         static_cast<utf8proc_ssize_t>(character.size()), &code) <= 0)
        return false;
    const utf8proc_category_t category = utf8proc_category(code);
    return (code >= '\t' && code <= '\r') || code == 0x85 || category == UTF8PROC_CATEGORY_ZS ||
           category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

} // namespace

std::size_t character_at(std::string_view text)
{
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t bytes =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &code);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

std::size_t leading_space(std::string_view text)
{
    std::size_t end = 0;
    while (end < text.size()) {
        const std::string_view character = text.substr(end, character_at(text.substr(end)));
        if (character.empty() || !is_white_space(character))
            break;
        end += character.size();
    }
    return end;
}

std::size_t trailing_space(std::string_view text)
{
    std::size_t begin = text.size();
    while (begin > 0) {
        std::size_t at = begin - 1;
        while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
            --at;
        const std::string_view character = text.substr(at, begin - at);
        if (character_at(character) != character.size() || !is_white_space(character))
            break;
        begin = at;
    }
    return text.size() - begin;
}

void for_each_pattern_part(std::string_view pattern,
                           const std::function<void(std::string_view part, bool in_class)>& use)
{
    bool in_class = false;
    std::size_t first = 0; // position of the class's first character, where a ] belongs to the
                           // class
    for (std::size_t at = 0; at < pattern.size();) {
        const std::string_view rest = pattern.substr(at);
        const std::size_t posix = in_class ? posix_class(rest) : 0;
        const std::size_t bytes = rest[0] == '\\' ? std::min<std::size_t>(2, rest.size())
                                  : posix != 0    ? posix
                                                  : 1;
        use(rest.substr(0, bytes), in_class);
        if (!in_class && rest[0] == '[') {
            in_class = true;
            first = at + (rest.starts_with("[^") ? 2 : 1);
        } else if (rest[0] == ']' && at != first) {
            in_class = false;
        }
        at += bytes;
    }
}

Regex::Regex(const std::string& pattern, const std::string& place) : place_(place)
{
    const std::string text = with_unicode_spaces(pattern);
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                      PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT, &error,
                      &offset, nullptr);
    if (code == nullptr)
        throw ModelError(place + ": '" + pattern + "': " + message_of(error) + " at byte " +
                         std::to_string(offset) +
                         ", expected a regular expression in the syntax of PCRE2");
    code_ = std::shared_ptr<const void>(code, [code](const void*) { pcre2_code_free(code); });
}

void Regex::scan_valid(std::string_view text, TextWork& work, const UsePart& use) const
{
    const auto* code = static_cast<const pcre2_code*>(code_.get());
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
        pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
    const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context(
        pcre2_match_context_create(nullptr), &pcre2_match_context_free);
    Matching matching{work};
    pcre2_set_callout(context.get(), count_item, &matching);
    std::size_t taken = 0;
    std::size_t from = 0;
    while (from < text.size()) {
        const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                      from, PCRE2_NO_UTF_CHECK, match.get(), context.get());
        if (found == PCRE2_ERROR_NOMATCH)
            break;
        if (found == PCRE2_ERROR_CALLOUT)
            throw ModelError(place_ + ": the regular expression takes too many steps over the "
                                      "text; expected one with less backtracking");
        if (found < 0)
            throw ModelError(place_ + ": the text cannot be split: " + message_of(found));
        const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
        if (ends[1] <= ends[0] || ends[0] < taken) { // an empty match splits nothing
            from = std::max(from, ends[0]);
            from += std::max<std::size_t>(1, character_at(text.substr(from)));
            continue;
        }
        if (ends[0] > taken)
            use(text.substr(taken, ends[0] - taken), false);
        use(text.substr(ends[0], ends[1] - ends[0]), true);
        taken = from = ends[1];
    }
    if (taken < text.size())
        use(text.substr(taken), false);
}

void Regex::scan(std::string_view text, TextWork& work, const UsePart& use) const
{
    for_each_part(text, [&](std::string_view part, bool valid) {
        if (valid)
            scan_valid(part, work, use);
        else
            use(part, false);
    });
}

std::vector<std::string> Regex::split(std::string_view text, TextWork& work) const
{
    std::vector<std::string> pieces;
    scan(text, work, [&](std::string_view part, bool) { pieces.emplace_back(part); });
    return pieces;
}

TextSteps::Split TextSteps::made(const TextStep& step, const std::string& place)
{
    Split split{step, {}, {}};
    if (step.kind == LEVEE_STEP_SPLIT || step.kind == LEVEE_STEP_REPLACE_MATCHES)
        split.regex.emplace_back(step.text, place);
    if (step.kind >= LEVEE_STEP_MAP_LONGEST)
        split.maps.emplace_back(step.text, place);
    return split;
}

TextSteps::TextSteps(const TokenizerRules& rules, const std::string& source) : source_(source)
{
    const auto place = [&](const char* list, std::size_t i) {
        return source + ": tokenizer." + list + "[" + std::to_string(i) + "]";
    };
    for (const TextStep& step : rules.normalizers) {
        if (step.kind >= LEVEE_STEP_SPLIT && step.kind < LEVEE_STEP_REPLACE_MATCHES)
            throw ModelError(source + ": tokenizer.normalizers: a step of kind " +
                             std::to_string(step.kind) + ", expected none that splits");
        normalizers_.push_back(made(step, place("normalizers", normalizers_.size())));
    }
    for (const TextStep& step : rules.splits) {
        if (step.kind >= LEVEE_STEP_REPLACE_MATCHES)
            throw ModelError(source + ": tokenizer.splits: a step of kind " +
                             std::to_string(step.kind) + "; expected a step that splits the text");
        splits_.push_back(made(step, place("splits", splits_.size())));
    }
}

void TextSteps::take(TextWork& work, std::size_t bytes, const char* list, std::size_t step) const
{
    constexpr std::size_t of_a_step = 16; // least work of a step, even on a short text
    if (!work.take(bytes + of_a_step))
        throw ModelError(source_ + ": tokenizer." + list + "[" + std::to_string(step) +
                         "]: the text has become too long, " + std::to_string(bytes) +
                         " bytes in this step alone; expected steps that lengthen it less");
}

std::string TextSteps::made_of(const std::string& text, const Make& make, TextWork& work,
                               std::size_t step) const
{
    std::size_t bytes = 0;
    make([&](std::string_view part) { bytes += part.size(); });
    take(work, std::max(bytes, text.size()), "normalizers", step);
    std::string result;
    make([&](std::string_view part) { result += part; });
    return result;
}

std::string TextSteps::replaced(const std::string& text, const Split& split, TextWork& work,
                                std::size_t step) const
{
    const auto with_matches = [&](const std::function<void(std::string_view part)>& use) {
        split.regex.front().scan(text, work, [&](std::string_view part, bool matches) {
            use(matches ? std::string_view(split.step.with) : part);
        });
    };
    return made_of(text, with_matches, work, step);
}

std::string TextSteps::mapped(const std::string& text, const Split& split, TextWork& work,
                              std::size_t step) const
{
    const CharacterMap& map = split.maps.front();
    const auto with_map = [&](const std::function<void(std::string_view part)>& use) {
        if (split.step.kind == LEVEE_STEP_MAP_LONGEST)
            map.map_longest(text, work, use);
        else
            map.map_graphemes(text, work, use);
    };
    return made_of(text, with_map, work, step);
}

std::string TextSteps::normalize(const std::string& text, TextWork& work) const
{
    std::string result = text;
    for (std::size_t i = 0; i < normalizers_.size(); ++i) {
        const Split& normalizer = normalizers_[i];
        if (!normalizer.regex.empty() || !normalizer.maps.empty()) {
            result = normalizer.maps.empty() ? replaced(result, normalizer, work, i)
                                             : mapped(result, normalizer, work, i);
            continue;
        }
        take(work, bytes_after(result, normalizer.step), "normalizers", i);
        result = changed(result, normalizer.step, false);
    }
    return result;
}

std::vector<std::string> TextSteps::split(const std::string& text, bool begins,
                                          TextWork& work) const
{
    std::vector<std::string> pieces{text};
    for (std::size_t i = 0; i < splits_.size(); ++i) {
        const Split& split = splits_[i];
        std::vector<std::string> next;
        for (const std::string& piece : pieces) {
            take(work, split.regex.empty() ? bytes_after(piece, split.step) : piece.size(),
                 "splits", i);
            if (split.regex.empty()) {
                next.push_back(changed(piece, split.step, begins && next.empty()));
                continue;
            }
            const std::vector<std::string> parts = split.regex.front().split(piece, work);
            next.insert(next.end(), parts.begin(), parts.end());
        }
        pieces = std::move(next);
    }
    std::erase_if(pieces, [](const std::string& piece) { return piece.empty(); });
    return pieces;
}

} // namespace levee
