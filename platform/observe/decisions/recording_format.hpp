// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::recording_format {

constexpr char magic[8] = {'L', 'E', 'V', 'E', 'E', 'D', 'E', 'C'};
constexpr std::uint32_t version = 1;

// The data after the head are compressed with gzip. Numbers are little-endian base 128: seven bits
// per byte, with the top bit clear only in the last byte. A text is its length and its bytes.
//
//   fingerprint: count, then that many names and values
//   a record:    1, block, [name if the block is new], operation, descriptor's hash, writes
//   a write:     iteration, what, shape, address, run_bytes, [counts and strides if shape &
//                strided], [the pattern's bytes unless shape & discarded]
//   the end:     0, number of records
enum Tag : std::uint8_t { end = 0, record = 1 };
enum Shape : std::uint8_t { strided = 1, discarded = 2, scattered = 4 };

// Limits on the host memory that a damaged file can claim.
constexpr std::uint64_t most_text = 1u << 16;
constexpr std::uint64_t most_names = 1u << 12;
constexpr std::uint64_t most_writes = 1u << 24;
constexpr std::uint64_t most_bytes = 1u << 28;

} // namespace levee::recording_format
