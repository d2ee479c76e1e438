// No code. This module depends on all programs (`Package.swift`), so that one command builds them
// and nothing else: `swift build -c release --target Programs`. Without a target, SwiftPM would
// also build the benchmarks and the parts of tests; with `--product`, it builds one program.
