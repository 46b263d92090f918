#pragma once

#include <caf/error.hpp>

#include <exception>
#include <stdexcept>
#include <string>

namespace notify {

/// A value that must not reach the database, e.g. text with a NUL. Becomes `storage_data`.
struct refused_value : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// No connection could be made. Becomes `storage_unavailable`.
struct connect_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Turns an exception of the database layer into what the caller should do, by SQLSTATE class.
/// The context holds the SQLSTATE and the server's primary message; never a value of ours: no
/// payload, no URL, no password, and no message at all for the classes that quote values.
caf::error classify(const std::exception& x);

} // namespace notify
