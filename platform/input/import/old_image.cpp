// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/old_image.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/image_check.hpp"

#include <zlib.h>

#include <cstring>

namespace levee {

std::vector<std::uint8_t> renewed_image(const std::filesystem::path& old)
{
    std::vector<std::uint8_t> image = read_file(old);
    const std::string source = old.string();
    levee_model_header header;
    if (image.size() < sizeof header)
        throw ModelError(source + ": " + std::to_string(image.size()) +
                         " bytes, expected a model image");
    std::memcpy(&header, image.data(), sizeof header);
    if (header.magic != LEVEE_MODEL_MAGIC || header.version != LEVEE_MODEL_VERSION)
        throw ModelError(source + ": header.magic or version: not those of a model image");
    if (header.format != 0)
        throw ModelError(source + ": header.format: " + std::to_string(header.format) +
                         ", expected 0: only images without a format are renewed");
    const auto crc = static_cast<std::uint32_t>(crc32_z(
        crc32_z(0, nullptr, 0), image.data() + sizeof header, image.size() - sizeof header));
    if (header.crc32 != crc)
        throw ModelError(source + ": header.crc32: " + std::to_string(header.crc32) +
                         ", expected " + std::to_string(crc) +
                         " of the bytes after the header (is the file damaged?)");
    header.format = LEVEE_MODEL_FORMAT;
    header.crc32 = 0;
    std::memcpy(image.data(), &header, sizeof header);
    header.crc32 = image_crc(image);
    std::memcpy(image.data(), &header, sizeof header);
    return image;
}

} // namespace levee
