// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <filesystem>
#include <string>

namespace levee::config {

/// A block or memory of a system. The reader of the component's type reads the rest of `node`.
struct Component {
    std::string name;
    std::string type;
    Node node;
};

/// A library of components in addition to those in the program (docs/plugins.md).
struct ComponentLibrary {
    std::filesystem::path file;
    Place place;
};

} // namespace levee::config
