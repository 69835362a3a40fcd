// SPDX-License-Identifier: Apache-2.0
// What most host sources include of the standard library. A header belongs here when it is slow to
// parse or included nearly everywhere, and when its inline functions instantiate no templates in
// every source that sees it (nlohmann/json.hpp does, for 0.7 s a source).
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
