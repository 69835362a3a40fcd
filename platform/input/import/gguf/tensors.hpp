// SPDX-License-Identifier: Apache-2.0
// Tensors of a model in a GGUF file, by the names that converters of llama.cpp give them.
#pragma once

#include "platform/input/import/gguf/architecture.hpp"
#include "platform/input/import/gguf/file.hpp"
#include "platform/input/model/model_source.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace levee::gguf {

/// "blk.3.attn_q.weight".
std::string tensor_name(const Architecture& architecture, const TensorSpec& spec);
/// Name of the tensor that holds all matrices of a group, if the file stores them in one; otherwise
/// nothing.
std::optional<std::string> fused_name(const File& file, const Architecture& architecture,
                                      const TensorGroup& group);

/// The tensors of an architecture. Points into the file, which must outlive it.
class Tensors {
public:
    /// Throws ModelError with the tensor's name if it is missing, has other dimensions, or is not
    /// used by the architecture: ignoring it would change the model.
    Tensors(const File& file, const Architecture& architecture);

    /// Same as ModelSource::place.
    [[nodiscard]] RowPlace row_place(const File& file, const TensorSpec& spec,
                                     std::uint32_t row) const;
    /// Same as ModelSource::rows.
    void read(const File& file, const TensorSpec& spec, std::uint32_t first,
              std::span<float> out) const;

private:
    void place(const File& file, const Architecture& architecture, const TensorSpec& spec);
    void place_experts(const File& file, const Architecture& architecture, const TensorSpec& spec,
                       std::set<std::string>& expected);
    const Tensor& experts_tensor(const File& file, const std::string& name, std::uint64_t rows,
                                 const TensorSpec& spec, std::uint32_t experts) const;
    void place_parts(const File& file, const TensorGroup& group, const std::string& name);
    void place_latent(const File& file, const Architecture& architecture, const TensorSpec& spec,
                      std::set<std::string>& expected);

    struct Place {
        const Tensor* tensor; ///< Tensor of the file; null: all values are `constant`.
        std::uint64_t skipped_rows;
        float constant;
        const Tensor* second = nullptr;   ///< With interleaved gates (`tensor`) and ups of experts:
                                          ///< the ups.
        std::uint32_t part_rows = 0;      ///< Rows of each part.
        bool is_part = false;             ///< The tensor is part of a vector that holds several.
        std::uint64_t skipped_values = 0; ///< number of values before it in that vector
        std::uint32_t turn = 0;           ///< First row; the others follow at regular intervals.
        std::uint32_t of_head = 0;        ///< Rows of a head; the image has `part_rows` of them.
        bool transposed = false;          ///< The rows of each head are stored as columns.
    };
    static void read_turned(const File& file, const Place& place, std::uint32_t first,
                            std::span<float> out);
    static void read_of_heads(const File& file, const Place& place, std::uint32_t first,
                              std::span<float> out);
    static void read_transposed(const File& file, const Place& place, std::uint32_t first,
                                std::span<float> out);
    static void read_part(const File& file, const Place& place, std::span<float> out);
    static void read_in_turn(const File& file, const Place& place, std::uint32_t first,
                             std::span<float> out);
    std::map<std::pair<std::uint32_t, levee_tensor_kind>, Place>
        places_; // Sources by layer and kind.
};

} // namespace levee::gguf
