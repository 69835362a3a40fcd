// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/cursor.hpp"

#include <algorithm>
#include <charconv>

namespace levee::gguf {

namespace {

constexpr std::uint64_t buffer_bytes = 1U << 16;

struct ValueKind {
    const char* name;
    std::uint32_t bytes;
};
constexpr std::array<ValueKind, type_count> value_kinds{{{"uint8", 1},
                                                         {"int8", 1},
                                                         {"uint16", 2},
                                                         {"int16", 2},
                                                         {"uint32", 4},
                                                         {"int32", 4},
                                                         {"float32", 4},
                                                         {"bool", 1},
                                                         {"string", 0},
                                                         {"array", 0},
                                                         {"uint64", 8},
                                                         {"int64", 8},
                                                         {"float64", 8}}};

} // namespace

std::uint32_t value_bytes(std::uint32_t type)
{
    return value_kinds.at(type).bytes;
}

const char* value_type_name(std::uint32_t type)
{
    return value_kinds.at(type).name;
}

std::string printable(const std::string& name)
{
    constexpr std::size_t most = 80;
    std::string text = name.substr(0, most);
    for (char& c : text) {
        const auto code = static_cast<unsigned char>(c);
        c = code < 0x20 || code >= 0x7F ? '?' : c;
    }
    return name.size() > most ? text + "..." : text;
}

std::string number_text(double value)
{
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

void Cursor::fail(const std::string& what, const std::string& problem) const
{
    throw ModelError(file_.path().string() + ": " + what + ": " + problem);
}

void Cursor::expect(std::uint64_t bytes, const std::string& what) const
{
    if (bytes > left()) {
        fail(what, std::to_string(bytes) + " bytes from byte " + std::to_string(at_) +
                       ", expected an end within the file's " + std::to_string(file_.size()) +
                       " (is it cut?)");
    }
}

void Cursor::take_bytes(std::span<std::uint8_t> out, const std::string& what)
{
    expect(out.size(), what);
    while (!out.empty()) {
        if (at_ < buffer_at_ || at_ >= buffer_at_ + buffer_.size()) {
            buffer_at_ = at_;
            buffer_.resize(std::min(buffer_bytes, left()));
            file_.read(at_, buffer_);
        }
        const auto from = std::span(buffer_).subspan(at_ - buffer_at_);
        const std::size_t count = std::min(out.size(), from.size());
        std::copy_n(from.begin(), count, out.begin());
        out = out.subspan(count);
        at_ += count;
    }
}

std::string Cursor::take_string(std::uint64_t most, const std::string& what)
{
    const auto bytes = take<std::uint64_t>(what);
    expect(bytes, what);
    if (bytes > most) {
        fail(what, "a string of " + std::to_string(bytes) + " bytes, expected at most " +
                       std::to_string(most));
    }
    std::string text(bytes, '\0');
    take_bytes({reinterpret_cast<std::uint8_t*>(text.data()), text.size()}, what);
    return text;
}

void Cursor::skip_string(const std::string& what)
{
    skip(take<std::uint64_t>(what), what);
}

void Cursor::skip(std::uint64_t bytes, const std::string& what)
{
    expect(bytes, what);
    at_ += bytes;
}

std::uint64_t Cursor::take_count(std::uint64_t least, const std::string& what)
{
    const auto count = take<std::uint64_t>(what);
    if (count > left() / least) {
        fail(what, "a count of " + std::to_string(count) + ", expected at most the " +
                       std::to_string(left() / least) + " for which the file has room");
    }
    return count;
}

} // namespace levee::gguf
