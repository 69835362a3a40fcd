// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/checkpoint.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/plain_transformer.hpp"
#include "test/unit/huggingface/checkpoint.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace levee;
using test::RawModel;

namespace {

RawModel llama()
{
    return test::drawn_model({"LlamaForCausalLM", 32, 48, 2, 4, 2, 8, 60, 32}, 1);
}

RawModel qwen2()
{
    RawModel sizes{// The heads are wider than dim.
                   "Qwen2ForCausalLM", 32, 48, 2, 4, 2, 16, 60, 32, 1e6, 1e-6};
    sizes.tied = true;
    return test::drawn_model(sizes, 2);
}

RawModel opt()
{
    RawModel sizes{"OPTForCausalLM", 32, 64, 2, 4, 4, 8, 60, 32};
    sizes.tied = true;
    return test::drawn_model(sizes, 3);
}

ModelImage imported(const Folder& folder, levee_type weights = LEVEE_TYPE_FP32)
{
    return ModelImage::parse(image_in_memory(hf::safetensors_source(folder.path(), ""), weights),
                             "hf");
}

void check_logits(const RawModel& model, const ModelImage& image)
{
    const std::vector<std::uint32_t> tokens{3, 59, 0, 17, 17, 42, 8, 1, 30, 5};
    const auto expected = test::transformers_logits(model, tokens);
    const auto found = test::plain_logits(image, tokens);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t j = 0; j < model.vocab; ++j)
            CHECK(found[i][j] == Approx(expected[i][j]).margin(1e-5));
}

std::string fault(const RawModel& model, const std::string& config = "")
{
    const Folder folder;
    test::write_model(folder.path(), model);
    if (!config.empty())
        folder.write("config.json", config);
    try {
        (void)imported(folder);
    } catch (const ModelError& error) {
        return error.what();
    }
    return "accepted";
}

test::RawTensor& tensor(RawModel& model, const std::string& name)
{
    return *std::find_if(model.tensors.begin(), model.tensors.end(),
                         [&](const test::RawTensor& raw) { return raw.name == name; });
}

} // namespace

TEST_CASE("Imported models compute the results of transformers' formulas")
{
    for (const RawModel& model : {llama(), qwen2(), opt()})
        for (const char* type : {"F32", "F16", "BF16"}) {
            INFO(model.architecture << " " << type);
            const Folder folder;
            test::write_model(folder.path(), model, {type, true, 3, {}});
            check_logits(model, imported(folder));
        }
}

TEST_CASE("Shards give the same bytes as one file")
{
    const RawModel model = qwen2();
    const Folder one;
    test::write_model(one.path(), model);
    const Folder many;
    many.write("config.json", model.config());
    const std::span<const test::RawTensor> all = model.tensors;
    std::string map;
    for (std::size_t shard = 0; shard < 3; ++shard) {
        const std::size_t begin = all.size() * shard / 3, end = all.size() * (shard + 1) / 3;
        const std::string name = "model-0000" + std::to_string(shard + 1) + "-of-00003.safetensors";
        many.write(name, test::safetensors(all.subspan(begin, end - begin), {"F32", true}));
        for (const test::RawTensor& raw : all.subspan(begin, end - begin))
            map += (map.empty() ? "\"" : ", \"") + raw.name + "\": \"" + name + "\"";
    }
    many.write("model.safetensors.index.json", "{\"weight_map\": {" + map + "}}");
    const auto bytes = [](const Folder& folder) {
        return image_in_memory(hf::safetensors_source(folder.path(), "x"), LEVEE_TYPE_INT8);
    };
    CHECK(bytes(one) == bytes(many));
}

namespace {

/// Joins several tensors of each layer into one, in the order of `parts`.
void fuse(RawModel& model, const std::vector<std::string>& parts, const std::string& whole)
{
    for (std::uint32_t layer = 0; layer < model.layers; ++layer) {
        const std::string at = "model.layers." + std::to_string(layer) + ".";
        test::RawTensor fused{at + whole, {}, {}};
        for (const std::string& part : parts) {
            const test::RawTensor& raw = tensor(model, at + part);
            fused.shape =
                fused.shape.empty() ? std::vector<std::uint64_t>(raw.shape.size(), 0) : fused.shape;
            fused.shape[0] += raw.shape[0];
            fused.shape.back() = raw.shape.size() > 1 ? raw.shape[1] : fused.shape[0];
            fused.values.insert(fused.values.end(), raw.values.begin(), raw.values.end());
            std::erase_if(model.tensors, [&](const auto& old) { return old.name == at + part; });
        }
        model.tensors.push_back(fused);
    }
}

void fuse_qkv(RawModel& model, const std::string& whole, const std::string& end)
{
    fuse(model, {"self_attn.q_proj." + end, "self_attn.k_proj." + end, "self_attn.v_proj." + end},
         "self_attn." + whole + "." + end);
}

void fuse_gate_up(RawModel& model)
{
    fuse(model, {"mlp.gate_proj.weight", "mlp.up_proj.weight"}, "mlp.gate_up_proj.weight");
}

} // namespace

TEST_CASE("Matrices one after another in one tensor give the same model")
{
    RawModel phi3 = llama(), wqkv = qwen2();
    phi3.architecture = "Phi3ForCausalLM";
    fuse_qkv(phi3, "qkv_proj", "weight");
    fuse_gate_up(phi3);
    fuse_qkv(wqkv, "Wqkv", "weight");
    fuse_qkv(wqkv, "Wqkv", "bias");
    const auto bytes = [](const RawModel& model) {
        const Folder folder;
        test::write_model(folder.path(), model, {"BF16"});
        return image_in_memory(hf::safetensors_source(folder.path(), "x"), LEVEE_TYPE_INT8);
    };
    CHECK(bytes(phi3) == bytes(llama()));
    CHECK(bytes(wqkv) == bytes(qwen2()));
    RawModel both = llama();
    fuse_gate_up(both);
    both.tensors.push_back(
        {"model.layers.1.mlp.gate_proj.weight", {48, 32}, std::vector<float>(48 * 32)});
    CHECK_THAT(fault(both), Catch::Contains("has no tensor model.layers.1.mlp.up_proj.weight"));
    RawModel narrow = phi3;
    tensor(narrow, "model.layers.1.self_attn.qkv_proj.weight").shape = {32, 64};
    CHECK_THAT(
        fault(narrow),
        Catch::Contains("qkv_proj.weight: shape [32, 64], expected [64, 32] by config.json"));
}

TEST_CASE("Accepts names without the model's head, old buffers, and a tied classifier")
{
    RawModel model = opt();
    for (test::RawTensor& raw : model.tensors)
        raw.name = raw.name.substr(std::string("model.").size());
    CHECK(fault(model) == "accepted");
    model = llama();
    model.tensors.push_back({"model.layers.1.self_attn.rotary_emb.inv_freq", {4}, {1, 1, 1, 1}});
    CHECK(fault(model) == "accepted");
    model = qwen2();
    model.tensors.push_back({"lm_head.weight", {60, 32}, std::vector<float>(60 * 32)});
    const Folder folder;
    test::write_model(folder.path(), model);
    const ModelSource source = hf::safetensors_source(folder.path(), "");
    CHECK(std::any_of(source.notes.begin(), source.notes.end(), [](const std::string& note) {
        return note.starts_with("lm_head.weight is ignored");
    }));
    check_logits(model, imported(folder));
    model.tensors.back().name = "foo.lm_head.weight";
    CHECK_THAT(fault(model), Catch::Contains("1 tensors that a model of this config.json does not "
                                             "have: foo.lm_head.weight"));
}

TEST_CASE("Tensors that are missing, too many, or of another shape or type are named")
{
    RawModel model = llama();
    std::erase_if(model.tensors, [](const auto& raw) { return raw.name == "lm_head.weight"; });
    CHECK_THAT(fault(model),
               Catch::EndsWith(": has no tensor lm_head.weight, which config.json requires"));
    model = llama();
    model.tensors.push_back({"model.layers.0.self_attn.q_norm.weight", {8}, std::vector<float>(8)});
    CHECK_THAT(fault(model),
               Catch::Contains("1 tensors that a model of this config.json does not have: "
                               "model.layers.0.self_attn.q_norm.weight"));
    model = qwen2();
    tensor(model, "model.layers.1.self_attn.k_proj.bias").shape = {1, 32};
    CHECK_THAT(fault(model),
               Catch::Contains("model.safetensors: tensor model.layers.1.self_attn.k_proj."
                               "bias: shape [1, 32], expected [32]"));
    model = opt();
    CHECK_THAT(fault(model, RawModel{"OPTForCausalLM", 32, 64, 2, 4, 4, 8, 60, 34}.config()),
               Catch::Contains("embed_positions.weight: shape [34, 32], expected [36, 32]"));
    model = llama();
    tensor(model, "model.norm.weight").values[5] = NAN;
    CHECK_THAT(fault(model), Catch::Contains("model.safetensors: tensor model.norm.weight"));
    const Folder folder;
    test::write_model(folder.path(), llama());
    folder.write(
        "model.safetensors",
        test::safetensors(R"({"model.embed_tokens.weight": {"dtype": "F64", "shape": [60, 32],
                                   "data_offsets": [0, 15360]}})",
                          std::string(15360, '\0')));
    CHECK_THROWS_WITH(hf::safetensors_source(folder.path(), ""),
                      Catch::Contains("tensor model.embed_tokens.weight: type F64, expected F32"));
    CHECK_THROWS_WITH(hf::safetensors_source(folder.path() / "config.json", ""),
                      Catch::Contains("config.json: is not a folder"));
}

TEST_CASE("The chat template of a folder is stored in the image")
{
    const Folder folder;
    test::write_model(folder.path(), llama());
    folder.write("tokenizer.json", R"({"added_tokens": [
        {"id": 0, "content": "<|im_start|>", "special": true},
        {"id": 1, "content": "<|im_end|>", "special": true}],
        "normalizer": null, "post_processor": null, "decoder": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "model": {"type": "BPE", "vocab": {"a": 2}, "merges": []}})");
    CHECK(imported(folder).chat() == 0);
    folder.write(
        "chat_template.jinja",
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{{ '\\n' "
        "}}{% endfor %}<|im_start|>assistant\n\n");
    CHECK(imported(folder).chat() == 1);
}
