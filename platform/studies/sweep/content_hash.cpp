// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/content_hash.hpp"

#include "core/config/regular_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <ranges>
#include <stdexcept>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace levee::sweep {

namespace {

std::string digits(const XXH128_hash_t& hash)
{
    return hex(hash.high64) + hex(hash.low64);
}

} // namespace

std::uint64_t checksum(std::string_view bytes)
{
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::string hex(std::uint64_t value)
{
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string content_hash(std::string_view bytes)
{
    return digits(XXH3_128bits(bytes.data(), bytes.size()));
}

const std::string& FileHashes::of(const std::filesystem::path& file)
{
    std::string& known = known_[file];
    if (!known.empty())
        return known;
    std::ifstream stream = config::regular_stream(file);
    if (!stream)
        throw std::runtime_error(file.string() + ": " + config::why_unreadable(file));
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    std::vector<char> block(1 << 20);
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())),
           stream.gcount() > 0)
        XXH3_128bits_update(&state, block.data(), static_cast<std::size_t>(stream.gcount()));
    if (stream.bad())
        throw std::runtime_error(file.string() + ": cannot be read: " + std::strerror(errno));
    known = digits(XXH3_128bits_digest(&state));
    return known;
}

std::vector<std::filesystem::path> FileHashes::files() const
{
    const auto names = std::views::keys(known_);
    return {names.begin(), names.end()};
}

} // namespace levee::sweep
