// SPDX-License-Identifier: Apache-2.0
// The tokenizer section of an image, and texts to encode with the tokenizer that is read from it.
#include "fuzz/door.hpp"
#include "fuzz/texts.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    return refusal<ModelError>("input.levee", [&] { use(Tokenizer::parse(input, "input.levee")); });
}
