// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/architecture.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/import/gguf/positions.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <array>
#include <optional>
#include <utility>

namespace levee::gguf {

namespace {

/// A number that, when it is there, changes what the model computes, unless it is `neutral`.
struct NeutralNumber {
    const char* key;
    double neutral;
};
constexpr std::array neutral_numbers{NeutralNumber{"expert_count", 0},
                                     NeutralNumber{"attention.clamp_kqv", 0},
                                     NeutralNumber{"attention.max_alibi_bias", 0},
                                     NeutralNumber{"attention.scale", 0},
                                     NeutralNumber{"attn_logit_softcapping", 0},
                                     NeutralNumber{"final_logit_softcapping", 0},
                                     NeutralNumber{"logit_scale", 1},
                                     NeutralNumber{"residual_scale", 1},
                                     NeutralNumber{"embedding_scale", 1}};

struct NeutralFlag {
    const char* key;
    bool neutral;
};
constexpr std::array neutral_flags{NeutralFlag{"use_parallel_residual", false},
                                   NeutralFlag{"attention.causal", true}};

void refuse_other_arithmetic(const File& file, const std::string& name)
{
    for (const NeutralNumber& number : neutral_numbers) {
        const std::string key = name + "." + number.key;
        if (file.number(key).value_or(number.neutral) != number.neutral) {
            file.fail_key(key, number_text(*file.number(key)) +
                                   ": not supported, expected none, or " +
                                   number_text(number.neutral));
        }
    }
    for (const NeutralFlag& flag : neutral_flags) {
        const std::string key = name + "." + flag.key;
        if (file.flag(key).value_or(flag.neutral) != flag.neutral) {
            file.fail_key(key, std::string("not supported, expected none, or ") +
                                   (flag.neutral ? "true" : "false"));
        }
    }
}

/// Refuses files that are no model, such as an adapter.
void refuse_other_files(const File& file)
{
    const std::string type = file.text("general.type").value_or("model");
    if (type != "model") {
        file.fail_key("general.type", "'" + printable(type) + "', expected 'model'");
    }
}

/// Where the values of a head that are rotated together lie: files of llama have rows of Q and K
/// where they are neighbours, others as the checkpoint has them, in halves.
struct KnownArchitecture {
    const char* name;
    levee_position position;
    bool qkv_biases; ///< always; else where the file has them
};
constexpr std::array known_architectures{
    KnownArchitecture{"llama", LEVEE_POSITION_ROPE_PAIRS, false},
    KnownArchitecture{"qwen2", LEVEE_POSITION_ROPE_HALVES, true},
    KnownArchitecture{"phi3", LEVEE_POSITION_ROPE_HALVES, false},
    KnownArchitecture{"opt", LEVEE_POSITION_LEARNED, false}};

const KnownArchitecture& architecture_of(const File& file)
{
    const std::string key = "general.architecture";
    const auto name = file.text(key);
    for (const KnownArchitecture& known : known_architectures) {
        if (name == known.name) {
            return known;
        }
    }
    file.fail_key(key, (name ? "'" + printable(*name) + "': not supported" : "absent") +
                           ", expected " + architecture_names(" or "));
}

class Keys {
public:
    Keys(const File& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

    /// A count of at least 1 that fits a shape's fields; check_shape() knows their limits.
    std::uint32_t count(const std::string& name, std::optional<std::uint32_t> otherwise = {}) const
    {
        return checked(name, file_.whole(prefix_ + "." + name), otherwise);
    }

    /// The same of a key that may have an array of a count for each layer.
    std::uint32_t count_of_layers(const std::string& name, std::uint32_t layers,
                                  std::optional<std::uint32_t> otherwise = {}) const
    {
        return checked(name, file_.whole_of_layers(prefix_ + "." + name, layers), otherwise);
    }

    float epsilon(const std::string& name) const
    {
        const std::string key = prefix_ + "." + name;
        const auto value = file_.number(key);
        if (!value) {
            file_.fail_key(key, "absent, expected in a model of architecture " + prefix_);
        }
        return static_cast<float>(*value);
    }

private:
    std::uint32_t checked(const std::string& name, std::optional<std::uint64_t> value,
                          std::optional<std::uint32_t> otherwise) const
    {
        const std::string key = prefix_ + "." + name;
        if (!value && !otherwise) {
            file_.fail_key(key, "absent, expected in a model of architecture " + prefix_);
        }
        const std::uint64_t number = value.value_or(otherwise.value_or(0));
        if (number < 1 || number > UINT32_MAX) {
            file_.fail_key(key, std::to_string(number) + ", expected 1 to " +
                                    std::to_string(UINT32_MAX));
        }
        return static_cast<std::uint32_t>(number);
    }

    const File& file_;
    std::string prefix_;
};

std::uint32_t vocabulary(const File& file, const std::string& architecture)
{
    const std::string name = "token_embd.weight";
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) {
        file.fail_tensor(name, "absent, expected the embedding");
    }
    const auto& dimensions = found->second.dimensions;
    if (dimensions.size() < 2 || dimensions[1] > UINT32_MAX) {
        file.fail_tensor(name, "dimensions " + found->second.dimensions_text() +
                                   ", expected a row for each token");
    }
    const auto stated = file.whole(architecture + ".vocab_size");
    if (stated && *stated != dimensions[1]) {
        file.fail_key(architecture + ".vocab_size", std::to_string(*stated) + ", expected " +
                                                        std::to_string(dimensions[1]) +
                                                        ", the rows of " + name);
    }
    return static_cast<std::uint32_t>(dimensions[1]);
}

std::uint32_t head_dim(const File& file, const Keys& keys, const std::string& name,
                       const ModelShape& shape)
{
    if (!file.has(name + ".attention.key_length") && shape.dim % shape.heads != 0) {
        file.fail_key(name + ".attention.head_count",
                      std::to_string(shape.heads) + ", expected a divisor of " + name +
                          ".embedding_length, " + std::to_string(shape.dim));
    }
    const std::uint32_t length = keys.count("attention.key_length", shape.dim / shape.heads);
    const std::uint32_t values = keys.count("attention.value_length", length);
    if (values != length) {
        file.fail_key(name + ".attention.value_length", std::to_string(values) + ", expected " +
                                                            std::to_string(length) +
                                                            ", the length of keys");
    }
    return length;
}

void set_family(const File& file, const Keys& keys, const KnownArchitecture& known,
                ModelShape& shape)
{
    shape.position = known.position;
    if (known.position == LEVEE_POSITION_LEARNED) {
        shape.norm = LEVEE_NORM_LAYER;
        shape.activation = LEVEE_ACTIVATION_RELU;
        shape.biases = true;
        shape.norm_epsilon = keys.epsilon("attention.layer_norm_epsilon");
        return;
    }
    shape.qkv_biases = known.qkv_biases || file.tensors().contains("blk.0.attn_q.bias");
    shape.norm_epsilon = keys.epsilon("attention.layer_norm_rms_epsilon");
}

void note_window(const File& file, const std::string& name, const ModelShape& shape,
                 std::vector<std::string>& notes)
{
    const std::uint64_t window = file.whole(name + ".attention.sliding_window").value_or(0);
    if (window != 0 && window < shape.max_context) {
        notes.push_back(name + ".attention.sliding_window is " + std::to_string(window) +
                        ": up to that many tokens the image is the model; beyond, it attends to "
                        "all tokens where the model would not");
    }
}

/// What the file calls a shape's fields.
ShapeKeys shape_keys(const File& file, const std::string& name)
{
    const auto key = [&](const char* behind) { return "key " + name + "." + behind; };
    return {{"dim", key("embedding_length")},
            {"hidden", key("feed_forward_length")},
            {"layers", key("block_count")},
            {"heads", key("attention.head_count")},
            {"kv_heads", key("attention.head_count_kv")},
            {"head_dim", key(file.has(name + ".attention.key_length")
                                 ? "attention.key_length"
                                 : "embedding_length / attention.head_count")},
            {"vocab", "rows of tensor token_embd.weight"},
            {"max_context", key("context_length")},
            {"norm_epsilon", key(name == "opt" ? "attention.layer_norm_epsilon"
                                               : "attention.layer_norm_rms_epsilon")}};
}

} // namespace

std::string architecture_names(const std::string& before_last)
{
    std::string text;
    for (const KnownArchitecture& known : known_architectures) {
        const bool is_last = &known == &known_architectures.back();
        text += (text.empty() ? "" : is_last ? before_last : ", ") + std::string(known.name);
    }
    return text;
}

Architecture read_architecture(const File& file, std::vector<std::string>& notes)
{
    const KnownArchitecture& known = architecture_of(file);
    const std::string name = known.name;
    refuse_other_files(file);
    refuse_other_arithmetic(file, name);
    const Keys keys(file, name);
    ModelShape shape;
    shape.dim = keys.count("embedding_length");
    shape.layers = keys.count("block_count");
    shape.hidden = keys.count_of_layers("feed_forward_length", shape.layers);
    shape.heads = keys.count_of_layers("attention.head_count", shape.layers);
    shape.kv_heads = keys.count_of_layers("attention.head_count_kv", shape.layers, shape.heads);
    shape.head_dim = head_dim(file, keys, name, shape);
    shape.max_context = keys.count("context_length");
    shape.vocab = vocabulary(file, name);
    shape.tied = !file.tensors().contains("output.weight");
    set_family(file, keys, known, shape);
    check_shape(shape, file.source(), shape_keys(file, name));
    note_window(file, name, shape, notes);
    return {name, shape, read_phases(file, name, shape, notes)};
}

} // namespace levee::gguf
