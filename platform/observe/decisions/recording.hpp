// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decisions.hpp"

#include <zlib.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee {

constexpr const char* absent_line = "absent";

/// The fingerprint of a run: names and values in the order in which they are compared. A recording
/// can only be replayed in a run with the same fingerprint.
struct FingerprintLine {
    std::string name, value;
    std::string otherwise = absent_line; ///< value for recordings that lack the line
};
using Fingerprint = std::vector<FingerprintLine>;

// Recordings of decisions. The file has a magic number and a version, then data compressed with
// gzip: the fingerprint, and one record for each operation with decisions. Records are in the order
// in which the operations ended (docs/timing_only.md).

/// Writes a recording of a functional run's decisions.
class RecordingWriter : public DecisionRecorder {
public:
    /// Throws std::runtime_error if the file cannot be created, or if another run is writing it.
    RecordingWriter(std::filesystem::path path, const Fingerprint& fingerprint);
    ~RecordingWriter() override;
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    void decided(const std::string& block, std::uint64_t operation,
                 const Decision& decision) override;
    /// Completes the recording. Throws std::runtime_error if it could not be written completely. An
    /// existing file at `path` is replaced only by this call. If it is never called, no file is
    /// left behind.
    void close();

private:
    /// A block's latest operation, kept because more iterations may follow.
    struct Last {
        std::optional<std::uint64_t>
            number; ///< the block's number, in the order in which blocks first appear in the file
        std::uint64_t operation = 0;
        Decision decision;
    };

    void put(std::uint64_t value);
    void put(const std::string& text);
    void put(const Decision::Write& write);
    void put(const std::string& name, Last& last);
    void flush();

    std::filesystem::path path_, unfinished_;
    int descriptor_ = -1;
    gzFile file_ = nullptr;
    std::vector<std::uint8_t> buffer_;
    std::map<std::string, Last> blocks_;
    std::uint64_t named_ = 0;
    std::uint64_t records_ = 0;
    bool failed_ = false;
};

/// Reads a recording from front to back while a run replays it.
class Recording : public DecisionSource {
public:
    /// Throws std::runtime_error if the file is not a recording, is damaged, or has another
    /// version.
    explicit Recording(std::filesystem::path path);

    /// Throws std::runtime_error if a run with this fingerprint could make different decisions. The
    /// message names the first difference.
    void check(const Fingerprint& run) const;

    /// Returns an operation's decisions. Each block must ask for its operations in order. It may
    /// ask several times for the same operation.
    [[nodiscard]] const Decision& decision(const std::string& block,
                                           std::uint64_t operation) override;

    /// Returns the value of a line of the fingerprint; null if there is no such line.
    [[nodiscard]] const std::string* find(const std::string& name) const;
    /// Like find(), but rejects the recording if the line is missing.
    [[nodiscard]] const std::string& value(const std::string& name) const;
    /// Throws std::runtime_error with the file's name and `why`.
    [[noreturn]] void refuse(const std::string& why) const;

    /// The next record, for tools that read the whole recording. next() returns false at the end.
    struct Record {
        std::string block;
        std::uint64_t operation = 0;
        Decision decision;
    };
    [[nodiscard]] bool next(Record& record);

private:
    void open();
    void check_whole();
    void read_fingerprint();
    [[nodiscard]] std::uint8_t take_byte();
    [[nodiscard]] std::uint64_t take();
    [[nodiscard]] std::uint64_t take_at_most(std::uint64_t most);
    void take_bytes(void* into, std::size_t bytes);
    [[nodiscard]] std::string take_text();
    void take_write(Decision::Write& write);

    struct Close {
        void operator()(gzFile file) const { gzclose(file); }
    };
    std::filesystem::path path_;
    std::unique_ptr<gzFile_s, Close> file_;
    std::vector<std::uint8_t> buffer_;
    std::size_t at_ = 0;
    Fingerprint fingerprint_;
    std::vector<std::string> names_;
    std::map<std::string, std::deque<Record>> ahead_;
    std::uint64_t records_ = 0;
    bool ended_ = false;
};

} // namespace levee
