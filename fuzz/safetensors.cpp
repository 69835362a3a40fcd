// SPDX-License-Identifier: Apache-2.0
// Safetensors files: the table, and the first values of each tensor.
#include "platform/input/import/huggingface/safetensors.hpp"

#include "fuzz/door.hpp"
#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <cstring>

namespace levee::fuzz {

namespace {

constexpr std::size_t length_bytes = sizeof(std::uint64_t);

void read(const std::filesystem::path& file)
{
    for (const auto& [name, tensor] : hf::read_safetensors(file)) {
        if (!hf::is_readable(tensor))
            continue;
        std::vector<float> values(std::min<std::uint64_t>(tensor.values, 64));
        hf::read_values(tensor, tensor.values - values.size(), values);
    }
}

} // namespace

/// Returns the table without its length; the table ends with the last brace.
std::vector<std::uint8_t> opened(Bytes input)
{
    const Bytes part = input.subspan(std::min(length_bytes, input.size()));
    return {part.begin(), part.end()};
}

std::vector<std::uint8_t> closed(Bytes part)
{
    const auto brace = std::find(part.rbegin(), part.rend(), '}');
    const std::uint64_t length = static_cast<std::uint64_t>(part.rend() - brace);
    std::vector<std::uint8_t> input(length_bytes);
    std::memcpy(input.data(), &length, length_bytes);
    input.insert(input.end(), part.begin(), part.end());
    return input;
}

std::string feed(Bytes input)
{
    static const Folder folder;
    const std::filesystem::path file = folder.write("input.safetensors", input);
    return refusal<ModelError>("input.safetensors", [&] { read(file); });
}

} // namespace levee::fuzz
