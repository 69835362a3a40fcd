// SPDX-License-Identifier: Apache-2.0
// The fields of a shape, with their names in a file.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace levee {

/// Maps a field to the file's key. For example, "max_context" is "max_position_embeddings" in a
/// config.json.
using ShapeKeys = std::map<std::string, std::string, std::less<>>;

/// Thrown if a field has a value that no model's shape can have.
class ShapeError : public ModelError {
public:
    ShapeError(const std::string& source, const std::string& place, std::string its_field,
               const std::string& its_fault)
        : ModelError(source + ": " + place + ": " + its_fault), field(std::move(its_field)),
          fault(its_fault)
    {
    }
    std::string field; ///< field of ModelShape
    std::string fault; ///< such as "7, expected 1 to 5"
};

/// Does the same as check_shape(), but with the file's keys in messages: "<source>: <key>: ...". A
/// field without a key is called "header.<field>".
void check_shape(const ModelShape& shape, const std::string& source, const ShapeKeys& keys);

} // namespace levee
