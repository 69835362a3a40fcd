// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tokenizer_files.hpp"

#include "platform/input/import/huggingface/sentencepiece.hpp"
#include "platform/input/import/huggingface/tokenizer_json.hpp"

namespace levee::hf {

namespace {

/// A token's text, alone or with how it is found.
std::string token_text(const JsonView& token)
{
    return token.json().is_object() ? token.at("content").text() : token.text();
}

/// Text of a token with a role; nothing if it is missing or empty.
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

/// Tokens that a file gives a role.
void take_special(const JsonView& file, std::set<std::string>& special)
{
    for (const char* key : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                            "cls_token", "mask_token"})
        if (const auto token = named_token(file, key))
            special.insert(*token);
    if (const auto list = file.find("additional_special_tokens"))
        for (const JsonView& token : list->items())
            special.insert(token_text(token));
}

/// Tokens in addition to the vocabulary, from tokenizer_config.json or, in files of earlier
/// versions of transformers, from added_tokens.json.
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
            notes.push_back("tokenizer_config.json says legacy: false, where transformers puts a "
                            "blank before a text alone; the image has one before what follows an "
                            "added token, too");
        return read_sentencepiece(folder / "tokenizer.model", settings);
    }
    if (has("vocab.json") && has("merges.txt"))
        return read_vocabulary_and_merges(folder / "vocab.json", folder / "merges.txt", settings);
    notes.push_back("there is no tokenizer (tokenizer.json, tokenizer.model, or vocab.json and "
                    "merges.txt): tokens are numbers, and prompts are 'workload.prompt_ids'");
    return Tokenizer::numbers(vocab, folder.string(), eos.value_or(LEVEE_NO_TOKEN));
}

} // namespace levee::hf
