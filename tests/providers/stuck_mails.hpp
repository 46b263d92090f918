#pragma once

#include "tests/providers/smtp_fixture.hpp"

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace notify::test {

/// A mail whose relay fell silent at one phase of the dialogue.
struct stuck_mail {
  std::string where;
  send_phase phase;
  std::unique_ptr<scripted_smtp> relay;
  std::unique_ptr<raw_smtp_client> client;
  std::future<void> is_reached; ///< The relay said its last word for now.
  std::future<outcome> answer;

  bool is_complete() const { return phase == send_phase::final_dot; }
};

/// One mail stuck at each phase, each with a relay and a client of its own. The steps' own limits
/// are far away.
class stuck_mails {
public:
  explicit stuck_mails(caf::timespan deadline = std::chrono::minutes{2});

  /// All relays were reached when this returns.
  std::vector<stuck_mail>& all() { return mails_; }

  /// After the answers: lets the relays go on as if nothing had happened, and checks that nothing
  /// more of any mail comes, on that connection or another.
  void check_that_nothing_follows();

private:
  std::promise<void> released_;
  std::vector<stuck_mail> mails_;
};

} // namespace notify::test
