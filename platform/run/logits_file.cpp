// SPDX-License-Identifier: Apache-2.0
#include "platform/run/logits_file.hpp"

#include "core/config/output_file.hpp"

#include <ios>
#include <stdexcept>

namespace levee {

LogitsFile::LogitsFile(const RunContext& run)
    : path_(run.folder.path() / run.inputs.scenario.observe.logits->name),
      stream_(config::output_stream(path_))
{
}

void LogitsFile::logits(std::span<const float> values)
{
    stream_.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size_bytes()));
}

void LogitsFile::finish()
{
    stream_.close();
    if (!stream_)
        throw std::runtime_error(path_.string() + ": not all logits could be written");
}

} // namespace levee
