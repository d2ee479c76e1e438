import Foundation
import TestSupport
import Testing

@Suite("The licences of what Postern uses")
struct NoticeTests {
    @Test("docker/NOTICE is what docker/notice.sh prints")
    func notice() throws {
        let checkout = try Checkout.here.get()
        let scratch = try #require(Self.scratch, "no checkouts of SwiftPM above the tests")
        let script = try SystemCommand(
            "bash", [checkout.root + "/docker/notice.sh", scratch], withErrors: true)
        try #require(script.exitCode == 0, "\(script.said)")
        #expect(
            try checkout.text(of: "docker/NOTICE") == script.said,
            "run docker/notice.sh >docker/NOTICE")
    }

    /// SwiftPM's folder: the one above the test bundle that has the checkouts of packages.
    private static let scratch: String? = {
        // `swift test` passes the path of the test bundle.
        let bundle = CommandLine.arguments.lazy.flatMap { $0.split(separator: "=") }
            .first { $0.hasSuffix(".xctest") }
        let program = bundle.map(String.init) ?? CommandLine.arguments.first ?? ""
        var folder = URL(filePath: program).standardizedFileURL
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.path + "/checkouts") {
                return folder.path
            }
        }
        return nil
    }()
}
