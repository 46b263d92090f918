#include "actors/rendering.hpp"

#include "actors/sha256.hpp"
#include "messages/error.hpp"
#include "tests/policies/jobs.hpp"
#include "tests/policies/template_files.hpp"

#include <catch2/catch.hpp>

#include <thread>
#include <utility>

namespace notify {
namespace {

using test::job_for;

std::string problem(const caf::error& err) {
  CHECK(err == ec::invalid_template);
  return err.context().get_as<std::string>(0);
}

/// Renders one text part for one payload; after `error: ` what went wrong.
std::string text_of(const std::string& text, const std::string& payload,
                    const std::string& part = "text") {
  test::template_files files;
  files.add("k/en/text.mustache", "").add("k/en/" + part + ".mustache", text);
  auto set = files.load();
  INFO((set ? std::string{} : render(set.error())));
  REQUIRE(set);
  auto result = (*set)->render(job_for("k", "en", payload));
  if (!result)
    return "error: " + problem(result.error());
  return part == "html" ? result->html : part == "subject" ? result->subject : result->text;
}

TEST_CASE("variables are those of the payload and of the event") {
  CHECK(text_of("{{a}} {{ b.c }}", R"({"a":"x","b":{"c":"y"}})") == "x y");
  CHECK(text_of("{{event_id}} {{event_type}} {{occurred_at}}", "{}")
        == "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01 order.paid.v1 2026-09-01 16:00 UTC");
  CHECK(text_of("{{event_id}}", R"({"event_id":"forged"})")
        == "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01");
  CHECK(text_of("{{yes}} {{no}}", R"({"yes":true,"no":false})") == "true false");
  CHECK(text_of("[{{a}}]", R"({"a":""})") == "[]");
}

TEST_CASE("numbers are shown with all their digits and the same from any storage") {
  CHECK(text_of("{{n}}", R"({"n":12.345})") == "12.345");
  CHECK(text_of("{{n}}", R"({"n":18446744073709551616})") == "18446744073709551616");
  // jsonb gives 1e3 back as 1000: a retry must send the same bytes as the first attempt.
  CHECK(text_of("{{n}}", R"({"n":1e3})") == "1000");
  CHECK(text_of("{{n}}", R"({"n":-0})") == "0");
}

TEST_CASE("a missing variable is an error that names file and variable") {
  CHECK(text_of("{{a}}", "{}") == "error: k/en/text.mustache: variable `a` is missing");
  CHECK(text_of("{{a}}", R"({"a":null})") == "error: k/en/text.mustache: variable `a` is missing");
  CHECK(text_of("{{a.b}}", R"({"a":"x"})")
        == "error: k/en/text.mustache: variable `a.b` is missing");
  CHECK(text_of("{{a}}", "{}", "html") == "error: k/en/html.mustache: variable `a` is missing");
  CHECK(text_of("{{a}}", "{}", "subject")
        == "error: k/en/subject.mustache: variable `a` is missing");
  CHECK(text_of("{{#l}}{{a}}{{/l}}", R"({"l":[{"b":1}]})")
        == "error: k/en/text.mustache: variable `a` is missing");
  CHECK(text_of("{{b}}{{a}}{{c}}", R"({"b":"x"})")
        == "error: k/en/text.mustache: variable `a` is missing");
}

TEST_CASE("an object or a list is not a variable's value") {
  CHECK(text_of("{{a}}", R"({"a":{}})")
        == "error: k/en/text.mustache: variable `a` is an object or a list");
  CHECK(text_of("{{a}}", R"({"a":[]})")
        == "error: k/en/text.mustache: variable `a` is an object or a list");
}

TEST_CASE("a section is left out if its name is absent, null, false or empty") {
  for (auto payload : {"{}", R"({"a":null})", R"({"a":false})", R"({"a":""})", R"({"a":[]})"}) {
    INFO(payload);
    CHECK(text_of("x{{#a}}{{a}}{{/a}}{{^a}}none{{/a}}y", payload) == "xnoney");
  }
  CHECK(text_of("{{#a}}{{b}}{{/a}}{{^a}}none{{/a}}", R"({"a":true,"b":1})") == "1");
  CHECK(text_of("{{#a}}{{a}}{{/a}}", R"({"a":0})") == "0");
  CHECK(text_of("{{#a}}{{b}}{{/a}}", R"({"a":{"b":"in"},"b":"out"})") == "in");
  CHECK(text_of("{{#a}}{{b}}{{/a}}", R"({"a":{},"b":"out"})") == "out");
  CHECK(text_of("{{#a.b}}{{c}}{{/a.b}}", R"({"a":{"b":{"c":1}}})") == "1");
}

TEST_CASE("a section over a list repeats, also on lines of its own") {
  CHECK(text_of("{{#l}}\n- {{name}}: {{n}}\n{{/l}}\nend\n",
                R"({"l":[{"name":"a","n":1},{"name":"b","n":2}]})")
        == "- a: 1\n- b: 2\nend\n");
  CHECK(text_of("{{#l}}{{.}},{{/l}}", R"({"l":["a",1,true]})") == "a,1,true,");
  CHECK(text_of("{{#l}}[{{#m}}{{.}}{{/m}}]{{/l}}", R"({"l":[{"m":[1,2]},{"m":[]}]})") == "[12][]");
}

TEST_CASE("a line with nothing but a section tag or a comment vanishes, and only such a line") {
  const auto* yes = R"({"a":true,"b":"x"})";
  CHECK(text_of("1\n{{#a}}\n2\n{{/a}}\n3\n", yes) == "1\n2\n3\n");
  CHECK(text_of("1\n{{#a}}\n2\n{{/a}}\n3\n", "{}") == "1\n3\n");
  CHECK(text_of("1\n{{^a}}\n2\n{{/a}}\n3\n", yes) == "1\n3\n");
  CHECK(text_of("1\n{{^a}}\n2\n{{/a}}\n3\n", "{}") == "1\n2\n3\n");
  CHECK(text_of("{{#a}}\n\n2\n\n{{/a}}\n\n3", yes) == "\n2\n\n\n3");
  CHECK(text_of("  {{#a}}\t\n  2\n {{/a}}  ", yes) == "  2\n");
  CHECK(text_of("1\n{{! why }}\n2", "{}") == "1\n2");
  CHECK(text_of("1\n{{b}}\n2", yes) == "1\nx\n2");
  CHECK(text_of("1\n{{b}}\n2", R"({"b":""})") == "1\n\n2");
  CHECK(text_of("{{#a}}1{{/a}}\n2", "{}") == "\n2");
  CHECK(text_of("{{#a}}1{{/a}} \n2", yes) == "1 \n2");
  CHECK(text_of("x {{#a}}\n1{{/a}}", yes) == "x \n1");
  CHECK(text_of("\n\n \n", "{}") == "\n\n \n");
}

TEST_CASE("a value's line breaks and control characters stay as they are") {
  CHECK(text_of("{{a}}", R"({"a":"1\n\n 2\u0001\r\n"})") == "1\n\n 2\x01\r\n");
}

TEST_CASE("comments vanish") {
  CHECK(text_of("a{{! for {translators} }}b", "{}") == "ab");
}

TEST_CASE("html is escaped, text and subject are not") {
  const auto* payload = R"({"a":"<b>\"O'Neil\" & Co</b>"})";
  CHECK(text_of("{{a}}", payload, "html") == "&lt;b&gt;&quot;O&#39;Neil&quot; &amp; Co&lt;/b&gt;");
  CHECK(text_of("{{a}}", payload) == "<b>\"O'Neil\" & Co</b>");
  CHECK(text_of("{{a}}", payload, "subject") == "<b>\"O'Neil\" & Co</b>");
  CHECK(text_of("{{#l}}{{.}}{{/l}}", R"({"l":["<"]})", "html") == "&lt;");
}

TEST_CASE("a value is never taken for a template") {
  CHECK(text_of("{{a}}", R"({"a":"{{b}} {{#c}}"})") == "{{b}} {{#c}}");
}

TEST_CASE("a subject is one line, whatever the payload brings") {
  for (auto payload :
       {R"({"a":"x\r\nBcc: y"})", R"({"a":"x\ny"})", R"({"a":"x\ty"})", R"({"a":"x\u007f"})"})
    CHECK(text_of("{{a}}", payload, "subject")
          == "error: k/en/subject.mustache: the subject has a control character or line break");
  CHECK(text_of("Привет {{a}}\n", R"({"a":"мир"})", "subject") == "Привет мир");
}

TEST_CASE("the amount is made of total and currency, in the template's language") {
  test::template_files files;
  auto set =
      files.add("k/en/text.mustache", "{{amount}}").add("k/ru/text.mustache", "{{amount}}").load();
  REQUIRE(set);
  auto amount = [&](const char* locale, const char* payload) {
    auto result = (*set)->render(job_for("k", locale, payload));
    return result ? result->text : problem(result.error());
  };
  const auto* rubles = R"({"total_amount":998000,"currency":"RUB","amount":"forged"})";
  CHECK(amount("en", rubles) == "RUB 9,980.00");
  CHECK(amount("ru-RU", rubles) == "9\u00A0980,00\u00A0₽");
  CHECK(amount("de", rubles) == "RUB 9,980.00");
  for (auto payload : {"{}", R"({"total_amount":1})", R"({"total_amount":1.5,"currency":"RUB"})",
                       R"({"total_amount":1,"currency":"rubles"})", R"({"amount":"5"})"})
    CHECK(amount("en", payload)
          == "k/en/text.mustache: variable `amount` needs an integer `total_amount` and a "
             "`currency`");
}

TEST_CASE("a locale falls back to its language, then to English") {
  test::template_files files;
  auto set = files.add("k/en/text.mustache", "en")
                 .add("k/ru/text.mustache", "ru")
                 .add("k/pt-BR/text.mustache", "pt-BR")
                 .add("only/ru/text.mustache", "ru")
                 .load();
  REQUIRE(set);
  const std::pair<const char*, const char*> expected[] = {
      {"en", "en"},       {"ru", "ru"},         {"ru-RU", "ru"}, {"ru_RU", "ru"},
      {"RU", "ru"},       {"ru-Cyrl-RU", "ru"}, {"fr", "en"},    {"", "en"},
      {"pt-br", "pt-BR"}, {"pt-BR-x", "pt-BR"}, {"pt", "en"},    {"-", "en"}};
  for (const auto& [locale, text] : expected)
    CHECK((*set)->render(job_for("k", locale, "{}"))->text == text);
  auto result = (*set)->render(job_for("only", "fr", "{}"));
  REQUIRE_FALSE(result);
  CHECK(problem(result.error()) == "only: has neither locale `fr` nor `en`");
}

TEST_CASE("an unknown template is named with the nearest one") {
  auto set = template_set::load(NOTIFY_SOURCE_DIR "/tools/config/templates");
  REQUIRE(set);
  CHECK((*set)->contains("order-paid.v1"));
  CHECK_FALSE((*set)->contains("order-payed.v1"));
  auto result = (*set)->render(job_for("order-payed.v1", "en", "{}"));
  REQUIRE_FALSE(result);
  CHECK(problem(result.error())
        == "there is no template `order-payed.v1`, did you mean `order-paid.v1`?");
}

TEST_CASE("a payload that is not an object cannot be rendered") {
  for (auto payload : {"", "[]", "7", "{", "{\"a\":\"\\u0000\"}"})
    CHECK(text_of("x", payload) == "error: k: the payload is not a JSON object");
}

TEST_CASE("a payload as deep as an operator may allow is rendered") {
  std::string payload = "{\"a\":" + std::string(200, '[') + "1" + std::string(200, ']') + "}";
  CHECK(text_of("{{#a}}x{{/a}}", payload) == "x");
}

TEST_CASE("the content hash covers every part and its place") {
  auto hash = [](const char* subject, const char* text, const char* html) {
    test::template_files files;
    files.add("k/en/subject.mustache", subject)
        .add("k/en/text.mustache", text)
        .add("k/en/html.mustache", html);
    return (*files.load())->render(job_for("k", "en", "{}"))->content_hash;
  };
  CHECK(hash("a", "b", "c") == to_hex(sha256_of_parts({"a", "b", "c"})));
  CHECK(hash("a", "b", "c") == hash("a", "b", "c"));
  CHECK(hash("ab", "", "c") != hash("a", "b", "c"));
  CHECK(hash("a", "b", "") != hash("a", "", "b"));
}

TEST_CASE("many threads render from one set") {
  auto set = template_set::load(NOTIFY_SOURCE_DIR "/tools/config/templates");
  REQUIRE(set);
  auto job = job_for("order-cancelled.v1", "ru",
                     R"({"order_id":"77","total_amount":1,"currency":"RUB","reason":"<нет>"})");
  auto expected = (*set)->render(job)->content_hash;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i)
        wrong[t] += (*set)->render(job)->content_hash == expected ? 0 : 1;
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4));
}

} // namespace
} // namespace notify
