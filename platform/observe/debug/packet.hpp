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

/// Longest packet that is accepted, and announced.
constexpr std::size_t packet_bytes = 0x4000;

/// Something that came from the debugger.
struct Incoming {
    enum class Kind {
        Packet,      ///< `text`: between $ and #
        BadChecksum, ///< to be answered by '-'
        TooLong,     ///< longer than packet_bytes; its text is lost
        Interrupt,   ///< Ctrl-C, a byte 0x03 outside of packets
        Resend       ///< '-'
    };
    Kind kind;
    std::string text;
};

/// Cuts a stream of bytes into packets. Bytes between packets that mean nothing are skipped.
class Framer {
public:
    /// Appends what `bytes` complete to `found`.
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

/// `$payload#checksum`. The payload must already be escaped where it is binary.
[[nodiscard]] std::string frame(std::string_view payload);

/// Binary data with what has a meaning in packets escaped, and the way back; none if an escape is
/// cut off.
[[nodiscard]] std::string escape(std::string_view data);
[[nodiscard]] std::optional<std::string> unescape(std::string_view data);

[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_hex(std::string_view text);
/// A number in hexadecimal, as short as it goes.
[[nodiscard]] std::string number(std::uint64_t value);
/// Pairs of digits; none if there is anything else.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> bytes_from_hex(std::string_view digits);
/// 1 to 16 digits and nothing else.
[[nodiscard]] std::optional<std::uint64_t> number_from_hex(std::string_view digits);

/// Cuts off and returns what lies before the first `separator`; all of `text` if there is none.
std::string_view take_until(std::string_view& text, char separator);

} // namespace levee::debug
