// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/text_pipeline.hpp"

#include "platform/input/model/character_map.hpp"
#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/pieces.hpp"
#include "platform/input/model/text_steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

namespace levee::hf {

namespace {

const std::string symbol(blank_symbol);

[[noreturn]] void refuse_kind(const JsonView& part, const std::string& what,
                              const std::string& known)
{
    part.at("type").fail("one of " + known + ": no other " + what + " is supported");
}

/// Returns the items of a Sequence, or the part itself if it is no Sequence; empty if it is null.
std::vector<JsonView> parts_of(const std::optional<JsonView>& part, const char* list)
{
    if (!part)
        return {};
    if (part->at("type").text() != "Sequence")
        return {*part};
    std::vector<JsonView> parts;
    for (const JsonView& item : part->at(list).items())
        for (const JsonView& inner : parts_of(item, list))
            parts.push_back(inner);
    return parts;
}

std::string literal_pattern(const JsonView& pattern, const char* instead)
{
    const auto text = pattern.find("String");
    if (!text)
        pattern.fail(instead);
    return text->text();
}

std::string escaped(const std::string& text)
{
    std::string pattern;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && std::isalnum(byte) == 0)
            pattern += '\\';
        pattern += c;
    }
    return pattern;
}

/// Returns the options of the group at the end of a regular expression that consists of `begun` and
/// `part`. Empty if this is not in a group with options.
std::string group_options(const std::string& begun, std::string_view part)
{
    static const std::string letters = "imx-";
    if (part == "(")
        return "(";
    if (begun == "(")
        return part == "?" ? "(?" : "";
    return !begun.empty() && letters.find(part) != std::string::npos ? begun + std::string(part)
                                                                     : "";
}

/// Throws for syntax that PCRE2 treats differently from Oniguruma, for which these files are
/// written: nested classes, classes with other letters or blanks, word boundaries, properties
/// without braces, and the option m (a dot that matches line ends).
void refuse_other_syntax(const JsonView& regex)
{
    static constexpr std::array<std::string_view, 6> others{"\\h", "\\H", "\\w",
                                                            "\\W", "\\v", "\\V"};
    const std::string text = regex.text() + " "; // with the added blank, the last character has a
                                                 // successor
    std::string before, options;
    for_each_pattern_part(text, [&](std::string_view part, bool in_class) {
        const bool is_posix = part.starts_with("[:");
        const bool is_bound = !in_class && (part == "\\b" || part == "\\B");
        const auto differs = [&](const std::string& what) {
            regex.fail("a regular expression without " + what + ", whose meaning differs in PCRE2");
        };
        if (is_posix || is_bound || std::find(others.begin(), others.end(), part) != others.end())
            differs(std::string(part));
        if ((before == "\\p" || before == "\\P") && part != "{")
            differs(before + std::string(part));
        if (in_class && (part == "[" || (part == "&" && before == "&")))
            regex.fail("a regular expression without nested character classes");
        options = in_class ? "" : group_options(options, part);
        if (options.ends_with("m"))
            differs(options);
        before = part;
    });
}

/// Translates a property \p{Name} for PCRE2. For PCRE2, the bare name of a script includes
/// characters that the script shares with others (Script_Extensions). For Oniguruma, it means only
/// the script's own characters (Script).
std::string property_for_pcre2(const std::string& property)
{
    std::string script = property;
    script.insert(property.find('^') == 3 ? 4 : 3, "sc:");
    try {
        const Regex known(script, "");
    } catch (const ModelError&) {
        return property; // the property is not a script
    }
    return script;
}

/// Translates a regular expression of Oniguruma for PCRE2. In the result, the name of a script
/// matches only the script's own characters, and ^ and $ match at every line.
std::string pattern_for_pcre2(const JsonView& regex)
{
    refuse_other_syntax(regex);
    std::string result, property;
    for_each_pattern_part(regex.text(), [&](std::string_view part, bool in_class) {
        if (!property.empty() || part == "\\p" || part == "\\P") {
            property += part;
            if (part != "}")
                return;
            result += property_for_pcre2(property);
            property.clear();
        } else if (!in_class && (part == "^" || part == "$")) {
            result += "(?m:" + std::string(part) + ")";
        } else {
            result += part;
        }
    });
    return result + property;
}

void read_replace(const JsonView& part, std::vector<TextStep>& steps)
{
    const JsonView pattern = part.at("pattern");
    const std::string with = part.at("content").text();
    if (const auto regex = pattern.find("Regex"))
        steps.push_back({LEVEE_STEP_REPLACE_MATCHES, pattern_for_pcre2(*regex), with});
    else
        steps.push_back(
            {LEVEE_STEP_REPLACE, literal_pattern(pattern, "a Regex or a String"), with});
}

void read_strip(const JsonView& part, std::vector<TextStep>& steps)
{
    if (part.flag("strip_left", true))
        steps.push_back({LEVEE_STEP_STRIP_LEFT});
    if (part.flag("strip_right", true))
        steps.push_back({LEVEE_STEP_STRIP_RIGHT});
}

/// Decodes base64, with or without padding.
std::string from_base64(const JsonView& text)
{
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string coded = text.text();
    std::string bytes;
    std::uint32_t word = 0, bits = 0;
    for (const char c : std::string_view(coded).substr(0, coded.find('='))) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos)
            text.fail("base64");
        word = word << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits < 8)
            continue;
        bits -= 8;
        bytes += static_cast<char>(word >> bits);
    }
    return bytes;
}

/// Reads a map of characters; null: there is none.
void read_precompiled(const JsonView& part, std::vector<TextStep>& steps)
{
    const auto map = part.find("precompiled_charsmap");
    if (!map)
        return;
    steps.push_back({LEVEE_STEP_MAP_GRAPHEMES, from_base64(*map)});
    const CharacterMap checked(steps.back().text, map->place());
}

void read_normalizer(const JsonView& part, std::vector<TextStep>& steps)
{
    static const std::map<std::string, levee_text_step_kind> forms{{"NFC", LEVEE_STEP_NFC},
                                                                   {"NFD", LEVEE_STEP_NFD},
                                                                   {"NFKC", LEVEE_STEP_NFKC},
                                                                   {"NFKD", LEVEE_STEP_NFKD}};
    const std::string type = part.at("type").text();
    if (const auto form = forms.find(type); form != forms.end())
        steps.push_back({form->second});
    else if (type == "Prepend")
        steps.push_back({LEVEE_STEP_PREPEND, part.at("prepend").text()});
    else if (type == "Replace")
        read_replace(part, steps);
    else if (type == "Strip")
        read_strip(part, steps);
    else if (type == "Precompiled")
        read_precompiled(part, steps);
    else
        refuse_kind(part, "normalizer",
                    "NFC, NFD, NFKC, NFKD, Prepend, Replace, Strip, Precompiled, Sequence");
}

void read_split(const JsonView& part, std::vector<TextStep>& steps)
{
    if (part.at("behavior").text() != "Isolated")
        part.at("behavior").fail("Isolated");
    if (part.flag("invert", false))
        part.at("invert").fail("false");
    const JsonView pattern = part.at("pattern");
    const auto regex = pattern.find("Regex");
    steps.push_back(
        {LEVEE_STEP_SPLIT, regex ? pattern_for_pcre2(*regex)
                                 : escaped(literal_pattern(pattern, "a Regex or a String"))});
}

void read_byte_level(const JsonView& part, TextPipeline& pipeline)
{
    if (part.flag("add_prefix_space", true))
        pipeline.text.splits.push_back({LEVEE_STEP_PREFIX, " "});
    if (part.flag("use_regex", true))
        pipeline.text.splits.push_back({LEVEE_STEP_SPLIT, gpt2_pattern()});
    pipeline.byte_level = true;
}

/// Returns "always", "first" or "never". Older files have add_prefix_space instead of this key.
std::string prepend_scheme(const JsonView& metaspace)
{
    const std::string scheme = metaspace.text(
        "prepend_scheme", metaspace.flag("add_prefix_space", true) ? "always" : "never");
    if (scheme != "always" && scheme != "first" && scheme != "never")
        metaspace.at("prepend_scheme").fail("always, first or never");
    if (metaspace.text("replacement", symbol) != symbol)
        metaspace.at("replacement").fail("\"" + symbol + "\"");
    return scheme;
}

void read_metaspace(const JsonView& part, TextPipeline& pipeline)
{
    auto& splits = pipeline.text.splits;
    const std::string scheme = prepend_scheme(part);
    splits.push_back({LEVEE_STEP_REPLACE, " ", symbol});
    if (scheme != "never")
        splits.push_back({scheme == "first" ? LEVEE_STEP_PREFIX_FIRST : LEVEE_STEP_PREFIX, symbol});
    if (part.flag("split", true))
        splits.push_back({LEVEE_STEP_SPLIT, symbol + "[^" + symbol + "]*"});
}

void read_pre_tokenizer(const JsonView& part, TextPipeline& pipeline)
{
    const std::string type = part.at("type").text();
    if (pipeline.byte_level)
        part.fail("nothing after ByteLevel");
    if (type == "ByteLevel")
        read_byte_level(part, pipeline);
    else if (type == "Split")
        read_split(part, pipeline.text.splits);
    else if (type == "Metaspace")
        read_metaspace(part, pipeline);
    else if (type == "Digits")
        pipeline.text.splits.push_back(
            {LEVEE_STEP_SPLIT, part.flag("individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)"});
    else
        refuse_kind(part, "pre-tokenizer", "ByteLevel, Split, Metaspace, Digits, Sequence");
}

void read_decoder(const JsonView& part, TextPipeline& pipeline)
{
    const std::string type = part.at("type").text();
    if (type == "Metaspace") {
        pipeline.blank_symbols = true;
        pipeline.blank_first |= prepend_scheme(part) != "never";
    } else if (type == "Replace") {
        const std::string what = literal_pattern(part.at("pattern"), "a String");
        if (what != symbol || part.at("content").text() != " ")
            part.fail("\"" + symbol + "\" to be replaced by a blank");
        pipeline.blank_symbols = true;
    } else if (type == "Strip") {
        if (part.at("content").text() != " " || part.at("start").count() > 1 ||
            part.at("stop").count() != 0)
            part.fail("one blank at the start");
        pipeline.blank_first |= part.at("start").count() == 1;
    } else if (type == "ByteLevel") {
        if (!pipeline.byte_level)
            part.fail("a pre-tokenizer of ByteLevel, too");
    } else if (type != "ByteFallback" && type != "Fuse") {
        refuse_kind(part, "decoder",
                    "ByteLevel, ByteFallback, Fuse, Metaspace, Replace, Strip, Sequence");
    }
}

/// Reads the special token before a text. A token after the text is not permitted.
std::optional<std::string> read_template(const JsonView& part)
{
    std::optional<std::string> bos;
    bool has_text = false;
    for (const JsonView& item : part.at("single").items()) {
        if (item.find("Sequence")) {
            has_text = true;
            continue;
        }
        const JsonView token = item.at("SpecialToken").at("id");
        if (has_text || bos)
            token.fail("at most one token before a text and none after it");
        bos = token.text();
    }
    return bos;
}

void read_post_processor(const JsonView& part, TextPipeline& pipeline)
{
    const std::string type = part.at("type").text();
    if (type == "TemplateProcessing")
        pipeline.bos = read_template(part);
    else if (type != "ByteLevel")
        refuse_kind(part, "post-processor", "ByteLevel, TemplateProcessing, Sequence");
}

} // namespace

TextPipeline read_pipeline(const JsonView& tokenizer)
{
    TextPipeline pipeline;
    for (const JsonView& part : parts_of(tokenizer.find("normalizer"), "normalizers"))
        read_normalizer(part, pipeline.text.normalizers);
    for (const JsonView& part : parts_of(tokenizer.find("pre_tokenizer"), "pretokenizers"))
        read_pre_tokenizer(part, pipeline);
    for (const JsonView& part : parts_of(tokenizer.find("decoder"), "decoders"))
        read_decoder(part, pipeline);
    for (const JsonView& part : parts_of(tokenizer.find("post_processor"), "processors"))
        read_post_processor(part, pipeline);
    return pipeline;
}

} // namespace levee::hf
