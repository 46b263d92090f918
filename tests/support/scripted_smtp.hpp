#pragma once

#include "tests/support/scripted_server.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace notify::test {

/// One mail as a relay saw it: the data exactly as it came over the wire, dots still doubled,
/// without the final dot.
struct received_mail {
  std::string from; ///< The MAIL command.
  std::string to;   ///< The last RCPT command.
  std::string data;
};

/// Removes the dots that RFC 5321, section 4.5.2, adds.
std::string undo_dot_stuffing(std::string_view data);

class scripted_smtp;

/// What a script works on: one connection in SMTP's terms.
class smtp_peer {
public:
  smtp_peer(scripted_smtp& server, scripted_peer& wire) : server_(server), wire_(wire) {}

  bool say(std::string_view bytes) { return wire_.say(bytes); }

  /// One command line without its end.
  bool read_line(std::string& line);

  /// Reads mail data up to the final dot.
  bool read_data(std::string& data);

  scripted_smtp& server() { return server_; }
  scripted_peer& wire() { return wire_; }
  received_mail& current() { return current_; }

private:
  scripted_smtp& server_;
  scripted_peer& wire_;
  received_mail current_;
};

/// One step of a script; false ends the connection.
using smtp_step = std::function<bool(smtp_peer&)>;
using smtp_script = std::vector<smtp_step>;

/// Steps. Lines are given without their end; replies may have several lines.
namespace smtp {

/// Whether a line is that command, in any case.
bool begins_with(std::string_view line, std::string_view prefix);

/// Says `reply`, then CRLF.
smtp_step say(std::string reply);

/// Says exactly these bytes.
smtp_step say_raw(std::string bytes);

/// Expects a command that begins with `prefix`, in any case; another one is a failure of the test.
smtp_step expect(std::string prefix);

/// Expects a command and answers it.
smtp_step on(std::string prefix, std::string reply);

/// Reads mail data up to the final dot and keeps the mail.
smtp_step take_mail();

smtp_step start_tls();
smtp_step close();
smtp_step reset();
smtp_step freeze();

/// Waits for the test to set the promise; ends the connection if the test ends before.
smtp_step wait_for(std::shared_future<void> signal);

/// Tells the test that the script came this far, on the first connection that does.
smtp_step tell(std::shared_ptr<std::promise<void>> reached);

/// Slows the relay down.
smtp_step delay(std::chrono::milliseconds time);

/// Behaves as a relay that accepts everything, until QUIT or the end of the connection. A mail in
/// progress may go on.
smtp_step serve();

/// Several steps as one.
smtp_step all(smtp_script steps);

/// Greeting and EHLO with these extension lines.
smtp_step hello(std::vector<std::string> extensions = {});

/// The dialogue as usual, up to and with the answer to this command; `to_dot`: the whole mail is
/// there and not answered.
smtp_step to_mail();
smtp_step to_rcpt();
smtp_step to_data();
smtp_step to_dot();

/// MAIL, RCPT, DATA, the mail, and this reply to it.
smtp_step one_mail(std::string reply = "250 2.0.0 Ok: queued as 4F1B2C");

} // namespace smtp

/// A relay on the loopback interface that follows a script per connection, in the order of their
/// arrival; the last script serves all later ones too. For refusals, silence, lost connections
/// and late answers at any point of the dialogue.
class scripted_smtp {
public:
  explicit scripted_smtp(std::vector<smtp_script> scripts);
  explicit scripted_smtp(smtp_script script)
      : scripted_smtp(std::vector<smtp_script>{std::move(script)}) {}

  uint16_t port() const { return wires_.port(); }

  /// Before the first connection: what `start_tls` steps present.
  void use_identity(const test_identity& identity) { wires_.use_identity(identity); }

  std::vector<received_mail> mails() const;

  /// Command lines of all connections, in order of arrival.
  std::vector<std::string> commands() const;
  size_t count(std::string_view command_prefix) const;

  size_t connections() const { return wires_.connections(); }
  size_t open_connections() const { return wires_.open_connections(); }

  /// True while the relay goes away: whoever waits should not.
  bool is_stopped() const { return wires_.is_stopped(); }

  /// What did not go as scripted; a test ends with this empty.
  std::vector<std::string> failures() const;

  void keep(received_mail mail);
  void note(const std::string& command);
  void fail(std::string what);

private:
  void serve(size_t number, scripted_peer& wire);

  std::vector<smtp_script> scripts_;
  mutable std::mutex mutex_;
  std::vector<received_mail> mails_;
  std::vector<std::string> commands_;
  std::vector<std::string> failures_;
  scripted_server wires_; ///< The last one: its threads use all others.
};

} // namespace notify::test
