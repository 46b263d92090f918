#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

// The program itself, from outside: exit codes and what goes to which stream.

namespace notify {
namespace {

using test::process;
using test::temp_folder;

struct outcome {
  int code = 0;
  std::string output;
  std::string error_text;
};

outcome notifyd(std::vector<std::string> words, const std::vector<std::string>& variables = {},
                const std::string& folder = {}) {
  const std::string name = NOTIFYD_PROGRAM;
  words.insert(words.begin(), name);
  process x{words, variables, folder};
  auto code = x.wait();
  return {code, x.output(), x.error_text()};
}

const std::string example =
    std::string{"--config="} + NOTIFY_SOURCE_FOLDER + "/tools/config/notifyd.ini";

TEST_CASE("notifyd --help, --version and options end with 0") {
  auto help = notifyd({"--help"});
  CHECK(help.code == 0);
  CHECK(help.output.starts_with("notifyd: "));
  CHECK(help.error_text.empty());
  CHECK(notifyd({"--version"}).output == std::string{"notifyd "} + NOTIFYD_VERSION + "\n");
  CHECK(notifyd({"options", "--markdown"}).output.starts_with("# Configuration\n"));
  CHECK(notifyd({"outcomes", "--markdown"}).output.starts_with("# Outcomes\n"));
  CHECK(notifyd({"options"}).output.find("delivery.lease=150s  ; duration, 1s to 24h\n")
        != std::string::npos);
}

TEST_CASE("notifyd token makes a token and the line that lets it in") {
  auto result = notifyd({"token", "olga", "operator"});
  CHECK(result.code == 0);
  CHECK(result.output.starts_with("olga operator "));
  CHECK(result.output.size() == std::string{"olga operator \n"}.size() + 64);
  CHECK(result.error_text.starts_with("token, shown only once: notifyd_"));
  CHECK(result.output != notifyd({"token", "olga", "operator"}).output);
  // What it printed is a file of tokens, but for its permissions.
  temp_folder folder;
  auto file = folder.write("tokens", result.output);
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  CHECK(notifyd({"check", example, "--http.tokens-file=" + file}).code == 0);
  CHECK(notifyd({"token", "olga", "admin"}).code == 2);
  CHECK(notifyd({"token", "ol ga", "viewer"}).code == 2);
}

TEST_CASE("notifyd refuses to serve the API to everybody, and files that it cannot use") {
  auto refusal = [](const std::string& setting) {
    auto result = notifyd({"run", example, setting});
    CHECK(result.code == 2);
    return result.error_text;
  };
  CHECK(notifyd({"check", example, "--http.auth=none"}).code == 0);
  auto open = notifyd({"run", example, "--http.auth=none", "--http.address=0.0.0.0"});
  CHECK(open.code == 2);
  CHECK(open.error_text
        == "http.auth=none is for loopback addresses only, not for http.address 0.0.0.0\n");
  CHECK(
      refusal("--http.tokens-file=/nowhere/tokens").starts_with("http.tokens-file: cannot read "));
  CHECK(refusal("--http.tls-key=/nowhere/key").find("go together") != std::string::npos);
}

TEST_CASE("notifyd check accepts the example and prints what is in effect") {
  auto result = notifyd({"check", example, "--http.port=0"});
  CHECK(result.code == 0);
  CHECK(result.error_text.empty());
  CHECK(result.output.find("\n[http]\naddress=\"127.0.0.1\"\nport=0\n") != std::string::npos);
}

TEST_CASE("notifyd ends with 2 and the reason on standard error if it is used wrongly") {
  auto typo = notifyd({"chekc"});
  CHECK(typo.code == 2);
  CHECK(typo.output.empty());
  CHECK(typo.error_text == "command line: unknown command chekc, did you mean check?\n");
  auto value = notifyd({"check", "--delivery.lease=5s"});
  CHECK(value.code == 2);
  CHECK(value.error_text.find("delivery.lease (5s) must exceed") != std::string::npos);
  auto masked = notifyd({"migrate", example}, {"NOTIFYD_POSTGRES_PASSWORD=***"});
  CHECK(masked.code == 2);
  CHECK(masked.error_text == "the database password is the mask ***, not a password\n");
}

TEST_CASE("notifyd check ends with 2 if the routes are missing, but still prints the settings") {
  temp_folder folder;
  auto result = notifyd({"check"}, {}, folder.path().string());
  CHECK(result.code == 2);
  CHECK(result.output.starts_with("; The settings in effect, secrets masked.\n"));
  CHECK(result.error_text.find("routes.json") != std::string::npos);
}

TEST_CASE("notifyd reads no file of the working directory unasked") {
  temp_folder folder;
  folder.write("caf-application.ini", "[http]\nport=1\n");
  folder.write("notifyd.ini", "[http]\nport=1\n");
  CHECK(notifyd({"check"}, {}, folder.path().string()).output.find("\nport=8080\n")
        != std::string::npos);
  CHECK(notifyd({"check"}, {"NOTIFYD_CONFIG=notifyd.ini"}, folder.path().string())
            .output.find("\nport=1\n")
        != std::string::npos);
}

TEST_CASE("notifyd ends with 1 if the database is not there") {
  // Port 1 of the loopback address: refused at once.
  auto url = "--postgres.url=postgresql://u@127.0.0.1:1/none";
  auto migrate = notifyd({"migrate", example, url});
  CHECK(migrate.code == 1);
  CHECK(migrate.error_text.find("the schema was not migrated: storage_unavailable")
        != std::string::npos);
  auto run = notifyd({"run", example, url});
  CHECK(run.code == 1);
  CHECK(run.error_text.find("the service did not start") != std::string::npos);
}

} // namespace
} // namespace notify
