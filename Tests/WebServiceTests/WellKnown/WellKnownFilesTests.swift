import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("The operator's files below /.well-known")
struct WellKnownFilesTests {
    private let folder: TemporaryFolder
    private let log = CapturedLog()

    init() throws { folder = try TemporaryFolder() }

    private var files: WellKnownFiles { WellKnownFiles(folder: folder.path, logger: log.logger()) }

    @Test("only files of the list are served, and those that are missing are not logged")
    func list() throws {
        _ = try folder.write("Contact: mailto:a@example.org", to: "security.txt")
        _ = try folder.write("secret", to: "other.txt")
        #expect(files.contents.keys.sorted() == ["security.txt"])
        #expect(log.lines.isEmpty)
    }

    @Test("a file that is too large is not served, and is logged")
    func tooLarge() throws {
        _ = try folder.write("{}", to: "assetlinks.json")
        _ = try folder.write(
            String(repeating: " ", count: 128 * 1_024 + 1), to: "apple-app-site-association")
        #expect(files.contents.keys.sorted() == ["assetlinks.json"])
        #expect(log.lines.count == 1)
        #expect(log.lines.allSatisfy { $0.contains("apple-app-site-association") })
    }

    @Test("a folder without any of the files is logged; no folder is not")
    func empty() {
        #expect(files.contents.isEmpty)
        #expect(log.lines.count == 1)
        _ = WellKnownFiles(folder: nil, logger: log.logger())
        #expect(log.lines.count == 1)
    }
}
