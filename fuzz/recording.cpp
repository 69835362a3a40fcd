// SPDX-License-Identifier: Apache-2.0
// Recordings of decisions. The harness reads each recording completely, then requests the decisions
// of a block's first operations.
#include "platform/observe/decisions/recording.hpp"

#include "fuzz/door.hpp"
#include "platform/observe/decisions/recording_format.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace levee::fuzz {

namespace {

using namespace recording_format;

constexpr std::size_t head_bytes = sizeof magic + sizeof version;
constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr int gzip = 16 + MAX_WBITS;

void read(const std::filesystem::path& file)
{
    Recording whole(file);
    std::string block = "evictor.queue";
    for (Recording::Record record; whole.next(record);)
        block = record.block;
    Recording asked(file);
    asked.check({});
    for (std::uint64_t operation = 0; operation < 3; ++operation)
        (void)asked.decision(block, operation);
}

} // namespace

/// Returns the uncompressed content, cut to a length that a mutator can use.
std::vector<std::uint8_t> opened(Bytes input)
{
    std::vector<std::uint8_t> part(most_bytes);
    const Bytes packed = input.subspan(std::min(head_bytes, input.size()));
    z_stream stream{};
    stream.next_in = const_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = part.data();
    stream.avail_out = static_cast<uInt>(part.size());
    (void)inflateInit2(&stream, gzip);
    (void)inflate(&stream, Z_FINISH);
    part.resize(stream.total_out);
    (void)inflateEnd(&stream);
    return part;
}

std::vector<std::uint8_t> closed(Bytes part)
{
    constexpr std::size_t slack = 64;
    std::vector<std::uint8_t> input(head_bytes + part.size() + part.size() / 64 + slack);
    std::memcpy(input.data(), magic, sizeof magic);
    std::memcpy(input.data() + sizeof magic, &version, sizeof version);
    z_stream stream{};
    stream.next_in = const_cast<Bytef*>(part.data());
    stream.avail_in = static_cast<uInt>(part.size());
    stream.next_out = input.data() + head_bytes;
    stream.avail_out = static_cast<uInt>(input.size() - head_bytes);
    (void)deflateInit2(&stream, Z_NO_COMPRESSION, Z_DEFLATED, gzip, MAX_MEM_LEVEL,
                       Z_DEFAULT_STRATEGY);
    (void)deflate(&stream, Z_FINISH);
    input.resize(head_bytes + stream.total_out);
    (void)deflateEnd(&stream);
    return input;
}

std::string feed(Bytes input)
{
    static const Folder folder;
    const std::filesystem::path file = folder.write("input.decisions", input);
    return refusal<std::runtime_error>("input.decisions", [&] { read(file); });
}

} // namespace levee::fuzz
