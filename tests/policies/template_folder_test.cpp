#include "messages/error.hpp"
#include "tests/policies/jobs.hpp"
#include "tests/policies/template_files.hpp"

#include <catch2/catch.hpp>

#include <utility>

namespace notify {
namespace {

using test::template_files;

std::string problem(const template_files& files) {
  auto set = files.load();
  if (set)
    return {};
  CHECK(set.error() == ec::invalid_template);
  return set.error().context().get_as<std::string>(0);
}

std::string problem_of_text(const std::string& text, const std::string& part = "text") {
  template_files files;
  return problem(files.add("k/en/text.mustache", "").add("k/en/" + part + ".mustache", text));
}

TEST_CASE("the shipped templates are complete in both languages") {
  auto set = template_set::load(NOTIFY_SOURCE_DIR "/tools/config/templates");
  INFO((set ? std::string{} : render(set.error())));
  REQUIRE(set);
  const auto* payload = R"({"order_id":"77","total_amount":998000,"currency":"RUB"})";
  for (auto key :
       {"order-created.v1", "order-paid.v1", "order-cancelled.v1", "order-completed.v1"}) {
    for (auto locale : {"en", "ru"}) {
      auto result = (*set)->render(test::job_for(key, locale, payload));
      REQUIRE(result);
      CHECK_FALSE(result->subject.empty());
      CHECK_FALSE(result->text.empty());
      CHECK(result->html.find("lang=\"" + std::string{locale} + "\"") != std::string::npos);
    }
  }
  auto telegram = (*set)->render(test::job_for("order-paid-telegram.v1", "ru", payload));
  REQUIRE(telegram);
  CHECK(telegram->subject.empty());
  CHECK(telegram->html.empty());
}

TEST_CASE("a folder that is not one is named") {
  auto set = template_set::load("/nowhere/templates");
  REQUIRE_FALSE(set);
  CHECK(set.error().context().get_as<std::string>(0)
        == "/nowhere/templates: No such file or directory");
  template_files files;
  CHECK(problem(files) == files.folder() + ": has no templates");
}

TEST_CASE("a template needs a locale and a text") {
  template_files without_locale;
  without_locale.add("k/readme.txt", "");
  CHECK(problem(without_locale) == "k: has no locale");
  template_files without_text;
  without_text.add("k/en/subject.mustache", "x");
  CHECK(problem(without_text) == "k/en: has no text.mustache");
}

TEST_CASE("a misspelt part is named with the right one") {
  CHECK(problem_of_text("", "subjekt") == "k/en/subjekt.mustache: did you mean subject.mustache?");
  CHECK(problem_of_text("", "footer") == "k/en/footer.mustache: must be subject, text or html");
}

TEST_CASE("odd names of keys and locales are refused") {
  template_files key;
  CHECK(problem(key.add("K v1/en/text.mustache", ""))
        == "K v1: a template's key is made of a-z, 0-9, dot, hyphen, underscore");
  template_files locale;
  CHECK(problem(locale.add("k/en us/text.mustache", ""))
        == "k/en us: is not a language tag, such as `en` or `pt-BR`");
  template_files twice;
  CHECK(problem(twice.add("k/pt-BR/text.mustache", "").add("k/pt-br/text.mustache", ""))
        == "k/pt-br: is there twice");
}

TEST_CASE("hidden and other files are left alone") {
  template_files files;
  files.add(".git/x/y", "")
      .add("README.md", "")
      .add("k/.keep", "")
      .add("k/en/text.mustache", "ok")
      .add("k/en/.text.mustache.swp", "")
      .add("k/en/text.mustache~", "{{");
  CHECK(problem(files).empty());
}

TEST_CASE("a mistake in a template is named with its line") {
  const std::pair<const char*, const char*> mistakes[] = {
      {"a\nb {{x", "line 2: a tag is not closed"},
      {"{{}}", "line 1: `` is not a variable's name"},
      {"{{a b}}", "line 1: `a b` is not a variable's name"},
      {"{{a..b}}", "line 1: `a..b` is not a variable's name"},
      {"{{?a}}", "line 1: `?a` is not a variable's name"},
      {"\n\n{{#a}}\n", "line 3: section `a` is not closed"},
      {"{{#a}}\n{{/b}}", "line 2: section `b` ends here but is not the open one"},
      {"{{/a}}", "line 1: section `a` ends here but is not the open one"},
      {"{{#a}}{{#b}}{{/a}}{{/b}}", "line 1: section `a` ends here but is not the open one"},
      {"{{# }}", "line 1: `` is not a section's name"},
      {"{{{a}}}", "line 1: unescaped tags are not allowed"},
      {"{{&a}}", "line 1: unescaped tags are not allowed"},
      {"{{>a}}", "line 1: partials are not allowed"},
      {"{{=<% %>=}}", "line 1: other delimiters are not allowed"},
  };
  for (const auto& [text, expected] : mistakes)
    CHECK(problem_of_text(text) == "k/en/text.mustache: " + std::string{expected});
}

TEST_CASE("a file must be UTF-8 text of moderate size") {
  CHECK(problem_of_text("\xFF") == "k/en/text.mustache: is not UTF-8 text");
  CHECK(problem_of_text(std::string{"\0", 1}) == "k/en/text.mustache: is not UTF-8 text");
  CHECK(problem_of_text(std::string(256 * 1024, 'x')).empty());
  CHECK(problem_of_text(std::string(256 * 1024 + 1, 'x'))
        == "k/en/text.mustache: is larger than 256 KiB");
}

TEST_CASE("a subject has one line") {
  CHECK(problem_of_text("one\n", "subject").empty());
  CHECK(problem_of_text("one\r\n", "subject").empty());
  CHECK(problem_of_text("one\ntwo\n", "subject") == "k/en/subject.mustache: must be one line");
  CHECK(problem_of_text("one\rtwo", "subject") == "k/en/subject.mustache: must be one line");
}

TEST_CASE("line ends of another system do not change what is sent") {
  template_files unix_files;
  template_files other_files;
  unix_files.add("k/en/text.mustache", "a\nb\n");
  other_files.add("k/en/text.mustache", "a\r\nb\r\n");
  auto job = test::job_for("k", "en", "{}");
  CHECK((*unix_files.load())->render(job)->content_hash
        == (*other_files.load())->render(job)->content_hash);
}

} // namespace
} // namespace notify
