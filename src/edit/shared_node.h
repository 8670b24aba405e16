// SharedNode: a node of a function that represents several modules. It has what is the same in the nodes of
// all modules; the record of the fold has the rest.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "edit/fold.h"
#include "functions/fold_record.h"

namespace thence::edit {

struct SharedNode {
  onnx::NodeId first = 0;                // the node of the first module
  std::vector<std::string_view> fields;  // whole fields of that node, without its name
};

SharedNode find_shared_node(const Fold& fold, const Function& function, std::size_t step);

/// The name and the annotations of one module's node that the shared node lacks, by position among the fields
/// of the shared node. Empty if the fields are in another order.
std::optional<std::vector<functions::Insertion>> find_annotations(const SharedNode& shared,
                                                                  std::string_view node);

/// Whether a field has no longer encoding than necessary. Others are not written again as they were.
bool is_shortest(std::string_view whole_field, std::string_view payload);

}  // namespace thence::edit
