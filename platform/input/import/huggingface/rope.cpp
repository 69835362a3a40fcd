// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/rope.hpp"

#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/rope_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace levee::hf {

namespace {

double slowing(const JsonView& value)
{
    if (!(value.real() >= 1.0))
        value.fail("1 or more");
    return value.real();
}

double positive(const JsonView& value)
{
    if (!(value.real() > 0.0))
        value.fail("a number above 0");
    return value.real();
}

/// Scales frequencies as Llama 3.1 does (transformers, modeling_rope_utils). Frequencies with fewer
/// than low_freq_factor rotations within the original context are divided by the factor.
/// Frequencies with more than high_freq_factor rotations stay. In between, both are mixed.
TurnScaling llama3_scaling(const JsonView& scaling)
{
    const double factor = slowing(scaling.at("factor"));
    const double low = positive(scaling.at("low_freq_factor"));
    const double high = positive(scaling.at("high_freq_factor"));
    const double context = positive(scaling.at("original_max_position_embeddings"));
    if (!(high > low))
        scaling.at("high_freq_factor").fail("more than low_freq_factor");
    return [=](std::uint32_t, double turns) {
        const double in_context = turns * context;
        if (in_context < low)
            return turns / factor;
        if (in_context > high)
            return turns;
        const double smooth = (in_context - low) / (high - low);
        return (1.0 - smooth) * turns / factor + smooth * turns;
    };
}

/// Effects of a scaling on frequencies and on rotated values.
struct Scaling {
    TurnScaling turns;
    double factor = 1.0;
    std::uint32_t longest = 0;
    double score_magnitude = 1.0;
    const char* limit = "";
};

/// Known keys of rope_scaling and rope_parameters. Each scaling reads some of them; none reads
/// `finetuned`.
constexpr std::array known_keys{"rope_type",        "type",
                                "rope_theta",       "partial_rotary_factor",
                                "factor",           "low_freq_factor",
                                "high_freq_factor", "original_max_position_embeddings",
                                "beta_fast",        "beta_slow",
                                "truncate",         "mscale",
                                "mscale_all_dim",   "attention_factor",
                                "short_factor",     "long_factor",
                                "finetuned",        "llama_4_scaling_beta"};

/// Qwen2-VL's key, which may occur even with a scaling called "default".
constexpr const char* mrope_key = "mrope_section";

void refuse_unknown(const JsonView& scaling)
{
    for (const auto& [key, value] : scaling.json().items())
        if (!is_scaling_key(key) && scaling.find(key))
            scaling.at(key).fail("no such key: it is unknown and may change positions; if it does "
                                 "not, pass this name to levee import as --ignore-key");
}

/// Queries would be multiplied by 1 + beta ln(1 + floor(position / original context)), which is 1
/// within the original context (transformers, modeling_ministral3). The context is therefore
/// limited to the original one.
void limit_by_positions(const JsonView& scaling, Scaling& result)
{
    const auto beta = scaling.find("llama_4_scaling_beta");
    if (!beta || beta->real() == 0.0)
        return;
    const auto old =
        static_cast<std::uint32_t>(positive(scaling.at("original_max_position_embeddings")));
    result.longest = result.longest == 0 ? old : std::min(result.longest, old);
    result.limit = "llama_4_scaling_beta";
}

struct RopeContext {
    const JsonView& config;
    RopeDefaults defaults;
    double theta;
};

/// The function get_mscale of transformers.
double magnitude(double factor, double scale)
{
    return factor <= 1.0 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
}

double original_context(const JsonView& scaling, const RopeContext& context)
{
    const char* const key = "original_max_position_embeddings";
    const auto inner = scaling.find(key);
    for (const char* const outside : {key, "initial_context_length"}) // gpt-oss has
                                                                      // initial_context_length
        if (const auto outer = context.config.find(outside);
            outer && inner && outer->json() != inner->json())
            outer->fail(inner->shown() + ", the value in rope_scaling or rope_parameters: programs "
                                         "differ in which of the two they read");
    if (inner)
        return positive(*inner);
    if (const auto outer = context.config.find(key))
        return positive(*outer);
    return context.defaults.max_context;
}

double yarn_factor(const JsonView& scaling, double factor)
{
    if (const auto said = scaling.find("attention_factor"))
        return positive(*said);
    const auto scale = scaling.find("mscale"), all = scaling.find("mscale_all_dim");
    if (scale && all && scale->real() != 0.0 && all->real() != 0.0)
        return magnitude(factor, scale->real()) / magnitude(factor, all->real());
    return magnitude(factor, 1.0);
}

/// Scales frequencies. Those with many rotations within the original context stay, and those with
/// few are divided by the factor. In between, both are mixed (transformers, modeling_rope_utils).
Scaling yarn_scaling(const JsonView& scaling, const RopeContext& context)
{
    const double factor = slowing(scaling.at("factor"));
    const double old = original_context(scaling, context);
    const double dim = context.defaults.rotated;
    const auto pair_of = [&](double turns) {
        return dim * std::log(old / (turns * 2.0 * std::numbers::pi)) /
               (2.0 * std::log(context.theta));
    };
    const bool whole = scaling.flag("truncate", true);
    double low = pair_of(scaling.real("beta_fast", 32.0));
    double high = pair_of(scaling.real("beta_slow", 1.0));
    low = std::max(whole ? std::floor(low) : low, 0.0);
    high = std::min(whole ? std::ceil(high) : high, dim - 1.0);
    if (low == high)
        high += 0.001; // as in transformers, to avoid a division by 0
    const TurnScaling turns = [=](std::uint32_t pair, double before) {
        const double slowed = std::clamp((pair - low) / (high - low), 0.0, 1.0);
        return before / factor * slowed + before * (1.0 - slowed);
    };
    const double scores = magnitude(factor, scaling.real("mscale_all_dim", 0.0));
    return {turns, yarn_factor(scaling, factor), 0, scores * scores};
}

/// Divides each frequency by its own factor. Files have factors for short texts and for long ones;
/// this code uses those for short texts.
Scaling longrope_scaling(const JsonView& scaling, const RopeContext& context)
{
    const double old = original_context(scaling, context);
    const auto list = scaling.at("short_factor");
    std::vector<double> factors;
    for (const JsonView& item : list.items())
        factors.push_back(positive(item));
    if (factors.size() != context.defaults.rotated / 2)
        list.fail(std::to_string(context.defaults.rotated / 2) + " numbers, one for each pair");
    const double ratio = scaling.real("factor", context.defaults.max_context / old);
    const double factor = scaling.find("attention_factor")
                              ? positive(scaling.at("attention_factor"))
                          : ratio <= 1.0 ? 1.0
                                         : std::sqrt(1.0 + std::log(ratio) / std::log(old));
    const TurnScaling turns = [factors](std::uint32_t pair, double before) {
        return std::min(std::fmod(before / factors[pair], 1.0),
                        1.0 - 0x1p-32); // whole rotations have no effect
    };
    return {turns, factor, static_cast<std::uint32_t>(old), 1.0, "short_factor"};
}

Scaling scaling_of(const JsonView& scaling, const RopeContext& context)
{
    const std::string expected = "default, linear, dynamic, llama3, yarn or longrope";
    const auto type = scaling.find("rope_type") ? scaling.find("rope_type") : scaling.find("type");
    if (!type)
        throw ModelError(scaling.place() + ": has no 'rope_type', expected " + expected);
    if (const auto sections = scaling.find(mrope_key))
        sections->fail("none: positions of images are not supported");
    refuse_unknown(scaling);
    if (type->text() == "default")
        return {};
    if (type->text() == "linear") {
        const double factor = slowing(scaling.at("factor"));
        return {[factor](std::uint32_t, double turns) { return turns / factor; }};
    }
    if (type->text() == "dynamic") { // has no effect up to max_position_embeddings
        slowing(scaling.at("factor"));
        return {};
    }
    if (type->text() == "llama3")
        return {llama3_scaling(scaling)};
    if (type->text() == "yarn")
        return yarn_scaling(scaling, context);
    if (type->text() == "longrope" || type->text() == "su")
        return longrope_scaling(scaling, context);
    type->fail(expected + ": no other scaling of positions is supported");
}

/// Returns the base. Files of older versions of transformers have it at the top level, and those of
/// newer versions in rope_parameters. If a file has it at both places, the values must be equal.
std::optional<JsonView> theta_of(const JsonView& config, const char* key,
                                 const std::optional<JsonView>& parameters,
                                 const char* other_key = nullptr)
{
    const auto top = key == nullptr ? std::nullopt : config.find(key);
    const auto inner = parameters ? parameters->find("rope_theta") : std::nullopt;
    const auto other = other_key == nullptr ? std::nullopt : config.find(other_key);
    if (top && other && top->real() != other->real())
        other->fail("the value of '" + std::string(key) +
                    "': versions of transformers differ in which of the two they read");
    if (top && inner && top->real() != inner->real())
        inner->fail(
            "the value of '" + std::string(key) +
            "' at the top level: versions of transformers differ in which of the two they read");
    return top ? top : inner ? inner : other;
}

/// Returns rope_parameters. If it has an entry for each kind of layer, returns the entry named
/// `layers`.
std::optional<JsonView> parameters_of(const JsonView& config, const char* layers)
{
    const auto parameters = config.find("rope_parameters");
    const auto own = parameters ? parameters->find(layers) : std::nullopt;
    return own ? own : parameters;
}

Rope rope_of(const std::optional<JsonView>& theta, const std::optional<JsonView>& scaled,
             const JsonView& config, const RopeDefaults& defaults)
{
    if (theta && !(theta->real() > 1.0))
        theta->fail("a number above 1");
    const RopeContext context{config, defaults, theta ? theta->real() : defaults.theta};
    Scaling scaling = scaled ? scaling_of(*scaled, context) : Scaling();
    if (scaled)
        limit_by_positions(*scaled, scaling);
    // Rounded to FP32, since the last bits of a logarithm depend on the library.
    const double factor = static_cast<float>(scaling.factor);
    return {rope_phases(defaults.rotated, context.theta, scaling.turns),
            factor,
            scaling.longest,
            scaling.score_magnitude,
            scaling.limit,
            context.theta};
}

} // namespace

bool is_scaling_key(std::string_view key)
{
    return std::ranges::find(known_keys, key) != known_keys.end() || key == mrope_key;
}

bool scales_positions(const JsonView& config)
{
    const auto parameters = parameters_of(config, "full_attention");
    const auto scaled = parameters ? parameters : config.find("rope_scaling");
    const auto type = scaled ? scaled->find("rope_type") : std::nullopt;
    return scaled && !(type && type->text() == "default");
}

Rope unscaled_rope(const Rope& rope, const RopeDefaults& defaults)
{
    return {.phases = rope_phases(defaults.rotated, rope.theta, {}), .theta = rope.theta};
}

Rope read_rope(const JsonView& config, const RopeDefaults& defaults, OptionalKeys& optional)
{
    const auto parameters = parameters_of(config, "full_attention"); // newer files
    const auto theta =
        theta_of(config, defaults.theta_key, parameters, "rope_theta"); // GPT-NeoX has both
    if (!theta)
        optional.without(defaults.theta_key, defaults.theta);
    const auto old_scaling = config.find("rope_scaling");
    if (old_scaling && parameters)
        old_scaling->fail(
            "no 'rope_scaling' in addition to 'rope_parameters': which of them is read "
            "depends on the version of transformers");
    return rope_of(theta, parameters ? parameters : old_scaling, config, defaults);
}

Rope read_local_rope(const JsonView& config, const char* theta_key, const RopeDefaults& defaults,
                     OptionalKeys& optional)
{
    const auto both = config.find("rope_parameters");
    const auto own = both ? both->find(local_layers_key) : std::nullopt;
    const auto theta = theta_of(config, theta_key, own);
    if (!theta)
        optional.without(theta_key == nullptr ? "rope_theta" : theta_key, defaults.theta);
    return rope_of(theta, own, config, defaults);
}

} // namespace levee::hf
