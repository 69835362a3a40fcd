// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/model.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/support/gguf_writer.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace levee::test {

/// A file "m.gguf" in a temporary folder.
class GgufOnDisk {
public:
    explicit GgufOnDisk(const Bytes& bytes)
    {
        std::filesystem::create_directories(folder_);
        write(bytes);
    }
    ~GgufOnDisk() { std::filesystem::remove_all(folder_); }
    GgufOnDisk(const GgufOnDisk&) = delete;
    GgufOnDisk& operator=(const GgufOnDisk&) = delete;

    void write(const Bytes& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
    std::filesystem::path path() const { return folder_ / "m.gguf"; }

private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("levee_gguf." + std::to_string(::getpid()));
};

inline ModelImage imported(const GgufWriter& writer, levee_type weights = LEVEE_TYPE_FP32,
                           const GgufOptions& options = {})
{
    const GgufOnDisk file(writer.bytes());
    return ModelImage::parse(image_in_memory(gguf_source(file.path(), options), weights), "m");
}

/// Returns an import's error, from "m.gguf" on, or "no error".
inline std::string import_error(const Bytes& bytes)
{
    const GgufOnDisk file(bytes);
    try {
        image_in_memory(gguf_source(file.path(), {}), LEVEE_TYPE_INT8);
    } catch (const ModelError& error) {
        const std::string text = error.what();
        return text.substr(std::min(text.find("m.gguf"), text.size()));
    }
    return "no error";
}

inline std::string import_error(const GgufWriter& writer)
{
    return import_error(writer.bytes());
}

} // namespace levee::test
