// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/bus/module.hpp"
#include "platform/observe/trace/text_file.hpp"
#include "platform/observe/trace/trace_window.hpp"

#include <set>
#include <string>
#include <vector>

namespace levee::trace {

/// Bus trace with one line per transaction: time in ns, initiator, target window, kind, command,
/// address, bytes or pattern, and response. The kind is "plain", "open" (the transaction announces
/// a stream), "bulk" (it moves the bytes of a stream) or "drop" (it discards data).
class BusTrace : public bus::BusObserver {
public:
    /// `initiators` has names by index. `only` has names of initiators and windows; unless it is
    /// empty, only their transactions are written. `window` limits the trace to transactions that
    /// end in it, and must outlive the trace (null: the whole run). Throws std::runtime_error if
    /// the file cannot be created.
    BusTrace(std::vector<std::string> initiators, std::set<std::string> only,
             const std::filesystem::path& path, const Window* window = nullptr);

    void passed(const bus::Transaction& transaction) override;
    /// Ends the trace. Throws std::runtime_error if the file could not be written completely.
    void finish() { file_.close(); }

private:
    std::vector<std::string> initiators_;
    std::set<std::string> only_;
    const Window* window_;
    TextFile file_;
};

} // namespace levee::trace
