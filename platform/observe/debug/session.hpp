// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/target.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace levee::debug {

/// The action that a packet requests.
struct Action {
    enum class Kind {
        None,
        Continue,
        Step,
        StepRange,
        StepBack,
        ContinueBack,
        Detach,
        Kill,
        KillToRun, ///< kill, but keep the process for Run (`target extended-remote`)
        Run,
        Monitor
    };
    Kind kind = Kind::None;
    std::uint32_t range_begin = 0; ///< for StepRange: step until the pc is outside [begin, end)
    std::uint64_t range_end = 0;   ///< at most 2^32
    std::string command; ///< for Monitor: the text after `monitor`; for Run: a file name, or empty
};

struct Answer {
    std::optional<std::string> reply; ///< nothing: no reply now; a reply follows if the run stops
    Action action;
    bool no_acks = false; ///< later packets are not acknowledged
};

// Error codes in replies.
constexpr const char* error_malformed = "E01";
constexpr const char* error_no_register = "E02";
constexpr const char* error_memory = "E0e";
constexpr const char* error_invalid = "E16";

/// Handles the packets of the remote serial protocol (GDB manual, appendix E) for one halted core.
/// A malformed packet has no effect and gets an error reply. An unknown packet gets an empty reply.
class Session {
public:
    explicit Session(Target& target) : target_(target) {}

    /// Handles one packet. `stop` is the latest stop reply, which `?` requests.
    [[nodiscard]] Answer handle(std::string_view packet, const std::string& stop);

private:
    std::optional<std::string> access(std::string_view packet);
    Answer query(std::string_view packet);
    static Answer leave(std::string_view packet);
    static Answer run(std::string_view arguments);
    Answer verbose(std::string_view packet);
    Answer resume(std::string_view packet);
    Answer resume_back(std::string_view how);
    Answer resume_actions(std::string_view actions);
    Answer set_query(std::string_view packet);
    [[nodiscard]] std::string memory_map() const;
    Answer transfer(std::string_view arguments);
    std::string read_registers();
    std::string write_registers(std::string_view digits);
    std::string read_register(std::string_view arguments);
    std::string write_register(std::string_view arguments);
    std::string read_memory(std::string_view arguments);
    std::string write_memory(std::string_view arguments, bool binary);
    std::string change_point(std::string_view packet);

    Target& target_;
    bool extended_ = false; ///< whether the debugger has used `target extended-remote`
};

} // namespace levee::debug
