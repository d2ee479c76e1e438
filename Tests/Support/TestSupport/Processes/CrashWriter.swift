import Glibc

/// A program that writes to a folder as fast as it can and acknowledges each write by a line with
/// its number, until a test kills it (`StorageCrashWriter`, `LimitsCrashWriter`).
package final class CrashWriter {
    /// The program's process.
    package let process: ChildProcess
    private let output: Int32
    private var unread: [UInt8] = []

    /// Starts the program, which is beside the tests' own executable.
    /// - Throws: `ChildProcess.NotStarted`.
    package init(_ program: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ChildProcess.NotStarted(description: "no pipe for \(program)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = ends[0]
        defer { close(ends[1]) }
        // A crash handler would keep the killed process's files open.
        do {
            process = try ChildProcess(
                Self.folderOfPrograms() + "/" + program, arguments, in: ".",
                environment: ["SWIFT_BACKTRACE": "enable=no"], input: STDIN_FILENO,
                output: ends[1], errors: STDERR_FILENO)
        } catch {
            close(output)
            throw error
        }
    }

    deinit {
        close(output)
    }

    /// The next `count` numbers that the program has acknowledged; fewer once it has ended.
    package func acknowledged<Number: FixedWidthInteger>(
        _ count: Int = .max, as type: Number.Type = Int64.self
    ) -> [Number] {
        var numbers: [Number] = []
        while numbers.count < count {
            while let end = unread.firstIndex(of: 0x0A), numbers.count < count {
                if let number = Number(String(decoding: unread[..<end], as: UTF8.self)) {
                    numbers.append(number)
                }
                unread.removeSubrange(...end)
            }
            if numbers.count >= count || !readMore() { break }
        }
        return numbers
    }

    /// Kills it at once, at any point, and waits until it has exited.
    package func kill() {
        process.send(SIGKILL)
        _ = process.waitHere()
    }

    private func readMore() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(output, &bytes, bytes.count)
        unread += bytes.prefix(max(0, count))
        return count > 0
    }

    private static func folderOfPrograms() -> String {
        var characters = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &characters, characters.count)
        let bytes = characters.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
