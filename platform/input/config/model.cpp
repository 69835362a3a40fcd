// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/model.hpp"

#include "platform/input/config/model_keys.hpp"
#include "platform/input/model/model_name.hpp"

#include <algorithm>

namespace levee::config {

namespace {

void read_kinds(MapReader& reader, ModelShape& shape)
{
    shape.norm = reader.word<levee_norm>("norm");
    shape.norm_epsilon = static_cast<float>(reader.real("norm_epsilon"));
    shape.activation = reader.word<levee_activation>("activation");
    shape.position = reader.word<levee_position>("position");
    const auto biases = reader.word<BiasPlace>("biases");
    shape.biases = biases == BiasPlace::all;
    shape.attention_biases = biases == BiasPlace::attention;
    shape.qkv_biases = biases == BiasPlace::qkv;
    shape.tied = reader.boolean("tied");
}

void read_mixture(MapReader& reader, ModelShape& shape)
{
    shape.experts = reader.quantity32("experts");
    shape.chosen = reader.quantity32("chosen");
    shape.among_chosen = reader.boolean("among_chosen");
    shape.sigmoid = reader.word<bool>("routing");
    shape.router_bias = reader.boolean("router_bias");
    shape.choice_bias = reader.boolean("choice_bias");
    shape.expert_biases = reader.boolean("expert_bias");
    shape.shared_hidden = reader.quantity32("shared_hidden");
    shape.shared_gate = reader.boolean("shared_gate");
    shape.dense_hidden = reader.quantity32("dense_hidden");
}

/// Marks the first `dense_layers` layers as layers without experts. The layer pattern may mark
/// others in addition.
void read_dense_layers(MapReader& reader, ModelShape& shape)
{
    const std::uint32_t dense = reader.quantity32("dense_layers");
    if (dense > shape.layers)
        throw reader.error("dense_layers", "is " + std::to_string(dense) +
                                               "; expected at most the number of layers, " +
                                               std::to_string(shape.layers));
    if (dense != 0)
        shape.layer_flags.resize(shape.layers);
    for (std::uint32_t layer = 0; layer < dense; ++layer)
        shape.layer_flags[layer] |= LEVEE_LAYER_DENSE;
}

void read_structure(MapReader& reader, ModelShape& shape)
{
    shape.norm_place = reader.word<NormPlace>("norm_place");
    shape.head_norm = reader.word<HeadNorm>("head_norm");
    shape.parallel = reader.boolean("parallel");
    shape.rotary_dim = reader.quantity32("rotary_dim");
    for (const auto& [key, size] :
         {std::pair{"kv_latent", &shape.kv_latent}, std::pair{"query_latent", &shape.query_latent},
          std::pair{"nope_dim", &shape.nope_dim}, std::pair{"value_dim", &shape.value_dim}})
        *size = reader.quantity32(key);
    shape.score_cap = static_cast<float>(reader.real("score_cap"));
    shape.logit_cap = static_cast<float>(reader.real("logit_cap"));
    shape.window = reader.quantity32("window");
    shape.sinks = reader.boolean("sinks");
    shape.glu_limit = static_cast<float>(reader.real("glu_limit"));
    shape.glu_alpha = static_cast<float>(reader.real("glu_alpha"));
    read_mixture(reader, shape);
    const std::vector<std::int64_t> pattern = reader.words("layer_pattern");
    for (std::uint32_t layer = 0; layer < shape.layers && !pattern.empty(); ++layer)
        shape.layer_flags.push_back(static_cast<std::uint32_t>(pattern[layer % pattern.size()]));
    read_dense_layers(reader, shape);
    if (std::ranges::none_of(shape.layer_flags, [](std::uint32_t flags) { return flags != 0; }))
        shape.layer_flags.clear();
}

ShapeConfig read_shape(const Node& node, const std::string& path)
{
    MapReader reader(node, path, shape_keys);
    ShapeConfig config;
    config.name = reader.string("name");
    if (config.name.size() > longest_model_name)
        throw reader.error("name", "is too long; expected at most " +
                                       std::to_string(longest_model_name) + " bytes");
    (void)reader.string("source");
    config.notes = reader.strings("notes");
    ModelShape& shape = config.shape;
    const std::pair<const char*, std::uint32_t*> sizes[] = {
        {"dim", &shape.dim},     {"hidden", &shape.hidden},          {"layers", &shape.layers},
        {"heads", &shape.heads}, {"kv_heads", &shape.kv_heads},      {"head_dim", &shape.head_dim},
        {"vocab", &shape.vocab}, {"max_context", &shape.max_context}};
    for (const auto& [key, size] : sizes)
        *size = reader.quantity32(key);
    read_kinds(reader, shape);
    read_structure(reader, shape);
    config.weights.type = reader.word<levee_type>("weights");
    config.weights.group = reader.quantity32("group");
    reader.finish();
    for (const Node::Entry& entry : node.entries)
        config.places.emplace(entry.key, entry.value.place);
    config.place = node.place;
    try {
        check_format(config.weights, "'" + path + ".group'");
    } catch (const ModelError& error) {
        const Node* const group = node.find("group");
        throw Error(group != nullptr ? group->place : node.place, error.what());
    }
    return config;
}

void read_form(MapReader& reader, ModelConfig& config)
{
    config.form.fp16 = reader.word<bool>("weights");
    const Node* const list = reader.raw("columns_first", false);
    config.form_place = list ? list->place : config.place;
    for (const std::int64_t word : reader.words("columns_first")) {
        const auto first = static_cast<levee_tensor_kind>(word);
        config.form.columns_first.push_back(first);
        if (first == LEVEE_TENSOR_W_GATE)
            config.form.columns_first.push_back(LEVEE_TENSOR_W_UP);
    }
}

/// Returns the place where a shape is given. If the key's value is the name of a file, this is the
/// place of the key.
Place place_of_shape(const Node& node)
{
    const auto shape = std::ranges::find(node.entries, "shape", &Node::Entry::key);
    const Place& inside = shape->value.place;
    const bool is_named = shape->place.file && inside.file && *shape->place.file != *inside.file;
    return is_named ? shape->place : inside;
}

/// Reads the image or the shape. One of them must be given.
void read_source(MapReader& reader, const FileFinder& finder, DataMode data, ModelConfig& config)
{
    const std::string path = reader.path();
    config.path = path;
    config.place = reader.node().place;
    const Node* shape = reader.raw("shape", false);
    const Node* image = reader.raw("image", shape == nullptr);
    if (shape && image)
        throw Error(image->place, "'" + path + ".image' and '" + path +
                                      ".shape' are given; expected one of them");
    if (image) {
        config.image = finder.file(reader.string("image"), image->place);
        config.place = image->place;
    }
    if (shape) {
        config.place = place_of_shape(reader.node());
        if (!shape->is_map())
            throw Error(shape->place, "'" + path + ".shape' is " + std::string(shape->kind_name()) +
                                          "; expected a map, a .yaml file with a map as in "
                                          "scenarios/models/, a Hugging Face config.json, or "
                                          "its folder");
        config.shape = read_shape(*shape, path + ".shape");
        if (data == DataMode::Functional)
            throw Error(shape->place, "'" + path +
                                          ".shape' has no weights to compute with; "
                                          "expected 'data: timing_only', or a '" +
                                          path + ".image'");
    }
}

} // namespace

ModelConfig read_draft(const Node& node, const FileFinder& finder, DataMode data,
                       const ModelConfig& model)
{
    MapReader reader(node, "workload.speculation.draft", draft_keys);
    ModelConfig config;
    read_source(reader, finder, data, config);
    config.form = model.form;
    config.form_place = model.form_place;
    reader.finish();
    return config;
}

ModelConfig read_model(const Node& node, const FileFinder& finder, DataMode data)
{
    MapReader reader(node, "model", model_keys);
    ModelConfig config;
    read_source(reader, finder, data, config);
    const std::uint32_t context = reader.quantity32("max_context");
    if (context != 0 && !config.shape)
        throw reader.error(
            "max_context",
            "is given without 'model.shape'; expected none, since an image states its own");
    if (context != 0)
        config.shape->shape.max_context = context;
    if (reader.has("attention") && !config.shape)
        throw reader.error(
            "attention",
            "is given without 'model.shape'; expected none, since an image states its own");
    if (reader.word<bool>("attention"))
        config.shape->shape.kv_heads = config.shape->shape.heads;
    read_form(reader, config);
    reader.finish();
    return config;
}

} // namespace levee::config
