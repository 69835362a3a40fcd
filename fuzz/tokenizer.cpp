// SPDX-License-Identifier: Apache-2.0
// The tokenizer section of an image, and what the tokenizer makes of texts.
#include "fuzz/door.hpp"
#include "fuzz/texts.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    return refusal<ModelError>("input.levee", [&] { use(Tokenizer::parse(input, "input.levee")); });
}
