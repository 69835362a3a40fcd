// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/model.hpp"

#include "core/config/error.hpp"
#include "platform/input/model/shape_keys.hpp"

namespace levee {

namespace {

bool are_of_other_files(const config::Place& a, const config::Place& b)
{
    return a.file && b.file && *a.file != *b.file;
}

/// Returns an error for a field of a shape, at the field's key if the scenario gives it. If the
/// shape takes the key from another file, the key may be correct there, so the error is reported at
/// the shape.
config::Error error_of(const config::ModelConfig& config, const ShapeError& error)
{
    const std::string key = error.field == "layer_flags" ? "layer_pattern" : error.field;
    const std::string text = "'" + config.path + ".shape." + key + "': " + error.fault;
    const auto place = config.shape->places.find(key);
    if (place == config.shape->places.end())
        return {config.place, text};
    if (are_of_other_files(place->second, config.shape->place))
        return {config.place, text + " (the key is from " + place->second.text() + ")"};
    return {place->second, text};
}

/// Returns an error found in the model's file, which names no key of the scenario.
config::Error error_of(const config::ModelConfig& config, const std::string& text)
{
    return {config.place, (config.is_draft() ? "'" + config.path + "': " : "") + text};
}

} // namespace

ModelImage open_model(const config::ModelConfig& config)
{
    try {
        return image_in_form(config.shape
                                 ? ModelImage::of_shape(config.shape->shape, config.shape->weights,
                                                        config.shape->name)
                                 : ModelImage::open(config.image),
                             config.form);
    } catch (const ShapeError& error) {
        if (config.shape)
            throw error_of(config, error);
        throw error_of(config, error.what());
    } catch (const ModelError& error) {
        throw error_of(config, error.what());
    }
}

} // namespace levee
