#pragma once

#include "messages/events.hpp"
#include "persistence/dead_letter_store.hpp"

#include <string>

namespace notify::test {

/// A dead letter with odd bytes everywhere: key, value and headers are no text, header names
/// repeat.
stored_letter sample_letter(int64_t id);

/// The same as the ingest store takes it.
dead_letter to_dead_letter(const stored_letter& letter);

/// A dead letter whose value is this text.
stored_letter text_letter(int64_t id, const std::string& value);

/// The value of the last header of this name; fails the test if there is none.
std::string header_of(const std::vector<record_header>& headers, const std::string& name);

/// How many headers have this name.
size_t header_count(const std::vector<record_header>& headers, const std::string& name);

} // namespace notify::test
