// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/model.hpp"

#include "platform/input/model/model_name.hpp"
#include "platform/input/model/weight_words.hpp"

#include <limits>

namespace levee::config {

namespace {

enum class Biases { None, Qkv, All };

void read_kinds(MapReader& reader, ModelShape& shape)
{
    shape.norm =
        reader.choice<levee_norm>("norm", {{"rms", LEVEE_NORM_RMS}, {"layer", LEVEE_NORM_LAYER}});
    shape.norm_epsilon = static_cast<float>(reader.real("norm_epsilon", 1e-12, 0.1));
    shape.activation =
        reader.choice<levee_activation>("activation", {{"silu_glu", LEVEE_ACTIVATION_SILU_GLU},
                                                       {"relu", LEVEE_ACTIVATION_RELU},
                                                       {"gelu", LEVEE_ACTIVATION_GELU}});
    shape.position =
        reader.choice<levee_position>("position", {{"rope_pairs", LEVEE_POSITION_ROPE_PAIRS},
                                                   {"rope_halves", LEVEE_POSITION_ROPE_HALVES},
                                                   {"learned", LEVEE_POSITION_LEARNED}});
    const auto biases = reader.choice<Biases>(
        "biases", {{"none", Biases::None}, {"qkv", Biases::Qkv}, {"all", Biases::All}});
    shape.biases = biases == Biases::All;
    shape.qkv_biases = biases == Biases::Qkv;
    shape.tied = reader.boolean("tied");
}

ShapeConfig read_shape(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    ShapeConfig config;
    config.name = reader.string("name");
    if (config.name.size() > longest_model_name)
        throw reader.error("name", "is too long; expected at most " +
                                       std::to_string(longest_model_name) + " bytes");
    (void)reader.string("source");
    config.notes = reader.strings("notes", std::vector<std::string>{});
    ModelShape& shape = config.shape;
    const std::pair<const char*, std::uint32_t*> sizes[] = {
        {"dim", &shape.dim},     {"hidden", &shape.hidden},          {"layers", &shape.layers},
        {"heads", &shape.heads}, {"kv_heads", &shape.kv_heads},      {"head_dim", &shape.head_dim},
        {"vocab", &shape.vocab}, {"max_context", &shape.max_context}};
    for (const auto& [key, size] : sizes)
        *size = reader.count32(key, {1});
    read_kinds(reader, shape);
    config.weights.type =
        reader.choice<levee_type>("weights", {weight_words.begin(), weight_words.end()});
    config.weights.group = reader.count32("group", {0}, 0);
    try {
        check_format(config.weights, "'" + path + ".group'");
    } catch (const ModelError& error) {
        throw Error(reader.raw("group", true)->place, error.what());
    }
    reader.finish();
    return config;
}

/// Matrices by their first tensors; of a layer, as its operations take them.
const std::vector<std::pair<std::string, std::vector<levee_tensor_kind>>> matrix_words = {
    {"qkv", {LEVEE_TENSOR_WQ}},
    {"output", {LEVEE_TENSOR_WO}},
    {"up", {LEVEE_TENSOR_W_GATE, LEVEE_TENSOR_W_UP}}, // whichever comes first
    {"down", {LEVEE_TENSOR_W_DOWN}},
    {"classifier", {LEVEE_TENSOR_CLASSIFIER}}};

void read_form(MapReader& reader, ModelConfig& config)
{
    config.form.fp16 = reader.choice<bool>("weights", {{"stored", false}, {"fp16", true}}, false);
    const Node* const list = reader.raw("columns_first", false);
    (void)reader.strings("columns_first", std::vector<std::string>{});
    config.form_place = list ? list->place : config.place;
    std::vector<std::string> names;
    for (const auto& word : matrix_words)
        names.push_back(word.first);
    for (std::size_t i = 0; list && list->is_list() && i < list->items.size(); ++i)
        for (const levee_tensor_kind kind :
             matrix_words[find_word(list->items[i], "model.columns_first", names)].second)
            config.form.columns_first.push_back(kind);
}

} // namespace

ModelConfig read_model(const Node& node, const FileFinder& finder, DataMode data)
{
    MapReader reader(node, "model");
    ModelConfig config;
    config.place = node.place;
    const Node* shape = reader.raw("shape", false);
    const Node* image = reader.raw("image", shape == nullptr);
    if (shape && image)
        throw Error(image->place,
                    "'model.image' stands beside 'model.shape'; expected one of them");
    if (image) {
        config.image = finder.file(reader.string("image"), image->place);
        config.place = image->place;
    }
    if (shape) {
        config.place = shape->place;
        if (!shape->is_map())
            throw Error(shape->place, "'model.shape' is " + std::string(shape->kind_name()) +
                                          "; expected a map, a .yaml file that holds one, as in "
                                          "scenarios/models/, a config.json of Hugging Face, or "
                                          "the folder of one");
        config.shape = read_shape(*shape, "model.shape");
        if (data == DataMode::Functional)
            throw Error(shape->place,
                        "'model.shape' has no weights to compute with; expected 'data: phantom' "
                        "beside 'model:', or a 'model.image'");
    }
    const std::uint32_t context = reader.count32("max_context", {1}, 0);
    if (context != 0 && !config.shape)
        throw reader.error("max_context", "is given without 'model.shape': an image says itself");
    if (context != 0)
        config.shape->shape.max_context = context;
    if (reader.has("attention") && !config.shape)
        throw reader.error("attention", "is given without 'model.shape': an image says itself");
    if (reader.choice<bool>("attention", {{"own", false}, {"mha", true}}, false))
        config.shape->shape.kv_heads = config.shape->shape.heads;
    read_form(reader, config);
    reader.finish();
    return config;
}

} // namespace levee::config
