// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/decisions.hpp"

#include <zlib.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// What a recording must have in common with the run that replays it: names and values, in the
/// order in which they are compared.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

// A recording is a file: magic, version, then, as gzip compresses it, the fingerprint and one
// record for each deciding operation, in the order in which they ended (docs/phantom.md).

/// Writes a recording while a functional run makes its decisions.
class RecordingWriter : public DecisionRecorder {
public:
    /// Throws std::runtime_error if the file cannot be made.
    RecordingWriter(std::filesystem::path path, const Fingerprint& fingerprint);
    ~RecordingWriter() override;
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    void decided(const std::string& block, std::uint64_t operation,
                 const Decision& decision) override;
    /// The run has ended. Throws std::runtime_error if not all could be written; until this has
    /// been called, what was at `path` stays there, and without it nothing else is left.
    void close();

private:
    /// Of one block: its last operation, which may still get further iterations.
    struct Last {
        std::optional<std::uint64_t> number; ///< of the block, in order of appearance in the file
        std::uint64_t operation = 0;
        Decision decision;
    };

    void put(std::uint64_t value);
    void put(const std::string& text);
    void put(const Decision::Write& write);
    void put(const std::string& name, Last& last);
    void flush();

    std::filesystem::path path_, unfinished_;
    gzFile file_ = nullptr;
    std::vector<std::uint8_t> buffer_;
    std::map<std::string, Last> blocks_;
    std::uint64_t named_ = 0; ///< blocks
    std::uint64_t records_ = 0;
    bool failed_ = false;
};

/// A recording, read from front to back as the run that replays it goes on.
class Recording : public DecisionSource {
public:
    /// Throws std::runtime_error for a file that is no recording, is damaged, or is of another
    /// version.
    explicit Recording(std::filesystem::path path);
    ~Recording() override;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    /// Throws std::runtime_error, naming the first difference, if a run with this fingerprint
    /// would not decide as the recorded one.
    void check(const Fingerprint& run) const;

    /// Operations of a block must be asked for in order; each as often as wanted.
    [[nodiscard]] const Decision& decision(const std::string& block,
                                           std::uint64_t operation) override;

    /// A value of the fingerprint; refuses the recording if it has none of that name.
    [[nodiscard]] const std::string& value(const std::string& name) const;
    /// Throws std::runtime_error that names the file.
    [[noreturn]] void refuse(const std::string& why) const;

    /// For who looks at a recording as a whole: the next record, or false at the end.
    struct Record {
        std::string block;
        std::uint64_t operation = 0;
        Decision decision;
    };
    [[nodiscard]] bool next(Record& record);

private:
    void open();
    void close();
    void check_whole();
    void read_fingerprint();
    [[nodiscard]] std::uint8_t take_byte();
    [[nodiscard]] std::uint64_t take();
    [[nodiscard]] std::uint64_t take_at_most(std::uint64_t most);
    void take_bytes(void* into, std::size_t bytes);
    [[nodiscard]] std::string take_text();
    void take_write(Decision::Write& write);
    std::filesystem::path path_;
    gzFile file_ = nullptr;
    std::vector<std::uint8_t> buffer_;
    std::size_t at_ = 0; ///< in the buffer
    Fingerprint fingerprint_;
    std::vector<std::string> names_;                  ///< of blocks, by number
    std::map<std::string, std::deque<Record>> ahead_; ///< read, but not passed yet; by block
    std::uint64_t records_ = 0;
    bool ended_ = false;
};

} // namespace levee
