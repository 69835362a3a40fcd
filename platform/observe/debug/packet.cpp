// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/packet.hpp"

#include <array>
#include <charconv>

namespace levee::debug {

namespace {

constexpr char interrupt = 0x03;
constexpr char escape_mark = '}';
constexpr char escape_flip = 0x20;
constexpr std::string_view digits = "0123456789abcdef";

std::optional<std::uint8_t> digit(char c)
{
    if (c >= '0' && c <= '9')
        return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return static_cast<std::uint8_t>(c - 'A' + 10);
    return std::nullopt;
}

std::span<const std::uint8_t> as_bytes(std::string_view text)
{
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

} // namespace

bool begins_session(char byte)
{
    return byte == '+' || byte == '-' || byte == '$' || byte == interrupt;
}

void Framer::feed(std::string_view bytes, std::vector<Incoming>& found)
{
    for (const char byte : bytes)
        take(byte, found);
}

void Framer::begin()
{
    state_ = State::Body;
    body_.clear();
    sum_ = 0;
    stated_ = 0;
    digits_valid_ = true;
    too_long_ = false;
}

void Framer::take(char byte, std::vector<Incoming>& found)
{
    switch (state_) {
    case State::Between:
        if (byte == '$')
            begin();
        else if (byte == interrupt)
            found.push_back({Incoming::Kind::Interrupt, {}});
        else if (byte == '-')
            found.push_back({Incoming::Kind::Resend, {}});
        return;
    case State::Body:
        if (byte == '$') { // a packet cannot contain '$', so the previous packet's end was lost
            begin();
        } else if (byte == '#') {
            state_ = State::FirstDigit;
        } else {
            sum_ = static_cast<std::uint8_t>(sum_ + static_cast<std::uint8_t>(byte));
            too_long_ = too_long_ || body_.size() == packet_bytes;
            if (!too_long_)
                body_.push_back(byte);
        }
        return;
    case State::FirstDigit:
    case State::SecondDigit: {
        const auto value = digit(byte);
        digits_valid_ = digits_valid_ && value.has_value();
        stated_ = static_cast<std::uint8_t>(stated_ << 4 | value.value_or(0));
        if (state_ == State::SecondDigit)
            end(found);
        else
            state_ = State::SecondDigit;
        return;
    }
    }
}

void Framer::end(std::vector<Incoming>& found)
{
    state_ = State::Between;
    if (!digits_valid_ || stated_ != sum_)
        found.push_back({Incoming::Kind::BadChecksum, {}});
    else if (too_long_)
        found.push_back({Incoming::Kind::TooLong, {}});
    else
        found.push_back({Incoming::Kind::Packet, std::move(body_)});
    body_.clear();
}

std::string frame(std::string_view payload)
{
    std::uint8_t sum = 0;
    for (const char byte : payload)
        sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(byte));
    std::string text = "$";
    text += payload;
    text += '#';
    text += to_hex(std::span(&sum, 1));
    return text;
}

std::string escape(std::string_view data)
{
    std::string text;
    for (const char byte : data) {
        if (byte == '$' || byte == '#' || byte == escape_mark || byte == '*') {
            text += escape_mark;
            text += static_cast<char>(byte ^ escape_flip);
        } else {
            text += byte;
        }
    }
    return text;
}

std::optional<std::string> unescape(std::string_view data)
{
    std::string text;
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (data[i] != escape_mark) {
            text += data[i];
            continue;
        }
        if (++i == data.size())
            return std::nullopt;
        text += static_cast<char>(data[i] ^ escape_flip);
    }
    return text;
}

std::string to_hex(std::span<const std::uint8_t> bytes)
{
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::string to_hex(std::string_view text)
{
    return to_hex(as_bytes(text));
}

std::string number(std::uint64_t value)
{
    std::array<char, 17> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16);
    return {text.data(), end.ptr};
}

std::optional<std::vector<std::uint8_t>> bytes_from_hex(std::string_view text)
{
    if (text.size() % 2 != 0)
        return std::nullopt;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto high = digit(text[i]);
        const auto low = digit(text[i + 1]);
        if (!high || !low)
            return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(*high << 4 | *low));
    }
    return bytes;
}

std::optional<std::uint64_t> number_from_hex(std::string_view text)
{
    if (text.empty() || text.size() > 16)
        return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        const auto d = digit(c);
        if (!d)
            return std::nullopt;
        value = value << 4 | *d;
    }
    return value;
}

std::string_view take_until(std::string_view& text, char separator)
{
    const std::size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return part;
}

} // namespace levee::debug
