import Foundation
import TestSupport

/// A line of the shell in a terminal of its own, at which a test reads and types as a person does.
/// The program `script` of every Debian makes the terminal.
final class TerminalSession: Sendable {
    private let folder: TemporaryFolder
    private let process: RunningProcess
    private let keyboard = Pipe()
    /// What is shown is read from a file instead.
    private let output = Pipe()

    /// Starts the line.
    init(_ line: String) throws {
        folder = try TemporaryFolder()
        process = RunningProcess(
            "/usr/bin/script",
            ["--quiet", "--flush", "--return", "--command", line, folder.file("screen")],
            in: folder.path)
        process.connect(input: keyboard, output: output, errors: FileHandle.nullDevice)
        try process.start()
    }

    /// The process of the terminal, below which all others are.
    var id: pid_t { process.id }

    /// All that was shown until now.
    var screen: String {
        let bytes = FileManager.default.contents(atPath: folder.file("screen")) ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits until a text was shown.
    func shows(_ text: String) async throws -> Bool {
        try await eventually { screen.contains(text) }
    }

    /// Types these keys.
    func send(_ keys: String) throws {
        try keyboard.fileHandleForWriting.write(contentsOf: Data(keys.utf8))
    }

    /// Waits until the line has ended.
    /// - Returns: its exit code.
    func end() async -> Int32 { await process.end(within: .seconds(60)) }
}
