// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/model.hpp"
#include "platform/input/model/model_image.hpp"

namespace levee {

/// The model a scenario names, in the form it asks for: an image, or the head of one of its shape.
/// Throws config::Error at the key at fault.
[[nodiscard]] ModelImage open_model(const config::ModelConfig& config);

} // namespace levee
