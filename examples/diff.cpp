// ModelMap::diff: prints how two models differ, without differences of attributes and shapes.
//   diff old.onnx new.onnx
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 3) return usage("diff OLD.onnx NEW.onnx");
  const thence::Result<thence::ModelMap> before = thence::map_model(argv[1]);
  if (!before) return fail(before.error());
  const thence::Result<thence::ModelMap> after = thence::map_model(argv[2]);
  if (!after) return fail(after.error());
  const thence::Result<thence::Differences> found =
      before->diff(*after, {thence::DiffKind::attributes, thence::DiffKind::shapes});
  if (!found) return fail(found.error());
  for (const thence::Difference& one : found->list)
    std::cout << name_of(one.kind) << ' ' << one.module << ' ' << one.detail << '\n';
  std::cout << found->list.size() << " differences\n";
  return found->empty() ? 0 : 1;
}
