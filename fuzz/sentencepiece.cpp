// SPDX-License-Identifier: Apache-2.0
// SentencePiece's tokenizer.model, and texts to encode with the tokenizer that is read from it.
#include "platform/input/import/huggingface/sentencepiece.hpp"

#include "fuzz/door.hpp"
#include "fuzz/texts.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    const std::filesystem::path file = folder.write("tokenizer.model", input);
    std::vector<std::string> notes;
    return refusal<ModelError>("tokenizer.model", [&] {
        use(hf::read_sentencepiece(file, {.vocab = 512, .notes = &notes}));
    });
}
