// SPDX-License-Identifier: Apache-2.0
// A shape's fields, by their names in the file that is read.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace levee {

/// "max_context" is "max_position_embeddings" in a config.json.
using ShapeKeys = std::map<std::string, std::string, std::less<>>;

/// A field with a value that no model's shape can have.
class ShapeError : public ModelError {
public:
    ShapeError(const std::string& source, const std::string& place, std::string its_field,
               const std::string& its_fault)
        : ModelError(source + ": " + place + ": " + its_fault), field(std::move(its_field)),
          fault(its_fault)
    {
    }
    std::string field; ///< Field of ModelShape.
    std::string fault; ///< "7, expected 1 to 5"
};

/// check_shape() with messages that name the file's keys: "<source>: <key>: ...". A field without a
/// key is "header.<field>".
void check_shape(const ModelShape& shape, const std::string& source, const ShapeKeys& keys);

} // namespace levee
