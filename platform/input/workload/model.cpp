// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/model.hpp"

#include "platform/input/config/error.hpp"

namespace levee {

ModelImage open_model(const config::ModelConfig& config)
{
    try {
        if (!config.shape)
            return ModelImage::open(config.image);
        return ModelImage::of_shape(config.shape->shape, config.shape->weights, config.shape->name);
    } catch (const ModelError& error) {
        throw config::Error(config.place, error.what());
    }
}

} // namespace levee
