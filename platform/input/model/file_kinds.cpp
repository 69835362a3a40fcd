// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/file_kinds.hpp"

#include <algorithm>

namespace levee {

namespace {

struct Kind {
    std::string_view begin, what;
};

constexpr std::string_view old_ggml = "a GGML file older than GGUF";

constexpr Kind kinds[] = {
    {"GGUF", "a GGUF file (of llama.cpp); see `levee import gguf`"},
    {"FUGG", "a big-endian GGUF file"},
    {"lmgg", old_ggml},
    {"fmgg", old_ggml},
    {"tjgg", old_ggml},
    {"24ka", "a llama2.c checkpoint; see `levee import llama2c`"},
    {"LVEM", "a model image, which needs no import"},
    {"PK\x03\x04", "a PyTorch file (a zip archive)"},
};

/// Returns whether a file is a safetensors file, which begins with 8 bytes for the length of a JSON
/// object, and then has this object.
bool is_safetensors(std::string_view begin)
{
    constexpr std::size_t length = 8;
    return begin.size() > length + 1 && begin.substr(length, 2) == "{\"" &&
           begin.substr(length - 3, 3) == std::string_view("\0\0\0", 3);
}

} // namespace

std::string_view kind_of_file(std::span<const std::uint8_t> begin)
{
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    const auto* const kind =
        std::ranges::find_if(kinds, [&](const Kind& k) { return text.starts_with(k.begin); });
    if (kind != std::end(kinds))
        return kind->what;
    return is_safetensors(text) ? "a safetensors file; run `levee import safetensors` on its folder"
                                : "";
}

} // namespace levee
