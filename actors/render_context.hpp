#pragma once

#include "messages/delivery.hpp"

#include <boost/json/object.hpp>

#include <kainjow/mustache.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// Stands before a section's name in a parsed template, so that the lookup knows what it is for:
/// a section may be absent, a variable may not. No name in a template can contain it.
inline constexpr char section_mark = '?';

/// The variable that stands for each line break of a parsed template. The library drops or keeps
/// lines with section tags otherwise than Mustache says, unless it does not see any lines.
inline constexpr std::string_view line_break_name = "!n";

/// Answers a template's lookups for one job. Converts only what is looked up. Not thread-safe.
class render_context : public kainjow::mustache::basic_context<std::string> {
public:
  using data = kainjow::mustache::data;

  /// `payload` has its numbers as text and must outlive this.
  render_context(const delivery_job& job, const boost::json::object& payload,
                 std::string_view language)
      : job_(job), payload_(payload), language_(language) {}

  void push(const data* x) override { frames_.push_back(x); }
  void pop() override { frames_.pop_back(); }
  const data* get(const std::string& name) const override;
  const data* get_partial(const std::string&) const override { return nullptr; }

  /// What the first failed lookup lacked; empty if all went well.
  const std::string& problem() const { return problem_; }

private:
  const data* find(std::string_view path) const;
  const data* find_root(std::string_view name) const;
  bool make_root(std::string_view name, data& result) const;
  bool make_amount(data& result) const;
  const data* complain(const std::string& name, std::string_view what) const;

  const delivery_job& job_;
  const boost::json::object& payload_;
  std::string_view language_;
  std::vector<const data*> frames_;
  // The library's lookup is const; what it finds is made on demand.
  mutable std::map<std::string, data, std::less<>> roots_;
  mutable std::string problem_;
};

} // namespace notify
