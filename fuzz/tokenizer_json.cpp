// SPDX-License-Identifier: Apache-2.0
// tokenizer.json, and texts to encode with the tokenizer that is read from it.
#include "platform/input/import/huggingface/tokenizer_json.hpp"

#include "fuzz/door.hpp"
#include "fuzz/texts.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    const std::filesystem::path file = folder.write("tokenizer.json", input);
    std::vector<std::string> notes;
    return refusal<ModelError>("tokenizer.json", [&] {
        use(hf::read_tokenizer_json(file, {.vocab = 512, .notes = &notes}));
    });
}
