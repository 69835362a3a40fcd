// SPDX-License-Identifier: Apache-2.0
// Files of bytes: read whole or in pieces, and written so that they appear only when complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace levee {

/// Read a file as a whole, and write one. Both throw ModelError with the path and the system's
/// reason. If a file cannot be written completely, the old file stays unchanged.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

/// A file that is read in pieces, so that only the requested parts of a large file are in memory.
class InputFile {
public:
    /// Throws ModelError with the path and the system's reason if the file cannot be opened, or is
    /// not a regular file.
    explicit InputFile(std::filesystem::path path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return size_; } ///< size in bytes when it was opened
    /// Fills `out` from byte `offset` on. Throws ModelError, also if the file ends too early.
    void read(std::uint64_t offset, std::span<std::uint8_t> out) const;

private:
    std::filesystem::path path_;
    int descriptor_;
    std::uint64_t size_ = 0;
    std::pair<dev_t, ino_t> file_;
};

/// While such an object exists, files count as being read even after they are closed, so that no
/// output file replaces them.
class InputsKept {
public:
    InputsKept();
    ~InputsKept();
    InputsKept(const InputsKept&) = delete;
    InputsKept& operator=(const InputsKept&) = delete;
};

/// A file that is written without a name or under another name, and moved into place when it is
/// complete. Until then the old file stays. If commit() is never called, nothing is left, even if
/// the process is killed (on file systems with O_TMPFILE).
class OutputFile {
public:
    /// Throws ModelError, like all functions of this class, with the path and the system's reason.
    /// Also throws if the path is not a regular file, or if the file is being read. If the path is
    /// a link, the link's target is replaced.
    explicit OutputFile(const std::filesystem::path& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void append(std::span<const std::uint8_t> bytes);
    /// Overwrites bytes that were appended.
    void patch(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void commit();

private:
    void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes);

    std::filesystem::path path_;
    std::filesystem::path partial_;
    int descriptor_ = -1;
    bool is_nameless_ = false; ///< without a name before commit()
    std::uint64_t size_ = 0;
};

/// Appends the bytes of a plain structure.
template <typename T> void append_object(std::vector<std::uint8_t>& bytes, const T& object)
{
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&object);
    bytes.insert(bytes.end(), raw, raw + sizeof object);
}

} // namespace levee
