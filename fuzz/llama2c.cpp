// SPDX-License-Identifier: Apache-2.0
// llama2.c checkpoints with their tokenizers, which are imported as model images. An input is the
// checkpoint's size in bytes (32 bits), the checkpoint, and tokenizer.bin.
#include "platform/input/import/llama2c.hpp"

#include "fuzz/door.hpp"
#include "platform/input/model/model_image.hpp"

#include <algorithm>
#include <cstring>

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    std::uint32_t bytes = 0;
    if (input.size() < sizeof bytes)
        return "no checkpoint";
    std::memcpy(&bytes, input.data(), sizeof bytes);
    const Bytes both = input.subspan(sizeof bytes);
    const std::size_t first = std::min<std::size_t>(bytes, both.size());
    const auto model = folder.write("input.bin", both.first(first));
    const auto tokenizer = folder.write("tokenizer.bin", both.subspan(first));
    return refusal<ModelError>("", [&] {
        for (const levee_type type : {LEVEE_TYPE_INT8, LEVEE_TYPE_FP16})
            (void)ModelImage::parse(import_llama2c(model, tokenizer, {.weights = type}), "image");
    });
}
