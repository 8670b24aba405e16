#include "wire/survey.h"

namespace thence::wire {
namespace {

// An enclosing message, and the position in it.
struct EnclosingMessage {
  Fields fields;
  std::uint32_t last;  // field number
  std::uint8_t kind;
};

// Reports the progress of the walk to the read-ahead, if there is one.
class Progress {
 public:
  Progress(base::ReadAhead* ahead, std::string_view file)
      : ahead_(ahead), next_(ahead != nullptr ? ahead->start() : file.data() + file.size()) {}

  void skip(const Fields& fields) {
    if (ahead_ != nullptr && fields.bytes().size() >= base::ReadAhead::min_skip_bytes)
      next_ = ahead_->report_skip(fields.rest(), fields.bytes().size());
  }
  void reach(const char* at) {
    if (at >= next_) next_ = ahead_->report_position(at);
  }

 private:
  base::ReadAhead* ahead_;
  const char* next_;  // the position of the next report
};

// Whether the packed numbers end where their field ends.
bool are_packed_numbers_complete(std::uint8_t content, const Fields& fields) {
  if (content == packed_fixed32) return fields.bytes().size() % 4 == 0;
  return for_each_varint(fields, fields.field(), [](std::uint64_t) {});
}

void add_data(Survey& survey, std::string_view file, std::string_view data) {
  survey.data_bytes += data.size();
  if (data.size() < min_large_data_bytes) return;
  const auto begin = static_cast<std::uint64_t>(data.data() - file.data());
  survey.large_data.push_back({begin, begin + data.size()});
}

}  // namespace

Survey survey(std::string_view file, std::uint8_t root_kind, const Layout& layout, base::ReadAhead* ahead) {
  Survey result;
  result.counts.resize(layout.messages.size());
  result.empty_counts.resize(layout.messages.size());
  std::vector<EnclosingMessage> enclosing;  // the messages that enclose the current one
  enclosing.reserve(static_cast<std::size_t>(max_depth));
  Fields fields(file);
  std::uint32_t last = 0;  // field number
  std::uint8_t kind = root_kind;
  Progress progress(ahead, file);
  const auto fail = [&](Fault fault) {
    result.fault = fault;
    result.fault_offset = static_cast<std::uint64_t>(fields.start() - file.data());
    result.fault_kind = kind;
    return result;
  };
  for (;;) {
    auto& counts = result.counts[kind];
    const auto& field_contents = layout.messages[kind];
    std::uint8_t enter = unchecked_bytes;
    while (fields.next()) {
      const std::uint32_t field = fields.field();
      if (field < last) result.disordered |= std::uint64_t{1} << kind;
      last = field;
      if (field >= counted_fields || fields.type() != WireType::bytes) continue;
      ++counts[field];
      if (fields.bytes().empty()) ++result.empty_counts[kind][field];
      const std::uint8_t content = field_contents[field];
      if (content == unchecked_bytes) continue;
      if (content == weight_data) {
        add_data(result, file, fields.bytes());
        progress.skip(fields);
      } else if (content >= packed_fixed32) {
        if (!are_packed_numbers_complete(content, fields)) return fail(Fault::packed_numbers);
      } else {
        enter = content;
        break;
      }
    }
    if (enter != unchecked_bytes) {
      if (enclosing.size() >= static_cast<std::size_t>(max_depth)) return fail(Fault::too_deep);
      progress.reach(fields.start());
      enclosing.push_back({fields, last, kind});
      fields = Fields(fields.bytes());
      last = 0;
      kind = enter;
    } else if (fields.fault() != Fault::none) {
      return fail(fields.fault());
    } else if (enclosing.empty()) {
      return result;
    } else {
      fields = enclosing.back().fields;
      last = enclosing.back().last;
      kind = enclosing.back().kind;
      enclosing.pop_back();
    }
  }
}

}  // namespace thence::wire
