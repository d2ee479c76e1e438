import Foundation
import Glibc

/// Many clients of one gateway, in their own process (`Tests/Crowd/crowd.py`).
final class CrowdProcess: Sendable {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Crowd/crowd.py").path
    /// The longest time for a command: ten thousand handshakes on a slow machine.
    private static let timeout = Duration.seconds(120)

    private let process: RunningProcess
    private let orders = Pipe()
    private let answers = Pipe()

    /// Whether this machine can run it.
    static let isPossible = ["/usr/bin/python3", "/usr/local/bin/python3"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// A crowd without connections yet, for the gateway on `port`.
    init(port: Int, data: String, isTLS: Bool = false) throws {
        let key = "\(data)/keys/applications/app.k1.key"
        process = RunningProcess(
            "/usr/bin/env",
            ["python3", Self.script, "\(port)", key] + (isTLS ? ["--tls"] : []), in: data)
        process.connect(input: orders, output: answers, errors: FileHandle.standardError)
        try process.start()
    }

    /// Sends a command and waits until it is done.
    /// - Returns: the words of the response after the command.
    @discardableResult
    func run(_ order: String) async throws -> [String] {
        try orders.fileHandleForWriting.write(contentsOf: Data("\(order)\n".utf8))
        let watch = Task {
            try await Task.sleep(for: Self.timeout)
            process.send(SIGKILL)
        }
        defer { watch.cancel() }
        let answer = await line()
        guard answer.hasPrefix("done \(order)") else {
            throw ClusterError(message: "the crowd answered \(order) with: \(answer)")
        }
        return answer.dropFirst("done \(order)".count).split(separator: " ").map(String.init)
    }

    /// The next line of output; empty after the process ended.
    private func line() async -> String {
        let output = answers.fileHandleForReading
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var bytes: [UInt8] = []
                while bytes.last != UInt8(ascii: "\n") {
                    let next = output.availableData
                    if next.isEmpty { break }
                    bytes += next
                }
                continuation.resume(
                    returning: String(decoding: bytes, as: UTF8.self)
                        .trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
    }

    /// Closes all connections.
    func end() async {
        // The process may have ended already.
        try? orders.fileHandleForWriting.close()
        _ = await process.end(within: .seconds(10))
    }
}
