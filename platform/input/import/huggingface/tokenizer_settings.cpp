// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tokenizer_settings.hpp"

#include "platform/input/model/model_shape.hpp"

#include <utility>

namespace levee::hf {

namespace {

ListedToken listed_token(const JsonView& entry, std::uint32_t id, const std::string& place)
{
    AddedToken token{id, entry.at("content").text(), 0};
    if (entry.flag("single_word", false))
        entry.at("single_word").fail("false: tokens that match only whole words are not supported");
    const std::pair<const char*, std::uint32_t> flags[] = {{"special", LEVEE_ADDED_SPECIAL},
                                                           {"normalized", LEVEE_ADDED_NORMALIZED},
                                                           {"lstrip", LEVEE_ADDED_LEFT},
                                                           {"rstrip", LEVEE_ADDED_RIGHT}};
    for (const auto& [key, flag] : flags)
        if (entry.flag(key, false))
            token.flags |= flag;
    return {token, place};
}

} // namespace

void ListedToken::fail(const std::string& expected) const
{
    throw ModelError(place + ": " + std::to_string(token.id) + " for '" + token.text +
                     "', expected " + expected);
}

std::vector<ListedToken> tokens_of_list(const JsonView& list)
{
    std::vector<ListedToken> tokens;
    for (const JsonView& entry : list.items()) {
        const JsonView id = entry.at("id");
        tokens.push_back(listed_token(entry, id.count(), id.place()));
    }
    return tokens;
}

std::vector<ListedToken> tokens_of_decoder(const JsonView& decoder)
{
    std::vector<ListedToken> tokens;
    for (const auto& [id, entry] : decoder.entries()) {
        if (id.empty() || id.size() > 9 || id.find_first_not_of("0123456789") != std::string::npos)
            entry.fail("a token's number as its key");
        tokens.push_back(
            listed_token(entry, static_cast<std::uint32_t>(std::stoul(id)), entry.place()));
    }
    return tokens;
}

std::vector<ListedToken> tokens_of_encoder(const JsonView& encoder,
                                           const std::set<std::string>& special)
{
    std::vector<ListedToken> tokens;
    for (const auto& [text, id] : encoder.entries()) {
        const std::uint32_t flags =
            special.contains(text) ? LEVEE_ADDED_SPECIAL : LEVEE_ADDED_NORMALIZED;
        tokens.push_back({{id.count(), text, flags}, id.place()});
    }
    return tokens;
}

std::vector<ListedToken> within_vocabulary(std::vector<ListedToken> listed,
                                           const TokenizerSettings& settings)
{
    const auto is_beyond = [&](const ListedToken& listed_token) {
        return listed_token.token.id >= settings.vocab;
    };
    if (settings.notes != nullptr)
        for (const ListedToken& left_out : listed)
            if (is_beyond(left_out))
                settings.notes->push_back(
                    "left out: " + left_out.place + ": " + std::to_string(left_out.token.id) +
                    " for '" + left_out.token.text + "', because the model's vocab_size is " +
                    std::to_string(settings.vocab));
    std::erase_if(listed, is_beyond);
    return listed;
}

} // namespace levee::hf
