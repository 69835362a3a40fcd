// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <string>

namespace levee::config {

/// Mode in which an output file is opened.
struct OutputWay {
    bool reads = false;   ///< The file is also opened for reading.
    bool appends = false; ///< Each write appends to the file.
    bool named = false;   ///< The user has named the output: links are followed, and pipes with a
                          ///< reader and devices are permitted.
};

/// Opens a file for writing, creates it if necessary, and returns its descriptor. It must be a
/// regular file: a link could lead elsewhere, and a pipe would block until it has a reader. Throws
/// std::runtime_error with the file's name and the kind of the existing file.
[[nodiscard]] int open_output(const std::filesystem::path& path, OutputWay way = {});

/// Opens and truncates an output, and locks it while the descriptor is open. Throws for a file that
/// another process, or another output of this one, is writing.
[[nodiscard]] int open_new_output(const std::filesystem::path& path, OutputWay way = {});

/// Opens and closes it, before a library opens it by its name.
void check_output(const std::filesystem::path& path);

/// Copies a file into an output opened by open_output().
void copy_output(const std::filesystem::path& from, const std::filesystem::path& to);

/// Opens a stream with open_output(); truncates unless `mode` has std::ios::app.
[[nodiscard]] std::ofstream output_stream(const std::filesystem::path& path,
                                          std::ios::openmode mode = std::ios::trunc);

/// Makes a folder within `root`, with its parents. Throws std::runtime_error for a link among them,
/// which could lead elsewhere.
void make_inner_folder(const std::filesystem::path& root, const std::filesystem::path& folder);

} // namespace levee::config
