import FoundationEssentials
import Glibc

/// A text file of this checkout that a test compares with the code, and writes with
/// `POSTERN_WRITE_FILES=1`.
package struct CommittedFile {
    private let url: URL

    /// Whether tests write such files instead of comparing them.
    package static var isWriting: Bool { getenv("POSTERN_WRITE_FILES") != nil }
    /// What to do where one differs.
    package static let hint = "run this test with POSTERN_WRITE_FILES=1"

    /// - Parameter path: From the checkout's root.
    package init(_ path: String) {
        url = Self.root.appending(path: path)
    }

    /// The path of a file of this checkout.
    /// - Parameter path: From the checkout's root.
    package static func path(_ path: String) -> String { root.appending(path: path).path }

    private static let root: URL = {
        // This file is Tests/Support/TestSupport/Files/CommittedFile.swift. Links are resolved
        // first, because a test target may be reached through a link.
        var root = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root
    }()

    /// Where it is; also of a folder.
    package var path: String { url.path }

    /// The committed text.
    /// - Throws: if the file cannot be read.
    package func text() throws -> String {
        String(decoding: try Data(contentsOf: url), as: UTF8.self)
    }

    /// Replaces the text, if tests write files.
    /// - Throws: if the file cannot be written.
    package func writeIfRequested(_ text: String) throws {
        guard Self.isWriting else { return }
        try Data(text.utf8).write(to: url)
    }
}
