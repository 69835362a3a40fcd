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

/// Longest packet accepted, as announced to the debugger.
constexpr std::size_t packet_bytes = 0x4000;

/// One item of the debugger's input.
struct Incoming {
    enum class Kind {
        Packet,      ///< `text`: between $ and #
        BadChecksum, ///< Answered by '-'.
        TooLong,     ///< longer than packet_bytes; the text is discarded
        Interrupt,   ///< Ctrl-C, a byte 0x03 outside of packets
        Resend       ///< '-'
    };
    Kind kind;
    std::string text;
};

/// Whether this may be a debugger's first byte: an acknowledgement, a packet or Ctrl-C.
[[nodiscard]] bool begins_session(char byte);

/// Splits a stream of bytes into packets. Unknown bytes between packets are skipped.
class Framer {
public:
    /// Appends the items that `bytes` complete to `found`.
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

/// Frames a payload as `$payload#checksum`. Binary payload must already be escaped.
[[nodiscard]] std::string frame(std::string_view payload);

/// Escapes and unescapes binary data; unescaping returns nothing if an escape is truncated.
[[nodiscard]] std::string escape(std::string_view data);
[[nodiscard]] std::optional<std::string> unescape(std::string_view data);

[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_hex(std::string_view text);
/// A number in hexadecimal, without leading zeros.
[[nodiscard]] std::string number(std::uint64_t value);
/// Bytes from pairs of hexadecimal digits; nothing if any other character occurs.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> bytes_from_hex(std::string_view digits);
/// A number from 1 to 16 hexadecimal digits; nothing if any other character occurs.
[[nodiscard]] std::optional<std::uint64_t> number_from_hex(std::string_view digits);

/// Removes the part of `text` before the first `separator` and returns it; the whole text if there
/// is no separator.
std::string_view take_until(std::string_view& text, char separator);

} // namespace levee::debug
