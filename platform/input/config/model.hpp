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

/// A model of which only the shape is known.
struct ShapeConfig {
    std::string name;
    ModelShape shape; ///< The shape is not checked here: check_shape() does that.
    WeightFormat weights{};
    std::vector<std::string> notes;      ///< Notes on differences between the run and the model.
    std::map<std::string, Place> places; ///< Places of the given keys.
    Place place;                         ///< place of the map, whose keys may be another file's
};

/// A model image or a shape. Exactly one of them is given.
struct ModelConfig {
    std::string path = "model"; ///< its name in messages
    std::filesystem::path image;
    std::optional<ShapeConfig> shape;
    MemoryForm form;
    Place place;      ///< place where the image or the shape is given
    Place form_place; ///< place of form.columns_first

    /// Returns whether this is a draft model, which guesses tokens for another model.
    [[nodiscard]] bool is_draft() const { return path != "model"; }
};

/// Reads `model:`. A shape has no data, so `data` must then be timing-only.
[[nodiscard]] ModelConfig read_model(const Node& node, const FileFinder& finder, DataMode data);

/// Reads `workload.speculation.draft:`, a second model. In memory, it gets the same form
/// (MemoryForm) as the scenario's model.
[[nodiscard]] ModelConfig read_draft(const Node& node, const FileFinder& finder, DataMode data,
                                     const ModelConfig& model);

} // namespace levee::config
