// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tokenizer_files.hpp"

#include "platform/input/import/huggingface/sentencepiece.hpp"
#include "platform/input/import/huggingface/tokenizer_json.hpp"

namespace levee::hf {

namespace {

/// A token's text, alone or with how it is found.
std::optional<std::string> named_token(const JsonView& settings, const std::string& key)
{
    const auto token = settings.find(key);
    if (!token)
        return std::nullopt;
    return token->json().is_object() ? token->at("content").text() : token->text();
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
    if (const auto add = config.find("add_bos_token"))
        settings.add_bos = add->flag();
    settings.add_prefix_space = config.flag("add_prefix_space", false);
    settings.added_tokens = config.find("added_tokens_decoder");
    take_names(config, settings);
}

} // namespace

Tokenizer read_tokenizer(const std::filesystem::path& folder, std::uint32_t vocab,
                         std::optional<std::uint32_t> eos, std::vector<std::string>& notes)
{
    const auto has = [&](const char* name) { return std::filesystem::exists(folder / name); };
    TokenizerSettings settings;
    settings.vocab = vocab;
    settings.eos = eos;
    std::optional<JsonFile> config, names; // as long as views of them
    if (has("tokenizer_config.json"))
        take_settings(config.emplace(folder / "tokenizer_config.json").view(), settings);
    if (has("special_tokens_map.json"))
        take_names(names.emplace(folder / "special_tokens_map.json").view(), settings);
    if (has("tokenizer.json"))
        return read_tokenizer_json(folder / "tokenizer.json", settings);
    if (has("tokenizer.model"))
        return read_sentencepiece(folder / "tokenizer.model", vocab, eos,
                                  settings.add_bos.value_or(true));
    if (has("vocab.json") && has("merges.txt"))
        return read_vocabulary_and_merges(folder / "vocab.json", folder / "merges.txt", settings);
    notes.push_back("there is no tokenizer (tokenizer.json, tokenizer.model, or vocab.json and "
                    "merges.txt): tokens are numbers, and prompts are 'workload.prompt_ids'");
    return Tokenizer::numbers(vocab, folder.string());
}

} // namespace levee::hf
