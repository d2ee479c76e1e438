# A copy of the tree, for tests that change its sources. To be sourced, not run.

# Copies the tree ROOT to COPY, and keeps there only the named test targets and what they need:
# copy_tree ROOT COPY TESTS….
copy_tree() {
  local root=$1 copy=$2
  shift 2
  rm -rf "$copy"
  mkdir -p "$copy"
  # With their times, so that another build compiles only what has changed.
  cp -rp "$root"/{Package.swift,Sources,Tests,Protos} "$copy"
  if [[ -f $root/Package.resolved ]]; then cp -p "$root/Package.resolved" "$copy"; fi
  cat >>"$copy/Package.swift" <<EOF

var wanted: Set = [$(printf '"%s", ' "$@")]
var isGrowing = true
while isGrowing {
    let before = wanted.count
    for target in package.targets where wanted.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { wanted.insert(name) }
    }
    isGrowing = wanted.count > before
}
package.targets.removeAll { !wanted.contains(\$0.name) }
// For other packages; their targets may be gone.
package.products = []
EOF
}
