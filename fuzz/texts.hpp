// SPDX-License-Identifier: Apache-2.0
// Texts to encode with the tokenizers that inputs define.
#pragma once

#include "fuzz/door.hpp"
#include "platform/input/model/tokenizer.hpp"

namespace levee::fuzz {

inline constexpr std::string_view texts[] = {
    "Once upon a time,  there were 12 cats.\n", "\xFF\xC0\x80",
    "caf\xC3\xA9 \xE2\x96\x81\xF0\x9F\x98\x80", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "<s></s><|endoftext|>\t\xCC\x81"};

/// Encodes and decodes the texts. All ids must be below the vocabulary's size.
inline void use(const Tokenizer& tokenizer)
{
    for (const std::string_view text : texts) {
        try {
            const std::vector<std::uint32_t> ids =
                tokenizer.encode(text, tokenizer.bos() != LEVEE_NO_TOKEN);
            for (const std::uint32_t id : ids)
                if (id >= tokenizer.vocab())
                    find_fault("token " + std::to_string(id) + " of " +
                               std::to_string(tokenizer.vocab()));
            (void)tokenizer.decode(ids);
        } catch (const ModelError&) {
            continue; // the tokenizer lacks these characters, or the text takes too many steps
        }
    }
    const std::vector<std::uint8_t> section = tokenizer.serialize();
    if (Tokenizer::parse(section, "serialized").serialize() != section)
        find_fault("a tokenizer differs after it was written and read");
}

} // namespace levee::fuzz
