// SPDX-License-Identifier: Apache-2.0
// Model images: header, table, tensors, tokenizer.
#include "fuzz/door.hpp"
#include "platform/input/model/image_check.hpp"
#include "platform/input/model/model_image.hpp"

#include <cstring>

namespace levee::fuzz {

namespace {

void use(const ModelImage& image)
{
    for (const levee_tensor_entry& entry : image.entries())
        if (entry.type != LEVEE_TYPE_UINT32)
            (void)image.values(static_cast<levee_tensor_kind>(entry.kind), entry.layer);
    const Tokenizer& tokenizer = image.tokenizer();
    for (const std::string_view text : {"Once upon a time", "\xFF 1"}) {
        try {
            (void)tokenizer.decode(tokenizer.encode(text, tokenizer.bos() != LEVEE_NO_TOKEN));
        } catch (const ModelError&) {
            continue; // the tokenizer lacks these characters
        }
    }
    (void)Tokenizer::parse(tokenizer.serialize(), "serialized");
}

} // namespace

/// Adds the correct checksum.
std::vector<std::uint8_t> closed(Bytes part)
{
    std::vector<std::uint8_t> image(part.begin(), part.end());
    if (image.size() < sizeof(levee_model_header))
        return image;
    const std::uint32_t crc = image_crc(image);
    std::memcpy(image.data() + offsetof(levee_model_header, crc32), &crc, sizeof crc);
    return image;
}

std::string feed(Bytes input)
{
    return refusal<ModelError>("input.levee", [&] {
        use(ModelImage::parse({input.begin(), input.end()}, "input.levee"));
    });
}

} // namespace levee::fuzz
