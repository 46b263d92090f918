#include "persistence/pg_array.hpp"

#include "persistence/session.hpp"
#include "persistence/sql_error.hpp"
#include "tests/support/postgres_fixture.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <optional>

namespace notify {
namespace {

using test::postgres_fixture;

// What the server makes of an array, as text.
std::vector<std::optional<std::string>> unnested(session& db, const pg_array& array,
                                                 const std::string& type, size_t size) {
  auto result = db.run([&] {
    std::vector<std::string> values(size + 1);
    std::vector<soci::indicator> nulls(size + 1);
    soci::statement statement =
        (db.sql().prepare << "select x::text from unnest(:a::" + type + "[]) with ordinality "
                                 + "as u(x, n) order by n",
         soci::use(array.text(), "a"), soci::into(values, nulls));
    std::vector<std::optional<std::string>> rows;
    if (!statement.execute(true))
      return rows;
    for (size_t i = 0; i < values.size(); ++i)
      rows.push_back(nulls[i] == soci::i_null ? std::nullopt : std::optional{values[i]});
    return rows;
  });
  if (!result)
    throw std::runtime_error{"refused by the server: " + array.text()};
  return *result;
}

// Text of every kind that the server takes: no NUL, valid UTF-8.
rc::Gen<std::string> any_text() {
  auto piece =
      rc::gen::element<std::string>("\"", "\\", "{", "}", ",", " ", "NULL", "null", "\n", "\t", "'",
                                    "a", "\x01", "\x7f", "ü", "漢", "\U0001F4E7", ":x", "::", "$1");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](auto pieces) {
    std::string text;
    for (auto& x : pieces)
      text += x;
    return text;
  });
}

TEST_CASE("texts come out of an array as they went in") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  session db{fixture.config(), "arrays"};
  auto element = rc::gen::map(rc::gen::maybe(any_text()), [](const rc::Maybe<std::string>& x) {
    return x ? std::optional{*x} : std::nullopt;
  });
  auto texts = rc::gen::container<std::vector<std::optional<std::string>>>(element);
  CHECK(rc::check([&] {
    auto values = *texts;
    pg_array array;
    for (auto& x : values) {
      if (x)
        array.add_text(*x);
      else
        array.add_null();
    }
    RC_ASSERT(unnested(db, array, "text", values.size()) == values);
  }));
}

TEST_CASE("bytes come out of an array as they went in, in nested arrays too") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  session db{fixture.config(), "arrays"};
  auto hex = [](const std::string& bytes) {
    std::string text = "\\x";
    for (unsigned char c : bytes) {
      text += "0123456789abcdef"[c >> 4];
      text += "0123456789abcdef"[c & 15];
    }
    return text;
  };
  CHECK(rc::check([&](const std::vector<std::string>& values) {
    pg_array inner;
    std::vector<std::optional<std::string>> expected;
    for (auto& x : values) {
      inner.add_bytes(x);
      expected.emplace_back(hex(x));
    }
    RC_ASSERT(unnested(db, inner, "bytea", values.size()) == expected);
    pg_array outer;
    outer.add_text(inner.text());
    auto through = unnested(db, outer, "text", 1);
    RC_ASSERT(through.at(0) == inner.text());
  }));
}

TEST_CASE("numbers and ids come out of an array as they went in") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  session db{fixture.config(), "arrays"};
  CHECK(rc::check([&](const std::vector<int64_t>& values) {
    pg_array numbers, ids;
    std::vector<std::optional<std::string>> expected_numbers, expected_ids;
    for (auto x : values) {
      uuid id{static_cast<uint64_t>(x), ~static_cast<uint64_t>(x)};
      numbers.add_int(x);
      ids.add_uuid(id);
      expected_numbers.emplace_back(std::to_string(x));
      expected_ids.emplace_back(to_string(id));
    }
    RC_ASSERT(unnested(db, numbers, "bigint", values.size()) == expected_numbers);
    RC_ASSERT(unnested(db, ids, "uuid", values.size()) == expected_ids);
  }));
}

TEST_CASE("times keep their microseconds, from 4000 BC to beyond the year 9999") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  session db{fixture.config(), "arrays"};
  CHECK(rc::check([&] {
    auto time = *rc::gen::inRange<int64_t>(-188000000000000000, 900000000000000000);
    pg_array array;
    array.add_time(time);
    auto result = db.run([&] {
      long long microseconds = 0;
      db.sql() << "select (extract(epoch from (:a::timestamptz[])[1]) * 1000000)::bigint",
          soci::use(array.text(), "a"), soci::into(microseconds);
      return microseconds;
    });
    RC_ASSERT(result.engaged());
    RC_ASSERT(*result == time);
  }));
  pg_array array;
  CHECK_THROWS_AS(array.add_time(std::numeric_limits<int64_t>::max()), refused_value);
  CHECK_THROWS_AS(array.add_time(std::numeric_limits<int64_t>::min()), refused_value);
}

TEST_CASE("a NUL is refused, at every place") {
  pg_array array;
  for (auto& x :
       {std::string("\0", 1), std::string("a\0", 2), std::string("\0a", 2), std::string("\"\0", 2)})
    CHECK_THROWS_AS(array.add_text(x), refused_value);
  CHECK_THROWS_AS(without_nul(std::string("a\0b", 3)), refused_value);
}

TEST_CASE("an array is complete at any moment and empty after clear") {
  pg_array array;
  CHECK(array.text() == "{}");
  array.add_text("");
  CHECK(array.text() == R"({""})");
  array.add_text_or_null("");
  array.add_int(-1);
  CHECK(array.text() == R"({"",NULL,-1})");
  auto* address = &array.text();
  array.add_text(std::string(size_t{8} << 20u, 'x'));
  array.clear();
  CHECK(array.text() == "{}");
  CHECK(address == &array.text());
}

} // namespace
} // namespace notify
