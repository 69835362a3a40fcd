// SPDX-License-Identifier: Apache-2.0
// stories260K, a llama2.c checkpoint of version 0, as the GGUF file that a converter would write.
#pragma once

#include "test/support/gguf_writer.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace levee::test {

/// Reads the numbers in a file one after another.
class NumbersOf {
public:
    explicit NumbersOf(const std::filesystem::path& path)
    {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
    }
    template <typename T> T take()
    {
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::vector<float> take_floats(std::size_t count)
    {
        std::vector<float> values(count);
        for (float& value : values)
            value = take<float>();
        return values;
    }
    std::string take_text(std::size_t size)
    {
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }

private:
    std::string bytes_;
    std::size_t at_ = 0;
};

inline void add_stories_tokens(GgufWriter& writer, const std::filesystem::path& path)
{
    std::vector<std::string> tokens;
    std::vector<float> scores;
    std::vector<std::int32_t> types;
    NumbersOf file(path);
    file.take<std::int32_t>();
    for (int id = 0; id < 512; ++id) {
        scores.push_back(file.take<float>());
        std::string text = file.take_text(static_cast<std::size_t>(file.take<std::int32_t>()));
        for (std::size_t at = 0; (at = text.find(' ', at)) != std::string::npos;)
            text.replace(at, 1, "\xE2\x96\x81");
        const char* special[] = {"<unk>", "<s>", "</s>"};
        tokens.push_back(id < 3 ? special[id] : text);
        types.push_back(id == 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1);
    }
    writer.text("tokenizer.ggml.model", "llama");
    writer.texts("tokenizer.ggml.tokens", tokens);
    writer.array("tokenizer.ggml.scores", 6, scores);
    writer.array("tokenizer.ggml.token_type", 5, types);
    writer.u32("tokenizer.ggml.bos_token_id", 1);
    writer.u32("tokenizer.ggml.eos_token_id", 2);
}

inline void add_stories_keys(GgufWriter& writer)
{
    writer.text("general.architecture", "llama");
    writer.text("general.name", "stories260K");
    writer.u32("llama.context_length", 512);
    writer.u32("llama.embedding_length", 64);
    writer.u32("llama.block_count", 5);
    writer.u32("llama.feed_forward_length", 172);
    writer.u32("llama.attention.head_count", 8);
    writer.u32("llama.attention.head_count_kv", 4);
    writer.number("llama.attention.layer_norm_rms_epsilon", 1e-5F);
    writer.u32("llama.rope.dimension_count", 8);
}

/// `folder` has stories260K.bin and tok512.bin. `type` is the type of the matrices; rows that are
/// not whole blocks become F16.
inline GgufWriter stories_gguf(const std::filesystem::path& folder, GgmlType type)
{
    constexpr std::uint64_t dim = 64, hidden = 172, layers = 5, kv = 32, vocab = 512;
    GgufWriter writer;
    add_stories_keys(writer);
    add_stories_tokens(writer, folder / "tok512.bin");
    NumbersOf file(folder / "stories260K.bin");
    file.take_text(28);
    const auto tensor = [&](const std::string& name, std::uint64_t cols, std::uint64_t rows) {
        const GgmlType stored = rows == 1 ? f32 : type;
        const GgmlType fits = cols % 32 != 0 && (stored == q8_0 || stored == q4_0) ? f16 : stored;
        const std::vector<std::uint64_t> dimensions =
            rows == 1 ? std::vector{cols} : std::vector{cols, rows};
        writer.tensor(name, dimensions, fits, encoded(file.take_floats(cols * rows), fits));
    };
    tensor("token_embd.weight", dim, vocab);
    const auto per_layer = [&](const std::string& name, std::uint64_t cols, std::uint64_t rows) {
        for (std::uint64_t layer = 0; layer < layers; ++layer)
            tensor("blk." + std::to_string(layer) + "." + name + ".weight", cols, rows);
    };
    per_layer("attn_norm", dim, 1);
    per_layer("attn_q", dim, dim); // llama2.c's rotated rows are neighbours already.
    per_layer("attn_k", dim, kv);
    per_layer("attn_v", dim, kv);
    per_layer("attn_output", dim, dim);
    per_layer("ffn_norm", dim, 1);
    per_layer("ffn_gate", dim, hidden);
    per_layer("ffn_down", hidden, dim);
    per_layer("ffn_up", dim, hidden);
    tensor("output_norm.weight", dim, 1);
    return writer;
}

} // namespace levee::test
