// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The framing of GDB's remote serial protocol (GDB manual, appendix E.1).
namespace levee::debug {

/// Maximum length of a packet that is accepted. The debugger is told this length.
constexpr std::size_t packet_bytes = 0x4000;

struct Incoming {
    enum class Kind {
        Packet,      ///< a complete packet; `text` is the part between $ and #
        BadChecksum, ///< must be answered with '-'
        TooLong,     ///< longer than packet_bytes, so its text is dropped
        Interrupt,   ///< Ctrl-C, received as a byte 0x03 between packets
        Resend       ///< '-', which asks for the last packet again
    };
    Kind kind;
    std::string text;
};

/// Returns whether this can be the first byte that a debugger sends: an acknowledgement, the start
/// of a packet, or Ctrl-C.
[[nodiscard]] bool begins_session(char byte);

/// Divides a stream of bytes into packets. Other bytes between packets are skipped.
class Framer {
public:
    /// Adds `bytes` to the stream, and appends everything that is now complete to `found`.
    void feed(std::string_view bytes, std::vector<Incoming>& found);

private:
    enum class State { Between, Body, FirstDigit, SecondDigit };

    void take(char byte, std::vector<Incoming>& found);
    void begin();
    void end(std::vector<Incoming>& found);

    State state_ = State::Between;
    std::string body_;
    std::uint8_t sum_ = 0;
    std::uint8_t stated_ = 0;
    bool digits_valid_ = true;
    bool too_long_ = false;
};

/// Returns the packet `$payload#checksum`. A binary payload must already be escaped.
[[nodiscard]] std::string frame(std::string_view payload);

/// Escapes binary data, or reverses this. unescape() returns nothing if the last escape is
/// incomplete.
[[nodiscard]] std::string escape(std::string_view data);
[[nodiscard]] std::optional<std::string> unescape(std::string_view data);

[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_hex(std::string_view text);
/// Returns the number as hexadecimal digits, without leading zeros.
[[nodiscard]] std::string number(std::uint64_t value);
/// Returns the bytes that pairs of hexadecimal digits state; nothing if the text contains anything
/// else.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> bytes_from_hex(std::string_view digits);
/// Returns a number from 1 to 16 hexadecimal digits; nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> number_from_hex(std::string_view digits);

/// Removes the first part of `text`, up to and including the first `separator`. Returns
/// that part without the separator. Without a separator, removes and returns the whole
/// text.
std::string_view take_until(std::string_view& text, char separator);

} // namespace levee::debug
