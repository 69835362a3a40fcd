// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "core/units/data_mode.hpp"
#include "platform/input/config/compose.hpp"
#include "platform/input/model/memory_form.hpp"
#include "platform/input/model/model_shape.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::config {

/// A model that is only a shape.
struct ShapeConfig {
    std::string name;
    ModelShape shape; ///< The shape is not checked here: check_shape() does that.
    WeightFormat weights{};
    std::vector<std::string> notes;      ///< Notes on differences between the run and the model.
    std::map<std::string, Place> places; ///< Places of the given keys.
};

/// A model image or a shape: exactly one of the two.
struct ModelConfig {
    std::filesystem::path image;
    std::optional<ShapeConfig> shape;
    MemoryForm form;
    Place place;
    Place form_place; ///< place of form.columns_first
};

/// Reads `model:`. `data`: a shape has no data, so it requires timing-only.
[[nodiscard]] ModelConfig read_model(const Node& node, const FileFinder& finder, DataMode data);

/// Reads `workload.speculation.draft:`, a second model in the form of the scenario's.
[[nodiscard]] ModelConfig read_draft(const Node& node, const FileFinder& finder, DataMode data,
                                     const ModelConfig& model);

} // namespace levee::config
