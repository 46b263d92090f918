#include "http/client/http_ticket.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

namespace notify {
namespace {

/// A ticket for a request of ten bytes, four of them head, and a socket to send them to.
struct ticket_fixture {
  ticket_fixture() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }

  ~ticket_fixture() {
    ::close(ends[0]);
    ::close(ends[1]);
  }

  ssize_t send(size_t from, size_t count, bool is_last = true) {
    return ticket->send(ends[0], ticket->bytes().data() + from, count, is_last);
  }

  /// What arrived at the other end.
  std::string received() {
    char bytes[64];
    auto count = ::recv(ends[1], bytes, sizeof(bytes), MSG_DONTWAIT);
    return count > 0 ? std::string(bytes, static_cast<size_t>(count)) : std::string{};
  }

  int ends[2];
  std::vector<http_exchange> answers;
  std::unique_ptr<http_ticket> ticket = std::make_unique<http_ticket>(
      "HEADbody..", 4, [this](http_exchange x) { answers.push_back(std::move(x)); });
};

TEST_CASE_METHOD(ticket_fixture, "a ticket counts what the kernel took, and so knows its phase") {
  REQUIRE(ticket->enter(send_phase::send_headers));
  ticket->use_connection(true, false);
  CHECK_FALSE(ticket->is_on_wire());
  CHECK(send(0, 3) == 3);
  CHECK(ticket->is_on_wire());
  CHECK(send(3, 3) == 3);
  CHECK_FALSE(ticket->is_request_complete());
  CHECK(send(6, 4) == 4);
  CHECK(ticket->is_request_complete());
  ticket->finish(http_event::closed, "gone");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].event == http_event::closed);
  CHECK(answers[0].phase == send_phase::wait_reply);
  CHECK(answers[0].bytes_sent == 10);
  CHECK(answers[0].connection_reused);
}

TEST_CASE_METHOD(ticket_fixture, "once it answered that the request is not complete, it is shut") {
  REQUIRE(ticket->enter(send_phase::send_headers));
  CHECK(send(0, 6) == 6);
  ticket->finish(http_event::stopped, "stopping");
  CHECK(send(6, 4) == -1);
  CHECK(errno == ECANCELED);
  CHECK_FALSE(ticket->enter(send_phase::wait_reply));
  CHECK(received() == "HEADbo");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].event == http_event::stopped);
  CHECK(answers[0].phase == send_phase::send_body);
  CHECK(answers[0].bytes_sent == 6);
  CHECK_FALSE(answers[0].request_complete);
}

TEST_CASE_METHOD(ticket_fixture, "the bytes of a handshake are not the request's") {
  REQUIRE(ticket->enter(send_phase::tls));
  ticket->use_connection(false, true);
  CHECK(send(0, 10) == 10);
  CHECK_FALSE(ticket->is_on_wire());
  ticket->finish(http_event::tls_failed, "");
  CHECK(answers.at(0).bytes_sent == 0);
}

TEST_CASE_METHOD(ticket_fixture, "under TLS a piece counts once all of it was taken") {
  ticket->use_connection(false, true);
  REQUIRE(ticket->enter(send_phase::send_headers));
  ticket->expect_piece(10);
  CHECK(send(0, 5, false) == 5);
  CHECK(ticket->is_on_wire());
  CHECK_FALSE(ticket->is_request_complete());
  CHECK(send(5, 5) == 5);
  CHECK(ticket->is_request_complete());
}

TEST_CASE_METHOD(ticket_fixture, "the first answer wins, and a dropped ticket answers too") {
  SECTION("twice") {
    ticket->finish(http_event::timed_out, "");
    ticket->finish(http_event::answered, "");
    ticket.reset();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].event == http_event::timed_out);
  }
  SECTION("never") {
    ticket.reset();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].event == http_event::failed);
  }
}

TEST_CASE_METHOD(ticket_fixture, "a status that is known makes an answer of most endings") {
  auto event =
      GENERATE(http_event::closed, http_event::failed, http_event::timed_out, http_event::stopped);
  ticket->set_status(202);
  CHECK(ticket->add_body("abc", 4));
  CHECK_FALSE(ticket->add_body("def", 4));
  ticket->finish(event, "over");
  CHECK(answers.at(0).event == http_event::answered);
  CHECK(answers.at(0).status == 202);
  CHECK(answers.at(0).body == "abcd");
  CHECK_FALSE(answers.at(0).body_complete);
}

TEST_CASE_METHOD(ticket_fixture, "a detail is short and sound") {
  ticket->finish(http_event::failed, std::string(1000, 'x') + "\xff");
  CHECK(answers.at(0).detail.size() == 200);
}

} // namespace
} // namespace notify
