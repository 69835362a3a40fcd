// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/model.hpp"
#include "platform/input/model/model_image.hpp"

namespace levee {

/// Opens a scenario's model in the requested form. If the scenario gives only a shape, the result
/// is the header of an image with this shape. Throws config::Error at the faulty key.
[[nodiscard]] ModelImage open_model(const config::ModelConfig& config);

} // namespace levee
