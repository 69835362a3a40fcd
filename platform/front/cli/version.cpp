// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/version.hpp"

#include "core/component/library.hpp"
#include "platform/observe/report/versions.hpp"

#include <nlohmann/json.hpp>
#include <systemc>

namespace levee::cli {

std::string version_text()
{
    const nlohmann::ordered_json formats = versions();
    std::string text = "levee " + version() + "\nformats: descriptors V1 and V2";
    for (const auto& [name, value] : formats.items())
        if (name != "levee")
            text += ", " + name + " " + value.dump();
    return text + "\nbuilt with: SystemC " + sc_core::sc_release() + ", " + compiler_name() + ", " +
           build_type() + "\nplug-ins: headers " + interface_digest();
}

} // namespace levee::cli
