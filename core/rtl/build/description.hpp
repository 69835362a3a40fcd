// SPDX-License-Identifier: Apache-2.0
// RTL from outside this tree, as a YAML map describes it (docs/own_rtl.md).
#pragma once

#include "core/config/node.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace levee::own_rtl {

/// A port of the user's module or a pin of the boundary, and its connection.
struct Connection {
    std::string port;
    std::string to; ///< "pin", "pin[7:0]" or a constant; empty: not connected.
    bool inverted = false;
    config::Place place;
};

/// Sources of a module, and their connection to a boundary.
struct Description {
    std::string name; ///< Name for messages: the YAML file, or a design of the tree.
    config::Place place;
    std::vector<std::filesystem::path> files; ///< Files in reading order.
    std::vector<std::filesystem::path> includes;
    std::vector<std::string> defines;   ///< "NAME=value"
    std::vector<std::string> arguments; ///< Arguments of Verilator.
    bool relative_includes = false;     ///< Whether includes are also searched for in the source's
                                        ///< folder.
    std::string top;
    config::Place top_place;
    std::vector<Connection> parameters;         ///< Parameters of `top`: name and value.
    std::map<std::string, std::uint64_t> sizes; ///< Parameters of the boundary.
    std::vector<Connection> pins;               ///< Connections by port of `top`.
    std::vector<Connection> absent;             ///< Pins of the boundary that `top` does not have.
};

/// Reads the map. Files and folders in it are relative to the YAML file. Throws config::Error, also
/// for Verilator arguments that name files, folders or programs; only Levee may set these.
[[nodiscard]] Description read_description(const config::Node& node);

using NamedFiles = std::map<std::string, std::filesystem::path>;

/// Finds the files that `description.files` can include. These are all files in the include
/// folders, and files that a source or macro quotes: in subfolders of the include folders, or by
/// absolute path. With `relative_includes`, files in the source's folder are also found. A quoted
/// file that is in none of these folders is searched for in the process's folder. A found file is
/// itself searched for names if a source or `description` names it, or if it has a suffix of
/// (System)Verilog. Names that macros assemble, or that are not quoted, are not found.
///
/// Names in the result do not change if all files move together. Each is a folder number with a
/// name ("0/parts/adder.svh"), an absolute path, "beside/" with the path from the first source's
/// folder, or "here/" with the name in the process's folder.
[[nodiscard]] NamedFiles included_files(const Description& description);

/// Cache of the files that descriptions include. Descriptions with the same files and folders share
/// one search.
class IncludedFiles {
public:
    /// Cached version of included_files().
    const NamedFiles& of(const Description& description);

private:
    using Paths = std::vector<std::filesystem::path>;
    using Words = std::vector<std::string>;
    /// Results of searches, by files, include folders, defines and arguments.
    std::map<std::tuple<Paths, Paths, Words, Words>, NamedFiles> known_;
};

} // namespace levee::own_rtl
