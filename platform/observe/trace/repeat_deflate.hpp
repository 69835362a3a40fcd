// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/repeat.hpp"

#include <array>
#include <cstdint>
#include <isa-l/igzip_lib.h>
#include <span>
#include <vector>

namespace levee::trace {

/// Deflate (RFC 1951) for text whose writer knows the repeats. For short, similar events this saves
/// most of the time, which the search for repeats would take.
class RepeatDeflate {
public:
    /// Compresses `text` to blocks that end on a byte boundary, refer to nothing before them and
    /// are not the last of the stream. Repeats that are wrong or overlap are ignored. The result is
    /// valid until the next call.
    std::span<const std::uint8_t> compress(std::span<const char> text,
                                           std::span<const Repeat> repeats);

private:
    /// A code: its bits, followed by the extra bits that select one of several values.
    struct Code {
        std::uint32_t bits = 0;
        std::uint32_t count = 0;
    };
    class Bits;

    void renew_codes(std::span<const char> text, std::span<const Repeat> repeats);
    [[nodiscard]] Code distance(std::uint32_t distance) const;
    std::size_t write(std::span<const char> text, std::span<const Repeat> repeats);

    std::vector<std::uint8_t> out_;
    isal_huff_histogram histogram_{};
    isal_hufftables codes_{};
    std::array<Code, 257> literals_; ///< Codes of literals and of a block's end.
    std::array<Code, 256> lengths_;  ///< Codes of lengths, from the shortest on.
    std::array<Code, 1024> near_;    ///< distances from 1 on
    std::size_t expected_ = 0;       ///< expected size of a compressed block; if a block gets much
                                     ///< larger, the codes are renewed
};

} // namespace levee::trace
