// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/bus/module.hpp"
#include "platform/observe/trace/text_file.hpp"

#include <set>
#include <string>
#include <vector>

namespace levee::trace {

/// A line for each transaction on the bus: time in ns, initiator, window, kind (plain; open: a
/// stream is announced; bulk: its bytes move), command, address, bytes or pattern, response.
class BusTrace : public bus::BusObserver {
public:
    /// `initiators`: names by index. `only`: names of initiators and windows; a transaction is
    /// written if it has one of them, or `only` is empty. Throws std::runtime_error if the file
    /// cannot be made.
    BusTrace(std::vector<std::string> initiators, std::set<std::string> only,
             const std::filesystem::path& path);

    void passed(const bus::Transaction& transaction) override;
    /// The run ended. Throws std::runtime_error if not all could be written.
    void finish() { file_.close(); }

private:
    std::vector<std::string> initiators_;
    std::set<std::string> only_;
    TextFile file_;
};

} // namespace levee::trace
