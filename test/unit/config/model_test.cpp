// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/model.hpp"
#include "platform/input/model/model_counts.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/model/model_name.hpp"
#include "test/unit/config/files.hpp"

#include <map>

using namespace levee;
using namespace levee::config;

namespace {

constexpr const char* shape = "name: tiny\nsource: here\ndim: 64\nhidden: 172\nlayers: 5\n"
                              "heads: 4\nkv_heads: 2\nhead_dim: 16\nvocab: 256\n"
                              "max_context: 384\nnorm: rms\nnorm_epsilon: 1e-5\n"
                              "activation: silu_glu\nposition: rope_pairs\nbiases: qkv\n"
                              "tied: true\nweights: int8\n";

ModelConfig read(const Files& files, const std::string& text,
                 const std::vector<std::string>& overrides = {},
                 DataMode data = DataMode::TimingOnly)
{
    // Shapes are found in the source tree.
    const FileFinder finder(files.folder(), Reach::Anywhere);
    files.write("tiny.yaml", shape);
    const Node root = compose(files.write("s.yaml", text), finder, overrides);
    return read_model(*root.find("model"), finder, data);
}

std::string fault(const std::string& text, const std::vector<std::string>& overrides = {},
                  DataMode data = DataMode::TimingOnly)
{
    const Files files;
    const std::string message = message_of([&] { (void)read(files, text, overrides, data); });
    const std::string folder = files.folder().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
}

} // namespace

TEST_CASE("a model may consist only of a shape")
{
    const Files files;
    const ModelConfig model = read(files, "model: {shape: tiny.yaml}\n");
    REQUIRE(model.shape);
    CHECK(model.shape->name == "tiny");
    CHECK(model.shape->weights == LEVEE_TYPE_INT8);
    CHECK(model.shape->shape.kv_heads == 2);
    CHECK(model.shape->shape.qkv_biases);
    CHECK(model.shape->shape.max_context == 384);
    CHECK(read(files, "model: {shape: tiny.yaml, max_context: 8704}\n").shape->shape.max_context ==
          8704);
    CHECK(read(files, "model: {shape: tiny.yaml}\n", {"model.shape.weights=int4"}).shape->weights ==
          LEVEE_TYPE_INT4);
    CHECK(read(files, "model: {shape: tiny.yaml}\n",
               {"model.shape.weights=int3", "model.shape.group=64"})
              .shape->weights == WeightFormat(LEVEE_TYPE_INT3, 64));
    CHECK_THAT(
        fault("model: {shape: tiny.yaml}\n", {"model.shape.group=100"}),
        Catch::Contains("'model.shape.group': groups of 100 weights, expected a power of 2"));
}

TEST_CASE("a shape without a type of weights is refused at its place")
{
    CHECK(fault("model: {shape: tiny.yaml}\n", {"model.shape.weights=null"}) ==
          "tiny.yaml:1:1: 'model.shape' lacks the key 'weights'");
}

TEST_CASE("a shape cannot run functionally")
{
    CHECK(fault("model: {shape: tiny.yaml}\n", {}, DataMode::Functional) ==
          "tiny.yaml:1:1: 'model.shape' has no weights to compute with; expected "
          "'data: timing_only', or a 'model.image'");
}

TEST_CASE("a model's keys that do not fit together are refused")
{
    CHECK(fault("model: {shape: tiny.yaml, image: s.yaml}\n") ==
          "s.yaml:1:34: 'model.image' and 'model.shape' are given; expected one of them");
    CHECK(fault("model: {image: s.yaml, max_context: 8}\n") ==
          "s.yaml:1:37: 'model.max_context' is given without 'model.shape'; "
          "expected none, since an image states its own");
    CHECK(fault("model: {shape: tiny}\n") ==
          "s.yaml:1:16: 'shape' is 'tiny'; did you mean 'tiny.yaml'?");
    CHECK_THAT(fault("model: {shape: huge}\n"), Catch::Contains("expected a map, a .yaml file"));
    CHECK_THAT(fault("model: {}\n"), Catch::Contains("lacks the key 'image'"));
    CHECK_THAT(fault("model: {shape: tiny.yaml}\n", {"model.shape.biases=q"}),
               Catch::Contains("expected one of: none, qkv, attention, all"));
}

TEST_CASE("the shipped shapes have as many parameters as their names say")
{
    // Published numbers of parameters, including embeddings. OPT's publication counts two more rows
    // of positions. Gemma 3 4B and 12B count only the text model. GLM 4.5 Air does not count the
    // layer that predicts further tokens.
    const std::map<std::string, double> published{{"llama2-7b", 6.738},
                                                  {"llama2-13b", 13.016},
                                                  {"llama2-70b", 68.977},
                                                  {"llama3-8b", 8.030},
                                                  {"llama3.2-3b", 3.213},
                                                  {"mistral-7b", 7.242},
                                                  {"qwen2-7b", 7.616},
                                                  {"opt-125m", 0.1252},
                                                  {"opt-1.3b", 1.3158},
                                                  {"opt-6.7b", 6.6585},
                                                  {"opt-13b", 12.853},
                                                  {"opt-30b", 29.975},
                                                  {"opt-66b", 65.7},
                                                  {"command-r7b", 8.02803},
                                                  {"gemma-2b", 2.50617},
                                                  {"gemma2-2b", 2.61434},
                                                  {"gemma2-9b", 9.24171},
                                                  {"gemma3-12b", 11.766},
                                                  {"gemma3-1b", 0.999886},
                                                  {"gemma3-270m", 0.268098},
                                                  {"gemma3-4b", 3.88026},
                                                  {"glm4-9b", 9.40028},
                                                  {"granite3-2b", 2.53354},
                                                  {"granite3-8b", 8.17086},
                                                  {"granite4-micro", 3.4},
                                                  {"llama3.1-8b", 8.03026},
                                                  {"llama3.2-1b", 1.23581},
                                                  {"ministral-8b", 8.01981},
                                                  {"qwen3-30b-a3b", 30.5321},
                                                  {"olmoe-1b-7b", 6.91916},
                                                  {"gpt-oss-20b", 20.9148},
                                                  {"qwen1.5-moe-a2.7b", 14.3158},
                                                  {"deepseek-moe-16b", 16.3757},
                                                  {"deepseek-v2-lite", 15.7065},
                                                  {"glm4.5-air", 106.852},
                                                  {"ernie4.5-21b-a3b", 21.8254},
                                                  {"mixtral-8x7b", 46.7028},
                                                  {"granite3-1b-a400m", 1.33463},
                                                  {"mistral-7b-v0.1", 7.242},
                                                  {"mistral-7b-v0.3", 7.24802},
                                                  {"nemotron-mini-4b", 4.19},
                                                  {"olmo-1b", 1.17676},
                                                  {"olmo2-1b", 1.48492},
                                                  {"olmo2-7b", 7.29862},
                                                  {"phi-2", 2.77968},
                                                  {"phi3-mini", 3.82108},
                                                  {"phi4", 14.6595},
                                                  {"phi4-mini", 3.83602},
                                                  {"qwen2.5-0.5b", 0.494033},
                                                  {"qwen2.5-1.5b", 1.54371},
                                                  {"qwen2.5-3b", 3.08594},
                                                  {"qwen2.5-7b", 7.61562},
                                                  {"qwen3-0.6b", 0.59605},
                                                  {"qwen3-1.7b", 1.72057},
                                                  {"qwen3-14b", 14.7683},
                                                  {"qwen3-4b", 4.02247},
                                                  {"qwen3-8b", 8.19074},
                                                  {"smollm2-1.7b", 1.71138},
                                                  {"smollm2-135m", 0.134515},
                                                  {"smollm2-360m", 0.361821},
                                                  {"smollm3-3b", 3.0751},
                                                  {"stablelm2-1.6b", 1.64452},
                                                  {"starcoder2-3b", 3.03},
                                                  {"tinyllama-1.1b", 1.10005},
                                                  {"exaone3.5-2.4b", 2.40533},
                                                  {"falcon-7b", 6.92172},
                                                  {"internlm2.5-1.8b", 1.88911},
                                                  {"minicpm-2b", 2.72488},
                                                  {"pythia-1b", 1.01178},
                                                  {"pythia-2.8b", 2.77521}};
    // Parameters that a token uses, with the embedding, computed from the sizes by hand. The
    // published, rounded numbers are 2.8, 2.4 and 3.6 without the embedding (DeepSeek V2 Lite,
    // gpt-oss), 3, 12, 0.4, 12.9, 1.3, 2.7 and 3.3.
    const std::map<std::string, double> active{
        {"deepseek-moe-16b", 2.82865},  {"deepseek-v2-lite", 2.66115},
        {"gpt-oss-20b", 4.18744},       {"ernie4.5-21b-a3b", 3.35215},
        {"glm4.5-air", 13.4241},        {"granite3-1b-a400m", 0.428656},
        {"mixtral-8x7b", 12.8799},      {"olmoe-1b-7b", 1.28202},
        {"qwen1.5-moe-a2.7b", 2.68917}, {"qwen3-30b-a3b", 3.35303}};
    const std::filesystem::path folder = LEVEE_MODEL_SHAPES;
    const FileFinder finder(folder);
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".yaml")
            continue;
        const Files files;
        const std::string name = entry.path().stem().string();
        const ModelConfig model = read(files, "model: {shape: " + entry.path().string() + "}\n");
        INFO(name);
        REQUIRE(published.contains(name));
        CHECK(model.shape->name == name);
        CHECK_NOTHROW(check_shape(model.shape->shape, name));
        const ModelCount count = parameters_of(model.shape->shape);
        CHECK(static_cast<double>(count.all) / 1e9 == Approx(published.at(name)).epsilon(0.002));
        REQUIRE(active.contains(name) == (model.shape->shape.experts != 0));
        if (active.contains(name))
            CHECK(static_cast<double>(count.active) / 1e9 == Approx(active.at(name)).epsilon(1e-5));
        else
            CHECK(count.active == count.all);
        ++found;
    }
    CHECK(found == published.size());
}

TEST_CASE("a model may be requested in another form")
{
    const Files files;
    const ModelConfig plain = read(files, "model: {shape: tiny.yaml}\n");
    CHECK_FALSE(plain.form.fp16);
    CHECK(plain.form.columns_first.empty());
    const ModelConfig half =
        read(files, "model: {shape: tiny.yaml, weights: fp16, columns_first: [up, classifier]}\n");
    CHECK(half.form.fp16);
    CHECK(half.form.columns_first == std::vector<levee_tensor_kind>{LEVEE_TENSOR_W_GATE,
                                                                    LEVEE_TENSOR_W_UP,
                                                                    LEVEE_TENSOR_CLASSIFIER});
    CHECK(fault("model: {shape: tiny.yaml, weights: fp8}\n").find("'model.weights' is 'fp8'") !=
          std::string::npos);
    CHECK(fault("model: {shape: tiny.yaml, columns_first: [qvk]}\n").find("qkv") !=
          std::string::npos);
}

namespace {

const std::string published_qwen2 =
    R"({"architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0,
 "bos_token_id": 151643, "eos_token_id": 151643, "hidden_act": "silu", "hidden_size": 3584,
 "initializer_range": 0.02, "intermediate_size": 18944, "max_position_embeddings": 131072,
 "max_window_layers": 28, "model_type": "qwen2", "num_attention_heads": 28, "num_hidden_layers": 28,
 "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "sliding_window": 131072,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "use_cache": true,
 "use_sliding_window": false, "vocab_size": 152064})";

const std::string published_opt =
    R"({"activation_function": "relu", "architectures": ["OPTForCausalLM"],
 "bos_token_id": 2, "do_layer_norm_before": true, "eos_token_id": 2, "ffn_dim": 3072,
 "hidden_size": 768, "init_std": 0.02, "max_position_embeddings": 2048, "model_type": "opt",
 "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 1, "prefix": "</s>",
 "vocab_size": 50272, "word_embed_proj_dim": 768})";

} // namespace

TEST_CASE("a published config.json gives the shipped shape")
{
    const std::pair<std::string, std::string> pairs[] = {{"qwen2-7b", published_qwen2},
                                                         {"opt-125m", published_opt}};
    for (const auto& [name, config] : pairs) {
        const Files files;
        files.write("config.json", config);
        const ShapeConfig found = *read(files, "model: {shape: config.json}\n").shape;
        const ShapeConfig shipped =
            *read(files, "model: {shape: " LEVEE_MODEL_SHAPES "/" + name + ".yaml}\n").shape;
        const auto head = [&](const ModelShape& of) {
            const ModelImage image = ModelImage::of_shape(of, LEVEE_TYPE_INT8, "same");
            return std::vector<std::uint8_t>(image.bytes().begin(), image.bytes().end());
        };
        CHECK(head(found.shape) == head(shipped.shape));
        CHECK(found.weights == LEVEE_TYPE_INT8);
    }
}

TEST_CASE("a config.json in a folder of any name is a shape")
{
    // One name is cut in the middle of a character; the other contains a code point above U+FFFF.
    const std::string most = "abcdefghijklmnopqrstuvwxyz12345", symbol = "tiny \xF0\x9F\x90\xAD";
    for (const std::string& folder : {most + "\xC3\xA9tude", symbol}) {
        const Files files;
        files.write(folder + "/config.json", published_opt);
        const ShapeConfig found =
            *read(files, "model: {shape: '" + folder + "/config.json'}\n").shape;
        CHECK(found.name == model_name_of(folder));
        CHECK(read(files, "model: {shape: '" + folder + "'}\n").shape->name == found.name);
    }
}

TEST_CASE("keys of a config.json's shape can be set, and its errors have a place")
{
    const Files files;
    files.write("config.json", published_opt);
    CHECK(read(files, "model: {shape: config.json}\n", {"model.shape.layers=4"})
              .shape->shape.layers == 4);
    const Files other;
    other.write("config.json", R"({"architectures": ["GPT2LMHeadModel"]})");
    const std::string message =
        message_of([&] { (void)read(other, "model: {shape: config.json}\n"); });
    CHECK_THAT(message, Catch::Contains("s.yaml:1:16: "));
    CHECK_THAT(message, Catch::Contains("config.json: architectures[0]: \"GPT2LMHeadModel\""));
}

TEST_CASE("a shape with an unknown key is refused, and a shape from YAML keeps its notes")
{
    const Files files;
    std::string unlike = published_opt;
    unlike.insert(unlike.find('{') + 1, "\"something_new\": 3, ");
    files.write("config.json", unlike);
    const std::string message =
        message_of([&] { (void)read(files, "model: {shape: config.json}\n"); });
    CHECK_THAT(message, Catch::Contains("s.yaml:1:16: "));
    CHECK_THAT(message, Catch::Contains("something_new (3)"));
    CHECK_THAT(message, Catch::Contains("--ignore-key something_new"));
    files.write("mine.yaml", std::string(shape) + "notes:\n  - its window is not carried out\n");
    CHECK(read(files, "model: {shape: mine.yaml}\n").shape->notes ==
          std::vector<std::string>{"its window is not carried out"});
}
