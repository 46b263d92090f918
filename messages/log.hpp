#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

// One line per state change, to standard error, as text for people or JSON for machines.
// Thread-safe. Fields carry ids (event_id, correlation_id, job_id), never payloads or secrets.

namespace notify::log {

enum class level : uint8_t { debug, info, warning, error };

enum class format : uint8_t { text, json };

/// A named value next to the message.
struct field {
  std::string_view name; ///< A literal: `repeated` keeps it.
  std::variant<std::string, int64_t, double, bool> value;

  field(std::string_view n, std::string v) : name(n), value(std::move(v)) {}
  field(std::string_view n, std::string_view v) : name(n), value(std::string{v}) {}
  field(std::string_view n, const char* v) : name(n), value(std::string{v}) {}
  field(std::string_view n, bool v) : name(n), value(v) {}
  field(std::string_view n, double v) : name(n), value(v) {}
  template <class Int>
  requires std::is_integral_v<Int> field(std::string_view n, Int v)
      : name(n), value(static_cast<int64_t>(v)) {}
};

using fields = std::initializer_list<field>;

/// Sets what is written and how. Without a call: text, info and above.
void configure(level lowest, format how);

/// True if a line of this level is written; lets callers skip costly fields.
bool enabled(level x);

/// Writes one line. `component` is the actor's name or the module's.
void write(level x, std::string_view component, std::string_view message, fields more = {});

/// As `write`, for what may happen again and again while one cause lasts: of equal component and
/// message, one line goes out at once, the further ones of the next `repeat_interval` are counted
/// and then told together as one, with the fields of the last and `more`.
void repeated(level x, std::string_view component, std::string_view message, fields more = {});

/// How long `repeated` only counts. Set once, before there are threads; one minute without a call.
void set_repeat_interval(std::chrono::milliseconds interval);

/// For tests: where the lines go (null: standard error again) and what time `repeated` goes by
/// (null: the steady clock).
void redirect(std::function<void(std::string_view line)> sink,
              std::function<std::chrono::steady_clock::time_point()> now = nullptr);

inline void debug(std::string_view component, std::string_view message, fields more = {}) {
  write(level::debug, component, message, more);
}

inline void info(std::string_view component, std::string_view message, fields more = {}) {
  write(level::info, component, message, more);
}

inline void warning(std::string_view component, std::string_view message, fields more = {}) {
  write(level::warning, component, message, more);
}

inline void error(std::string_view component, std::string_view message, fields more = {}) {
  write(level::error, component, message, more);
}

} // namespace notify::log
