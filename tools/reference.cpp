#include "tools/reference.hpp"

#include "tools/arguments.hpp"
#include "tools/exit_codes.hpp"
#include "tools/markdown.hpp"
#include "tools/option_table.hpp"

#include <sstream>
#include <string_view>

namespace notify {

namespace {

constexpr std::string_view channel_prefix = "channel-";
constexpr size_t help_width = 96;

bool is_channel(const option& x) {
  return x.section().starts_with(channel_prefix);
}

/// The first channel stands for all of them: their options are the same.
bool is_repeated(const option& x) {
  return is_channel(x) && x.section() != std::string{channel_prefix} + channel_names().front();
}

std::string shown_section(const option& x) {
  return is_channel(x) ? std::string{channel_prefix} + "NAME" : x.section();
}

std::string channel_note() {
  std::string names;
  for (const auto& x : channel_names())
    names += (names.empty() ? "" : ", ") + x;
  return "NAME is one of " + names
         + ". All have the same options; only email has a provider by default.";
}

/// Breaks `text` between words; every line but the first begins with `indent` blanks.
std::string wrapped(const std::string& text, size_t indent) {
  std::istringstream words{text};
  std::string result;
  std::string word;
  auto column = indent;
  while (words >> word) {
    if (!result.empty() && column + 1 + word.size() > help_width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

/// "bytes, 1024 to 65536".
std::string type_and_range(const option& x) {
  auto result = x.unit().empty() ? x.type() : x.unit();
  auto range = x.range();
  if (!range.empty())
    result += ", " + range;
  return result;
}

void write_option_help(std::ostream& out, const option& x) {
  out << "  --" << shown_section(x) << '.' << x.name() << "=<" << type_and_range(x) << ">\n      "
      << wrapped(x.description() + " Default: " + x.shown_default(), 6) << '\n';
}

void write_section_table(std::ostream& out, const option& x) {
  out << "\n## [" << shown_section(x) << "]\n\n";
  if (is_channel(x))
    out << channel_note() << "\n\n";
  out << "| option | type, allowed | default | meaning |\n| --- | --- | --- | --- |\n";
}

constexpr std::string_view markdown_intro = R"(# Configuration

Made by `notifyd options --markdown`; do not edit by hand.

Settings come from, in rising order: the defaults below, the file named by `--config=FILE` (or by the
environment variable `NOTIFYD_CONFIG`), and the command line as `--section.option=value`. No other
file is read. `notifyd check` prints what is in effect, with secrets masked, as a file that can be
read back. Unknown names, wrong types, values out of range and options given twice are refused, all
of them at once, with their place and the nearest right name.

## The file

    ; comments start with a semicolon
    [delivery]
    lease=3min
    [channel-email]
    provider="smtp"
    retry-delays=[0s, 5s, 30s, 2min]

Texts stand in double quotes (with `\n`, `\r`, `\t`, `\\`, `\"`), durations have a unit (`ns`, `us`,
`ms`, `s`, `min`, `h`), lists stand in brackets. A relative path in the file is relative to the
file's folder; one on the command line to the working directory. On the command line texts need no
quotes and lists no brackets: `--kafka.brokers=a:9092,b:9092`.

## Secrets

| secret | first | then | then |
| --- | --- | --- | --- |
| database password | `NOTIFYD_POSTGRES_PASSWORD` | `postgres.password-file`, or a password in `postgres.url` in the file | `PGPASSWORD` |
| mail relay password | `NOTIFYD_CHANNEL_NAME_SMTP_PASSWORD`, e.g. `NOTIFYD_CHANNEL_EMAIL_SMTP_PASSWORD` | `channel-NAME.smtp-password-file` | |
| Resend's API key | `NOTIFYD_CHANNEL_NAME_RESEND_KEY` | `channel-NAME.resend-key-file` | |
| Telegram bot's token | `NOTIFYD_CHANNEL_NAME_TELEGRAM_TOKEN` | `channel-NAME.telegram-token-file` | |
| webhook secrets | `NOTIFYD_CHANNEL_NAME_WEBHOOK_SECRETS`, with blanks between | `channel-NAME.webhook-secrets-file`, one in each line | |
| Kafka SASL password | `NOTIFYD_KAFKA_SASL_PASSWORD` | `kafka.sasl-password-file` | `sasl.password` in `kafka.properties` in the file |

A password on the command line is refused: other users of the machine can see it there.
)";

} // namespace

std::string help_text(const option_list& options) {
  std::ostringstream out;
  out << "notifyd: reads business events from Kafka and delivers the notifications they call for.\n"
      << "\nUsage: notifyd [COMMAND] [--config=FILE] [--SECTION.OPTION=VALUE ...]\n\nCommands:\n";
  for (const auto& x : commands())
    out << "  " << x.name << std::string(10 - x.name.size(), ' ') << x.description << '\n';
  out << "\nOptions:\n"
      << "  --config=FILE   reads settings from FILE; default: the variable NOTIFYD_CONFIG, or "
         "none\n"
      << "  --version       prints the version, and ends\n"
      << "  --help, -h      prints this, and ends\n";
  std::string section;
  for (const auto& x : options) {
    if (is_repeated(x))
      continue;
    if (x.section() != section) {
      out << "\nSettings [" << shown_section(x) << "]:\n";
      if (is_channel(x))
        out << "  " << channel_note() << '\n';
      section = x.section();
    }
    write_option_help(out, x);
  }
  out << "\nExamples:\n"
      << "  notifyd check --config=/etc/notifyd/notifyd.ini\n"
      << "  notifyd migrate --config=/etc/notifyd/notifyd.ini\n"
      << "  notifyd --config=/etc/notifyd/notifyd.ini --logging.format=json\n"
      << "  notifyd --config=notifyd.ini --service.run-ingest=false --channel-email.slots=64\n"
      << "\nExit codes:\n";
  for (const auto& x : exit_codes()) {
    auto number = std::to_string(static_cast<int>(x.code));
    out << "  " << number << std::string(5 - number.size(), ' ') << wrapped(x.meaning, 7) << '\n';
  }
  return out.str();
}

std::string options_text(const option_list& options) {
  std::ostringstream out;
  for (const auto& x : options)
    out << x.full_name() << '=' << x.shown_default() << "  ; " << type_and_range(x) << '\n';
  return out.str();
}

std::string options_markdown(const option_list& options) {
  std::ostringstream out;
  out << markdown_intro;
  std::string section;
  for (const auto& x : options) {
    if (is_repeated(x))
      continue;
    if (x.section() != section)
      write_section_table(out, x);
    section = x.section();
    out << "| " << markdown::code(x.name()) << " | " << markdown::cell(type_and_range(x)) << " | "
        << (x.shown_default() == x.show() ? markdown::code(markdown::cell(x.show()))
                                          : x.shown_default())
        << " | " << markdown::cell(x.description()) << (x.may_carry_secret() ? " Masked." : "")
        << " |\n";
  }
  return out.str();
}

} // namespace notify
