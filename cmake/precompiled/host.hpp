// SPDX-License-Identifier: Apache-2.0
// Standard headers that most host sources include. A header belongs here if it is slow to parse or
// included nearly everywhere. Its inline functions must not instantiate templates in every source
// that includes it (those of nlohmann/json.hpp do, which takes 0.7 s per source).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
