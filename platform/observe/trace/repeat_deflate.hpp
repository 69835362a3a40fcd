// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/repeat.hpp"

#include <array>
#include <cstdint>
#include <isa-l/igzip_lib.h>
#include <span>
#include <vector>

namespace levee::trace {

/// Compresses text (Deflate, RFC 1951) whose writer knows where it repeats. For short, similar
/// events, a search for repeats would take most of the time.
class RepeatDeflate {
public:
    /// Compresses `text` to deflate blocks that end on a byte boundary. The blocks do not refer to
    /// text before them, and none is marked as the stream's last. Wrong or overlapping repeats are
    /// ignored. The result is valid until the next call.
    std::span<const std::uint8_t> compress(std::span<const char> text,
                                           std::span<const Repeat> repeats);

private:
    /// A Huffman code, with the extra bits after it that select a value.
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
    std::array<Code, 257> literals_;
    std::array<Code, 256> lengths_;
    std::array<Code, 1024> near_;
    std::size_t expected_ = 0; ///< expected size of a compressed block; the codes are renewed when
                               ///< a block is much larger
};

} // namespace levee::trace
