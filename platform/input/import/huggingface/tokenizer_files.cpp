// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tokenizer_files.hpp"

#include "platform/input/import/huggingface/sentencepiece.hpp"
#include "platform/input/import/huggingface/tokenizer_json.hpp"
#include "platform/input/import/own_chat.hpp"
#include "platform/input/model/file.hpp"

#include <array>

namespace levee::hf {

namespace {

/// Returns a token's text. The file has either only the text, or an object with the text and the
/// rules for finding the token.
std::string token_text(const JsonView& token)
{
    return token.json().is_object() ? token.at("content").text() : token.text();
}

/// Returns the text of a token with a role, such as bos_token; nothing if it is missing or empty.
std::optional<std::string> named_token(const JsonView& settings, const std::string& key)
{
    const auto token = settings.find(key);
    const std::string text = token ? token_text(*token) : "";
    return text.empty() ? std::nullopt : std::optional(text);
}

void take_names(const JsonView& file, TokenizerSettings& settings)
{
    const std::pair<const char*, std::optional<std::string>*> names[] = {
        {"bos_token", &settings.bos_token},
        {"eos_token", &settings.eos_token},
        {"unk_token", &settings.unknown_token}};
    for (const auto& [key, name] : names)
        if (!*name)
            *name = named_token(file, key);
}

void take_settings(const JsonView& config, TokenizerSettings& settings)
{
    settings.tokenizer_class = config.text("tokenizer_class", "");
    settings.add_bos = config.find("add_bos_token");
    settings.add_prefix_space = config.flag("add_prefix_space", false);
    take_names(config, settings);
}

constexpr std::array<const char*, 7> roles{"bos_token", "eos_token", "unk_token", "sep_token",
                                           "pad_token", "cls_token", "mask_token"};

std::vector<std::string> additional_tokens(const JsonView& file)
{
    std::vector<std::string> tokens;
    if (const auto list = file.find("additional_special_tokens"))
        for (const JsonView& token : list->items())
            tokens.push_back(token_text(token));
    return tokens;
}

/// Collects the tokens that have a role, such as bos_token.
void take_special(const JsonView& file, std::set<std::string>& special)
{
    for (const char* key : roles)
        if (const auto token = named_token(file, key))
            special.insert(*token);
    for (const std::string& token : additional_tokens(file))
        special.insert(token);
}

/// Returns the tokens that are added to the vocabulary. They are in tokenizer_config.json or, in
/// files of earlier versions of transformers, in added_tokens.json.
std::vector<ListedToken> added_tokens(const std::filesystem::path& folder,
                                      const std::optional<JsonFile>& config,
                                      const std::optional<JsonFile>& names)
{
    const auto decoder = config ? config->view().find("added_tokens_decoder") : std::nullopt;
    if (decoder)
        return tokens_of_decoder(*decoder);
    const std::filesystem::path encoder = folder / "added_tokens.json";
    if (!std::filesystem::exists(encoder))
        return {};
    std::set<std::string> special;
    for (const auto* file : {&config, &names})
        if (*file)
            take_special((*file)->view(), special);
    return tokens_of_encoder(JsonFile(encoder).view(), special);
}

/// Returns the template of a settings file. If there are several, as a list of names and templates
/// or as a map, returns the one named "default", as transformers does.
std::optional<OwnChat> named_template(const JsonView& config, std::vector<std::string>& notes)
{
    const auto held = config.find("chat_template");
    if (!held)
        return std::nullopt;
    if (held->json().is_string())
        return OwnChat{held->text(), held->place()};
    std::vector<std::pair<std::string, JsonView>> all;
    if (held->json().is_object())
        all = held->entries();
    else if (!held->json().is_array())
        held->fail("a template, a list of templates with names, or a map of them");
    else
        for (const JsonView& named : held->items())
            all.emplace_back(named.at("name").text(), named.at("template"));
    std::optional<OwnChat> found;
    std::string names;
    for (const auto& [name, view] : all) {
        names += (names.empty() ? "'" : ", '") + name + "'";
        if (name == "default")
            found = OwnChat{view.text(), view.place()};
    }
    if (!found)
        notes.push_back(held->place() + ": has no template named 'default'" +
                        (names.empty() ? "" : ", only " + names));
    return found;
}

std::optional<OwnChat> own_chat(const std::filesystem::path& folder,
                                const std::optional<JsonFile>& config,
                                std::vector<std::string>& notes)
{
    const std::filesystem::path plain = folder / "chat_template.jinja";
    if (std::filesystem::exists(plain)) {
        const std::vector<std::uint8_t> bytes = read_file(plain);
        return OwnChat{{bytes.begin(), bytes.end()}, plain.string()};
    }
    const std::filesystem::path json = folder / "chat_template.json";
    if (std::filesystem::exists(json)) {
        const JsonFile file(json);
        if (file.view().find("chat_template"))
            return named_template(file.view(), notes);
    }
    return config ? named_template(config->view(), notes) : std::nullopt;
}

/// Adds the special tokens that this file names and no earlier file did.
void take_variables(const JsonView& file, OwnChat& own)
{
    for (const char* const key : roles)
        if (const auto token = named_token(file, key))
            own.tokens.emplace(key, *token);
    if (own.additional->empty())
        *own.additional = additional_tokens(file);
    // Some models name further tokens here, such as image_token. Later versions of transformers
    // have a list instead.
    const auto extra = file.find("extra_special_tokens");
    if (extra && extra->json().is_object())
        for (const auto& [name, token] : extra->entries())
            own.tokens.emplace(name, token_text(token));
}

} // namespace

Tokenizer read_tokenizer(const std::filesystem::path& folder, std::uint32_t vocab,
                         std::optional<std::uint32_t> eos, std::vector<std::string>& notes)
{
    const auto has = [&](const char* name) { return std::filesystem::exists(folder / name); };
    TokenizerSettings settings;
    settings.vocab = vocab;
    settings.eos = eos;
    settings.notes = &notes;
    std::optional<JsonFile> config, names; // The files must live as long as their views.
    if (has("tokenizer_config.json"))
        take_settings(config.emplace(folder / "tokenizer_config.json").view(), settings);
    if (has("special_tokens_map.json"))
        take_names(names.emplace(folder / "special_tokens_map.json").view(), settings);
    if (has("tokenizer.json"))
        return read_tokenizer_json(folder / "tokenizer.json", settings);
    settings.added = within_vocabulary(added_tokens(folder, config, names), settings);
    if (has("tokenizer.model")) {
        if (config && !config->view().flag("legacy", true))
            notes.push_back("tokenizer_config.json has 'legacy: false': transformers then adds a "
                            "space only at the start of a text. The image also adds one after "
                            "each added token, so token ids may differ");
        return read_sentencepiece(folder / "tokenizer.model", settings);
    }
    if (has("vocab.json") && has("merges.txt"))
        return read_vocabulary_and_merges(folder / "vocab.json", folder / "merges.txt", settings);
    notes.push_back(
        "there is no tokenizer (tokenizer.json, tokenizer.model, or vocab.json and "
        "merges.txt): tokens print as numbers, and prompts must be 'workload.prompt_ids'");
    return Tokenizer::numbers(vocab, folder.string(), eos.value_or(LEVEE_NO_TOKEN));
}

std::uint32_t read_chat(const std::filesystem::path& folder, const Tokenizer& tokenizer,
                        std::vector<std::string>& notes)
{
    const auto file = [&](const char* name) {
        const std::filesystem::path path = folder / name;
        return std::filesystem::exists(path) ? std::optional<JsonFile>(path) : std::nullopt;
    };
    const std::optional<JsonFile> config = file("tokenizer_config.json");
    const std::optional<JsonFile> names = file("special_tokens_map.json");
    auto own = own_chat(folder, config, notes);
    if (own)
        own->additional.emplace();
    for (const auto* const settings : {&config, &names})
        if (own && *settings)
            take_variables((*settings)->view(), *own);
    return chat_number(own, tokenizer, notes);
}

} // namespace levee::hf
