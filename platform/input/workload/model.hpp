// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/model.hpp"
#include "platform/input/model/model_image.hpp"

namespace levee {

/// The model of a scenario, in the requested form: an image, or the head of one of its shape.
/// Throws config::Error at the faulty key.
[[nodiscard]] ModelImage open_model(const config::ModelConfig& config);

} // namespace levee
