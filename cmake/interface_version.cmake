# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=... -DHEADERS=a;b -DVERSION=... -DOUTPUT=... -P interface_version.cmake: writes a header with the
# version and a digest of the headers' names and contents.
set(digests)
foreach(header ${HEADERS})
  file(SHA256 ${ROOT}/${header} digest)
  string(APPEND digests "${header} ${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING ${digest} 0 16 digest)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
// Made by CMake (cmake/interface_version.cmake).
#pragma once

#define LEVEE_INTERFACE_VERSION "@VERSION@"
#define LEVEE_INTERFACE_DIGEST "@digest@"
]])
file(TOUCH ${OUTPUT})
