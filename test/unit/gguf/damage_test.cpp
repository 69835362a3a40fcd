// SPDX-License-Identifier: Apache-2.0
// Tests that a damaged GGUF file gives an error or a model, and never a crash.
#include "test/support/address_sanitizer.hpp"
#include "test/unit/gguf/checkpoint.hpp"
#include "test/unit/gguf/imported.hpp"

#include <catch2/catch.hpp>

#include <sys/resource.h>

using namespace levee;
using namespace levee::test;

namespace {

/// Returns a file of some kilobytes with every kind of content.
GgufWriter small()
{
    Checkpoint checkpoint;
    checkpoint.dim = 8;
    checkpoint.hidden = 6;
    checkpoint.layers = 1;
    checkpoint.heads = 2;
    checkpoint.kv_heads = 1;
    checkpoint.head_dim = 4;
    checkpoint.vocab = 5;
    checkpoint.context = 9;
    checkpoint.theta = 100;
    checkpoint.linear = 2;
    checkpoint.divisors = {1, 2};
    checkpoint.draw(1);
    GgufWriter writer = checkpoint.gguf(f16);
    writer.pads_end = false;
    writer.text("tokenizer.ggml.model", "llama");
    writer.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "a", "<0x0A>"});
    writer.array("tokenizer.ggml.scores", 6, std::vector<float>{0, 0, 0, -1, -2});
    writer.array("tokenizer.ggml.token_type", 5, std::vector<std::int32_t>{2, 3, 3, 1, 6});
    writer.u32("tokenizer.ggml.bos_token_id", 1);
    writer.flag("tokenizer.ggml.add_bos_token", true);
    return writer;
}

/// Imports the bytes as a file. Any exception except ModelError ends the test.
bool imports(const GgufOnDisk& file)
{
    try {
        image_in_memory(gguf_source(file.path(), {}), LEVEE_TYPE_INT8);
    } catch (const ModelError& error) {
        CHECK(std::string(error.what()).find("m.gguf") != std::string::npos);
        return false;
    }
    return true;
}

/// Limits memory so that the test can run but cannot allocate the sizes that a damaged count
/// claims.
void limit_memory()
{
    constexpr rlim_t most = rlim_t{1} << 30;
    const rlimit limit{most, RLIM_INFINITY};
    if (!levee::test::address_sanitizer)
        REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

} // namespace

TEST_CASE("A GGUF file cut at any byte is refused")
{
    limit_memory();
    const Bytes whole = small().bytes();
    const GgufOnDisk file(whole);
    REQUIRE(imports(file));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        INFO("cut at " << size);
        file.write(whole.substr(0, size));
        REQUIRE_FALSE(imports(file));
    }
}

TEST_CASE("A GGUF file with any byte changed is a model or refused")
{
    limit_memory();
    const Bytes whole = small().bytes();
    const GgufOnDisk file(whole);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const unsigned mask : {0x01U, 0x80U, 0xFFU}) {
            INFO("byte " << at << " ^ " << mask);
            Bytes changed = whole;
            changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ mask);
            file.write(changed);
            refused += imports(file) ? 0 : 1;
        }
    CHECK(refused > whole.size()); // Names, sizes and types make up most of the file.
}
