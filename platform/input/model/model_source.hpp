// SPDX-License-Identifier: Apache-2.0
// A model file's contents for an import: shape and tokenizer at once, tensors in pieces.
#pragma once

#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// Where a file stores a row of a tensor, in the file's own terms.
struct RowPlace {
    std::string title;            ///< "x.gguf: tensor blk.0.attn_q.weight"
    std::uint64_t row = 0;        ///< Row of that tensor.
    std::uint32_t together = ~0U; ///< Number of consecutive rows in it from this one on.
};

/// The interface between a reader of a file format and write_image(). Errors that do not depend on
/// values are thrown as ModelError before a ModelSource is made, such as a missing tensor, a wrong
/// shape, or data beyond the end of the file.
struct ModelSource {
    ModelShape shape;
    std::string name; ///< Name in the image, at most 31 bytes.
    Tokenizer tokenizer;
    /// Turns per position in units of 2^-32, [rotary() / 2] (see rope_phases()); empty where
    /// positions are learned.
    std::vector<std::uint32_t> phases;
    /// Phases of local layers; empty: same as the others.
    std::vector<std::uint32_t> local_phases{};

    /// Reads values of a tensor of required_tensors(shape) as FP32. Fills `out` row after row,
    /// beginning with row `first`; the size of `out` is a multiple of the tensor's columns.
    /// write_image() calls it in the image's order for matrices and vectors (including learned
    /// positions), but never for phases or layers' flags. Each row is requested once; with
    /// ScaleRule::Tensor, rows of layers' matrices are requested twice. Throws ModelError with file
    /// and tensor. The source that it reads must live as long as this function.
    std::function<void(const TensorSpec& tensor, std::uint32_t first, std::span<float> out)> rows;

    /// Returns the place of a tensor's row in the file, for messages. Without this function,
    /// messages say "<name>: tensor WQ of layer 0".
    std::function<RowPlace(const TensorSpec& tensor, std::uint32_t row)> place{};

    /// Tokens that end a text, in addition to the tokenizer's eos; at most LEVEE_MAX_STOPS.
    std::vector<std::uint32_t> stops{};

    /// header.chat of the image: the chat template of the model's own files.
    std::uint32_t chat = 0;

    /// Notes for the user on how the file was read, one sentence each.
    std::vector<std::string> notes{};
};

} // namespace levee
