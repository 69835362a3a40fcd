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

/// Fingerprint of a run, which must match between a recording and its replay: names and values, in
/// the order of comparison.
struct FingerprintLine {
    std::string name, value;
    std::string otherwise = absent_line; ///< Value assumed for a recording without the line.
};
using Fingerprint = std::vector<FingerprintLine>;

// A recording is a file: magic, version, then, gzip-compressed, the fingerprint and one record for
// each deciding operation, in the order in which the operations ended (docs/timing_only.md).

/// Writer of a recording, fed with the decisions of a functional run.
class RecordingWriter : public DecisionRecorder {
public:
    /// Throws std::runtime_error if the file cannot be created, or another run records into it.
    RecordingWriter(std::filesystem::path path, const Fingerprint& fingerprint);
    ~RecordingWriter() override;
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    void decided(const std::string& block, std::uint64_t operation,
                 const Decision& decision) override;
    /// Completes the recording. Throws std::runtime_error if it could not be written completely. A
    /// file already at `path` is replaced only by this call; without it, no file is left behind.
    void close();

private:
    /// One block's last operation, which may still receive further iterations.
    struct Last {
        std::optional<std::uint64_t>
            number; ///< number of the block, in order of first appearance in the file
        std::uint64_t operation = 0;
        Decision decision;
    };

    void put(std::uint64_t value);
    void put(const std::string& text);
    void put(const Decision::Write& write);
    void put(const std::string& name, Last& last);
    void flush();

    std::filesystem::path path_, unfinished_;
    int descriptor_ = -1; ///< Descriptor of file_.
    gzFile file_ = nullptr;
    std::vector<std::uint8_t> buffer_;
    std::map<std::string, Last> blocks_;
    std::uint64_t named_ = 0; ///< blocks named so far
    std::uint64_t records_ = 0;
    bool failed_ = false;
};

/// Reader of a recording, sequential and in step with the run that replays it.
class Recording : public DecisionSource {
public:
    /// Throws std::runtime_error for a file that is not a recording, is damaged, or has another
    /// version.
    explicit Recording(std::filesystem::path path);

    /// Throws std::runtime_error, naming the first difference, if decisions of a run with this
    /// fingerprint could differ from the recorded ones.
    void check(const Fingerprint& run) const;

    /// A block's operations must be requested in order, each any number of times.
    [[nodiscard]] const Decision& decision(const std::string& block,
                                           std::uint64_t operation) override;

    /// Value of a fingerprint entry, or null.
    [[nodiscard]] const std::string* find(const std::string& name) const;
    /// The same; rejects the recording if it has no such entry.
    [[nodiscard]] const std::string& value(const std::string& name) const;
    /// Throws a std::runtime_error that names the file.
    [[noreturn]] void refuse(const std::string& why) const;

    /// Next record of the file, for tools that process a whole recording; false at the end.
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
    std::size_t at_ = 0; ///< position in the buffer
    Fingerprint fingerprint_;
    std::vector<std::string> names_; ///< names of blocks, by their number
    std::map<std::string, std::deque<Record>>
        ahead_; ///< records read but not yet consumed, by block
    std::uint64_t records_ = 0;
    bool ended_ = false;
};

} // namespace levee
