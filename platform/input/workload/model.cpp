// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/model.hpp"

#include "core/config/error.hpp"
#include "platform/input/model/shape_keys.hpp"

namespace levee {

namespace {

/// Error for a field of a shape, at its key if that is given.
config::Error error_of(const config::ModelConfig& config, const ShapeError& error)
{
    const std::string key = error.field == "layer_flags" ? "layer_pattern" : error.field;
    const auto place = config.shape->places.find(key);
    return {place != config.shape->places.end() ? place->second : config.place,
            "'model.shape." + key + "': " + error.fault};
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
        throw config::Error(config.place, error.what());
    } catch (const ModelError& error) {
        throw config::Error(config.place, error.what());
    }
}

} // namespace levee
