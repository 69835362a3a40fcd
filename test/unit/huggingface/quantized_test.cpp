// SPDX-License-Identifier: Apache-2.0
// Imports checkpoints of AWQ, GPTQ and FP8, packed by the formats' definitions. They must equal the
// same values stored as F32.
#include "platform/input/import/huggingface/checkpoint.hpp"
#include "platform/input/import/huggingface/quantized_matrix.hpp"
#include "platform/input/model/image_writer.hpp"
#include "test/reference/family_checkpoint.hpp"
#include "test/unit/huggingface/checkpoint.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace levee;
using test::RawModel;
using test::RawTensor;

namespace {

struct Entry {
    std::string name, type;
    std::vector<std::uint64_t> shape;
    std::string bytes;
};
using Entries = std::vector<Entry>;

std::string written(const Entries& entries)
{
    std::string table, data;
    for (const Entry& entry : entries) {
        std::string shape;
        for (const std::uint64_t size : entry.shape)
            shape += (shape.empty() ? "" : ",") + std::to_string(size);
        table += (table.empty() ? "{\"" : ",\"") + entry.name + R"(":{"dtype":")" + entry.type +
                 "\",\"shape\":[" + shape + "],\"data_offsets\":[" + std::to_string(data.size());
        data += entry.bytes;
        table += "," + std::to_string(data.size()) + "]}";
    }
    return test::safetensors(table + "}", data);
}

template <typename T> std::string raw(const std::vector<T>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

Entry plain(const RawTensor& tensor)
{
    return {tensor.name, "F32", tensor.shape, raw(tensor.values)};
}

using Random = std::mt19937;

/// Replaces a matrix by values that a format can represent, and makes the tensors of that format.
/// `name` is without ".weight".
using Packer = std::function<void(RawTensor& matrix, const std::string& name, Entries& entries,
                                  Random& random)>;

struct FourBits {
    std::uint64_t rows, cols, groups;
    /// indexed by [row, col], [group, row] and [col]
    std::vector<std::uint32_t> codes, zeros, group_of;
    std::vector<float> scales; ///< indexed by [group, row]

    FourBits(std::uint64_t outputs, std::uint64_t inputs, std::uint64_t group, bool ordered,
             Random& random)
        : rows(outputs), cols(inputs), groups(inputs / group)
    {
        for (std::uint64_t i = 0; i < rows * cols; ++i)
            codes.push_back(static_cast<std::uint32_t>(random() % 16));
        for (std::uint64_t i = 0; i < rows * groups; ++i) {
            zeros.push_back(static_cast<std::uint32_t>(random() % 16));
            scales.push_back(static_cast<float>(random() % 1024 + 1) * 0x1p-15F);
        }
        for (std::uint64_t col = 0; col < cols; ++col)
            group_of.push_back(
                static_cast<std::uint32_t>(ordered ? random() % groups : col / group));
    }

    float value(std::uint64_t row, std::uint64_t col) const
    {
        const std::uint64_t factor = group_of[col] * rows + row;
        return (static_cast<float>(codes[row * cols + col]) - static_cast<float>(zeros[factor])) *
               scales[factor];
    }

    void set(RawTensor& matrix) const
    {
        for (std::uint64_t i = 0; i < rows * cols; ++i)
            matrix.values[i] = value(i / cols, i % cols);
    }
};

/// Packs eight codes into a word, with code order[i] at bit 4 i.
std::vector<std::uint32_t> in_words(const std::vector<std::uint32_t>& codes,
                                    const std::vector<std::size_t>& order)
{
    std::vector<std::uint32_t> words(codes.size() / 8);
    for (std::size_t word = 0; word < words.size(); ++word)
        for (std::size_t i = 0; i < 8; ++i)
            words[word] |= codes[8 * word + order[i]] << 4 * i;
    return words;
}

const std::vector<std::size_t> awq_order{0, 2, 4, 6, 1, 3, 5, 7};
const std::vector<std::size_t> in_order{0, 1, 2, 3, 4, 5, 6, 7};

void add_awq(const FourBits& m, const std::string& name, Entries& entries)
{
    std::vector<std::uint32_t> turned;
    for (std::uint64_t i = 0; i < m.rows * m.cols; ++i)
        turned.push_back(m.codes[i % m.rows * m.cols + i / m.rows]);
    entries.push_back(
        {name + ".qweight", "I32", {m.cols, m.rows / 8}, raw(in_words(turned, awq_order))});
    entries.push_back(
        {name + ".qzeros", "I32", {m.groups, m.rows / 8}, raw(in_words(m.zeros, awq_order))});
    entries.push_back({name + ".scales", "F32", {m.groups, m.rows}, raw(m.scales)});
}

void add_gptq(const FourBits& m, const std::string& name, bool less_one, Entries& entries)
{
    std::vector<std::uint32_t> words(m.rows * m.cols / 8), zeros;
    for (std::uint64_t col = 0; col < m.cols; ++col)
        for (std::uint64_t row = 0; row < m.rows; ++row)
            words[col / 8 * m.rows + row] |= m.codes[row * m.cols + col] << 4 * (col % 8);
    for (const std::uint32_t zero : m.zeros)
        zeros.push_back((zero - (less_one ? 1U : 0U)) & 15U);
    entries.push_back({name + ".qweight", "I32", {m.cols / 8, m.rows}, raw(words)});
    entries.push_back(
        {name + ".qzeros", "I32", {m.groups, m.rows / 8}, raw(in_words(zeros, in_order))});
    entries.push_back({name + ".scales", "F32", {m.groups, m.rows}, raw(m.scales)});
    entries.push_back({name + ".g_idx", "I32", {m.cols}, raw(m.group_of)});
}

Packer gptq(bool ordered, bool less_one)
{
    return [=](RawTensor& matrix, const std::string& name, Entries& entries, Random& random) {
        const FourBits m(matrix.shape[0], matrix.shape[1], 16, ordered, random);
        m.set(matrix);
        add_gptq(m, name, less_one, entries);
    };
}

void awq(RawTensor& matrix, const std::string& name, Entries& entries, Random& random)
{
    const FourBits m(matrix.shape[0], matrix.shape[1], 16, false, random);
    m.set(matrix);
    add_awq(m, name, entries);
}

/// Decodes OCP's format E4M3.
double e4m3(unsigned bits)
{
    const unsigned exponent = bits >> 3 & 15, mantissa = bits & 7;
    const double size = exponent == 0
                            ? std::pow(2.0, -6) * mantissa / 8
                            : std::pow(2.0, static_cast<int>(exponent) - 7) * (1 + mantissa / 8.0);
    return bits & 128 ? -size : size;
}

/// Packs blocks of this many rows and columns, or fewer at the ends.
Packer fp8(std::uint64_t block_rows, std::uint64_t block_cols, const std::string& scale,
           std::vector<std::uint64_t> shape = {})
{
    return [=](RawTensor& matrix, const std::string& name, Entries& entries, Random& random) {
        const std::uint64_t rows = matrix.shape[0], cols = matrix.shape[1];
        const std::uint64_t down = (rows - 1) / std::min(rows, block_rows) + 1;
        const std::uint64_t across = (cols - 1) / std::min(cols, block_cols) + 1;
        std::vector<float> scales;
        for (std::uint64_t i = 0; i < down * across; ++i)
            scales.push_back(static_cast<float>(random() % 100000 + 1) * 1e-8F);
        std::vector<std::uint8_t> codes;
        for (std::uint64_t i = 0; i < rows * cols; ++i) {
            const auto bits = static_cast<std::uint8_t>(random() % 127 + random() % 2 * 128);
            codes.push_back(bits);
            const float factor = scales[i / cols / std::min(rows, block_rows) * across +
                                        i % cols / std::min(cols, block_cols)];
            matrix.values[i] = static_cast<float>(e4m3(bits) * static_cast<double>(factor));
        }
        std::vector<std::uint64_t> stored{down, across};
        if (scales.size() == 1)
            stored = shape;
        entries.push_back({name + ".weight", "F8_E4M3", matrix.shape, raw(codes)});
        entries.push_back({name + "." + scale, "F32", stored, raw(scales)});
        entries.push_back({name + ".input_scale", "F32", {}, raw(std::vector<float>{1})});
    };
}

/// Writes a small model's folder with packed matrices, and stores the packed values in the model.
void write_packed(const Folder& folder, RawModel& model, const std::string& quantization,
                  const Packer& pack)
{
    Entries entries;
    Random random(5);
    for (RawTensor& tensor : model.tensors) {
        const bool is_packed = tensor.name.find("_proj.weight") != std::string::npos;
        if (is_packed)
            pack(tensor, tensor.name.substr(0, tensor.name.rfind('.')), entries, random);
        else
            entries.push_back(plain(tensor));
    }
    std::string config = model.config();
    config.insert(1, "\"quantization_config\": " + quantization + ",");
    folder.write("config.json", config);
    folder.write("model.safetensors", written(entries));
}

RawModel llama()
{
    return test::drawn_model({"LlamaForCausalLM", 32, 48, 2, 4, 2, 8, 60, 32}, 1);
}

std::vector<std::uint8_t> image(const Folder& folder)
{
    return image_in_memory(hf::safetensors_source(folder.path(), "x"), LEVEE_TYPE_FP32);
}

void check_same(const std::string& quantization, const Packer& pack)
{
    INFO(quantization);
    RawModel model = llama();
    const Folder packed, as_is;
    write_packed(packed, model, quantization, pack);
    test::write_model(as_is.path(), model);
    CHECK(image(packed) == image(as_is));
}

std::string refusal(const std::string& quantization, const Packer& pack)
{
    RawModel model = llama();
    const Folder folder;
    write_packed(folder, model, quantization, pack);
    try {
        (void)image(folder);
    } catch (const ModelError& error) {
        return error.what();
    }
    return "accepted";
}

const std::string awq_config =
    R"({"quant_method": "awq", "bits": 4, "group_size": 16, "zero_point": true, "version": "gemm"})";

std::string gptq_config(const std::string& more)
{
    return R"({"quant_method": "gptq", "bits": 4, "group_size": 16, "sym": false)" + more + "}";
}

std::string fp8_config(const std::string& more)
{
    return R"({"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic")" + more + "}";
}

} // namespace

TEST_CASE("Quantized checkpoints have the values that their codes represent")
{
    check_same(awq_config, awq);
    check_same(gptq_config(""), gptq(false, true));
    check_same(gptq_config(R"(, "desc_act": true)"), gptq(true, true));
    for (const char* key : {"checkpoint_format", "format"})
        check_same(gptq_config(std::string(", \"") + key + "\": \"gptq_v2\""), gptq(true, false));
    check_same(fp8_config(R"(, "weight_block_size": [20, 24])"), fp8(20, 24, "weight_scale_inv"));
    for (const std::vector<std::uint64_t>& shape :
         {std::vector<std::uint64_t>{}, std::vector<std::uint64_t>{1}})
        check_same(fp8_config(""), fp8(1000, 1000, "weight_scale", shape));
    check_same(fp8_config(""), fp8(1, 1000, "weight_scale"));
}

TEST_CASE("Biases next to codes that the model does not have are ignored if they are zeros")
{
    const auto biased = [](float value) {
        return
            [value](RawTensor& matrix, const std::string& name, Entries& entries, Random& random) {
                gptq(false, true)(matrix, name, entries, random);
                std::vector<float> bias(matrix.shape[0]);
                bias.back() = value;
                entries.push_back({name + ".bias", "F32", {bias.size()}, raw(bias)});
            };
    };
    check_same(gptq_config(""), biased(0));
    CHECK_THAT(refusal(gptq_config(""), biased(1e-30F)),
               Catch::Contains("14 tensors that a model of this config.json does not have: "
                               "model.layers.0.mlp.down_proj.bias"));
}

TEST_CASE("Fused matrices may be quantized, too")
{
    RawModel model = llama();
    std::vector<RawTensor> tensors;
    for (const RawTensor& tensor : model.tensors) {
        const bool is_up = tensor.name.ends_with("up_proj.weight");
        if (is_up) { // The matrix is fused after its gate.
            RawTensor& gate = tensors.back();
            gate.name.replace(gate.name.find("gate_proj"), 9, "gate_up_proj");
            gate.shape[0] *= 2;
            gate.values.insert(gate.values.end(), tensor.values.begin(), tensor.values.end());
        } else {
            tensors.push_back(tensor);
        }
    }
    model.tensors = tensors;
    const Folder packed, as_is;
    write_packed(packed, model, awq_config, awq);
    test::write_model(as_is.path(), model);
    CHECK(image(packed) == image(as_is));
}

TEST_CASE("Rows of a quantized matrix are read in parts whose size does not depend on the matrix")
{
    Random random(6);
    const FourBits m(1040, 8192, 1024, false, random); // A part has 1024 rows.
    for (const bool is_awq : {true, false}) {
        Entries entries;
        is_awq ? add_awq(m, "a", entries) : add_gptq(m, "a", true, entries);
        const Folder folder;
        const hf::StoredTensors stored =
            hf::read_safetensors(folder.write("model.safetensors", written(entries)));
        const auto matrix = hf::quantized_matrix(
            stored, {is_awq ? hf::Packing::awq : hf::Packing::gptq, 1024, !is_awq, false, 0, 0},
            {"a.weight", m.rows, m.cols});
        std::vector<float> row(m.cols);
        for (const std::uint64_t at : {0U, 1023U, 1024U, 1039U, 3U}) {
            matrix->read(at, row);
            std::uint64_t wrong = 0;
            for (std::uint64_t col = 0; col < m.cols; ++col)
                wrong += row[col] == m.value(at, col) ? 0 : 1;
            CHECK(wrong == 0);
        }
    }
}

namespace {

/// Makes an MXFP4 tensor [experts, rows, cols] of random codes, and a tensor [experts, cols, rows]
/// of the same values.
void add_mxfp4(const std::string& name, const test::FamilyTensor& like, Random& random,
               Entries& packed, Entries& values)
{
    const std::uint64_t experts = like.shape[0], cols = like.shape[1], rows = like.shape[2];
    std::vector<std::uint8_t> blocks(experts * rows * cols / 2), scales(experts * rows * cols / 32);
    for (std::uint8_t& block : blocks)
        block = static_cast<std::uint8_t>(random());
    for (std::uint8_t& scale : scales)
        scale = static_cast<std::uint8_t>(120 + random() % 8);
    std::vector<float> turned(experts * rows * cols);
    for (std::uint64_t i = 0; i < turned.size(); ++i) {
        const unsigned code = i % 2 == 0 ? blocks[i / 2] & 15U : blocks[i / 2] >> 4U;
        const unsigned exponent = code >> 1 & 3U;
        const double fraction = 0.5 * (code & 1U);
        const double magnitude =
            exponent == 0 ? fraction : std::ldexp(1.0 + fraction, static_cast<int>(exponent) - 1);
        const double scale = std::ldexp(1.0, scales[i / 32] - 127);
        const std::uint64_t expert = i / (rows * cols), row = i / cols % rows, col = i % cols;
        turned[(expert * cols + col) * rows + row] =
            static_cast<float>((code & 8U) != 0 ? -magnitude * scale : magnitude * scale);
    }
    packed.push_back({name + "_blocks", "U8", {experts, rows, cols / 32, 16}, raw(blocks)});
    packed.push_back({name + "_scales", "U8", {experts, rows, cols / 32}, raw(scales)});
    values.push_back({name, "F32", like.shape, raw(turned)});
}

std::vector<std::uint8_t> image_of(const test::FamilyCheckpoint& model, const nlohmann::json& more,
                                   const Entries& entries)
{
    const Folder folder;
    nlohmann::json config = model.config;
    config.update(more);
    folder.write("config.json", config.dump());
    folder.write("model.safetensors", written(entries));
    return image_in_memory(hf::safetensors_source(folder.path(), "m"), LEVEE_TYPE_FP32);
}

} // namespace

TEST_CASE("Experts in MXFP4 blocks have the values of their codes and scales")
{
    Random random(5);
    for (const test::FamilyCheckpoint& model : test::mixture_checkpoints()) {
        if (model.title != "gpt-oss")
            continue;
        Entries packed, values;
        for (const auto& [name, tensor] : model.tensors) {
            if (tensor.shape.size() == 3) {
                add_mxfp4(name, tensor, random, packed, values);
                continue;
            }
            packed.push_back({name, "F32", tensor.shape, raw(tensor.values)});
            values.push_back(packed.back());
        }
        const nlohmann::json method{{"quantization_config", {{"quant_method", "mxfp4"}}}};
        CHECK(image_of(model, method, packed) == image_of(model, nlohmann::json::object(), values));
        const auto scales = std::ranges::find_if(
            packed, [](const Entry& entry) { return entry.name.ends_with("_scales"); });
        const std::string lost = scales->name;
        packed.erase(scales);
        CHECK_THROWS_WITH(image_of(model, method, packed),
                          Catch::Contains("has no tensor " + lost));
    }
}

TEST_CASE("Unsupported quantizations are refused by their key or tensor")
{
    using Catch::Contains;
    const Packer packed = gptq(false, true);
    const auto refused = [&](const std::string& more) {
        return refusal(gptq_config(more), packed);
    };
    CHECK_THAT(refusal(R"({"quant_method": "bitsandbytes"})", packed),
               Contains("config.json: quantization_config.quant_method: \"bitsandbytes\", "
                        "expected awq, gptq, fp8 or mxfp4"));
    CHECK_THAT(refusal(R"({"quant_method": "gptq", "bits": 3, "group_size": 16})", packed),
               Contains("quantization_config.bits: 3, expected 4"));
    CHECK_THAT(refusal(R"({"quant_method": "gptq", "bits": 4, "group_size": 12})", packed),
               Contains("quantization_config.group_size: 12, expected -1, or a multiple of 8"));
    CHECK_THAT(refused(R"(, "checkpoint_format": "marlin")"),
               Contains("quantization_config.checkpoint_format: \"marlin\""));
    CHECK_THAT(
        refusal(R"({"quant_method": "awq", "bits": 4, "group_size": 16, "version": "gemv"})", awq),
        Contains("quantization_config.version: \"gemv\", expected gemm"));
    CHECK_THAT(refusal(R"({"quant_method": "awq", "bits": 4, "group_size": 32})", awq),
               Contains("qzeros: shape [2, 4], expected [1, 4]"));
    CHECK_THAT(refusal(awq_config, packed), Contains("qweight: shape [4, 32], expected [32, 4]"));
    const auto without = [&](const std::string& end) {
        return [=](RawTensor& matrix, const std::string& name, Entries& entries, Random& random) {
            packed(matrix, name, entries, random);
            std::erase_if(entries, [&](const Entry& e) { return e.name.ends_with(end); });
        };
    };
    CHECK_THAT(refusal(gptq_config(""), without(".scales")),
               Contains("q_proj.qweight: has no tensor model.layers.0.self_attn.q_proj.scales"));
    CHECK_THAT(refusal(gptq_config(R"(, "desc_act": true)"), without(".g_idx")),
               Contains("q_proj.qweight: has no tensor model.layers.0.self_attn.q_proj.g_idx"));
    CHECK_THAT(
        refusal(gptq_config(""),
                [&](RawTensor& matrix, const std::string& name, Entries& entries, Random& random) {
                    packed(matrix, name, entries, random);
                    entries.back().bytes[4] = 9;
                }),
        Contains("q_proj.g_idx: group 9, expected 0 to 1"));
    CHECK_THAT(
        refusal(fp8_config(R"(, "weight_block_size": [20, 24])"), fp8(20, 20, "weight_scale_inv")),
        Contains("down_proj.weight_scale_inv: shape [2, 3], expected [2, 2]"));
    CHECK_THAT(refusal(fp8_config(""), packed), Contains("has no tensor model.layers.0"));
    CHECK_THAT(refusal(gptq_config(""), fp8(1000, 1000, "weight_scale", {})),
               Contains("type F8_E4M3, expected F32, F16 or BF16"));
    CHECK_THAT(
        refusal(fp8_config(""),
                [&](RawTensor& matrix, const std::string& name, Entries& entries, Random& random) {
                    fp8(1000, 1000, "weight_scale")(matrix, name, entries, random);
                    entries[entries.size() - 3].bytes[0] = 0x7F;
                }),
        Contains("model.safetensors: tensor model.layers.0.self_attn.q_proj.weight"));
}
