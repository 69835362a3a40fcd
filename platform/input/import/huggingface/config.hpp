// SPDX-License-Identifier: Apache-2.0
// A model's config.json, as Hugging Face's transformers writes it.
#pragma once

#include "platform/input/import/folds.hpp"
#include "platform/input/import/huggingface/families.hpp"
#include "platform/input/import/huggingface/json_view.hpp"
#include "platform/input/import/huggingface/quantization.hpp"
#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// Part of a model that is read: its weights, which a run must be able to use, or only its shape.
enum class Part { weights, shape };

struct Config {
    const Family* family = nullptr;
    Quantization quantization;
    ModelShape shape;
    /// Turns per position in units of 2^-32, scaled as the file says; empty where positions are
    /// learned.
    std::vector<std::uint32_t> phases;
    std::vector<std::uint32_t> local_phases; ///< Phases of local layers; empty: same as the others.
    std::optional<std::uint32_t> eos;        ///< Token that ends a text; the first one, if there
                                             ///< are several.
    std::vector<std::uint32_t> stops;        ///< the others
    std::string name;                        ///< Name of the model's folder, cut to the length that
                                             ///< an image holds.
    std::string origin;                      ///< the file
    /// Notes on differences between the run and the model and on missing information, one sentence
    /// each.
    std::vector<std::string> notes;
    std::vector<std::string> remarks; ///< others, of no figure
    Folds folds;                      ///< constants that become part of the weights
    double score_magnitude = 1.0;     ///< DeepSeek's factor of scores where positions are scaled
    bool merges_norms = false;        ///< Norms before matrices are merged, too (merged_norms.hpp).
    /// Tokens for which positions are scaled as `phases` are; 0: all.
    std::uint32_t longest_scaled = 0;
};

/// Reads the config of any family in families.cpp; for a model of texts and images, the shape of
/// the text model. A missing key gets the default of transformers, but sizes must be given. Throws
/// ModelError with file and key for everything that the image or the firmware does not support, and
/// for unknown keys that are not to be ignored.
Config read_config(const std::filesystem::path& file, Part part,
                   const std::vector<std::string>& ignored_keys = {});

/// "config.json" of a folder, or the file itself.
std::filesystem::path config_file(const std::filesystem::path& file_or_folder);

} // namespace levee::hf
