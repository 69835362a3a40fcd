// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <string>

namespace levee::config {

/// How an output file is opened.
struct OutputWay {
    bool reads = false;   ///< The file is also opened for reading.
    bool appends = false; ///< Each write appends to the file.
    bool named = false;   ///< The user named the output. Links are followed; devices, and pipes
                          ///< with a reader, are permitted.
};

/// Opens a file for writing, creates it if necessary, and returns its descriptor. An existing file
/// must be a regular file: a link could lead elsewhere, and a pipe would block until it has a
/// reader. Throws std::runtime_error with the file's name and the kind of the existing file.
[[nodiscard]] int open_output(const std::filesystem::path& path, OutputWay way = {});

/// Opens and truncates an output file, and locks it while the descriptor is open. Throws if another
/// process, or another output of this process, is writing the file.
[[nodiscard]] int open_new_output(const std::filesystem::path& path, OutputWay way = {});

/// Opens and closes the file as a check, before a library opens it by name.
void check_output(const std::filesystem::path& path);

/// Copies a file to an output that open_output() opens.
void copy_output(const std::filesystem::path& from, const std::filesystem::path& to);

/// Opens a stream with the checks of open_output(). Truncates the file unless `mode` has
/// std::ios::app.
[[nodiscard]] std::ofstream output_stream(const std::filesystem::path& path,
                                          std::ios::openmode mode = std::ios::trunc);

/// Creates a folder in `root`, and its parents. Throws std::runtime_error if one of them is a link,
/// which could lead elsewhere.
void make_inner_folder(const std::filesystem::path& root, const std::filesystem::path& folder);

} // namespace levee::config
