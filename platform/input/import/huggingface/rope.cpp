// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/rope.hpp"

#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/rope_phase.hpp"

namespace levee::hf {

namespace {

constexpr double default_theta = 10000.0; // transformers' for all architectures read here

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

/// The frequencies of Llama 3.1 (transformers, modeling_rope_utils): those that turn less than
/// low_freq_factor times in the old context are slowed by the factor, those that turn more than
/// high_freq_factor times stay, between them a mixture of both.
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

TurnScaling scaling_of(const JsonView& scaling)
{
    const auto type = scaling.find("rope_type") ? scaling.find("rope_type") : scaling.find("type");
    if (!type)
        throw ModelError(scaling.place() +
                         ": has no 'rope_type', expected default, linear or llama3");
    if (type->text() == "default")
        return {};
    if (type->text() == "linear") {
        const double factor = slowing(scaling.at("factor"));
        return [factor](std::uint32_t, double turns) { return turns / factor; };
    }
    if (type->text() == "llama3")
        return llama3_scaling(scaling);
    type->fail("default, linear or llama3: no other scaling of positions is supported");
}

/// `rope_theta`, at the top, where earlier versions of transformers look, or in rope_parameters,
/// where later ones do: where it stands twice, with one value.
std::optional<JsonView> theta_of(const JsonView& config, const std::optional<JsonView>& parameters)
{
    const auto top = config.find("rope_theta");
    const auto inner = parameters ? parameters->find("rope_theta") : std::nullopt;
    if (top && inner && top->real() != inner->real())
        inner->fail("what 'rope_theta' at the top says: versions of transformers take one or the "
                    "other");
    return top ? top : inner;
}

} // namespace

std::vector<std::uint32_t> read_rope(const JsonView& config, std::uint32_t head_dim,
                                     OptionalKeys& optional)
{
    const auto parameters = config.find("rope_parameters"); // of later versions: both in one
    const auto theta = theta_of(config, parameters);
    if (theta && !(theta->real() > 1.0))
        theta->fail("a number above 1");
    if (!theta)
        optional.without("rope_theta", default_theta);
    const auto old_scaling = config.find("rope_scaling");
    if (old_scaling && parameters)
        old_scaling->fail("no 'rope_scaling' beside 'rope_parameters': versions of transformers "
                          "take one or the other");
    const auto scaling = parameters ? parameters : old_scaling;
    if (scaling && scaling->find("partial_rotary_factor") &&
        scaling->at("partial_rotary_factor").real() != 1.0)
        scaling->at("partial_rotary_factor").fail("1: heads are rotated whole");
    return rope_phases(head_dim, theta ? theta->real() : default_theta,
                       scaling ? scaling_of(*scaling) : TurnScaling());
}

} // namespace levee::hf
