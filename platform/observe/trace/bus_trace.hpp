// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/bus/module.hpp"
#include "platform/observe/trace/text_file.hpp"
#include "platform/observe/trace/trace_window.hpp"

#include <set>
#include <string>
#include <vector>

namespace levee::trace {

/// Bus trace, one line per transaction: time in ns, initiator, window, kind (plain; open: a stream
/// is announced; bulk: its bytes move), command, address, bytes or pattern, response.
class BusTrace : public bus::BusObserver {
public:
    /// `initiators` holds names by index, `only` names of initiators and windows. A transaction is
    /// written if it has one of these, or if `only` is empty, and if it ends in the window, which
    /// must outlive the trace (null: the whole run). Throws std::runtime_error if the file cannot
    /// be created.
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
