import ServiceRuntime
import Synchronization
import Testing

@Suite("Files that are read again for changes")
struct FollowedFilesTests {
    /// The files' text, and the values that were put into force.
    private final class Fixture: Sendable {
        let inFiles = Mutex("one")
        let current = Mutex(["one"])

        var files: FollowedFiles<String> {
            FollowedFiles(
                current: "one", read: { self.inFiles.withLock { $0 } },
                use: { text in
                    if text.contains("bad") { return ["bad"] }
                    self.current.withLock { $0.append(text) }
                    return []
                })
        }
    }

    @Test(
        "a change is used once two reads agree, and an invalid one is reported once",
        arguments: [
            (["one", "one"], [.unchanged, .unchanged], ["one"]),
            (["two", "two", "two"], [.unchanged, .used, .unchanged], ["one", "two"]),
            (["t", "tw", "two"], [.unchanged, .unchanged, .unchanged], ["one"]),
            (["two", "one", "two"], [.unchanged, .unchanged, .unchanged], ["one"]),
            (["bad", "bad", "bad"], [.unchanged, .refused(["bad"]), .unchanged], ["one"]),
            (
                ["bad", "bad", "one", "one"], [.unchanged, .refused(["bad"]), .unchanged, .used],
                ["one", "one"]
            ),
        ] as [([String], [FollowedFiles<String>.Look], [String])])
    func looks(
        _ reads: [String], _ expected: [FollowedFiles<String>.Look], _ current: [String]
    ) {
        let fixture = Fixture()
        let files = fixture.files
        let looks = reads.map { text in
            fixture.inFiles.withLock { $0 = text }
            return files.look()
        }
        #expect(looks == expected)
        #expect(fixture.current.withLock { $0 } == current)
    }
}
