// SPDX-License-Identifier: Apache-2.0
// Measures the memory that importing a large file takes. The measurement covers the whole process,
// so this test is a separate program.
#include "platform/input/import/gguf/model.hpp"
#include "platform/input/model/image_writer.hpp"
#include "test/support/address_sanitizer.hpp"
#include "test/support/gguf_writer.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::uint64_t dim = 4096, hidden = 11008, vocab = 32000, layers = 2;

/// Returns the head of a sparse file.
Bytes head_of_file(std::uint64_t& data_bytes)
{
    GgufWriter writer;
    writer.pads_end = false;
    writer.text("general.architecture", "llama");
    writer.u32("llama.context_length", 4096);
    writer.u32("llama.embedding_length", dim);
    writer.u32("llama.block_count", layers);
    writer.u32("llama.feed_forward_length", hidden);
    writer.u32("llama.attention.head_count", 32);
    writer.number("llama.attention.layer_norm_rms_epsilon", 1e-5F);
    const auto tensor = [&](const std::string& name, std::uint64_t cols, std::uint64_t rows) {
        writer.tensor(name, {cols, rows}, f32, "");
        writer.move(name, data_bytes);
        data_bytes += cols * rows * 4;
    };
    tensor("token_embd.weight", dim, vocab);
    tensor("output_norm.weight", dim, 1);
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
        const std::string block = "blk." + std::to_string(layer) + ".";
        for (const char* name : {"attn_norm.weight", "ffn_norm.weight"})
            tensor(block + name, dim, 1);
        for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"})
            tensor(block + name + ".weight", dim, dim);
        tensor(block + "ffn_gate.weight", dim, hidden);
        tensor(block + "ffn_up.weight", dim, hidden);
        tensor(block + "ffn_down.weight", hidden, dim);
    }
    return writer.bytes();
}

} // namespace

TEST_CASE("A file of 2.1 GB becomes an image within 128 MiB of memory")
{
    const auto folder = std::filesystem::temp_directory_path() /
                        ("levee_gguf_memory." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::uint64_t data_bytes = 0;
    {
        const Bytes head = head_of_file(data_bytes);
        std::ofstream(folder / "m.gguf", std::ios::binary) << head;
        std::filesystem::resize_file(folder / "m.gguf", head.size() + data_bytes);
    }
    CHECK(data_bytes > 2'100'000'000);
    const std::uint64_t bytes =
        write_image(gguf_source(folder / "m.gguf", {}), LEVEE_TYPE_INT4, folder / "m.levee");
    CHECK(bytes == std::filesystem::file_size(folder / "m.levee"));
    CHECK(bytes > data_bytes / 8);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (!levee::test::address_sanitizer)
        CHECK(usage.ru_maxrss < 128 * 1024); // The limit is in KiB.
    std::filesystem::remove_all(folder);
}
