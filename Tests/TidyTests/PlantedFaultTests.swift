import TestSupport
import Testing

@Suite("Planted faults")
struct PlantedFaultTests {
    /// Only `docker/soak.sh` plants them. Without this, a flow could change below a patch unseen.
    @Test("each planted fault still applies, and the suite that must find it exists")
    func patches() throws {
        let checkout = try Checkout.here.get()
        let patches = checkout.paths.filter {
            $0.hasPrefix("Tests/Support/PlantedFaults/") && $0.hasSuffix(".patch")
        }
        #expect(!patches.isEmpty)
        for patch in patches {
            let text = try checkout.text(of: patch)
            let header =
                /Fault: .+\nFound by: (\w+)\.(\w+)\n(?:Store: server\n)?Words: .+\n\ndiff\b/
            let (_, tests, suite) = try #require(text.prefixMatch(of: header), "\(patch)").output
            let isThere = checkout.paths.contains {
                $0.hasPrefix("Tests/\(tests)/") && $0.hasSuffix("/\(suite).swift")
            }
            #expect(isThere, "\(patch): no \(tests).\(suite)")
            // The tests may run as another user than the owner of the clone.
            let check = try SystemCommand(
                "git",
                ["-c", "safe.directory=*", "-C", checkout.root, "apply", "--check", patch],
                withErrors: true)
            #expect(check.exitCode == 0, "\(check.said)")
        }
    }
}
