// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/model.hpp"

#include "core/config/error.hpp"

namespace levee {

ModelImage open_model(const config::ModelConfig& config)
{
    try {
        return image_in_form(config.shape
                                 ? ModelImage::of_shape(config.shape->shape, config.shape->weights,
                                                        config.shape->name)
                                 : ModelImage::open(config.image),
                             config.form);
    } catch (const ModelError& error) {
        throw config::Error(config.place, error.what());
    }
}

} // namespace levee
